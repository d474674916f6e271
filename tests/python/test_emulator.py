"""kumihimo.Emulator: tensors by layout against NumPy, runs in pieces, threads, interruption, checkpoints, refusals."""

import doctest
import os
import signal
import threading
import time

import numpy as np
import pytest

import kumihimo.emulator
from kumihimo import Emulator, Error
from kumihimo.emulator import diverge
from mncore2_model.genprog import generate

LAYOUT = "(64)/((16_MAB:1, 4_W:1))@LM0/half"
LONG = "nop/1000000\n" * 2000


def tiny(text=None, **options):
    e = Emulator("mncore2-tiny", threads=1, **options)
    if text is not None:
        e.load(text, "test.vsm")
    return e


def test_the_example_of_the_page():
    assert doctest.testmod(kumihimo.emulator).attempted >= 2
    assert doctest.testmod(kumihimo.emulator).failed == 0


# ---- tensors ---------------------------------------------------------------------------------------------------------


def test_a_tensor_lies_where_its_layout_says():
    x = np.arange(64, dtype=np.float32) - 31.5
    with tiny() as e:
        e.set_tensor(LAYOUT, x, address=3)
        # Element i stands in MAB i // 4, lane i % 4, in every PE and L1B; a machine half is 1-6-9.
        bits = np.frombuffer(x.tobytes(), np.uint32).astype(np.uint64)
        half = (bits >> 31 << 15) | (((bits >> 23 & 0xFF) - 127 + 31) << 9) | (bits >> 14 & 0x1FF)
        for m in range(16):
            word = sum(int(half[4 * m + k]) << (48 - 16 * k) for k in range(4))
            for unit in (f"n0c0b0m{m}p0", f"n0c0b1m{m}p3"):
                assert e.read("LM0", unit, 2, 3).tolist() == [0, word, 0]
        for copy in range(8):
            assert np.array_equal(e.get_tensor(LAYOUT, address=3, copy=copy), x)
        assert e.get_bits(LAYOUT, address=3).dtype == np.uint16


@pytest.mark.parametrize("dtype", ["half", "single", "double", "int16", "int32", "int64", "bool_"])
@pytest.mark.parametrize(
    "layout",
    [
        "(8,16)/((2_L1B:1, 4:16), (16_MAB:1))@L1BM",
        "(4,64)/((4_PE:1), (64:1))@LM1",
        "(4,8)/((4_PE:1), (8:3))@GRF1",
        "(3,5)/((3:7), (5:1))@DRAM",
        "(4,16)/((4:1), (16_MAB:1); P+@[4_PE:1])@GRF0",
    ],
)
def test_set_then_get_is_the_identity(layout, dtype):
    rng = np.random.default_rng(7)
    with tiny(poison=0x0123456789ABCDEF) as e:
        shape = e.get_bits(layout, dtype, 64).shape
        if dtype == "bool_":
            x = rng.random(shape) < 0.5
        elif dtype.startswith("int"):
            x = rng.integers(-9, 9, shape).astype(dtype)
        else:
            x = np.round(rng.standard_normal(shape) * 4) / 4
        e.set_tensor(layout, x, dtype, 64)
        assert np.array_equal(e.get_tensor(layout, dtype, 64), x)
        # A second tensor in other long words leaves the first alone.
        before = e.get_bits(layout, dtype, 64)
        e.set_tensor("(4)/((4:1))@DRAM", np.zeros(4), "double", 4096)
        assert np.array_equal(e.get_bits(layout, dtype, 64), before)


def test_values_go_through_a_program():
    rng = np.random.default_rng(3)
    a, b = rng.integers(-100, 100, (2, 4, 64)).astype(np.int64)
    place = "(4,64)/((4_PE:1), (64:1))@"
    text = "".join(f"ladd $lm{8 * i}v $ln{8 * i}v $lr{8 * i}v\n" for i in range(16))
    with tiny(text) as e:
        e.set_tensor(place + "LM0", a, "int64")
        e.set_tensor(place + "LM1", b, "int64")
        progress = e.run()
        assert (progress.steps, progress.ended) == (16, True)
        assert np.array_equal(e.get_tensor(place + "GRF0", "int64"), a + b)


