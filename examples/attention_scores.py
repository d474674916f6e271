"""Attention scores, masked softmax numerators and row sums of all heads, as one LEIR program for MN-Core 2.

One kv head lies on one group (up to four of them) or on one of 16 groups of L1Bs; its query heads and rows of 16
queries spread over L2Bs and L1Bs below it; keys lie on MABs and addresses. Queries stay in the matrix registers.
"""

import math

from kumihimo import leir
from kumihimo.layout import PadLayout


@leir.kernel
def attention_scores(heads: int = 9, kv_heads: int = 3, head_dim: int = 64, T: int = 64):
    r, d, rows = heads // kv_heads, head_dim // 16, T // 16
    slots = "2_L2B:1, 2_L1B:4"  # four L1B groups below a chip group
    kv, rep, k_copies = ("4_L2B:2", slots, "2_L2B:1, L1B") if kv_heads <= 4 else (f"4_L2B:2, {slots}", "", "4_L1B:1")
    t = "4_L1B:1" + (f", {rows // 4}:{16 * d}" if rows > 4 else "")  # rows of 16 queries on L1B, then on addresses
    keys = T // 16
    shape_q, shape_k = f"({kv_heads},{r},{T},{head_dim})", f"({kv_heads},1,{T},{head_dim})"
    q = leir.tensor(
        leir.half,
        PadLayout.parse(f"{shape_q}/(({kv}), ({rep}), ({t}, 16:1), ({d}:16, 4_PE:1, 4_W:1); B@[MAB])"),
        leir.DRAM,
        name="q",
    )
    k = leir.tensor(
        leir.half,
        PadLayout.parse(f"{shape_k}/(({kv}), (), (16_MAB:1, {keys}:1), ({d}:{keys}, 4_PE:1, 4_W:1); B@[{k_copies}])"),
        leir.DRAM,
        name="k",
    )
    mask = leir.tensor(
        leir.bool_,
        PadLayout.parse(
            f"({T},{T})/((4_L1B:1, {f'{rows // 4}:{keys}, ' if rows > 4 else ''}4_PE:1, 4_W:1), (16_MAB:1, {keys}:1); B@[L2B, 2_L1B:4])"
        ),
        leir.DRAM,
        name="mask",
    )

    if kv_heads <= 4:  # below its group a kv head is the same for every L1B
        k = leir.broadcast_download(k)
    k = leir.bf(leir.distribute_download(k))
    q = leir.bf(leir.distribute_download(q))
    s = leir.linear(q, k, stationary="x")
    s = s * leir.immediate_float(value=1 / math.sqrt(head_dim), dtype=leir.single)
    s = leir.where(leir.distribute_download(mask), s, leir.immediate_float(value=-math.inf, dtype=leir.single))
    m = leir.reduce_max(s, axis=3, keepdims=True)
    m = leir.distribute_download(leir.reduce_upload(m))
    e = leir.exp(s - m)
    z = leir.distribute_download(leir.reduce_upload(leir.reduce_sum(e, axis=3, keepdims=True)))
    for name, value in {"s": s, "m": m, "e": e, "z": z}.items():
        leir.output(value, name=name)
