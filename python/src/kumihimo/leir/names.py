"""Names of dtypes and memories. The library checks them; these objects only spell them."""


class Dtype(str):
    """A dtype by name: ``leir.half == "half"``."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"leir.{self}"


class Location(str):
    """A memory by name."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"leir.{self}"


half = Dtype("half")
single = Dtype("single")
double = Dtype("double")
block_half = Dtype("block_half")
block_pseudo = Dtype("block_pseudo")
block_single = Dtype("block_single")
block_double = Dtype("block_double")
int16 = Dtype("int16")
int32 = Dtype("int32")
int64 = Dtype("int64")
bool_ = Dtype("bool_")

DRAM = Location("DRAM")
PDM = Location("PDM")
L2BM = Location("L2BM")
L1BM = Location("L1BM")
LM0 = Location("LM0")
LM1 = Location("LM1")
LM = Location("LM")
GRF0 = Location("GRF0")
GRF1 = Location("GRF1")
GRF = Location("GRF")
T = Location("T")
LDRAM = Location("LDRAM")
