"""Kumihimo: an agent-native AI compiler for MN-Core 2.

    from kumihimo import leir

``leir`` is the tensor language, ``kumihimo.layout`` reads and draws layouts, ``kumihimo.Emulator`` runs VSM text,
``kumihimo.models`` reads real weights. Importing this package loads no NumPy.
"""

from kumihimo._native import Error, call, version

__all__ = ["Emulator", "Error", "call", "version"]
__version__ = version()


def __getattr__(name: str):
    if name == "Emulator":  # NumPy comes with it
        from kumihimo.emulator import Emulator

        return Emulator
    raise AttributeError(f"module 'kumihimo' has no attribute {name!r}")
