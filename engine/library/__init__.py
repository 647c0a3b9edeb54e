"""Models on this machine: what can be had, how it gets here, whether it is sound.

`library.Library` is the door; `control` has what a running download says and hears. Importing the package itself loads
nothing, so that a window can open before HTTP and torch are needed.
"""
