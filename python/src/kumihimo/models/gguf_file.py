"""Read GGUF: metadata, and single tensors dequantised on demand.

A GGUF file is a header, typed key/value metadata (vocabulary and merges included),
a table of tensors, and the tensors' bytes. This reader maps the file and parses the
header once, so that opening a 98 MB file with a 49,152-token vocabulary takes tenths
of a second; ``gguf.GGUFReader`` builds a NumPy array per string and takes over a
second for the same. The meaning of the quantised bytes is left to
the ``gguf`` package (``gguf.quants.dequantize``). The tests compare both readers.

    file = GgufFile(path)
    file["llama.attention.head_count"]          # 9
    file.tensor("blk.0.attn_q.weight")          # float32 [out, in]
    file.tensor("token_embd.weight", rows=ids)  # only those rows are dequantised

Format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md (versions 2 and 3, little-endian).
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .errors import ModelError

if TYPE_CHECKING:
    import numpy as np

# GGUF metadata value types by number; 8 is a string and 9 an array.
_SCALARS = {
    0: "<B",
    1: "<b",
    2: "<H",
    3: "<h",
    4: "<I",
    5: "<i",
    6: "<f",
    7: "<?",
    10: "<Q",
    11: "<q",
    12: "<d",
}
_STRING, _ARRAY = 8, 9
_MAX_DIMS = 8


@dataclass(frozen=True)
class TensorInfo:
    """One row of the tensor table. `shape` is in NumPy order (slowest dim first), unlike the file's."""

    name: str
    shape: tuple[int, ...]
    type_id: int
    offset_bytes: int  # from the start of the file

    @property
    def type_name(self) -> str:
        from gguf.constants import GGMLQuantizationType

        return GGMLQuantizationType(self.type_id).name

    @property
    def row_bytes(self) -> int:
        from gguf.constants import GGML_QUANT_SIZES, GGMLQuantizationType

        block_elements, block_bytes = GGML_QUANT_SIZES[GGMLQuantizationType(self.type_id)]
        if self.shape[-1] % block_elements:
            raise ModelError("gguf.bad_tensor", f"row of {self.name} is not whole blocks of {block_elements}",
                             observed=f"{self.shape[-1]} elements")  # fmt: skip
        return self.shape[-1] // block_elements * block_bytes


class _Cursor:
    """A position in the mapped bytes; every read checks that it stays inside."""

    def __init__(self, data: mmap.mmap, size: int):
        self.data, self.size, self.at = data, size, 0

    def scalar(self, code: str) -> Any:
        try:
            (value,) = struct.unpack_from(code, self.data, self.at)
        except struct.error:
            raise self.truncated() from None
        self.at += struct.calcsize(code)
        return value

    def string(self) -> str:
        length = self.scalar("<Q")
        if length > self.size - self.at:
            raise self.truncated()
        raw = self.data[self.at : self.at + length]
        self.at += length
        try:
            return raw.decode("utf-8")
        except UnicodeDecodeError as error:
            raise ModelError("gguf.bad_string", f"string at byte {self.at - length} is not UTF-8",
                             observed=str(error)) from None  # fmt: skip

    def value(self, type_id: int) -> Any:
        if code := _SCALARS.get(type_id):
            return self.scalar(code)
        if type_id == _STRING:
            return self.string()
        if type_id == _ARRAY:
            item_type, count = self.scalar("<I"), self.scalar("<Q")
            if count > self.size - self.at:  # an item is at least a byte, so a larger count is a lie
                raise self.truncated()
            if item_type == _STRING:
                return [self.string() for _ in range(count)]
            if code := _SCALARS.get(item_type):
                pattern = f"<{count}{code[1]}"
                length = struct.calcsize(pattern)
                if length > self.size - self.at:
                    raise self.truncated()
                values = list(struct.unpack_from(pattern, self.data, self.at))
                self.at += length
                return values
            type_id = item_type  # arrays of arrays are allowed by the format and used by nobody
        raise ModelError("gguf.bad_type", f"unknown metadata type at byte {self.at}", observed=str(type_id))

    def truncated(self) -> ModelError:
        return ModelError("gguf.truncated", f"the file ends inside its header, at byte {self.at} of {self.size}",
                          fix="fetch the file again")  # fmt: skip


