"""The fonts that PlutoBook uses: the bundled fonts and, if a task allows it, the fonts of the system.

PlutoBook finds fonts with fontconfig, which reads its configuration once in a process. The configuration written
here names no folder of the user and no cache outside a private folder, so a page looks the same in every process.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from html import escape
from importlib import resources
from itertools import chain
from pathlib import Path

import plutoprint

from wcspider.engines.plutobook.text import absent_characters
from wcspider.engines.text import system_fonts
from wcspider.engines.text.font_folder import share, write_whole
from wcspider.exceptions import EngineError

SANS, SERIF, MONO, SCRIPTS, SYMBOLS = (
    "WcspiderSans", "WcspiderSerif", "WcspiderMono", "WcspiderScripts", "WcspiderSymbols",
)  # fmt: skip
_SUFFIX = ".ttf"
_SYSTEM_PREFIX = "system "
"""The prefix of the family names of system fonts. With it, no style sheet selects one: they only fill gaps."""

FAMILIES = {
    SANS: ("sans-serif", "sans", "system-ui", "ui-sans-serif", "ui-rounded", "-apple-system", "BlinkMacSystemFont",
           "fantasy", "emoji", "Arial", "Arimo", "Helvetica", "Helvetica Neue", "Verdana", "Tahoma", "Geneva", "Roboto",
           "Segoe UI", "Open Sans", "Trebuchet MS", "Lucida Sans", "Lucida Grande", "Liberation Sans", "Calibri",
           "Noto Sans", "Inter", "Lato", "Ubuntu", "Cantarell", "Source Sans Pro", "DejaVu Sans"),
    SERIF: ("serif", "ui-serif", "cursive", "math", "fangsong", "Times", "Times New Roman", "Tinos", "Georgia",
            "Palatino", "Garamond", "Book Antiqua", "Cambria", "Liberation Serif", "Noto Serif", "DejaVu Serif"),
    MONO: ("monospace", "ui-monospace", "Courier", "Courier New", "Cousine", "Consolas", "Menlo", "Monaco",
           "Lucida Console", "SFMono-Regular", "Liberation Mono", "DejaVu Sans Mono", "Andale Mono",
           "Source Code Pro", "Noto Sans Mono", "Ubuntu Mono"),
    SYMBOLS: ("Symbol",),
}  # fmt: skip
"""The families of wcspider, and the generic and common names that stylesheets use for such families."""

_VARIANTS = (("zh-cn", "SC"), ("zh-tw", "TC"), ("zh-hk", "HK"), ("ja", "JP"), ("ko", "KR"))
"""The languages of fontconfig that have their own variants of Chinese characters, and the names of the variants."""

_in_use: list[bool] = []
"""Whether the system's fonts are used by the fontconfig of this process; empty before the first use."""


def use(*, system_fonts: bool) -> None:
    """Have PlutoBook use the bundled fonts, with those of the system if `system_fonts` is true.

    fontconfig cannot change this later: raises `EngineError` if the process uses the other configuration.
    """
    if not _in_use:
        # These variables would have fontconfig read another configuration.
        for name in ("FONTCONFIG_FILE", "FONTCONFIG_SYSROOT"):
            os.environ.pop(name, None)
        plutoprint.plutobook_set_fontconfig_path(configuration_folder(system=system_fonts))
        _in_use.append(system_fonts)
    if not can_use(system_fonts=system_fonts):
        state = "with" if _in_use[0] else "without"
        raise EngineError(f"this process uses PlutoBook {state} the fonts of the system; start another process")


def can_use(*, system_fonts: bool) -> bool:
    """Return whether this process can lay out with or without the fonts of the system, as `system_fonts` says."""
    return _in_use in ([], [system_fonts])


