"""SmolLM2-135M-Instruct on its real weights: downloads them once (93 MB); skips only without any network."""

import os
import re
import time
from pathlib import Path

import pytest

np = pytest.importorskip("numpy")
gguf = pytest.importorskip("gguf")
pytest.importorskip("tokenizers")

from kumihimo.models import smollm2  # noqa: E402
from kumihimo.models.errors import ModelError  # noqa: E402
from kumihimo.models.llama_math import interleaved_to_half_split  # noqa: E402

SENTENCES = (Path(__file__).parents[2] / "examples" / "sentences.txt").read_text(encoding="utf-8").splitlines()


@pytest.fixture(scope="module")
def model():
    try:
        return smollm2.load()
    except ModelError as error:
        # Only the absence of a network excuses; a refusing index, a wrong digest or a full disk is a failure.
        if error.code == "model.offline" and not os.environ.get("KUMIHIMO_REQUIRE_MODELS"):
            pytest.skip(str(error))
        raise


@pytest.fixture(scope="module")
def reader(model):
    """The gguf package's own reader, the second opinion on everything we parse."""
    return gguf.GGUFReader(str(model.file.path))


def test_examples_file():
    assert len(SENTENCES) >= 3 and all(SENTENCES)


def test_config_is_the_models(model):
    # The published numbers of SmolLM2-135M.
    c = model.config
    assert (c.layers, c.hidden, c.heads, c.kv_heads, c.head_dim) == (30, 576, 9, 3, 64)
    assert (c.feed_forward, c.vocabulary, c.context, c.rope_theta) == (1536, 49152, 8192, 100000.0)
    assert c.rms_eps == pytest.approx(1e-5, rel=1e-6)


def test_both_readers_agree(model, reader):
    ours = model.file
    assert set(ours.metadata) == {key for key in reader.fields if not key.startswith("GGUF.")}
    for key, value in ours.metadata.items():
        if key == "tokenizer.ggml.tokens" or key == "tokenizer.ggml.merges":
            field = reader.fields[key]
            sample = range(0, len(value), 997)
            assert len(field.data) == len(value)
            assert [bytes(field.parts[field.data[i]]).decode() for i in sample] == [value[i] for i in sample]
        else:
            assert reader.fields[key].contents() == value
    assert len(reader.tensors) == len(ours.tensors) == 272
    for tensor in reader.tensors:
        info = ours.tensors[tensor.name]
        assert info.shape == tuple(reversed(tensor.shape.tolist()))
        assert (info.type_id, info.offset_bytes) == (tensor.tensor_type, tensor.data_offset)


def naive_bpe(text, vocabulary, merges):
    """Byte-level BPE from its definition (ASCII text): cut, then join the pair of best rank until none is left."""
    ids = []
    for part in re.split(r"(\d)", text):
        for word in re.findall(r"'(?:s|t|re|ve|m|ll|d)| ?[A-Za-z]+| ?\d+| ?[^\sA-Za-z\d]+|\s+(?!\S)|\s+", part):
            # GPT-2 writes a blank as U+0120 and a line feed as U+010A; other ASCII stands for itself.
            pieces = [{" ": "\u0120", "\n": "\u010a"}.get(c, c) for c in word]
            while len(pieces) > 1:
                ranked = [(merges.get((a, b), 1 << 30), i) for i, (a, b) in enumerate(zip(pieces, pieces[1:]))]
                rank, i = min(ranked)
                if rank == 1 << 30:
                    break
                pieces[i : i + 2] = [pieces[i] + pieces[i + 1]]
            ids += [vocabulary[piece] for piece in pieces]
    return ids


def test_tokens_are_those_of_a_naive_bpe(model):
    vocabulary = {token: i for i, token in enumerate(model.file["tokenizer.ggml.tokens"])}
    merges = {tuple(m.split(" ")): rank for rank, m in enumerate(model.file["tokenizer.ggml.merges"])}
    texts = [
        *SENTENCES,
        "I'll  say: they've 12,345 (or 6) cats\n\nand  we'd\tbe",
        "x  7 --  __init__() = 3.14 ",
    ]
    for text in texts:
        text = text.replace("\t", " ")
        assert model.tokenizer.encode(text).ids == naive_bpe(text, vocabulary, merges), text


def test_digits_stand_alone(model):
    assert model.tokenizer.encode("In 1987").tokens == ["In", "\u0120", "1", "9", "8", "7"]


def test_special_tokens_are_one_token_each(model):
    ids = model.tokenizer.encode("<|im_start|>user\n").ids
    assert ids[0] == model.file["tokenizer.ggml.bos_token_id"] == 1 and len(ids) == 3


@pytest.mark.parametrize("text", ["naïve café, 東京 2026 🧵", " leading and trailing ", "tab\tand\r\nline"])
def test_roundtrip(model, text):
    assert model.tokenizer.decode(smollm2.encode_checked(model.tokenizer, text), skip_special_tokens=False) == text


def test_text_outside_the_vocabulary_is_refused(model):
    # The vocabulary has no token for byte 4, and BPE would drop it without a word.
    with pytest.raises(ModelError) as caught:
        smollm2.attention_inputs(["end of \x04 transmission"], 64, model=model)
    assert caught.value.code == "model.roundtrip"


