"""Small testcases of every kind of the contest's MNIST problems, made with NumPy.

    python tests/conformance/vectors.py [--check]

writes tests/conformance/vectors/*.vsm (or compares them). Shapes and layouts are those that the answers of
tests/conformance/answers work on; where an answer works on 256 rows, a vector has the rows of one L2B, copied to the
others, and looks at two copies. Expected values are NumPy's.
"""

import argparse
import sys
from pathlib import Path

import numpy as np
from layouts import Tensor, testcase

FOLDER = Path(__file__).resolve().parent / "vectors"
F4 = np.float32

VECTOR = "((8:1, 2_W:1))@DRAM"  # 16 singles in a row
ROW16 = "(2:1, 4_PE:1, 2_W:1)"  # 16 singles over the PEs of a MAB
ROWS = f"((4:2, 8_L1B:1), {ROW16})"  # 32 rows of them over the L1Bs of every L2B
GROUP_ROWS = f"((64:2), {ROW16})"  # 64 rows of them, in every L1B
BY_GROUP = "((4_L2B:2, 32:1, 2_W:1))"  # 256 singles, 64 to a group
LAST = {"L2B": 7, "L1B": 7, "MAB": 15}


def singles(seed: int, shape, low=-500.0, high=500.0, special=()) -> np.ndarray:
    values = np.random.default_rng(seed).uniform(low, high, shape).astype(F4)
    values.flat[: len(special)] = special
    return values


def integers(seed: int, shape, most=300) -> np.ndarray:
    return np.random.default_rng(seed).integers(-most, most, shape, endpoint=True).astype(F4)


def dram_dl_16():
    x = singles(1, 16, special=(-0.0, 2e-38, 3e38))
    return [Tensor(x, VECTOR)], Tensor(x, f"({ROW16})@LM0", copies=[{}, LAST]), ""


def dram_dl_16_16():
    x = singles(2, (16, 16))
    return [Tensor(x, "((4_L2B:2, 4:8), (8:1, 2_W:1))@DRAM")], Tensor(x, f"((16:2), {ROW16})@LM0"), ""


def dram_dl_256():
    x = singles(3, 256)
    copies = [{}, {"L1B": 3, "MAB": 5, "PE": 2}]
    return [Tensor(x, f"{BY_GROUP}@DRAM")], Tensor(x, f"{BY_GROUP}@LM0", copies=copies), ""


def dram_ul_16():
    x = singles(4, 16)
    return [Tensor(x, f"({ROW16})@LM0")], Tensor(x, VECTOR), ""


def dram_ul_16_16():
    x = singles(5, (16, 16))
    return [Tensor(x, f"((16:2), {ROW16})@LM0")], Tensor(x, "((4_L2B:2, 4:8), (8:1, 2_W:1))@DRAM"), ""


def dram_ul_256():
    x = singles(6, 256)
    return [Tensor(x, f"{BY_GROUP}@LM0")], Tensor(x, f"{BY_GROUP}@DRAM"), ""


def rows_out(values: np.ndarray) -> Tensor:
    return Tensor(values, f"{ROWS}@LM1", copies=[{}, LAST])


def relu():
    x = singles(7, (32, 16), special=(0.0, -0.0, np.inf, -np.inf, 2e-38, -2e-38))
    return [Tensor(x, f"{ROWS}@LM0")], rows_out(np.maximum(x, F4(0))), ""


def add_colvec():
    x, v = singles(8, (32, 16)), singles(9, 16)
    return [Tensor(x, f"{ROWS}@LM0"), Tensor(v, f"({ROW16})@LM0", base=8)], rows_out(x + v), ""


def mat_sub():
    x, y = singles(10, (32, 16)), singles(11, (32, 16))
    y[0] = x[0]  # cancels
    y[1] = np.nextafter(x[1], F4(1e9))
    return [Tensor(x, f"{ROWS}@LM0"), Tensor(y, f"{ROWS}@LM0", base=8)], rows_out(x - y), ""


