"""Keeps PySide6 from reading the source of every module that is imported after it.

It looks for its own name there, to know where the switches of `from __feature__ import` apply, of which this
application uses none. For torch alone that are more than 800 files, which then stay in memory.
"""

import sys

READER = "_mod_uses_pyside"


def spare_sources() -> None:
    """Call once, after the first import of PySide6. Where PySide6 no longer has the function, nothing is changed."""
    feature = sys.modules.get("shibokensupport.feature")
    if hasattr(feature, READER):
        setattr(feature, READER, lambda _module: False)
