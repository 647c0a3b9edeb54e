"""Two calls of one float16 kernel: the choice between them may change the time and nothing else."""

import pytest
import torch

import engine.linear
from engine.linear import Precision, has_fbgemm, make_linear

FLOAT16 = Precision(torch.float16, torch.float32, "fbgemm", torch.device("cpu"))


@pytest.mark.skipif(not has_fbgemm(), reason="the kernel is made for x86 processors with AVX2")
def test_small_weights_give_the_bits_of_the_general_call(monkeypatch: pytest.MonkeyPatch) -> None:
    generator = torch.Generator().manual_seed(5)
    weight, bias = torch.randn(96, 64, generator=generator), torch.randn(96, generator=generator)
    quick = make_linear(weight, bias, FLOAT16)
    monkeypatch.setattr(engine.linear, "SMALL_WEIGHT", 0)
    general = make_linear(weight, bias, FLOAT16)
    for rows in (1, 2, 3, 4, 7, 16, 64):
        x = torch.randn(rows, 64, generator=generator)
        assert torch.equal(quick(x), general(x))
        assert torch.allclose(quick(x), x @ weight.T + bias, atol=0.05)


@pytest.mark.skipif(not has_fbgemm(), reason="the kernel is made for x86 processors with AVX2")
def test_the_general_call_serves_where_torch_has_dropped_the_quick_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(torch, "fbgemm_pack_gemm_matrix_fp16")
    monkeypatch.delattr(torch, "fbgemm_linear_fp16_weight_fp32_activation")
    assert make_linear(torch.eye(8), torch.ones(8), FLOAT16)(torch.zeros(1, 8)).tolist() == [[1.0] * 8]
