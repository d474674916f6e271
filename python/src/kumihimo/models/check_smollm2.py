"""Compare our queries, keys and tokens with other implementations; needs torch (transformers too, if present).

    pip install torch transformers       # in an environment of your own
    python -m kumihimo.models.check_smollm2 [--sentences examples/sentences.txt] [--json FILE]

What is compared:

1. *scores, complex*: layer 0's q.k of every head and sentence against a torch implementation
   that shares nothing with ours but the dequantised weights: float32 throughout, einsum per head, and
   RoPE as a product of complex numbers.
2. *scores, transformers*: the same against ``LlamaForCausalLM``, its weights un-permuted to the
   half-split order and its own half-split RoPE; q and k are caught inside its attention.
3. *likelihood*: mean negative log-likelihood of the sentences under all layers, once with the file's rows as
   interleaved pairs and once wrongly as half-split. Only the right reading predicts English.
4. *continuation*: greedy text of all layers, as English that a reader can judge.

The exit code is 1 if a score differs by more than 1e-4 of the largest score, if the two
readings do not differ clearly, or if the two implementations do not continue alike.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from . import smollm2
from .llama_math import interleaved_to_half_split

PROMPT = "<|im_start|>user\nWhat is the capital of France?<|im_end|>\n<|im_start|>assistant\n"
PLAIN_PROMPT = "The sun rises in the east and"
CLEAR_NLL_GAP = 0.3  # nats per token, on the mean over sentences
SCORE_TOLERANCE = 1e-4  # of the largest score; float32 throughout on their side


class ComplexLlama:
    """All layers in torch, float32: RoPE multiplies complex numbers made of neighbouring dims."""

    def __init__(self, model: smollm2.Model, *, pairs: str = "interleaved"):
        import torch

        self.torch, self.config, self.pairs = torch, model.config, pairs
        self.weights = {name: torch.from_numpy(model.file.tensor(name)) for name in model.file.tensors}

    def norm(self, x: Any, name: str) -> Any:
        return self.torch.nn.functional.rms_norm(x, (x.shape[-1],), self.weights[name], self.config.rms_eps)

    def rotate(self, x: Any) -> Any:
        """x [T, heads, head_dim] -> the same, turned."""
        torch, half = self.torch, self.config.head_dim // 2
        steps = torch.polar(torch.ones(half), self.config.rope_theta ** (-torch.arange(half) / half))
        turns = torch.stack([steps**position for position in range(x.shape[0])])[:, None, :]
        if self.pairs == "interleaved":
            z = torch.view_as_complex(x.reshape(*x.shape[:-1], half, 2)) * turns
            return torch.view_as_real(z).flatten(-2)
        z = torch.complex(x[..., :half].contiguous(), x[..., half:].contiguous()) * turns
        return torch.cat([z.real, z.imag], -1)

    def queries_keys(self, x: Any, layer: int) -> tuple[Any, Any]:
        h = self.norm(x, f"blk.{layer}.attn_norm.weight")
        out = []
        for name, heads in (("attn_q", self.config.heads), ("attn_k", self.config.kv_heads)):
            weight = self.weights[f"blk.{layer}.{name}.weight"].reshape(heads, self.config.head_dim, -1)
            out.append(self.rotate(self.torch.einsum("td,hed->the", h, weight)))
        return out[0], out[1]

    def scores(self, q: Any, k: Any) -> Any:
        """[heads, T, T], not scaled."""
        group = self.config.heads // self.config.kv_heads
        q = q.reshape(q.shape[0], self.config.kv_heads, group, -1)
        return self.torch.einsum("qhge,khe->hgqk", q, k).flatten(0, 1)

    def logits(self, ids: list[int]) -> Any:
        torch, w = self.torch, self.weights
        x = w["token_embd.weight"][torch.tensor(ids)]
        hidden = torch.ones(len(ids), len(ids), dtype=torch.bool).triu(1)
        for layer in range(self.config.layers):
            name = f"blk.{layer}."
            q, k = self.queries_keys(x, layer)
            probability = torch.softmax(
                (self.scores(q, k) / math.sqrt(self.config.head_dim)).masked_fill(hidden, -math.inf), -1
            )
            v = self.norm(x, name + "attn_norm.weight") @ w[name + "attn_v.weight"].T
            v = v.reshape(len(ids), self.config.kv_heads, -1).repeat_interleave(
                self.config.heads // self.config.kv_heads, 1
            )
            x = x + torch.einsum("hqk,khe->qhe", probability, v).flatten(1) @ w[name + "attn_output.weight"].T
            h = self.norm(x, name + "ffn_norm.weight")
            gate = torch.nn.functional.silu(h @ w[name + "ffn_gate.weight"].T)
            x = x + (gate * (h @ w[name + "ffn_up.weight"].T)) @ w[name + "ffn_down.weight"].T
        return self.norm(x, "output_norm.weight") @ w["token_embd.weight"].T  # tied: the file has no output.weight

    def nll(self, ids: list[int]) -> float:
        """Mean negative log-likelihood per predicted token, in nats."""
        logp = self.torch.log_softmax(self.logits(ids)[:-1], -1)
        return -float(logp[range(len(ids) - 1), ids[1:]].mean())

    def greedy(self, ids: list[int], count: int, stop: int) -> list[int]:
        out: list[int] = []
        while len(out) < count and (not out or out[-1] != stop):
            out.append(int(self.logits(ids + out)[-1].argmax()))
        return out


def transformers_model(model: smollm2.Model) -> Any:
    """LlamaForCausalLM with the file's weights, rows of wq and wk moved to its half-split order."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    c = model.config
    net = LlamaForCausalLM(
        LlamaConfig(
            vocab_size=c.vocabulary,
            hidden_size=c.hidden,
            intermediate_size=c.feed_forward,
            num_hidden_layers=c.layers,
            num_attention_heads=c.heads,
            num_key_value_heads=c.kv_heads,
            head_dim=c.head_dim,
            rms_norm_eps=c.rms_eps,
            rope_parameters={"rope_type": "default", "rope_theta": c.rope_theta},
            max_position_embeddings=c.context,
            tie_word_embeddings=True,
            attn_implementation="eager",
        )
    ).eval()
    to_half_split = interleaved_to_half_split(c.head_dim)

    def rows(name: str) -> np.ndarray:
        weight = model.file.tensor(name)
        return weight.reshape(-1, c.head_dim, c.hidden)[:, to_half_split].reshape(weight.shape)

    parts = {
        "input_layernorm": "attn_norm",
        "self_attn.v_proj": "attn_v",
        "self_attn.o_proj": "attn_output",
        "post_attention_layernorm": "ffn_norm",
        "mlp.gate_proj": "ffn_gate",
        "mlp.up_proj": "ffn_up",
        "mlp.down_proj": "ffn_down",
    }
    state = {
        "model.embed_tokens.weight": model.file.tensor("token_embd.weight"),
        "lm_head.weight": model.file.tensor("token_embd.weight"),
        "model.norm.weight": model.file.tensor("output_norm.weight"),
    }
    for layer in range(c.layers):
        for theirs, ours in parts.items():
            state[f"model.layers.{layer}.{theirs}.weight"] = model.file.tensor(f"blk.{layer}.{ours}.weight")
        state[f"model.layers.{layer}.self_attn.q_proj.weight"] = rows(f"blk.{layer}.attn_q.weight")
        state[f"model.layers.{layer}.self_attn.k_proj.weight"] = rows(f"blk.{layer}.attn_k.weight")
    net.load_state_dict({name: torch.from_numpy(value) for name, value in state.items()}, strict=True)
    return net


