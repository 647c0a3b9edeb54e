"""Conversations -> token ids: chat formats, and what happens when a conversation outgrows the context."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from engine.config import ChatFormat, ChatFormatKind, ChatMessage, ContextPolicy, Role
from engine.errors import InvalidRequest, PromptTooLong
from engine.tokenizer import TextTokenizer

ANSWER_ROOM = 256
"""Positions that a prompt leaves free for its answer before old turns have to go."""


@dataclass(frozen=True, slots=True)
class FittedPrompt:
    """A prompt that fits the context, and how many old turns had to leave for it."""

    tokens: tuple[int, ...]
    dropped_turns: int


class PromptWriter:
    """Writes conversations for one model: its tokenizer, its end-of-text token and its context length."""

    def __init__(self, tokenizer: TextTokenizer, eos_token_id: int | None, context_length: int) -> None:
        self.tokenizer = tokenizer
        self.eos_token_id = eos_token_id
        self.context_length = context_length
        self._template: Any = None

    def raw(self, prompt: str) -> FittedPrompt:
        """Text as it is. Raises InvalidRequest where it is empty, PromptTooLong where it does not fit."""
        tokens = self.tokenizer.encode(prompt)
        if not tokens:
            raise InvalidRequest("the prompt is empty; write at least one character")
        if len(tokens) >= self.context_length:
            raise self._too_long(len(tokens))
        return FittedPrompt(tuple(tokens), 0)

    def conversation(
        self, messages: Sequence[ChatMessage], chat_format: ChatFormat, policy: ContextPolicy
    ) -> FittedPrompt:
        """A conversation that ends where the answer begins, old turns left out as the policy says.

        A turn is a user's message with the answers to it. The preamble and the last turn always stay. Raises
        InvalidRequest where nothing was written, PromptTooLong where what must stay does not fit.
        """
        if not any(message.content for message in messages):
            raise InvalidRequest("the conversation is empty; write a message first")
        starts = [index for index, message in enumerate(messages) if message.role is Role.USER or index == 0]
        if policy is ContextPolicy.REFUSE:
            starts = starts[:1]
        room = max(self.context_length - ANSWER_ROOM, self.context_length // 2)
        sizes = self._sizes(messages, chat_format, starts)
        # The first start from which all fits with room for an answer; failing that, the last turn alone.
        dropped = next((turn for turn, size in enumerate(sizes) if size <= room), len(starts) - 1)
        if sizes[dropped] >= self.context_length:
            raise self._too_long(sizes[dropped])
        return FittedPrompt(tuple(self._write(messages[starts[dropped] :], chat_format)), dropped)

    def _too_long(self, tokens: int) -> PromptTooLong:
        return PromptTooLong(
            f"the prompt has {tokens} tokens and the context {self.context_length}; shorten the message"
            " or start a new conversation"
        )

    def _sizes(self, messages: Sequence[ChatMessage], chat_format: ChatFormat, starts: Sequence[int]) -> list[int]:
        """Tokens of the prompt that begins with each turn."""
        if chat_format.kind is ChatFormatKind.TEMPLATE:  # a template may write anything: ask it
            return [len(self._write(messages[start:], chat_format)) for start in starts]
        around = len(self._head(chat_format)) + len(self._tail(messages, chat_format))
        sizes = []
        for start, end in reversed(list(zip(starts, [*starts[1:], len(messages)], strict=True))):
            around += sum(len(self._turn(messages, index, chat_format)) for index in range(start, end))
            sizes.append(around)
        return sizes[::-1]

    def _write(self, messages: Sequence[ChatMessage], chat_format: ChatFormat) -> list[int]:
        if chat_format.kind is ChatFormatKind.TEMPLATE:
            return self._write_template(messages)
        tokens = self._head(chat_format)
        for index in range(len(messages)):
            tokens += self._turn(messages, index, chat_format)
        return tokens + self._tail(messages, chat_format)

    def _head(self, chat_format: ChatFormat) -> list[int]:
        """The beginning of a document, and the preamble."""
        begins = chat_format.kind is ChatFormatKind.TRANSCRIPT and self.eos_token_id is not None
        return ([self.eos_token_id] if begins and self.eos_token_id is not None else []) + self._encode(
            chat_format.preamble
        )

    def _tail(self, messages: Sequence[ChatMessage], chat_format: ChatFormat) -> list[int]:
        """The label of the answer, unless one is continued. Its space belongs to the answer's first token."""
        opens = chat_format.kind is ChatFormatKind.TRANSCRIPT and messages[-1].role is Role.USER
        return self._encode(chat_format.assistant.rstrip(" ")) if opens else []

    def _turn(self, messages: Sequence[ChatMessage], index: int, chat_format: ChatFormat) -> list[int]:
        """One message with its label and its end; an answer to be continued has no end."""
        message = messages[index]
        is_open = index == len(messages) - 1 and message.role is Role.ASSISTANT
        if chat_format.kind is ChatFormatKind.EOS:
            end = [] if is_open or self.eos_token_id is None else [self.eos_token_id]
            return self._encode(message.content) + end
        label = chat_format.user if message.role is Role.USER else chat_format.assistant
        return self._encode(label + message.content + ("" if is_open else chat_format.turn_end))

    def _encode(self, text: str) -> list[int]:
        return self.tokenizer.encode(text)

    def _write_template(self, messages: Sequence[ChatMessage]) -> list[int]:
        if self._template is None:
            from transformers import AutoTokenizer  # slow to import, and few models have a template

            self._template = AutoTokenizer.from_pretrained(self.tokenizer.folder, local_files_only=True)
        if not self._template.chat_template:
            raise InvalidRequest("this model's tokenizer has no chat template; choose the transcript format")
        continued = messages[-1].role is Role.ASSISTANT
        rendered = self._template.apply_chat_template(
            [{"role": str(m.role), "content": m.content} for m in messages],
            add_generation_prompt=not continued,
            continue_final_message=continued,
            tokenize=True,
            return_dict=False,
        )
        return [int(token) for token in rendered]
