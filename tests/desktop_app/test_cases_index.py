"""Where the conditions that broke other windows of this kind are tested here; numbers as in `tests/engine`'s index."""

import ast
from pathlib import Path

import pytest

HERE = Path(__file__).parent

CASES: dict[str, list[str]] = {
    "G32 kill -9 during an answer": [
        "test_app.py::test_kill_9_in_mid_answer_keeps_question_and_flushed_text",
        "test_store.py::test_kill_9_in_mid_answer_loses_nothing_that_was_saved",
    ],
    "G33 no key deletes by accident, deleting a conversation asks": [
        "test_view_transcript.py::test_delete_keys_delete_nothing",
        "test_view_window.py::test_deleting_a_conversation_asks_and_can_be_undone",
    ],
    "G34 closing during an answer asks, and ends in time": [
        "test_view_window.py::test_closing_during_an_answer_asks",
        "test_app.py::test_closing_in_mid_answer_saves_it_and_leaves_no_process",
        "test_app.py::test_a_thread_that_hangs_does_not_keep_the_process",
    ],
    "G35 stop during a load": [
        "test_chat.py::test_stop_while_the_model_loads_leaves_nothing_that_answers_later",
        "test_real_engine.py::test_stop_during_the_load_returns_to_idle",
    ],
    "G36 settings survive a restart with their types": [
        "test_settings.py::test_every_setting_survives_a_restart_with_its_type"
    ],
    "G37 accessible names, tab order": [
        "test_view_window.py::test_everything_that_takes_the_focus_has_a_name",
        "test_view_window.py::test_everything_that_takes_the_focus_shows_it",
        "test_view_window.py::test_tab_reaches_the_parts",
    ],
    "G38 a prompt beyond the context": [
        "test_real_engine.py::test_a_conversation_that_outgrows_the_context",
        "test_real_engine.py::test_a_message_that_is_too_long_by_itself_says_what_to_do",
        "test_chat.py::test_turns_that_had_to_leave_are_shown",
    ],
    "G39 the draft picker speaks in every state": [
        "test_view_settings.py::test_the_draft_picker_has_a_text_for_each_state",
        "test_library.py::test_draft_picker_has_a_text_for_every_state",
    ],
    "G40 figures as they are, with their formulas": [
        "test_figures.py::test_before_anything_was_counted_there_is_no_figure",
        "test_figures.py::test_every_figure_explains_itself",
        "test_view_panel.py::test_slower_than_plain_is_shown_as_it_is",
        "test_view_panel.py::test_nothing_drafted_is_no_rate",
    ],
    "G41 2,000 messages": [
        "test_store.py::test_a_long_conversation_opens_quickly",
        "test_view_transcript.py::test_two_thousand_messages_open_with_a_handful_of_widgets",
        "test_view_window.py::test_a_key_press_in_a_long_conversation_is_on_the_screen_within_a_frame",
        "test_memory.py::test_memory_grows_by_no_more_than_the_text_needs",
    ],
    "G42 gaps of the event loop": ["test_self_test.py::test_the_self_test_answers_and_measures"],
    "G43 HTML is text": ["test_view_markdown.py::test_html_is_shown_letter_for_letter"],
    "G44 the send key and input methods": [
        "test_view_composer.py::test_the_send_key_is_as_set",
        "test_view_composer.py::test_enter_belongs_to_an_input_method_that_composes",
    ],
    "G45 places off the screens, broken settings": [
        "test_view_window.py::test_a_window_off_all_screens_comes_back",
        "test_settings.py::test_a_broken_file_is_set_aside",
    ],
    "G46 contrast, and a scheme that changes": [
        "test_view_theme.py::test_everything_can_be_read",
        "test_view_theme.py::test_a_scheme_reaches_every_widget",
        "test_view_theme.py::test_the_system_is_followed_only_where_that_is_wanted",
    ],
    "G47 what copying gives": [
        "test_view_transcript.py::test_copy_gives_the_original_markdown",
        "test_view_markdown.py::test_code_is_copied_without_decoration",
    ],
    "G48 a full disk, a folder that cannot be used": [
        "test_chat.py::test_a_full_disk_is_told_and_the_message_is_not_lost",
        "test_store.py::test_a_full_disk_is_one_line_and_the_store_goes_on",
        "test_conversations.py::test_a_store_that_cannot_be_used_still_lets_the_window_open",
        "test_settings.py::test_a_folder_that_cannot_be_written_is_told",
    ],
    "G49 paths in any writing": [
        "test_store.py::test_any_path_will_do",
        "test_requests.py::test_paths_arrive_letter_for_letter",
        "test_view_window.py::test_file_actions",
    ],
    "G50 older and newer databases": [
        "test_store.py::test_an_older_schema_is_backed_up_then_migrated",
        "test_store.py::test_a_newer_schema_is_refused_and_left_alone",
    ],
    "G51 zoom": ["test_view_window.py::test_zoom_is_kept_and_clamped"],
    "G52 every action": [
        "test_view_window.py::test_every_action_of_the_menus_exists_once_with_its_own_shortcut",
        "test_view_window.py::test_conversation_actions",
        "test_view_window.py::test_message_actions",
        "test_view_window.py::test_writing_actions",
        "test_view_window.py::test_mode_actions",
        "test_view_window.py::test_model_actions",
        "test_view_window.py::test_view_actions",
        "test_view_window.py::test_help_actions",
    ],
}


def functions_of(file: str) -> set[str]:
    nodes = ast.walk(ast.parse((HERE / file).read_text(encoding="utf-8")))
    return {node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}


@pytest.mark.parametrize("case", CASES)
def test_every_case_names_tests_that_exist(case: str) -> None:
    assert CASES[case]
    for name in CASES[case]:
        file, _, test = name.partition("::")
        assert test.startswith("test_")
        assert test in functions_of(file)


def test_no_case_is_forgotten() -> None:
    assert [int(case.split()[0][1:]) for case in CASES] == [*range(32, 53)]
