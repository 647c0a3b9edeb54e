"""What a tree may cost: pure logic over staged costs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.acceptance import HIGHEST, AcceptanceModel, Claim, Evidence
from engine.events import Origin
from engine.planner import JUDGEMENTS, LEAST_VALUE, LONGEST_WAIT, SHORTEST_WAIT, DraftingRecord, PassCosts, Planner
from engine.stats import RoundTiming
from engine.token_tree import TokenTree
from tests.engine.support import StagedCosts
from tests.engine.test_verifier import trees

(FEW, _), (MANY, _) = JUDGEMENTS
FLAT = ([1, 16], [0.01, 0.01])
LINEAR = ([1, 16], [0.01, 0.16])


def planner(target: tuple[list[int], list[float]] = FLAT, draft_s: float = 1e-4) -> Planner:
    return Planner(StagedCosts(*target, stepped=False), StagedCosts([1, 16], [draft_s] * 2, stepped=False))


def fan(values: list[float]) -> TokenTree:
    tree = TokenTree.rooted(0)
    for token, value in enumerate(values):
        tree.add(token, 0, Origin.DRAFT, value)
    return tree


def test_costs_between_measured_widths() -> None:
    stepped = PassCosts([1, 4, 8], [1.0, 2.0, 4.0], stepped=True)
    assert [stepped.seconds(rows) for rows in (1, 2, 4, 5, 8, 20)] == [1, 2, 2, 4, 4, 4]
    smooth = PassCosts([1, 4, 8], [1.0, 2.0, 4.0], stepped=False)
    assert [smooth.seconds(rows) for rows in (1, 4, 6, 8, 20)] == pytest.approx([1, 2, 3, 4, 4])


def test_noise_cannot_make_a_wider_pass_cheaper() -> None:
    costs = PassCosts([1, 2, 4], [1.0, 0.8, 2.0], stepped=True)
    assert [costs.seconds(rows) for rows in (1, 2, 4)] == [1, 1, 2]


def test_costs_follow_the_machine_and_shrug_off_an_outlier() -> None:
    costs = PassCosts([1, 8], [1.0, 2.0], stepped=False)
    for _ in range(100):
        costs.observe(8, 4.0)
    assert costs.seconds(8) == pytest.approx(4.0, rel=0.01)
    assert 1.2 < costs.seconds(1) < 2.0, "a busy machine is felt by all widths, a wide pass by itself"
    before = costs.seconds(1)
    costs.observe(1, 1000.0)
    assert costs.seconds(1) < 1.25 * before


def test_trees_are_as_large_as_their_rows_are_cheap() -> None:
    tree = fan([0.5, 0.2, 0.1, 0.05, 0.02])
    assert len(planner(FLAT).best_rows(tree, 16)) == 6
    assert planner(LINEAR).best_rows(tree, 16) == [0], "each row costs a token's time"
    half = ([1, 16], [0.01, 0.01 + 15 * 0.0015])
    assert planner(half).best_rows(tree, 16) == [0, 1, 2], "a row costs 0.15 tokens"


def test_nodes_are_looked_at_as_long_as_their_rows_may_pay() -> None:
    assert planner(FLAT).least_value == LEAST_VALUE
    assert planner(LINEAR).least_value == pytest.approx(0.5, rel=0.02), "a row costs a token"
    padded = Planner(StagedCosts([4, 8], [0.01, 0.02], stepped=True), None)
    assert padded.least_value == pytest.approx(0.125, rel=0.02), "four rows more cost a token"
    only_plain = Planner(StagedCosts([4], [0.01], stepped=True), None)
    assert only_plain.least_value == LEAST_VALUE


@given(trees(), st.integers(1, 16), st.data())
def test_best_rows_are_a_tree_within_bounds(tree: TokenTree, most: int, data: st.DataObject) -> None:
    for row in range(1, len(tree)):
        tree.values[row] = tree.values[tree.parents[row]] * data.draw(st.sampled_from([0.1, 0.5, 0.999]))
    cost = data.draw(st.sampled_from([0.01, 0.02, 0.16]))
    rows = planner(([1, 16], [0.01, cost])).best_rows(tree, most)
    assert rows == sorted(set(rows))
    assert 1 <= len(rows) <= most
    assert all(row == 0 or tree.parents[row] in rows for row in rows)


def test_a_draft_pass_must_earn_its_time() -> None:
    def gain(judge: Planner, values: list[float], added: list[float], most: int = 16) -> float:
        return judge.gain_of_pass(values, added, 1, most)

    chances = [0.6, 0.1]
    price = 1e-4 * planner().rate
    assert gain(planner(), [1.0], chances) == pytest.approx(0.7 - price)
    assert gain(planner(draft_s=0.0065), [1.0], chances) > 0
    assert gain(planner(draft_s=0.0075), [1.0], chances) < 0, "0.7 tokens for 0.75 tokens' time"
    assert gain(planner(LINEAR), [1.0], chances) < 0, "nor are its rows worth verifying"
    assert gain(planner(), [1.0, 0.9], [0.5], most=2) == pytest.approx(-price), "there is no room for what it would add"


def timing(seconds: float, model_s: float = 0.0) -> RoundTiming:
    made = RoundTiming()
    made.seconds, made.model_s = seconds, model_s
    return made


def test_useless_drafts_end_in_plain_decoding_with_rare_probes() -> None:
    """A draft that costs as much as the target and is never right: 0.5 times plain while it lasts."""
    judge, drafted = planner(), 0
    rounds = 4000
    for _ in range(rounds):
        if judge.should_draft("staged"):
            drafted += 1
            judge.observe_round("staged", True, 1, timing(0.02, 0.02))
        else:
            judge.observe_round("staged", False, 1, timing(0.01, 0.01))
    assert FEW <= drafted < rounds // 10


def test_useful_drafts_are_never_paused() -> None:
    judge = planner()
    for _ in range(500):
        assert judge.should_draft("tree")
        judge.observe_round("tree", True, 3, timing(0.015, 0.014))


def test_a_mode_that_loses_does_not_stop_another() -> None:
    judge = planner()
    for _ in range(FEW):
        assert judge.should_draft("speculative")
        judge.observe_round("speculative", True, 1, timing(0.05))
    assert not judge.should_draft("speculative")
    assert judge.should_draft("staged")


@pytest.mark.parametrize(("seconds", "rounds"), [(0.015, FEW), (0.011, MANY)])
def test_a_clear_loss_is_seen_early_and_a_slight_one_when_it_is_no_chance(seconds: float, rounds: int) -> None:
    record = DraftingRecord()
    for _ in range(rounds - 1):
        record.observe(1, seconds, plain_s=0.01)
        assert not record.plain_rounds_left
    record.observe(1, seconds, plain_s=0.01)
    assert record.plain_rounds_left == SHORTEST_WAIT


def test_waits_double_up_to_a_limit_and_a_good_round_ends_them() -> None:
    record, waits = DraftingRecord(), []
    for _ in range(8):
        while not record.plain_rounds_left:
            record.observe(1, 0.05, plain_s=0.01)
        waits.append(record.plain_rounds_left)
        while record.plain_rounds_left:
            record.allows()
    assert waits[:3] == [SHORTEST_WAIT, 2 * SHORTEST_WAIT, 4 * SHORTEST_WAIT]
    assert waits[-1] == LONGEST_WAIT
    for _ in range(MANY):
        record.observe(5, 0.02, plain_s=0.01)
    assert record.wait == SHORTEST_WAIT


def test_rate_is_never_below_plain_decodings() -> None:
    judge = planner()
    judge.observe_round("x", False, 1, timing(10.0, 10.0))
    assert judge.rate == pytest.approx(1 / judge.plain_s)
    for _ in range(100):
        judge.should_draft("x")
        judge.observe_round("x", True, 4, timing(0.01))
    assert judge.rate == pytest.approx(400, rel=0.01)


def test_acceptance_is_learnt_by_evidence_and_share() -> None:
    model, sure, unsure = AcceptanceModel(), Claim(Evidence.DRAFT, 0.96, 0.96), Claim(Evidence.DRAFT, 0.12, 0.12)
    assert model.estimate(sure) == pytest.approx(0.96)
    for _ in range(200):
        model.observe(sure, accepted=False)
    assert model.estimate(sure) < 0.1
    assert model.estimate(unsure) == pytest.approx(0.12), "another share"
    assert model.estimate(Claim(Evidence.NGRAM, 0.96, 0.96)) == pytest.approx(0.96), "another proposer"
    for _ in range(2000):
        model.observe(sure, accepted=True)
    assert 0.9 < model.estimate(sure) <= HIGHEST