def sub_rowvec():
    x, v = singles(12, (64, 16)), singles(13, 64)
    inputs = [Tensor(x, f"{GROUP_ROWS}@LM0"), Tensor(v, "((32:1, 2_W:1))@LM0", base=128)]
    return inputs, Tensor(x - v[:, None], f"{GROUP_ROWS}@LM1", copies=[LAST]), ""


def sum_col():
    # 32 rows in each of 8 L2Bs: the sum of 8 copies. Singles of few bits, so that every order of adding is exact.
    x = np.round(singles(14, (32, 16), -60, 60) * 16) / F4(16)
    return [Tensor(x, f"{ROWS}@LM0")], Tensor(8 * x.sum(axis=0), VECTOR), ""


def exp():
    x = singles(15, (32, 16), -90, 10, special=(0.0, -0.0, -np.inf, -200.0, 1e-30, 1.0, 88.0, -87.0))
    # Four spacings of a single; results below the smallest normal number are 0.
    y = np.exp(x.astype(np.float64))
    return [Tensor(x, f"{ROWS}@LM0")], rows_out(y.astype(F4)), " atol=1.2e-38 rtol=4.8e-07"


def product_inputs(seed: int):
    a, b = integers(seed, (32, 16)), integers(seed + 1, (16, 16))
    return a, b, [Tensor(a, f"{ROWS}@LM0"), Tensor(b, f"((16:2), {ROW16})@LM0", base=8)]


def matmul_notr():
    a, b, inputs = product_inputs(16)
    return inputs, rows_out(a @ b), ""


def matmul_trb():
    a, b, inputs = product_inputs(18)
    return inputs, rows_out(a @ b.T), ""


def matmul_tra():
    a, b = integers(20, (32, 16)), integers(21, (32, 16))
    inputs = [Tensor(a, f"{ROWS}@LM0"), Tensor(b, f"{ROWS}@LM0", base=8)]
    # Every L2B holds the same rows.
    return inputs, Tensor(8 * (a.T @ b), "((4_L2B:2, 4:8), (8:1, 2_W:1))@DRAM"), ""


# Name of a vector: what makes it, and the answer that solves it.
VECTORS = {
    "dram_dl_16": (dram_dl_16, "dram_dl_16"),
    "dram_dl_16_16": (dram_dl_16_16, "dram_dl_16_16"),
    "dram_dl_256": (dram_dl_256, "dram_dl_256"),
    "dram_ul_16": (dram_ul_16, "dram_ul_16"),
    "dram_ul_16_16": (dram_ul_16_16, "dram_ul_16_16"),
    "dram_ul_256": (dram_ul_256, "dram_ul_256"),
    "relu": (relu, "relu"),
    "add_colvec": (add_colvec, "add_colvec"),
    "mat_sub": (mat_sub, "mat_sub"),
    "sub_rowvec": (sub_rowvec, "sub_rowvec"),
    "sum_col": (sum_col, "sum_col"),
    "exp": (exp, "exp"),
    "matmul_notr": (matmul_notr, "matmul_notr_pkg_lm_256_16_16"),
    "matmul_trb": (matmul_trb, "matmul_trb_pkg_lm_256_16_16"),
    "matmul_tra": (matmul_tra, "matmul_tra_pkg_lmdram_16_256_16"),
}


def text_of(name: str) -> str:
    inputs, output, tolerance = VECTORS[name][0]()
    return testcase(inputs, output, tolerance)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare only")
    arguments = parser.parse_args()
    stale = []
    FOLDER.mkdir(exist_ok=True)
    for name in VECTORS:
        path, text = FOLDER / f"{name}.vsm", text_of(name)
        if path.exists() and path.read_text() == text:
            continue
        stale.append(name)
        if not arguments.check:
            path.write_text(text)
    if stale:
        print(("stale: " if arguments.check else "written: ") + ", ".join(stale))
    return 1 if stale and arguments.check else 0


if __name__ == "__main__":
    sys.exit(main())
