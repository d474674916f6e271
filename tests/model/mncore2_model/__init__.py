"""Independent model of MN-Core 2 arithmetic and transfers.

Written from the ISA notes alone. It shares no code with the product that it
checks, so agreement between the two is evidence about the arithmetic and not
only about consistency. Plain Python integers everywhere: slow and easy to read.
"""

from .formats import DOUBLE, HALF, SINGLE
from .machine import Machine
from .switches import DEFAULT, Switches

__all__ = ["DEFAULT", "DOUBLE", "HALF", "SINGLE", "Machine", "Switches"]