def transformers_scores(net: Any, model: smollm2.Model, ids: list[int]) -> np.ndarray:
    """q.k of layer 0, [heads, T, T], caught where transformers has just applied its own RoPE."""
    import torch
    from transformers.models.llama import modeling_llama

    caught: list[Any] = []
    original = modeling_llama.apply_rotary_pos_emb

    def spy(*args: Any, **kwargs: Any) -> Any:
        caught.append(original(*args, **kwargs))
        return caught[-1]

    modeling_llama.apply_rotary_pos_emb = spy
    try:
        with torch.no_grad():
            net(torch.tensor([ids]))
    finally:
        modeling_llama.apply_rotary_pos_emb = original
    q, k = (x[0] for x in caught[0])  # the first call is layer 0; [heads, T, head_dim]
    k = k.repeat_interleave(model.config.heads // model.config.kv_heads, 0)
    return (q @ k.transpose(1, 2)).numpy()


def our_scores(item: smollm2.AttentionInput) -> np.ndarray:
    """q.k in float64 from the float32 q and k, [heads, length, length]."""
    q, k = (x[:, : item.length].astype(np.float64) for x in (item.q, item.k))
    return q @ np.repeat(k, q.shape[0] // k.shape[0], 0).swapaxes(1, 2)


def difference(ours: list[np.ndarray], theirs: list[np.ndarray]) -> dict[str, float]:
    """Largest absolute difference and its ratio to the largest score."""
    absolute = max(float(np.abs(a - b).max()) for a, b in zip(ours, theirs))
    largest = max(float(np.abs(a).max()) for a in ours)
    return {"max_abs": absolute, "max_score": largest, "relative_to_max": absolute / largest}


def run(sentences: list[str], *, count: int = 40) -> dict[str, Any]:
    """All comparisons as one JSON-able record; see the module's docstring for their meaning."""
    import torch

    torch.set_grad_enabled(False)
    model = smollm2.load()
    items = smollm2.attention_inputs(sentences, T=128, model=model)
    ours = [our_scores(item) for item in items]
    ids = [item.tokens.tolist() for item in items]
    right, wrong = ComplexLlama(model), ComplexLlama(model, pairs="half_split")
    theirs = []
    for tokens in ids:
        embedded = right.weights["token_embd.weight"][torch.tensor(tokens)]
        theirs.append(right.scores(*right.queries_keys(embedded, 0)).numpy())
    stop = model.file["tokenizer.ggml.eos_token_id"]
    prompts = {"plain": PLAIN_PROMPT, "chat": PROMPT}
    prompt_ids = {key: model.tokenizer.encode(text).ids for key, text in prompts.items()}
    record: dict[str, Any] = {
        "torch": torch.__version__,
        "sentences": [{"text": item.text, "tokens": tokens} for item, tokens in zip(items, ids)],
        "scores_complex": difference(ours, theirs),
        "nll_interleaved": [right.nll(tokens) for tokens in ids],
        "nll_half_split": [wrong.nll(tokens) for tokens in ids],
        "continuations": {},
        "continuations_half_split": {},
    }
    greedy = {key: right.greedy(tokens, count, stop) for key, tokens in prompt_ids.items()}
    for key, tokens in greedy.items():
        record["continuations"][key] = model.tokenizer.decode(tokens, skip_special_tokens=False)
        misread = wrong.greedy(prompt_ids[key], count, stop)
        record["continuations_half_split"][key] = model.tokenizer.decode(misread, skip_special_tokens=False)
    ok = record["scores_complex"]["relative_to_max"] < SCORE_TOLERANCE
    right_nll, wrong_nll = np.array(record["nll_interleaved"]), np.array(record["nll_half_split"])
    ok &= bool(np.all(right_nll < wrong_nll)) and right_nll.mean() + CLEAR_NLL_GAP < wrong_nll.mean()
    try:
        import transformers
    except ImportError:
        record["transformers"] = None
    else:
        record["transformers"] = transformers.__version__
        net = transformers_model(model)
        theirs = [transformers_scores(net, model, tokens) for tokens in ids]
        record["scores_transformers"] = difference(ours, theirs)
        logits = [(net(torch.tensor([tokens])).logits[0], right.logits(tokens)) for tokens in ids]
        record["logits_complex_vs_transformers"] = max(float((a - b).abs().max()) for a, b in logits)
        same = True
        for key, tokens in prompt_ids.items():
            full = net.generate(torch.tensor([tokens]), attention_mask=torch.ones(1, len(tokens)), do_sample=False,
                                max_new_tokens=count, eos_token_id=stop, pad_token_id=stop)  # fmt: skip
            same &= full[0, len(tokens) :].tolist() == greedy[key]
        record["continuations_equal_transformers"] = same
        ok &= same and record["scores_transformers"]["relative_to_max"] < SCORE_TOLERANCE
    record["ok"] = bool(ok)
    return record


def main() -> int:
    parser = argparse.ArgumentParser(description="compare SmolLM2's queries, keys and text with torch")
    parser.add_argument("--sentences", type=Path, default=Path("examples/sentences.txt"), help="one sentence a line")
    parser.add_argument("--json", type=Path, help="write the record to this file instead of stdout")
    arguments = parser.parse_args()
    start = time.perf_counter()
    sentences = arguments.sentences.read_text(encoding="utf-8").splitlines()
    record = run(sentences)
    record["seconds"] = round(time.perf_counter() - start, 1)
    text = json.dumps(record, indent=1, ensure_ascii=False)
    if arguments.json:
        arguments.json.write_text(text + "\n", encoding="utf-8")
    else:
        print(text)
    print("ok" if record["ok"] else "DIFFERS", file=sys.stderr)
    return 0 if record["ok"] else 1


if __name__ == "__main__":
    raise SystemExit(main())