def test_a_tensor_in_steps_and_elsewhere():
    """Rows of a matrix in PEs, columns over MABs, partial sums by L1B; the run is cut, saved and ended in another session."""
    rng = np.random.default_rng(4)
    a = rng.integers(-1000, 1000, (4, 16, 8)).astype(np.int64)  # PE, MAB, long word
    b = rng.integers(-1000, 1000, (2, 8)).astype(np.int64)  # L1B, long word
    text = "nop\nladd $lm0v $ln0v $lr0v\nladd $lm8v $ln8v $lr8v\nnop\nl1bmrliadd $lr0v $lb0\nl1bmrliadd $lr8v $lb16\n"
    with tiny(text) as first, tiny(text, path="scalar") as second:
        first.set_tensor("(4,16,8)/((4_PE:1), (16_MAB:1), (8:1))@LM0", a, "int64")
        first.set_tensor("(2,8)/((2_L1B:1), (8:1))@LM1", b, "int64")
        first.step(2)
        half = first.get_tensor("(4,8)/((4_PE:1), (8:1); P+@[2_L1B:1, 16_MAB:1])@GRF0", "int64")
        assert np.array_equal(
            half[..., :4].reshape(2, 16, 4, 4), (a[None] + b[:, None, None]).transpose(0, 2, 1, 3)[..., :4]
        )
        assert (half[..., 4:] == 0).all()
        second.restore(first.save())
        second.run()
        # L1BM holds, for each long word k, the sums over the 16 MABs of the four PEs.
        sums = second.get_tensor("(2,8,4)/((2_L1B:1), (8:4), (4:1))@L1BM", "int64")
        assert np.array_equal(sums, a.sum(axis=1).T[None] + 16 * b[:, :, None])


def test_a_thin_tensor_does_not_take_the_memory_of_its_gaps():
    with tiny() as e:
        text = refused("K4023", e.set_tensor, "(2)/((2:500000000))@DRAM", np.zeros(2), "int64")
        assert "spread too thin" in text and "move it in parts" in text
        refused("K4023", e.get_tensor, "(2)/((2:500000000))@DRAM", "int64")
        e.set_tensor("(2)/((2:4000000))@DRAM", np.array([3, 4]), "int64", 5)
        assert e.read("DRAM", "n0", 5, 1)[0] == 3 and e.read("DRAM", "n0", 4000005, 1)[0] == 4


# ---- time ------------------------------------------------------------------------------------------------------------


def test_pieces_give_what_the_whole_gives():
    program = generate(11)
    with tiny(program) as whole, tiny(program) as pieces:
        all_at_once = whole.run()
        dumps, steps = [], 0
        while not pieces.position["ended"]:
            p = pieces.step(1 + steps % 4)
            dumps += p.dumps
            steps += p.steps
        assert dumps == all_at_once.dumps and steps == all_at_once.steps > 0
        assert whole.save() == pieces.save()
        assert whole.statistics() == pieces.statistics()
        assert whole.statistics()["steps"] == steps


def test_position_and_reset():
    with tiny('imm i"1" $lr0\n# a comment\nmvp/n64 $lc0@.0 $d0\nnop/3\nd getd $lr0n0c0b0m0p0 1\n') as e:
        assert e.position["next"] == {"file": "test.vsm", "line": 1, "text": 'imm i"1" $lr0'}
        assert e.step().steps == 1 and e.position["next"]["line"] == 3  # the MV belongs to the next step
        p = e.step(2)
        assert (p.steps, p.mv, p.dumps, p.ended) == (2, 1, [], False)
        assert e.position["step"] == 3 and e.position["next"]["text"] == "nop/3"
        assert e.run().dumps[0].startswith("DEBUG-GREG0(n0c0b0m0p0,0):")
        assert e.position["ended"] and e.position["next"] is None and e.run().steps == 0
        e.reset()
        assert e.position["step"] == 0 and e.read("GRF0", "n0c0b0m0p0", 0, 1)[0] == 0


