"""The engine of Staged Chat: staged speculative decoding for GPT-2."""
