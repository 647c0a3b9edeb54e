"""What every test runs under; set before anything imports Qt or a Hugging Face library, which read it once."""

import os

os.environ["QT_QPA_PLATFORM"] = "offscreen"  # no window may open, whatever display there is
os.environ["HF_HUB_OFFLINE"] = "1"  # a test that needs the network is a mistake: let it fail at once
os.environ["HF_HUB_DISABLE_TELEMETRY"] = "1"
os.environ["TRANSFORMERS_OFFLINE"] = "1"
os.environ["TOKENIZERS_PARALLELISM"] = "false"  # else it warns when a test starts a process