def test_trace():
    with tiny("lpassa $peid $lr0v\nlpassa $peid $lr0v\nlinc $lr0v $lr0v\n") as e:
        e.trace("GRF0[0:4]@pe1", limit=3)
        p = e.run()
        assert [(t["step"], t["source"]["line"], len(t["changes"])) for t in p.trace] == [(0, 1, 2), (2, 3, 1)]
        assert p.trace_dropped == 1
        assert p.trace[1]["changes"][0] == {
            "place": "GREG0(n0c0b0m0p1,0)",
            "memory": "GREG0",
            "unit": "n0c0b0m0p1",
            "address": 0,
            "before": "0x0000000000000001",
            "after": "0x0000000000000002",
        }
        e.reset()
        e.trace(None)
        assert e.run().trace == []


def test_strict_findings():
    with tiny("lpassa $lr0 $ls0\nd get $ls0n0c0b0m0p0 1\n", strict=True) as e:
        e.run()
        assert any(f["code"] == "K4014" for f in e.findings)
        assert e.defined("GRF1", "n0c0b0m0p0", 0, 2).tolist() == [0, 0]
        e.write("GRF1", "n0c0b0m0p0", 0, [5])
        assert e.defined("GRF1", "n0c0b0m0p0", 0, 2).tolist() == [15, 0]