@pytest.mark.parametrize("T", [64, 128])
def test_attention_inputs(model, T):
    items = smollm2.attention_inputs(SENTENCES, T, model=model)
    assert [item.text for item in items] == SENTENCES
    for item in items:
        assert item.q.shape == (9, T, 64) and item.k.shape == (3, T, 64) and item.mask.shape == (T, T)
        assert item.q.dtype == item.k.dtype == np.float32 and item.mask.dtype == bool
        n = item.length
        assert len(item.tokens) == n and 0 < n <= T
        assert not item.q[:, n:].any() and not item.k[:, n:].any()
        assert (item.mask[:n, :n] == np.tri(n, dtype=bool)).all() and not item.mask[:, n:].any()
        assert item.mask[n:].sum() == T - n and item.mask[n:, 0].all()


def test_queries_and_keys_against_another_derivation(model, reader):
    """Layer 0 again: tensors from the gguf package's reader, half-split rows and Hugging Face's rotation, float32."""
    tensors = {t.name: t for t in reader.tensors}

    def weight(name):
        t = tensors[name]
        return gguf.quants.dequantize(t.data, t.tensor_type)

    order = interleaved_to_half_split(64)
    wq = weight("blk.0.attn_q.weight").reshape(9, 64, 576)[:, order]
    wk = weight("blk.0.attn_k.weight").reshape(3, 64, 576)[:, order]
    embedding, norm = weight("token_embd.weight"), weight("blk.0.attn_norm.weight")
    for item in smollm2.attention_inputs(SENTENCES[:3], 64, model=model):
        x = embedding[item.tokens]
        h = norm * (x / np.sqrt((x * x).mean(-1, keepdims=True) + np.float32(1e-5)))
        angle = np.arange(item.length, dtype=np.float32)[:, None] / np.float32(100000.0) ** (
            np.arange(0, 64, 2, dtype=np.float32) / 64
        )
        cos, sin = np.cos(np.hstack([angle, angle])), np.sin(np.hstack([angle, angle]))

        def turned(w, h=h, cos=cos, sin=sin):
            y = np.einsum("td,hed->hte", h, w)
            return y * cos + np.concatenate([-y[..., 32:], y[..., :32]], -1) * sin

        q, k = turned(wq), turned(wk)
        n = item.length
        assert np.abs(q - item.q[:, :n, order]).max() < 1e-4
        assert np.abs(k - item.k[:, :n, order]).max() < 1e-4
        theirs = np.stack([q[head] @ k[head // 3].T for head in range(9)])
        ours = np.stack([item.q[head, :n] @ item.k[head // 3, :n].T for head in range(9)])
        assert np.abs(theirs - ours).max() < 1e-5 * np.abs(ours).max()


@pytest.mark.parametrize("text", ["", "word " * 65])
def test_length_refusals(model, text):
    with pytest.raises(ModelError) as caught:
        smollm2.attention_inputs([text], 64, model=model)
    assert caught.value.code == "model.sentence_length" and "1 to 64 tokens" in caught.value.required


def test_other_layers_are_refused(model):
    with pytest.raises(ModelError) as caught:
        smollm2.attention_inputs(SENTENCES, 64, layer=1, model=model)
    assert caught.value.code == "model.unsupported"


def test_block_half_by_hand():
    from kumihimo.models.statistics_smollm2 import to_block_half, to_half

    assert to_half(np.array([1 + 2**-10, 1 + 3 * 2**-10, -1023.5])).tolist() == [1.0, 1 + 2**-8, -1024.0]
    block = np.zeros(16)
    # Exponent 1, unit 2^-7: 1 ulp of half at 3 is 2^-8, a tie that goes to even.
    block[:4] = [3 + 2**-8, 3 + 3 * 2**-8, 2**-8, -(2**-7)]
    assert to_block_half(block)[:4].tolist() == [3.0, 3 + 2**-6, 0.0, -(2**-7)]
    # All ones carries: the unit becomes 2^-6 for everybody.
    block[:3] = [4 - 2**-8, 2**-7, 3 * 2**-7]
    assert to_block_half(block)[:4].tolist() == [4.0, 0.0, 2**-5, 0.0]


def test_ranges_fit_half_and_its_blocks(model):
    from kumihimo.models import statistics_smollm2

    figures = statistics_smollm2.run(SENTENCES)
    for name in ("q", "k"):
        assert figures[name]["max_abs"] < 2.0**5 and figures[name]["half_max_relative_error"] <= 2.0**-10
        assert figures[name]["blocks_interleaved"]["rms_error_over_rms"] < 2.0**-8
    assert figures["scores"]["points"] == sum(9 * n * (n + 1) // 2 for n in figures["tokens"])
    # Row 0 sees one key, so exp(0) alone; a row cannot sum to more than the keys it sees.
    assert figures["row_sum"]["range"][0] == 1.0
    assert 1.0 < figures["row_sum"]["range"][1] <= max(figures["tokens"])


def test_it_is_quick_when_cached(model):
    start = time.perf_counter()
    fresh = smollm2._open.__wrapped__(model.file.path)
    smollm2.attention_inputs(SENTENCES[:3], 64, model=fresh)
    # 0.2 s on a 2-core machine; the limit only catches a change of kind, such as dequantising the whole table.
    assert time.perf_counter() - start < 5


@pytest.mark.slow
def test_against_torch(model):
    """Scores, likelihood and text of the whole model in torch; the figures in docs/models.md come from this."""
    pytest.importorskip("torch")
    from kumihimo.models import check_smollm2

    record = check_smollm2.run(SENTENCES, count=10)
    assert record["ok"], record
    assert "Paris" in record["continuations"]["chat"]
