"""Which release of what is installed, without importing it."""


def installed_version(package: str = "staged-chat") -> str:
    """The release of an installed package, or "not installed"."""
    from importlib import metadata  # a slow import, which the start of the window need not wait for

    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "not installed"