def test_checkpoint():
    program = generate(12)
    with tiny(program, strict=True) as whole, tiny(program, strict=True) as first, tiny(program, strict=True) as second:
        everything = whole.run()
        head = first.run(everything.steps // 2)
        assert second.restore(first.save())["step"] == head.steps
        tail = second.run()
        assert head.dumps + tail.dumps == everything.dumps
        assert second.save() == whole.save() and second.findings == whole.findings


def test_diverge():
    a, b = 'imm i"1" $lr0\nnop\nlinc $lr0 $ls0\n', 'imm i"1" $lr0\nnop\nldec $lr0 $ls0\n'
    r = diverge(a, b, machine="mncore2-tiny")
    assert r["diverged"] and r["step"] == 2 and [s["line"] for s in r["sources"]] == [3, 3]
    assert r["words"][0]["values"] == ["0x0000000100000002", "0x0000000100000000"]
    assert not diverge(a, b, machine="mncore2-tiny", select="GRF0")["diverged"]
    again = diverge("lpassa $lr0 $ls0\n", "lpassa $lr0 $ls0\n", machine="mncore2-tiny", second={"poison": "1"})
    assert again["diverged"] and again["step"] == 0


def test_dump_lines_come_in_parts():
    text = "lpassa $peid $lr0v\nd getd $lr0 128\nnop\nd getd $d0n0 70000\n"
    with tiny(text) as whole, tiny(text) as streamed:
        parts = []
        all_at_once = whole.run()
        progress = streamed.run(dumps=parts.append)
        assert progress.dumps == [] and progress.steps == all_at_once.steps == 2 and progress.ended
        assert len(parts) > 2 and max(map(len, parts)) <= 1 << 15
        assert [line for part in parts for line in part] == all_at_once.dumps
        assert len(all_at_once.dumps) == 128 * 128 + 70000


def test_more_words_than_one_call_gives():
    rng = np.random.default_rng(5)
    words = rng.integers(0, 1 << 63, 3000, dtype=np.uint64)
    first = (1 << 20) - 1500  # across the end of the first call
    with tiny(poison=7) as e:
        e.write("DRAM", "n0", first, words)
        got = e.read("DRAM", "n0", 0, (1 << 21) + 5)
        assert got.dtype == np.uint64 and np.array_equal(got[first : first + 3000], words)
        assert (got[:first] == 7).all() and (got[first + 3000 :] == 7).all()
        refused("K4003", e.read, "DRAM", "n0", 0, 1 << 40)
    with pytest.raises(Error) as caught:
        kumihimo.call("mncore2.emulator_read", tiny()._handle, "DRAM", "n0", 0, (1 << 20) + 1)
    assert "1048576" in caught.value.text and "several calls" in caught.value.text


# ---- threads and signals ---------------------------------------------------------------------------------------------


def test_sessions_of_several_threads():
    programs = [generate(seed) for seed in range(20, 28)]

    def run(program):
        with tiny(program) as e:
            return e.run().dumps

    expected = [run(p) for p in programs]
    found = [None] * len(programs)

    def work(i):
        found[i] = run(programs[i])

    threads = [threading.Thread(target=work, args=(i,)) for i in range(len(programs))]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert found == expected


def long_program(seconds=1.0):
    """Steps that take about a second on this machine."""
    line = "fvfma $lr0v $ls0v $ln0v $lm0v\n"
    with tiny(line * 2000) as e:
        e.run()
        e.reset()
        start = time.perf_counter()
        e.run()
        took = time.perf_counter() - start
    return line * int(2000 * seconds / took)


def test_one_session_is_used_by_one_thread():
    e = tiny(long_program(0.5))
    started = threading.Event()
    refused = []

    def other():
        started.wait()
        while not refused and thread.is_alive():
            try:
                e.read("LM0", "n0c0b0m0p0", 0, 1)
            except Error as error:
                refused.append(error.code)

    def run():
        started.set()
        while not e_ended:
            try:
                e.run()
                e_ended.append(True)
            except Error:  # the reader was inside
                pass

    e_ended = []
    thread = threading.Thread(target=run)
    watcher = threading.Thread(target=other)
    thread.start()
    watcher.start()
    thread.join()
    watcher.join()
    assert refused == ["K4021"] and e_ended


def test_ctrl_c_ends_a_run_and_it_can_go_on():
    program = long_program(1.0) + "d getd $lm0n0c0b0m0p0 1\n"
    with tiny(program) as e, tiny(program) as undisturbed:
        timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            while True:
                e.run()
                pytest.fail("the run ended before the signal came")
        done = e.position["step"]
        assert 0 < done < program.count("fvfma")
        assert e.run().dumps == undisturbed.run().dumps
        assert e.save() == undisturbed.save()


def test_a_long_nop_costs_no_time():
    with tiny(LONG) as e:
        assert e.step(5).steps == 5
        assert e.run().steps == 2000000000 - 5
        assert e.statistics()["cycles"] == 8000000000


# ---- refusals --------------------------------------------------------------------------------------------------------


def refused(code, f, *args, **kwargs):
    with pytest.raises(Error) as caught:
        f(*args, **kwargs)
    assert caught.value.code == code, caught.value.text
    return caught.value.text


def test_refusals():
    e = tiny()
    refused("K4021", e.run)
    assert "test.vsm:2" in refused("K3001", e.load, "nop\nfrobnicate\n", "test.vsm")
    e.load("nop\n")
    assert "n0..0" in refused("K4002", e.read, "LM0", "n1c0b0m0p0", 0, 1)
    refused("K4002", e.read, "L1BM", "n0c0b0m0p0", 0, 1)
    refused("K4003", e.read, "LM0", "n0c0b0m0p0", 2047, 2)
    refused("K4003", e.write, "OMR", "n0c0b0m0p0", 16, [1])
    assert "LM0" in e_text(e.read, "LMX", "n0c0b0m0p0", 0, 1)
    refused("K4023", e.set_tensor, LAYOUT, np.zeros(63))
    refused("K4023", e.get_tensor, "(64)/((16_MAB:1, 4_W:1))@LM", "half")
    refused("K4022", e.trace, "LM0[5000]")
    refused("K4020", e.restore, b"")
    refused("K4020", e.restore, b"KMHSTATE" + bytes(100))
    with pytest.raises(ValueError):
        e.run(-1)
    e.close()
    e.close()
    for f in (e.run, e.save, e.reset, lambda: e.position, lambda: e.load("nop\n")):
        assert "closed" in refused("K4021", f)
    assert "mncore2-tiny" in e_text(Emulator, "mncore3")
    assert "block_carry" in e_text(Emulator, "mncore2-tiny", switches={"block_carry": "no such choice"})


def e_text(f, *args, **kwargs):
    with pytest.raises(Error) as caught:
        f(*args, **kwargs)
    return caught.value.text


def test_a_run_that_failed_needs_a_reset():
    with Emulator("mncore2-tiny") as e:
        e.load("mvp/n64 $d0@3 $p0@3\n")
        refused("K4002", e.run)
        refused("K4021", e.run)
        e.reset()
        e.load("nop\n")
        assert e.run().ended
