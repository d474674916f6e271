"""A program with one mistake: keys and queries go into linear as they arrive, without bf.

`kumi check examples/forgotten_conversion.py` shows what a refusal looks like.
"""

from kumihimo import leir
from kumihimo.layout import PadLayout


@leir.kernel
def forgotten_conversion():
    q = leir.tensor(leir.half, PadLayout.parse("(64,64)/((4_L1B:1, 16:1), (4:16, 4_PE:1, 4_W:1))"), leir.DRAM, name="q")
    k = leir.tensor(leir.half, PadLayout.parse("(64,64)/((16_MAB:1, 4:1), (4:4, 4_PE:1, 4_W:1))"), leir.DRAM, name="k")
    q = leir.distribute_download(q)
    k = leir.bf(leir.distribute_download(k))
    leir.output(leir.linear(q, k, stationary="x"), name="scores")
