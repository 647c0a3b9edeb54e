"""Widgets. They receive models and create none; they never import the engine."""
