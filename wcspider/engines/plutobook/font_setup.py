"""The fonts that PlutoBook finds: those of this package, and those of the system if they are wanted."""

from __future__ import annotations

from importlib import resources

import plutoprint


def use(*, system_fonts: bool) -> None:
    """Let PlutoBook look for fonts as our configuration says; it is read once in a process."""
    folder = resources.files(__package__).joinpath("fontconfig")
    plutoprint.plutobook_set_fontconfig_path(str(folder.joinpath("all" if system_fonts else "own")))