def configuration_folder(*, system: bool) -> Path:
    """Return the folder of fonts.conf, which is written into the private folder unless it is there."""
    folder = share() / ("system" if system else "bundled")
    file = folder / "fonts.conf"
    if not file.is_file():
        folder.mkdir(exist_ok=True)
        faces = system_fonts.faces() if system else ()
        files = {face.file for face in faces}
        folders = [str(_bundled()), *sorted({str(Path(file).parent) for file in files})]
        rejected = sorted(chain.from_iterable(_others(other, files, folders) for other in folders[1:]))
        ranked = system_fonts.ranked_families(faces)
        write_whole(file, configuration(folders, folder / "cache", ranked, rejected).encode())
    return folder


def _others(folder: str, files: Collection[str], folders: Collection[str]) -> list[str]:
    """Return what else is in a folder with fonts of the system: fontconfig takes folders only as a whole."""
    with suppress(OSError), os.scandir(folder) as entries:
        return [entry.path for entry in entries if entry.path not in files and entry.path not in folders]
    return []


def _bundled() -> Path:
    """Return the folder of the bundled fonts; they are extracted if the package is inside an archive."""
    package = resources.files("wcspider.fonts")
    if isinstance(package, Path):
        return package
    folder = share() / "fonts"
    folder.mkdir(exist_ok=True)
    for entry in package.iterdir():
        file = folder / entry.name
        if entry.name.endswith(_SUFFIX) and not file.is_file():
            write_whole(file, entry.read_bytes())
    return folder


def configuration(
    folders: Sequence[str], cache_folder: Path, ranked: Sequence[str] = (), rejected: Sequence[str] = ()
) -> str:
    """Return a fonts.conf with the fonts of folders, except for `rejected` files and folders.

    `ranked` are the families of the system, the best one to fill a gap with first.
    """
    return "\n".join(
        (
            '<?xml version="1.0"?>',
            '<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">',
            "<fontconfig>",
            *(f"<dir>{escape(folder)}</dir>" for folder in folders),
            *(f"<selectfont><rejectfont><glob>{escape(path)}</glob></rejectfont></selectfont>" for path in rejected),
            f"<cachedir>{escape(str(cache_folder))}</cachedir>",
            _renaming(),
            *(_alias(name, family) for family, names in FAMILIES.items() for name in names),
            *_fallbacks(ranked),
            "</fontconfig>",
        )
    )


def _renaming() -> str:
    """Return the rule that changes the family names of the system's fonts."""
    return (
        '<match target="scan"><test name="family" compare="not_contains"><string>Wcspider</string></test>'
        f'<edit name="family" mode="assign"><plus><string>{_SYSTEM_PREFIX}</string><name>family</name></plus></edit>'
        "</match>"
    )


def _alias(name: str, family: str) -> str:
    return (
        f'<match target="pattern"><test name="family" qual="first"><string>{escape(name)}</string></test>'
        f'<edit name="family" mode="prepend" binding="strong"><string>{family}</string></edit></match>'
    )


def _fallback(families: Iterable[str], language: str = "") -> str:
    """Return a rule for characters that the fonts of an element lack: which families are tried for them, in order.

    Such a request names no family. A test of all families succeeds if there is none.
    """
    test = '<test name="family" qual="all"><string>none</string></test>'
    if language:
        test += f'<test name="lang" compare="contains"><string>{language}</string></test>'
    names = "".join(f"<string>{escape(family)}</string>" for family in families)
    edit = f'<edit name="family" mode="append_last" binding="strong">{names}</edit>'
    return f'<match target="pattern">{test}{edit}</match>'


def _fallbacks(ranked: Sequence[str]) -> Iterator[str]:
    """Yield the rules for characters that the fonts of an element lack, by language and for all other languages."""
    bundled = (SERIF, SCRIPTS, SYMBOLS, absent_characters.FAMILY)
    names = [_SYSTEM_PREFIX + family for family in ranked]
    for language, variant in _VARIANTS:
        own = [name for name in names if " CJK " in name and name.endswith(variant)]
        if own:
            yield _fallback((*bundled, *own, *names), language)
    yield _fallback((*bundled, *names))