class GgufFile:
    """A mapped GGUF file. Raises ModelError (codes ``gguf.*``) on anything malformed."""

    def __init__(self, path: str | Path):
        self.path = Path(path)
        try:
            with open(self.path, "rb") as stream:
                self.size_bytes = stream.seek(0, 2)
                # An empty file cannot be mapped; any bytes that fail the magic test will do.
                self._data: Any = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) if self.size_bytes else b""
        except OSError as error:
            raise ModelError("gguf.unreadable", f"{self.path} cannot be opened", observed=str(error)) from error
        self.metadata: dict[str, Any] = {}
        self.tensors: dict[str, TensorInfo] = {}
        self._parse()

    def _parse(self) -> None:
        cursor = _Cursor(self._data, self.size_bytes)
        if self._data[:4] != b"GGUF":
            raise ModelError("gguf.not_gguf", f"{self.path.name} is not a GGUF file",
                             observed=f"it starts with {bytes(self._data[:4])!r}", required="b'GGUF'")  # fmt: skip
        cursor.at = 4
        version = cursor.scalar("<I")
        if version not in (2, 3):
            raise ModelError("gguf.version", "unsupported GGUF version or byte order",
                             observed=str(version), required="2 or 3, little-endian")  # fmt: skip
        tensor_count, kv_count = cursor.scalar("<Q"), cursor.scalar("<Q")
        for _ in range(kv_count):
            key = cursor.string()
            self.metadata[key] = cursor.value(cursor.scalar("<I"))
        rows = [self._tensor_row(cursor) for _ in range(tensor_count)]
        alignment = self.metadata.get("general.alignment", 32)
        if not isinstance(alignment, int) or alignment <= 0:
            raise ModelError("gguf.alignment", "general.alignment is not a positive number", observed=str(alignment))
        start = -(-cursor.at // alignment) * alignment
        for name, shape, type_id, offset in rows:
            self.tensors[name] = TensorInfo(name, shape, type_id, start + offset)

    @staticmethod
    def _tensor_row(cursor: _Cursor) -> tuple[str, tuple[int, ...], int, int]:
        name = cursor.string()
        dim_count = cursor.scalar("<I")
        if not 1 <= dim_count <= _MAX_DIMS:
            raise ModelError("gguf.bad_tensor", f"tensor {name!r} has {dim_count} dims",
                             required=f"1 to {_MAX_DIMS}")  # fmt: skip
        dims = [cursor.scalar("<Q") for _ in range(dim_count)]
        return name, tuple(reversed(dims)), cursor.scalar("<I"), cursor.scalar("<Q")

    def __getitem__(self, key: str) -> Any:
        """Metadata value of `key`."""
        try:
            return self.metadata[key]
        except KeyError:
            raise ModelError("gguf.missing_key", f"{self.path.name} has no metadata {key!r}") from None

    def get(self, key: str, default: Any = None) -> Any:
        return self.metadata.get(key, default)

    def tensor(self, name: str, rows: Sequence[int] | None = None) -> np.ndarray:
        """Tensor `name`, dequantised to float32 by the gguf package.

        Args:
            rows: take only these rows of the slowest dim, in this order; the others are not touched.
        """
        import numpy as np
        from gguf.constants import GGMLQuantizationType
        from gguf.quants import dequantize

        info = self.tensors.get(name)
        if info is None:
            raise ModelError("gguf.missing_tensor", f"{self.path.name} has no tensor {name!r}")
        try:
            quant = GGMLQuantizationType(info.type_id)
        except ValueError:
            raise ModelError("gguf.bad_tensor", f"tensor {name!r} has unknown type {info.type_id}") from None
        *outer, _ = info.shape
        row_count = 1
        for extent in outer:
            row_count *= extent
        if info.offset_bytes + row_count * info.row_bytes > self.size_bytes:
            raise ModelError("gguf.truncated", f"tensor {name!r} reaches past the end of {self.path.name}",
                             observed=f"{self.size_bytes} bytes", fix="fetch the file again")  # fmt: skip
        raw = np.frombuffer(self._data, np.uint8, row_count * info.row_bytes, info.offset_bytes)
        raw = raw.reshape(*outer, info.row_bytes)
        if rows is not None:
            if not outer:
                raise ModelError("gguf.bad_rows", f"tensor {name!r} has one dim, so it has no rows to choose")
            index = np.asarray(rows, dtype=np.int64)
            if index.size and (index.min() < 0 or index.max() >= outer[0]):
                raise ModelError("gguf.bad_rows", f"row of {name!r} out of range",
                                 observed=f"{index.min()} to {index.max()}", required=f"0 to {outer[0] - 1}")  # fmt: skip
            raw = raw[index]
        if quant is GGMLQuantizationType.F32:
            return raw.view("<f4").astype(np.float32)
        return np.asarray(dequantize(np.ascontiguousarray(raw), quant), dtype=np.float32)
