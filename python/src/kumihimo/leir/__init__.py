"""LEIR: tensor programs whose values say their dtype, layout and memory openly.

    leir.set_target("mncore2")
    k = leir.tensor(leir.half, leir.layout.PadLayout.parse("(64,64)/((16_MAB:1, 4:1), (4:4, 4_PE:1, 4_W:1))"),
                    leir.DRAM, name="k")
    k = leir.bf(leir.distribute_download(leir.broadcast_download(k)))
    leir.output(k, name="k_bf")

Every call checks its constraints at once and adds a node to the current program. A refusal is a
:class:`kumihimo.Error` with the rule, what was seen, what is needed and fixes that were tried.
"""

from kumihimo import layout
from kumihimo.leir._ops import *  # noqa: F403  (one function per op, generated)
from kumihimo.leir._ops import __all__ as _op_names
from kumihimo.leir.names import (
    DRAM,
    GRF,
    GRF0,
    GRF1,
    L1BM,
    L2BM,
    LDRAM,
    LM,
    LM0,
    LM1,
    PDM,
    Dtype,
    Location,
    T,
    block_double,
    block_half,
    block_pseudo,
    block_single,
    bool_,
    double,
    half,
    int16,
    int32,
    int64,
    single,
)
from kumihimo.leir.programs import Kernel, Program, current_program, kernel, program, set_target
from kumihimo.leir.values import Value, tensor

__all__ = [
    "DRAM", "GRF", "GRF0", "GRF1", "L1BM", "L2BM", "LDRAM", "LM", "LM0", "LM1", "PDM", "T",
    "Dtype", "Kernel", "Location", "Program", "Value",
    "block_double", "block_half", "block_pseudo", "block_single", "bool_", "double", "half", "int16", "int32", "int64", "single",
    "current_program", "kernel", "layout", "program", "set_target", "tensor",
    *_op_names,
]  # fmt: skip
