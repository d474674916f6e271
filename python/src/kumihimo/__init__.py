"""Kumihimo: an agent-native AI compiler for MN-Core 2.

    from kumihimo import leir

``leir`` is the tensor language, ``kumihimo.layout`` reads and draws layouts, ``kumihimo.machine`` assembles and
emulates VSM text, ``kumihimo.models`` reads real weights. Importing this package loads no NumPy.
"""

from kumihimo._native import Error, call, version

__all__ = ["Error", "call", "version"]
__version__ = version()
