"""The model's own byte-level BPE, built from the tables inside its GGUF file.

GGUF records a vocabulary (``tokenizer.ggml.tokens``), merges in order of priority, a
kind per token and the *name* of the rule that cuts text into words before merging
(``tokenizer.ggml.pre``). A wrong cut gives valid but different tokens, so an unknown
name is an error, never a default.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .errors import ModelError
from .gguf_file import GgufFile

if TYPE_CHECKING:
    from tokenizers import Tokenizer

_CONTROL, _USER_DEFINED = 3, 4  # tokenizer.ggml.token_type values


def _single_digits_then_gpt2() -> Any:
    """Every digit is a word of its own, the rest is cut as in GPT-2.

    llama.cpp splits "smollm" on \\p{N} first and by the GPT-2 pattern after; the original
    tokenizer.json says the same with Digits(individual_digits) and ByteLevel.
    """
    from tokenizers import pre_tokenizers

    return pre_tokenizers.Sequence(
        [
            pre_tokenizers.Digits(individual_digits=True),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True),
        ]
    )


def _gpt2() -> Any:
    from tokenizers import pre_tokenizers

    return pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)


# One row per value of tokenizer.ggml.pre.
PRE_TOKENIZERS = {"smollm": _single_digits_then_gpt2, "gpt-2": _gpt2}


def build_tokenizer(file: GgufFile) -> Tokenizer:
    """A ``tokenizers.Tokenizer`` equal to the one the model was trained with. Adds no BOS or EOS by itself.

    Raises:
        ModelError: ``model.tokenizer`` if the file's tokenizer is of another kind.
    """
    from tokenizers import AddedToken, Tokenizer, decoders
    from tokenizers.models import BPE

    kind, pre = file["tokenizer.ggml.model"], file["tokenizer.ggml.pre"]
    if kind != "gpt2" or pre not in PRE_TOKENIZERS:
        raise ModelError(
            "model.tokenizer",
            f"{file.path.name} has a tokenizer that is not supported",
            observed=f"model {kind!r}, pre-tokenizer {pre!r}",
            required=f"model 'gpt2', pre-tokenizer one of {sorted(PRE_TOKENIZERS)}",
        )
    if file.get("tokenizer.ggml.add_space_prefix", False):
        raise ModelError("model.tokenizer", "add_space_prefix is set; the pre-tokenizer rows do not add one")
    tokens: list[str] = file["tokenizer.ggml.tokens"]
    # Byte-level text has no blank inside a token, so the one blank separates the two halves.
    merges = [tuple(merge.split(" ", 1)) for merge in file["tokenizer.ggml.merges"]]
    vocabulary = {token: index for index, token in enumerate(tokens)}
    try:
        tokenizer = Tokenizer(BPE(vocab=vocabulary, merges=merges))
    except Exception as error:  # tokenizers raises a bare Exception for a merge that is not in the vocabulary
        raise ModelError("model.tokenizer", f"{file.path.name}: vocabulary and merges do not fit together",
                         observed=str(error)) from error  # fmt: skip
    tokenizer.pre_tokenizer = PRE_TOKENIZERS[pre]()
    tokenizer.decoder = decoders.ByteLevel()
    kinds: list[int] = file["tokenizer.ggml.token_type"]
    control = [token for token, token_kind in zip(tokens, kinds) if token_kind == _CONTROL]
    tokenizer.add_special_tokens([AddedToken(token, special=True, normalized=False) for token in control])
    user = [token for token, token_kind in zip(tokens, kinds) if token_kind == _USER_DEFINED]
    tokenizer.add_tokens([AddedToken(token, normalized=False) for token in user])
    return tokenizer


def encode_checked(tokenizer: Tokenizer, text: str) -> list[int]:
    """Token ids of `text`; refuses a text that does not come back unchanged.

    Raises:
        ModelError: ``model.roundtrip``, for example for bytes the vocabulary lacks.
    """
    ids = tokenizer.encode(text, add_special_tokens=False).ids
    back = tokenizer.decode(ids, skip_special_tokens=False)
    if back != text:
        raise ModelError(
            "model.roundtrip",
            "the tokens of a text do not decode to the same text",
            observed=repr(back),
            required=repr(text),
            fix="leave out characters whose bytes are not in the model's vocabulary",
        )
    return ids
