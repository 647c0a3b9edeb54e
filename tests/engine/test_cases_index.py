"""Where the conditions that broke other programs of this kind are tested here.

Numbers as in the project's list of cases: A the distribution, B equality of modes, C ends and limits, D options,
E streaming, F models and set-up, H downloads.
"""

import ast
from pathlib import Path

import pytest

HERE = Path(__file__).parent

CASES: dict[str, list[str]] = {
    "A1 histogram equals the exact distribution, and a broken rule is noticed": [
        "test_distribution.py::test_every_mode_samples_the_targets_distribution",
        "test_distribution.py::test_a_wrong_rule_is_noticed",
        "test_distribution.py::test_noise_of_a_wrong_position_is_noticed",
    ],
    "A2 nothing outside the processed support": [
        "test_sampling.py::test_nothing_outside_the_support_is_chosen",
        "test_distribution.py::test_every_mode_samples_the_targets_distribution",
    ],
    "A3 draft equal to target: all accepted": ["test_decoding.py::test_a_draft_like_the_target_is_always_right"],
    "A4 temperature 0 and 1e-6 agree with argmax and accept drafts": [
        "test_sampling.py::test_a_tiny_temperature_is_greedy",
        "test_decoding.py::test_a_draft_like_the_target_is_always_right",
    ],
    "A5 marginals": ["test_distribution.py::test_each_position_has_its_marginals_under_shared_noise"],
    "A6 the emitted token is the verified row's": [
        "test_verifier.py::test_tokens_are_the_targets_text",
        "test_sampling.py::test_rows_of_a_tree_have_the_position_and_the_ancestors_of_their_node",
        "test_decoding.py::test_a_tree_stays_within_its_bound",
    ],
    "B7 every mode gives plain decoding's text": [
        "test_equality.py::test_float32",
        "test_equality.py::test_low_precision",
        "test_decoding.py::test_every_mode_gives_plains_tokens",
    ],
    "B8 logits of a row do not depend on the rows beside it": [
        "test_gpt2.py::test_logits_do_not_depend_on_the_width_in_float32",
        "test_gpt2.py::test_rows_keep_their_bits_in_low_precision",
        "test_attention.py::test_ordered_rows_keep_their_bits_in_trees_of_one_class",
    ],
    "B9 a branching tree is scored like its paths": [
        "test_gpt2.py::test_a_tree_is_scored_like_its_paths_one_by_one",
        "test_kv_cache.py::test_rows_see_their_ancestors_only",
    ],
    "B10 padding rows": [
        "test_attention.py::test_equals_the_formula",
        "test_attention.py::test_padding_rows_over_an_empty_cache_are_finite",
        "test_equality.py::test_near_the_end_of_the_context",
    ],
    "B11 modes alternate, empty rounds come between": [
        "test_decoding.py::test_modes_may_alternate_from_answer_to_answer",
        "test_decoding.py::test_empty_rounds_may_come_between",
    ],
    "B12 a second turn on the cache equals a cold run": [
        "test_equality.py::test_a_second_turn_on_the_cache_equals_a_cold_run"
    ],
    "B13 the draft's cache is what the text says": [
        "test_decoding.py::test_the_drafts_cache_is_a_beginning_of_the_text_and_nearly_all_of_it",
        "test_decoding.py::test_a_cache_that_grew_by_drafting_scores_like_a_fresh_one",
    ],
    "C14 end of text inside a block": ["test_decoding.py::test_an_end_inside_a_block_ends_there"],
    "C15 a stop before max_new_tokens": [
        "test_chat_model.py::test_a_stop_string_inside_a_block_ends_the_answer",
        "test_decoding.py::test_an_end_inside_a_block_ends_there",
    ],
    "C16 exactly max_new_tokens": ["test_decoding.py::test_exactly_max_new_tokens"],
    "C17 no end-of-text token and an n-gram hit": ["test_loading.py::test_no_end_of_text_token_and_an_ngram_hit"],
    "C18 text, ids and counters are trimmed together": [
        "test_decoding.py::test_an_end_inside_a_block_ends_there",
        "test_service.py::test_the_events_of_an_answer",
        "test_chat_model.py::test_a_stop_string_inside_a_block_ends_the_answer",
    ],
    "C19 a draft of a shorter context": [
        "test_decoding.py::test_a_draft_of_a_shorter_context_stops_drafting_and_the_answer_goes_on"
    ],
    "C20 a prompt longer than the context": [
        "test_prompt.py::test_what_must_stay_and_does_not_fit_is_refused",
        "test_prompt.py::test_old_turns_leave_whole_and_the_preamble_stays",
        "test_terminal.py::test_bad_input",
    ],
    "D21 an extreme bias or penalty works in every mode": ["test_decoding.py::test_every_mode_gives_plains_tokens"],
    "D22 tokens of a block enter the penalties once each": [
        "test_sampling.py::test_penalty_counts_a_token_once_whether_in_text_or_branch",
        "test_equality.py::test_float32",
    ],
    "D23 seeds": [
        "test_service.py::test_the_seed_that_was_drawn_is_told",
        "test_decoding.py::test_seeds_matter",
    ],
    "D24 flags reach the engine": [
        "test_terminal.py::test_json_of_every_mode",
        "test_terminal.py::test_sampling_flags_reach_the_engine",
        "test_terminal.py::test_model_flags_reach_the_engine",
    ],
    "E25 no beginning of a stop string is shown": [
        "test_answer.py::test_no_beginning_of_a_stop_string_is_shown_before_it_is_known_to_be_none",
        "test_answer.py::test_a_stop_string_is_held_and_then_released",
    ],
    "E26 any split of the bytes": ["test_answer.py::test_streams_to_the_final_text_and_takes_nothing_back"],
    "F27 different vocabularies are refused": [
        "test_loading.py::test_another_vocabulary_is_refused_with_the_reason",
        "test_loading.py::test_a_table_of_another_vocabulary_is_refused",
    ],
    "F28 a draft that does not help": [
        "test_loading.py::test_a_useless_draft_falls_back_to_plain",
        "test_planner.py::test_useless_drafts_end_in_plain_decoding_with_rare_probes",
    ],
    "F29 cancel anywhere, then the next answer works": [
        "test_service.py::test_cancelled_while_loading",
        "test_service.py::test_cancelled_in_prefill",
        "test_service.py::test_cancelled_while_decoding",
        "test_decoding.py::test_cancelled_anywhere_the_next_answer_is_right",
    ],
    "F30 CUDA graphs": [
        "test_captured.py::test_every_mode_decodes_with_captured_passes",
        "test_captured.py::test_a_replay_gives_the_bits_of_the_pass",
    ],
    "F31 a local model with the network blocked": [
        "test_terminal.py::test_a_local_model_needs_no_network",
        "library/test_library.py::test_network_blocked_after_the_download",
    ],
    "H53 a dropped download resumes; 200 instead of 206 restarts": [
        "library/test_transfer.py::test_dropped_line_is_gone_on_with",
        "library/test_transfer.py::test_server_that_ignores_ranges_restarts_cleanly",
        "library/test_processes.py::test_killed_in_the_middle_and_two_at_once",
    ],
    "H54 a wrong hash is named; a partial file is no model": [
        "library/test_transfer.py::test_damaged_file_is_removed_and_named",
        "library/test_library.py::test_what_a_killed_conversion_left_is_not_taken_for_a_model",
    ],
    "H55 a full disk is told, before or in the middle": [
        "library/test_transfer.py::test_too_small_a_disk_is_refused_before_the_first_byte",
        "library/test_library.py::test_full_disk_keeps_what_came",
    ],
}


def functions_of(file: str) -> set[str]:
    return {
        node.name
        for node in ast.walk(ast.parse((HERE / file).read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    }


@pytest.mark.parametrize("case", CASES)
def test_every_case_names_tests_that_exist(case: str) -> None:
    assert CASES[case]
    for name in CASES[case]:
        file, _, test = name.partition("::")
        assert test in functions_of(file)


def test_no_case_is_forgotten() -> None:
    numbers = sorted(int(case.split()[0][1:]) for case in CASES)
    assert numbers == [*range(1, 32), *range(53, 56)]
