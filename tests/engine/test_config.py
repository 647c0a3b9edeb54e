"""Values that cannot be used are refused where they are given, with the range that can."""

import dataclasses
import math

import pytest

from engine.config import MAX_SEED, DecodingConfig, DecodingMode, ModelSpec, SamplingParams
from engine.errors import EngineError, InvalidRequest


@pytest.mark.parametrize(
    "values",
    [
        {"temperature": -0.1},
        {"temperature": math.nan},
        {"temperature": math.inf},
        {"temperature": "1"},
        {"temperature": 101},
        {"top_k": -1},
        {"top_k": 1.5},
        {"top_k": True},
        {"top_p": 0},
        {"top_p": 1.01},
        {"top_p": math.nan},
        {"repetition_penalty": 0},
        {"repetition_penalty": -1},
        {"repetition_penalty": math.inf},
        {"logit_bias": {1: math.nan}},
        {"logit_bias": {1: math.inf}},
        {"logit_bias": {1: 1e39}},
        {"seed": -1},
        {"seed": MAX_SEED + 1},
        {"seed": 1.0},
        {"max_new_tokens": -1},
        {"max_new_tokens": 0},
        {"max_new_tokens": 2.0},
        {"stop": ("",)},
    ],
    ids=str,
)
def test_sampling_parameters_out_of_range(values: dict[str, object]) -> None:
    with pytest.raises(InvalidRequest, match=next(iter(values))) as caught:
        SamplingParams(**values)  # type: ignore[arg-type]
    assert "\n" not in str(caught.value)
    assert isinstance(caught.value, EngineError)
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize(
    "values",
    [
        {"temperature": 0},
        {"temperature": 100, "top_k": 0, "top_p": 1, "repetition_penalty": 100, "seed": MAX_SEED},
        {"temperature": 1e-308, "top_p": 1e-9, "repetition_penalty": 0.01, "seed": 0, "stop": ("\n",)},
    ],
    ids=str,
)
def test_edges_that_can_be_used(values: dict[str, object]) -> None:
    assert SamplingParams(**values)  # type: ignore[arg-type]


@pytest.mark.parametrize("nodes", [0, 65, -1, 1.5, True])
def test_tree_bounds(nodes: object) -> None:
    with pytest.raises(InvalidRequest, match="max_tree_nodes"):
        DecodingConfig(max_tree_nodes=nodes)  # type: ignore[arg-type]


@pytest.mark.parametrize("values", [{"dtype": "float64"}, {"threads": 0}, {"threads": 1.0}, {"threads": -2}], ids=str)
def test_model_specs(values: dict[str, object]) -> None:
    with pytest.raises(InvalidRequest, match=next(iter(values))):
        ModelSpec(**values)  # type: ignore[arg-type]


def test_configurations_cannot_be_changed() -> None:
    for made in (SamplingParams(), DecodingConfig(), ModelSpec()):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(made, dataclasses.fields(made)[0].name, 1)


def test_modes_say_what_they_are() -> None:
    assert {mode for mode in DecodingMode if mode.uses_draft} == {"speculative", "tree", "staged"}
    assert {mode for mode in DecodingMode if mode.uses_ngram} == {"staged", "ngram"}
    assert len({mode.summary for mode in DecodingMode}) == 5
