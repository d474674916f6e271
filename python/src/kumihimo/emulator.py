"""A session with the emulator of MN-Core 2, bit for bit.

    >>> import numpy as np
    >>> from kumihimo import Emulator
    >>> with Emulator("mncore2-tiny") as e:
    ...     e.set_tensor("(64)/((16_MAB:1, 4_W:1))@LM0/half", np.arange(64))
    ...     _ = e.load('hvpassa $lm0 $llr0\\nd getf $lr0n0c0b0m1p0 1\\n')
    ...     print(e.run().dumps[0])
    DEBUG-GREG0(n0c0b0m1p0,0):(4, 5) (0x40800000, 0x40a00000) #d getf $lr0n0c0b0m1p0 1

Time is counted in steps (PE instruction words, four cycles each; ``nop/N`` counts N). Lines without a step (MV, ``d get``,
``d set``, ``r``) are executed with the step that follows them. Several threads may each use a session of their own; the
GIL is released while the emulator works. One session is used by one thread at a time: a call that meets another one is
refused (K4021).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from kumihimo._native import call, call_json
from kumihimo.run import Tensors, encode

# Time between two looks at signals, so that Ctrl-C ends a long run at a step boundary.
_BUDGET_MS = 20
# Dump lines of one call, so that a `d get` of a whole DRAM takes no memory when its lines are written away.
_DUMP_LINES = 1 << 15
# Long words of one call of read and defined.
_WORDS = 1 << 20


@dataclass
class Progress:
    """What one call of run or step did.

    Attributes:
        steps: PE instruction words that were executed.
        mv: MV instruction words.
        ended: the program's last line has been executed.
        dumps: lines that ``d get`` printed, without line feeds.
        trace: changes of the words that :meth:`Emulator.trace` selected: dicts with ``step``, ``source`` (file, line,
            text) and ``changes`` (place, memory, unit, address, before, after).
        trace_dropped: changes beyond the trace's limit.
    """

    steps: int = 0
    mv: int = 0
    ended: bool = False
    dumps: list[str] = field(default_factory=list)
    trace: list[dict] = field(default_factory=list)
    trace_dropped: int = 0

    def _add(self, part: dict) -> None:
        self.steps += part["steps"]
        self.mv += part["mv"]
        self.ended = part["ended"]
        self.dumps += part.get("dumps", [])
        self.trace += part.get("trace", [])
        self.trace_dropped += part.get("trace_dropped", 0)


class Emulator:
    """A machine, a program, a position in it.

    Args:
        machine: ``"mncore2"`` (4096 PEs) or ``"mncore2-tiny"`` (128 PEs; milliseconds).
        strict: track which bits were ever written; see :attr:`findings`. Slower.
        poison: 64-bit pattern that every long word of every memory holds before its first write.
        threads: threads of the emulator; 0 = one per processor. Results do not depend on it.
        path: instructions of the host to compute with: ``auto``, ``scalar``, ``avx2``, ``avx512``. Results do not depend
            on it.
        options: further options of the library's ``mncore2.emulator``, such as ``switches={"block_carry": ...}``
            (choices for what nobody has published).

    Raises:
        kumihimo.Error: unknown machine or option, with the known ones.
    """

    def __init__(
        self,
        machine: str = "mncore2",
        *,
        strict: bool = False,
        poison: int = 0,
        threads: int = 0,
        path: str = "auto",
        **options,
    ):
        request = {
            "machine": machine,
            "strict": strict,
            "poison": f"{poison:x}",
            "threads": threads,
            "path": path,
            **options,
        }
        self.machine = machine
        self._handle = call("mncore2.emulator", json.dumps(request))

    def __enter__(self) -> Emulator:
        return self

    def __exit__(self, *_) -> None:
        self.close()

    def close(self) -> None:
        """Gives the machine's memory back at once. Later calls are refused; closing twice is not."""
        call("mncore2.emulator_close", self._handle)

    # --- program and time ---------------------------------------------------------------------------------------------

    def load(self, text: str, file: str = "<vsm>") -> dict:
        """Assembles VSM text; the position goes to its first line. Memories stay as they are, so that data may be set
        before, and a program may follow another.

        Args:
            text: VSM assembly; ``r`` and ``d set`` lines may set memory, ``d get`` lines print it.
            file: name used in diagnostics.

        Returns:
            The position, as :attr:`position`.

        Raises:
            kumihimo.Error: every error of the text, with its line.
        """
        return call_json("mncore2.emulator_load", self._handle, text, file)

    def run(self, steps: int | None = None, dumps: Callable[[list[str]], object] | None = None) -> Progress:
        """Executes to the end, or a number of steps. Ctrl-C ends it between two lines, and run() may go on.

        Args:
            steps: steps (PE words) to execute; None = to the end of the program.
            dumps: receives dump lines part by part, in place of ``Progress.dumps``: a program may print more than
                memory holds.

        Raises:
            kumihimo.Error: no program is loaded, or a line cannot be executed (the memories are then unspecified
                until :meth:`reset`).
        """
        if steps is not None and steps < 0:
            raise ValueError("steps must not be negative")
        now = self.position
        progress = Progress(ended=now["loaded"] and now["ended"])
        while not progress.ended and (steps is None or progress.steps < steps):
            left = -1 if steps is None else steps - progress.steps
            part = call_json("mncore2.emulator_run", self._handle, left, _BUDGET_MS, _DUMP_LINES)
            if dumps is not None and part["dumps"]:
                dumps(part.pop("dumps"))
            progress._add(part)
        return progress

    def step(self, n: int = 1) -> Progress:
        """Executes n steps (fewer at the end); the position then stands right behind the n-th PE word."""
        return self.run(n)

    def reset(self) -> None:
        """Memories and position as after creation and load: data set before is gone, the program stays."""
        call("mncore2.emulator_reset", self._handle)

    @property
    def position(self) -> dict:
        """``step`` (steps since load), ``ended``, ``next`` (file, line and text of the next line, or None), ``lines``,
        ``findings`` (their number), ``machine``, ``strict``, ``loaded``."""
        return call_json("mncore2.emulator_state", self._handle)

    @property
    def findings(self) -> list[dict]:
        """Strict mode: errors of the linter in the program (hazards), then what was found so far, as diagnostics:
        ``code``, ``headline``, ``where``, ``observed``, ``required``, ``text``. Empty without strict."""
        return call_json("mncore2.emulator_findings", self._handle)

    def statistics(self) -> dict:
        """Time of what was executed, in the stated model: ``steps``, ``cycles``, ``microseconds``,
        ``instruction_words``, ``stalls`` (cycles by cause), ``units`` (steps and share), ``ports`` (cycles and share);
        ``text`` is a table of them."""
        return call_json("mncore2.emulator_statistics", self._handle)

    def trace(self, selection: str | None, limit: int = 10000) -> None:
        """From now on, runs report which selected words changed.

        Args:
            selection: memories, addresses, units and steps, such as ``"LM0[0:64]@m0p0-3, T, steps[10:20]"``
                (docs/howto/emulator.md); None ends the trace.
            limit: changed words that are reported; the rest is counted.

        Raises:
            kumihimo.Error: with a caret into the selection.
        """
        call("mncore2.emulator_trace", self._handle, selection or "", limit)

    # --- memory -------------------------------------------------------------------------------------------------------

    def set_tensor(self, layout: str, values: np.ndarray, dtype: str | None = None, address: int = 0) -> None:
        """Puts a tensor where a layout says: into every unit that holds a part of it, every copy.

        Args:
            layout: with location and, unless dtype is given, dtype: ``"(64)/((16_MAB:1, 4_W:1))@LM0/half"``.
            values: array of the layout's shape (partial axes first). Numbers are rounded to nearest even; unsigned
                integers of the element's width are taken as bits. Machine halves are never ``np.float16``.
            dtype: LEIR name of the dtype.
            address: first long word of the tensor in each unit (in LM and GRF, word address / 2).

        Raises:
            kumihimo.Error: the layout does not read, names no memory, or the tensor does not fit.
        """
        elements = np.ascontiguousarray(encode(self.machine, self._dtype(layout, dtype), values))
        call("mncore2.emulator_set_tensor", self._handle, layout, dtype or "", address, elements.tobytes())

    def get_tensor(self, layout: str, dtype: str | None = None, address: int = 0, copy: int = 0) -> np.ndarray:
        """Reads one copy of a tensor.

        Args:
            layout, dtype, address: as in :meth:`set_tensor`.
            copy: which copy, in the order of the layout's ``B@`` tails.

        Returns:
            Array of the layout's shape, partial axes first: float32 for half and single, float64 for double, integers,
            bool. :meth:`get_bits` gives the bits.
        """
        return self._tensor(layout, dtype, address, copy).values("value")

    def get_bits(self, layout: str, dtype: str | None = None, address: int = 0, copy: int = 0) -> np.ndarray:
        """As :meth:`get_tensor`, element bits as unsigned integers (block floats too)."""
        return self._tensor(layout, dtype, address, copy).bits("value")

    def read(self, memory: str, unit: str, address: int, count: int) -> np.ndarray:
        """Long words of one unit's memory as uint64.

        Args:
            memory: ``"LM0"``, ``"L1BM"``, ``"DRAM"``, ``"OMR"``, ``"ALUF"``, ...
            unit: its coordinates, ``"n0c0b0m1p2"`` (group, L2B, L1B, MAB, PE; as many as select one instance).
            address: long words; in T and forwarding registers 0..3 = MSB long words of the cycles, 4..7 = LSB ones.
            count: long words.
        """
        return self._words("mncore2.emulator_read", np.uint64, memory, unit, address, count)

    def write(self, memory: str, unit: str, address: int, words) -> None:
        """Writes long words (uint64) of one unit's memory; arguments as in :meth:`read`."""
        data = np.ascontiguousarray(words, np.uint64).tobytes()
        call("mncore2.emulator_write", self._handle, memory, unit, address, data)

    def defined(self, memory: str, unit: str, address: int, count: int) -> np.ndarray:
        """Strict mode: which 16-bit lanes were written, four bits a long word (8 = the first, most significant)."""
        return self._words("mncore2.emulator_defined", np.uint8, memory, unit, address, count)

    def _words(self, function: str, dtype: type, memory: str, unit: str, address: int, count: int) -> np.ndarray:
        if count <= _WORDS:  # the library refuses what does not exist
            return np.frombuffer(call(function, self._handle, memory, unit, address, count), dtype)
        call(function, self._handle, memory, unit, address + count - 1, 1)  # before room is made for it
        out = np.empty(count, dtype)
        for at in range(0, count, _WORDS):
            n = min(_WORDS, count - at)
            out[at : at + n] = np.frombuffer(call(function, self._handle, memory, unit, address + at, n), dtype)
        return out

    # --- state --------------------------------------------------------------------------------------------------------

    def save(self) -> bytes:
        """The whole state: versioned, checksummed. run(a); save; restore elsewhere; run(b) gives what run(a + b) does."""
        return call("mncore2.emulator_save", self._handle)

    def restore(self, state: bytes) -> dict:
        """Goes to a saved state and returns the position.

        Raises:
            kumihimo.Error: K4020: the bytes are cut or changed, or made with other options, or the loaded program does
                not begin with the lines that made the state.
        """
        return call_json("mncore2.emulator_restore", self._handle, state)

    def _dtype(self, layout: str, dtype: str | None) -> str:
        return dtype or call_json("layout.parse", layout, self.machine)["dtype"] or "half"

    def _tensor(self, layout: str, dtype: str | None, address: int, copy: int) -> Tensors:
        return Tensors(
            self.machine, call("mncore2.emulator_get_tensor", self._handle, layout, dtype or "", address, copy)
        )


def diverge(
    a: str, b: str, *, select: str | None = None, align: str = "steps", second: Mapping | None = None, **options
) -> dict:
    """The first point at which two programs leave different values in chosen memories.

    Args:
        a, b: VSM texts.
        select: a selection as in :meth:`Emulator.trace`; default: every memory but the forwarding registers.
        align: ``"steps"`` (compared after every step) or ``"marks"`` (at lines ``# mark NAME`` that both have).
        second: options of the second run only, such as ``{"poison": "ff"}``: one program against itself.
        options: of both runs, as for :class:`Emulator`.

    Returns:
        ``diverged``; if so ``step`` or ``mark``, ``words`` (place, values of both), ``sources`` (the lines that wrote
        the first word), ``differing_words``.
    """
    request = {"align": align, **options}
    if select is not None:
        request["select"] = select
    if second is not None:
        request["b"] = dict(second)
    return call_json("mncore2.diverge", a, "a", b, "b", json.dumps(request))
