"""Staged speculative decoding of GPT-2: from a checkpoint on disk to streamed text.

The way in is `engine.service.EngineService`. What it is asked and what it answers is in `engine.events`, the options in
`engine.config`, what can go wrong in `engine.errors`. None of these loads torch: the service's thread does, when it is
told to load a model.
"""
