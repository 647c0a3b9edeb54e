"""Which release of what is installed, without importing it."""

from importlib import metadata


def installed_version(package: str = "staged-chat") -> str:
    """The release of an installed package, or "not installed"."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "not installed"
