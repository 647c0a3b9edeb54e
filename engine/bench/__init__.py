"""`python -m engine bench`: every decoding mode on the same prompts, seeds and weights, in one run."""
