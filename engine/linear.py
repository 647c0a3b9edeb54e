"""Linear maps: one call, with the weight packed once for the fastest kernel that a device and precision have.

A pass over few rows is bound by reading weights, so their format decides the speed:

native      torch's own product
onednn      bfloat16 in oneDNN's blocked layout, for processors with fast bfloat16 products (AMX, AVX-512 BF16)
fbgemm      float16 weights and float32 arithmetic, for x86 processors with AVX2: half the bytes of float32
fbgemm8     8-bit weights and activations, the same processors: a quarter of the bytes, a little less exact a model
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import torch
import torch.nn.functional as F

from engine.errors import DeviceError

SMALLEST_SCALE = 1e-8
SMALL_WEIGHT = 600_000
"""Elements of a float16 weight whose product one thread ends before the call that shares it out has begun."""

Linear: TypeAlias = Callable[[torch.Tensor], torch.Tensor]
"""(n, d_in) -> (n, d_out)"""


@dataclass(frozen=True, slots=True)
class Precision:
    """How a model computes on its device: precision of the weights, of the activations, and the kernel."""

    dtype: torch.dtype
    activations: torch.dtype
    kernel: str
    device: torch.device

    @property
    def is_ordered(self) -> bool:
        """True where the target runs in the ordered form (16 bit): there the last bits would decide near-ties."""
        return self.dtype != torch.float32 and self.device.type != "mps"  # which has no float64


def precision_for(dtype: torch.dtype, device: torch.device) -> Precision:
    """The fastest way to compute in `dtype` on `device`. Raises DeviceError where there is none."""
    if device.type == "cpu" and dtype == torch.bfloat16 and has_fast_bfloat16():
        return Precision(dtype, dtype, "onednn", device)
    if device.type == "cpu" and dtype == torch.float16 and has_fbgemm():
        return Precision(dtype, torch.float32, "fbgemm", device)
    if dtype == torch.int8:
        if device.type != "cpu" or not has_fbgemm():
            raise DeviceError("8-bit weights need an x86 processor with AVX2; choose auto")
        return Precision(dtype, torch.float32, "fbgemm8", device)
    return Precision(dtype, dtype, "native", device)


def has_fast_bfloat16() -> bool:
    """True where oneDNN has bfloat16 kernels for this processor."""
    return torch._C._has_mkldnn and bool(torch.ops.mkldnn._is_mkldnn_bf16_supported())  # noqa: SLF001 - no public name


def has_fbgemm() -> bool:
    """True where FBGEMM's float16 kernels run on this processor."""
    return "fbgemm" in torch.backends.quantized.supported_engines


def make_linear(weight: torch.Tensor, bias: torch.Tensor | None, precision: Precision) -> Linear:
    """Pack a weight of shape (d_out, d_in), in any precision and layout, into a callable (n, d_in) -> (n, d_out)."""
    if precision.kernel == "fbgemm":
        return _fbgemm_linear(weight, bias)
    if precision.kernel == "fbgemm8":
        return _fbgemm8_linear(weight.float().contiguous(), bias)
    weight = weight.to(precision.device, precision.dtype).contiguous()
    bias = bias.to(precision.device, precision.dtype) if bias is not None else None
    if precision.kernel == "onednn":
        return _onednn_linear(weight, bias)
    return lambda x: F.linear(x, weight, bias)


def _fbgemm_linear(weight: torch.Tensor, bias: torch.Tensor | None) -> Linear:
    bias = bias.float() if bias is not None else None
    weight = weight.float().contiguous()
    if bias is not None and weight.numel() <= SMALL_WEIGHT and hasattr(torch, "fbgemm_pack_gemm_matrix_fp16"):
        return _small_fbgemm_linear(weight, bias)
    packed = torch.ops.quantized.linear_prepack_fp16(weight, bias)
    product = torch.ops.quantized.linear_dynamic_fp16.default
    return lambda x: product(x, packed)


def _small_fbgemm_linear(weight: torch.Tensor, bias: torch.Tensor) -> Linear:
    """The same kernel on one thread, through a call that costs a few microseconds where the general one costs thirty.

    Torch may drop this call some day (it says so once); then the general one serves, with the same bits.
    """
    product = torch.fbgemm_linear_fp16_weight_fp32_activation
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "fbgemm_", UserWarning)
        packed = torch.fbgemm_pack_gemm_matrix_fp16(weight)
        product(weight[:1], packed, bias)  # says so here and not in the middle of an answer
    return lambda x: product(x, packed, bias)


def _fbgemm8_linear(weight: torch.Tensor, bias: torch.Tensor | None) -> Linear:
    """Weights in 8 bit with a scale for each output; activations in 7 bit between each row's own least and greatest.

    7 bit, because AVX2 adds products in pairs of 16 bit. Integer sums are exact, so a row's result does not depend on
    the rows beside it: with x = low + span * q / 127, x W = span * (q W) / 127 + low * sum(W).
    """
    scales = (weight.abs().amax(1) / 127).clamp_min(SMALLEST_SCALE)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "torch.quantize_per_", UserWarning)  # quantised tensors may go in torch 3
        quantized = torch.quantize_per_channel(
            weight, scales, torch.zeros_like(scales, dtype=torch.long), 0, torch.qint8
        )
    packed = torch.ops.quantized.linear_prepack(quantized, None)
    column_sums = quantized.dequantize().sum(1)  # (d_out,)
    offset = bias.float() if bias is not None else torch.zeros_like(column_sums)
    product = torch.ops.quantized.linear_with_input_q_dq_qweight_dq_output_fp32.default

    def linear(x: torch.Tensor) -> torch.Tensor:
        low, high = x.aminmax(dim=-1, keepdim=True)
        span = (high - low).clamp_min_(SMALLEST_SCALE)
        scaled: torch.Tensor = product((x - low).div_(span), 1 / 127, 0, packed)
        return scaled.mul_(span).add_(torch.addcmul(offset, low, column_sums))

    return linear


def _onednn_linear(weight: torch.Tensor, bias: torch.Tensor | None) -> Linear:
    packed = torch.ops.mkldnn._reorder_linear_weight(weight, None)  # noqa: SLF001 - what torch.compile calls
    product = torch.ops.mkldnn._linear_pointwise.default  # noqa: SLF001
    return lambda x: product(x, packed, bias, "none", [], "")
