"""Qt models: what the views show. They know neither the engine's thread nor SQL."""
