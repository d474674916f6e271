"""Programs: the module under construction, and the context that says which one is current."""

from __future__ import annotations

import contextlib
import contextvars
import functools
import inspect
from collections.abc import Callable, Iterator

from kumihimo._native import call, function
from kumihimo.layout import current_target


class Program:
    """A LEIR program: one module with one function.

    Ops add nodes to the current program (:func:`program`, or the default one after :func:`set_target`).
    """

    def __init__(self, target: str, name: str = "main"):
        self.target = target
        self.name = name
        self.module = function("module.new")(target, "main")

    def text(self, full: bool = False) -> str:
        """The program as LEIR text; ``full`` adds types and source ranges. Reads back with :meth:`parse`."""
        return call("module.print", self.module, full)

    @classmethod
    def parse(cls, text: str, file: str = "<leir>") -> Program:
        """Reads and checks a program text."""
        p = cls.__new__(cls)
        p.module = call("module.parse", text, file)
        p.target = text.split("target=", 1)[1].split("/", 1)[0]
        p.name = file
        return p

    def exact(self, inputs: dict) -> dict:
        """Runs the exact interpreter; see :func:`kumihimo.run.exact`."""
        from kumihimo import run

        return run.exact(self, inputs)

    def reference(self, inputs: dict) -> dict:
        """Runs the float64 reference; see :func:`kumihimo.run.reference`."""
        from kumihimo import run

        return run.reference(self, inputs)

    def lower(self, **options):
        """Lowers to instructions; see :class:`kumihimo.run.Lowered`."""
        from kumihimo import run

        return run.Lowered(self, options)

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return f"<leir program {self.name} for {self.target}>"


_current: contextvars.ContextVar[Program | None] = contextvars.ContextVar("kumihimo_program", default=None)


def set_target(name: str) -> None:
    """For scripts: begins a new program for the target and makes it current."""
    current_target.set(name)
    _current.set(Program(name))


def current_program() -> Program:
    """The program that ops add to.

    Raises:
        RuntimeError: no target was set.
    """
    p = _current.get()
    if p is None:
        raise RuntimeError(
            "no current program: call leir.set_target('mncore2') in a script, or use `with leir.program(target='mncore2'):`"
        )
    return p


@contextlib.contextmanager
def program(target: str = "mncore2", name: str = "main") -> Iterator[Program]:
    """For libraries: a new program that is current inside the ``with`` block, in this context only."""
    p = Program(target, name)
    token = _current.set(p)
    target_token = current_target.set(target)
    try:
        yield p
    finally:
        current_target.reset(target_token)
        _current.reset(token)


class Kernel:
    """A function that builds a program: ``kernel.build(heads=9)`` gives the program, calling it adds to the current one."""

    def __init__(self, build: Callable, target: str):
        self._build = build
        self.target = target
        functools.update_wrapper(self, build)

    def __call__(self, *args, **kwargs):
        return self._build(*args, **kwargs)

    def build(self, *args, target: str | None = None, **kwargs) -> Program:
        """Builds the program with these parameters."""
        with program(target or self.target, self.__name__) as p:
            self._build(*args, **kwargs)
        return p

    @property
    def parameters(self) -> dict:
        """Parameter names and their defaults (``inspect.Parameter.empty`` where there is none)."""
        return {n: p.default for n, p in inspect.signature(self._build).parameters.items()}


def kernel(build: Callable | None = None, *, target: str = "mncore2"):
    """Decorator: marks a function as a program, so that ``kumi check FILE.py:FUNCTION`` finds it."""
    if build is None:
        return lambda f: Kernel(f, target)
    return Kernel(build, target)
