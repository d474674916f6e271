"""Named switches for what the ISA notes (section 12) leave open.

Every default is the judgement written in the notes, or, where there is none,
the choice explained in README.md. A test may build another `Switches` to see
whether a difference comes from an open question.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Switches:
    #: Q2: "rne" = shared exponent + 1 when rounding the largest element needs
    #: one more bit; "all_ones" = only when its whole fraction is ones.
    bfn_carry: str = "rne"
    #: Q3: how a product with extended factors loses its low bits:
    #: "rne", "truncate" or "exact".
    hbfe_product: str = "rne"
    #: Q7: what a logical and/or reduction writes for true: "one" or "ones".
    logical_true: str = "one"
    #: Q14: first level of the 16-input reduction: "consecutive" = {4q..4q+3},
    #: "strided" = {q, q+4, q+8, q+12}.
    rrn_group16: str = "consecutive"
    #: Q15: inf + (-inf): "first" = the sign of the first operand.
    inf_minus_inf: str = "first"
    #: Q18: which half of a long word is the first DAR entry: "msb_first" or "lsb_first".
    dar_order: str = "msb_first"
    #: Q18: cycles in which l2bmdars reads 64 long words: "four" or "one".
    dar_load: str = "four"
    #: Q18: entries that l2bmdarw writes: "four" or "all" of the buffer.
    dar_write: str = "four"
    #: Q20: shift amount >= width: "zero" or "modulo".
    shift_overflow: str = "zero"
    #: Q30: masked OMR write: "keep" old flags or "and" them.
    masked_omr: str = "keep"
    #: Q32: `j<n>` adds one unit where p <= n ("le") or p >= n ("ge").
    j_order: str = "le"
    #: Q33: correction constant of block-float products in "lsb" units of the
    #: product, or at the "absolute" position of the vector multiplier.
    matrix_constant: str = "lsb"
    #: sign of a zero made by an input conversion (`r`, `e`): "keep" or "drop".
    convert_zero_sign: str = "keep"


DEFAULT = Switches()
