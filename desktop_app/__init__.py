"""The window of Staged Chat."""
