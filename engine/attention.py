"""Masked attention of a few rows over the cache, in two forms with one signature.

`fused_attention` is torch's own. The last bits of a row then depend on how many rows and slots share the call, which in
float32 stays below any difference between two tokens' scores.

`ordered_attention` gives the same bits for a row however it is computed: alone, with padding, or in a tree. Keys are
cut at multiples of 64 positions. All rows of a pass lie in one block (`engine.runner` sees to it), so the complete
blocks before it are the same keys in the same slots in every decoding mode. Only in the row's own block do ancestors
lie in other slots, with other nodes between them; there no sum may feel the masked slots.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F

from engine.kv_cache import BLOCK, Placement

LEAST_ROWS = 4
"""Rows of the products in `ordered_attention` at least: fewer take other kernels, with other last bits. A narrow pass
is padded here, where it costs nothing, and not in the products with weights."""


@dataclass(frozen=True, slots=True)
class AttentionMask:
    """Which slots each row of a pass sees, made once per pass and used by every layer.

    block_start  first slot of the rows' own block (0 in the fused form, which knows no blocks)
    end          end of the slots that the own block's part looks at
    bias         (rows, end - block_start) float: 0 where a slot is seen, -inf elsewhere
    """

    block_start: int
    end: int
    bias: torch.Tensor


def fused_mask(placement: Placement, rows: int, dtype: torch.dtype, step: int = 1) -> AttentionMask:
    """The mask of `fused_attention`: all slots in use, their number rounded up to a multiple of `step`."""
    used = placement.length + placement.visible.shape[1]
    return _mask(placement, 0, -(-used // step) * step, rows, dtype)


def ordered_mask(placement: Placement, rows: int, dtype: torch.dtype, max_scratch: int) -> AttentionMask:
    """The mask of `ordered_attention`: the own block and room for the scratch rows, of one shape in every pass."""
    first = int(placement.positions[0])
    block_start = first - first % BLOCK
    assert int(placement.positions.max()) < block_start + BLOCK, "the rows of a pass must lie in one block"
    return _mask(placement, block_start, block_start + BLOCK + max_scratch, max(rows, LEAST_ROWS), dtype)


def _mask(placement: Placement, block_start: int, end: int, rows: int, dtype: torch.dtype) -> AttentionMask:
    n, scratch = placement.visible.shape
    bias = np.full((rows, end - block_start), -np.inf, dtype=np.float32)
    first = placement.length - block_start
    bias[:, :first] = 0.0
    bias[:n, first : first + scratch][placement.visible] = 0.0
    if rows > n and first == 0:
        bias[n:, 0] = 0.0  # a padding row that sees nothing would be nan
    return AttentionMask(block_start, end, torch.from_numpy(bias).to(dtype))


def fused_attention(q: torch.Tensor, keys: torch.Tensor, values: torch.Tensor, mask: AttentionMask) -> torch.Tensor:
    """(heads, n, head_dim), already scaled, over (heads, slots, head_dim) -> (heads, n, head_dim)."""
    out = F.scaled_dot_product_attention(
        q[None], keys[None, :, : mask.end], values[None, :, : mask.end], attn_mask=mask.bias, scale=1.0
    )
    return out[0]


def ordered_attention(
    q: torch.Tensor, keys: torch.Tensor, values: torch.Tensor, mask: AttentionMask, own_dtype: torch.dtype
) -> torch.Tensor:
    """The same, bit for bit independent of the other rows and of where the ancestors lie.

    `own_dtype` is the precision of the weighted sum over the own block: float32 where this machine's product adds up in
    the order of the slots, so that masked slots leave no trace (which `engine.calibration` finds out), else float64.
    """
    own, n, padding = slice(mask.block_start, mask.end), q.shape[1], len(mask.bias) - q.shape[1]
    if padding:
        q = F.pad(q, (0, 0, 0, padding))
    scores = torch.baddbmm(mask.bias, q, keys[:, own].transpose(1, 2))  # (heads, n, own slots)
    peak = scores.amax(-1, keepdim=True)
    if mask.block_start:
        old_scores = torch.bmm(q, keys[:, : mask.block_start].transpose(1, 2))  # (heads, n, block_start)
        peak = torch.maximum(peak, old_scores.amax(-1, keepdim=True))
    weights = scores.sub_(peak).exp_()
    total = weights.sum(-1, keepdim=True, dtype=torch.float64)
    out = torch.bmm(weights.to(own_dtype), values[:, own].to(own_dtype))
    if mask.block_start:
        old_weights = old_scores.sub_(peak).exp_()
        total += old_weights.sum(-1, keepdim=True)
        out += torch.bmm(old_weights, values[:, : mask.block_start])
    return out[:, :n].div_(total[:, :n].to(own_dtype)).to(q.dtype)
