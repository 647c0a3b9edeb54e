"""GPT-2's forward pass (Radford et al. 2019): ids, positions and a cache -> hidden states -> logits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import torch
import torch.nn.functional as F

from engine.attention import AttentionMask
from engine.checkpoint import Checkpoint, GPT2Config
from engine.kv_cache import KVCache
from engine.linear import Linear, Precision, make_linear
from engine.memory import give_back

Attention = Callable[[torch.Tensor, torch.Tensor, torch.Tensor, AttentionMask], torch.Tensor]
Norm = Callable[[torch.Tensor], torch.Tensor]


@dataclass(frozen=True, slots=True)
class PassInputs:
    """What a pass computes, and all that differs from one pass to the next.

    ids   (3, rows) int64: each row's token, its position, and the slot for its keys and values
    mask  which slots it sees
    """

    ids: torch.Tensor
    mask: AttentionMask

    @property
    def shape(self) -> tuple[int, int, int]:
        """Inputs of one shape are computed by the same kernels: rows, own block, end of the slots looked at."""
        return self.ids.shape[1], self.mask.block_start, self.mask.end

    def to(self, device: torch.device) -> PassInputs:
        """The same on another device."""
        return PassInputs(self.ids.to(device), replace(self.mask, bias=self.mask.bias.to(device)))


@dataclass(frozen=True, slots=True)
class Layer:
    """One transformer block; attention's scale is folded into the query's weights."""

    norm_1: Norm
    qkv: Linear
    attn_out: Linear
    norm_2: Norm
    mlp_in: Linear
    mlp_out: Linear


class GPT2:
    """Weights ready to compute. The rows of a pass are independent: who sees whom is in the mask."""

    def __init__(
        self,
        config: GPT2Config,
        precision: Precision,
        token_embedding: torch.Tensor,
        position_embedding: torch.Tensor,
        layers: list[Layer],
        final_norm: Norm,
        head: Linear,
    ) -> None:
        self.config = config
        self.precision = precision
        self.token_embedding = token_embedding
        self.position_embedding = position_embedding
        self.layers = layers
        self.final_norm = final_norm
        self.head = head

    def forward(self, inputs: PassInputs, cache: KVCache, attention: Attention) -> torch.Tensor:
        """Hidden states (rows, n_embd); keys and values go into the cache."""
        activations = self.precision.activations
        tokens, positions, slots = inputs.ids.unbind()
        n, heads, head_dim = len(tokens), self.config.n_head, self.config.head_dim
        x = self.token_embedding[tokens].to(activations) + self.position_embedding[positions].to(activations)
        for index, layer in enumerate(self.layers):
            keys, values = cache.keys[index], cache.values[index]  # (heads, slots, head_dim)
            q, k, v = layer.qkv(layer.norm_1(x)).view(n, 3, heads, head_dim).permute(1, 2, 0, 3).to(keys.dtype).unbind()
            keys.index_copy_(1, slots, k)
            values.index_copy_(1, slots, v)
            attended = attention(q, keys, values, inputs.mask)  # (heads, n, head_dim)
            x = x + layer.attn_out(attended.transpose(0, 1).reshape(n, -1).to(activations))
            x = x + layer.mlp_out(F.gelu(layer.mlp_in(layer.norm_2(x)), approximate=self.config.gelu))
        return x

    def logits(self, hidden: torch.Tensor) -> torch.Tensor:
        """(n, n_embd) -> (n, vocab_size)"""
        return self.head(self.final_norm(hidden))


def load_gpt2(checkpoint: Checkpoint, precision: Precision, vocab_size: int, progress: Callable[[float], None]) -> GPT2:
    """Read and pack the weights, one layer at a time. Rows of the vocabulary beyond `vocab_size` are left out.

    `progress` is called with 0..1 and may raise to cancel.
    """
    config = checkpoint.config
    layers = []
    for index in range(config.n_layer):
        progress(index / (config.n_layer + 1))
        layers.append(_load_layer(checkpoint, precision, index))
        give_back()  # what packing needed for a moment
    progress(config.n_layer / (config.n_layer + 1))
    embedding = checkpoint.tensor("wte.weight")[:vocab_size]
    head_weight = checkpoint.tensor("lm_head.weight")[:vocab_size] if checkpoint.has_head else embedding
    return GPT2(
        config,
        precision,
        _stored(embedding, precision),
        _stored(checkpoint.tensor("wpe.weight"), precision),
        layers,
        _norm(checkpoint, "ln_f", precision),
        make_linear(head_weight, None, precision),
    )


def _load_layer(checkpoint: Checkpoint, precision: Precision, index: int) -> Layer:
    config, h = checkpoint.config, f"h.{index}."
    scale = config.head_dim**-0.5
    if config.scale_attn_by_inverse_layer_idx:
        scale /= index + 1
    weight = checkpoint.tensor(h + "attn.c_attn.weight").float().t().contiguous()  # (3 d, d)
    bias = checkpoint.tensor(h + "attn.c_attn.bias").float().clone()
    weight[: config.n_embd] *= scale
    bias[: config.n_embd] *= scale

    def linear(name: str) -> Linear:
        return make_linear(
            checkpoint.tensor(h + name + ".weight").t(), checkpoint.tensor(h + name + ".bias"), precision
        )

    return Layer(
        norm_1=_norm(checkpoint, h + "ln_1", precision),
        qkv=make_linear(weight, bias, precision),
        attn_out=linear("attn.c_proj"),
        norm_2=_norm(checkpoint, h + "ln_2", precision),
        mlp_in=linear("mlp.c_fc"),
        mlp_out=linear("mlp.c_proj"),
    )


def _stored(table: torch.Tensor, precision: Precision) -> torch.Tensor:
    """An embedding table in the weights' precision; left in its file where it has that precision already."""
    return table.to(precision.device, precision.dtype if precision.dtype.is_floating_point else torch.float16)


def _norm(checkpoint: Checkpoint, name: str, precision: Precision) -> Norm:
    weight = checkpoint.tensor(name + ".weight").to(precision.device, precision.activations)
    bias = checkpoint.tensor(name + ".bias").to(precision.device, precision.activations)
    epsilon = checkpoint.config.layer_norm_epsilon
    return lambda x: torch.layer_norm(x, weight.shape, weight, bias, epsilon)
