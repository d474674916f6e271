"""Scores of one decode step on the L1000 model: a query against a cache of 2,048 keys that stays in LDRAM.

The cache is a view of one L1B: two kv heads, whose 2,048 tokens of 16 elements lie at the PEs of eight MABs, 512 long
words in each. It is stored as block halves; a block is what four PEs hold at one address: elements 0, 4, 8, 12 (or 1, 5,
9, 13 and so on) of two tokens of both heads. docs/l1000.md walks through the lines.
"""

from kumihimo import leir

CACHE = "(2,2048,16)/((2_PE:2), (16:32, 8:2, 2_PE:1, 8_MAB:1), (4_W:1, 2:1, 2:16))"


@leir.kernel(target="l1000")
def decode_scores(cache_layout: str = CACHE):
    q = leir.tensor(
        leir.half,
        leir.layout.PadLayout.parse("(2,1,16)/((2_PE:2), (1:1), (4_W:1, 2:1, 2:2))"),
        leir.L2BM,
        name="q",
    )
    attn_mask = leir.tensor(
        leir.bool_,
        leir.layout.PadLayout.parse("(2,1,2048)/((2_PE:2), (1:1), (16:8, 8:1, 2_PE:1, 8_MAB:1))"),
        leir.LM,
        name="attn_mask",
    )

    k_cache = leir.tensor(
        leir.block_half,
        leir.layout.PadLayout.parse(cache_layout),
        leir.LDRAM,
        name="k_cache",
    )
    q = leir.broadcast_download(q)
    q = leir.distribute_download(q)
    q = leir.bf(q)
    qk = leir.linear(q, k_cache)
    qk = leir.unicast_download(qk)
    neg_inf = leir.immediate_float(value=float("-inf"), dtype=qk.dtype())
    scores = leir.where(attn_mask, qk, neg_inf)
    max_scores = leir.reduce_max(scores, axis=2, keepdims=1)

    leir.output(scores, name="scores")
    leir.output(max_scores, name="max_scores")
