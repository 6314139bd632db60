"""The choice of fonts: text is split into runs of one face each.

The faces that the caller prefers come first, then the other bundled fonts, then the fonts of the system.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache

from wcspider.engines.base import NO_FONT
from wcspider.engines.text import fonts, system_fonts
from wcspider.engines.text.scripts import Script, extends, is_ignorable, script_of


@cache
def load() -> None:
    """Register the bundled fonts and list the fonts of the system, once in a process."""
    fonts.load()
    # In advance, because the list requires a process.
    system_fonts.faces()


class Runs:
    """A splitter for the text of one document, which records the characters that no font has."""

    def __init__(self, language: str = "", *, system: bool = True) -> None:
        self.missing: set[str] = set()
        self._variant = system_fonts.variant_of(language)
        self._system = system

    def cut(self, text: str, faces: Sequence[str], *, bold: bool = False) -> list[tuple[str, str]]:
        """Return the parts of a text, each with its face. The faces in `faces` have priority."""
        variant = self._variant or ("JP" if any("\u3041" <= c <= "\u30ff" for c in text) else "")
        runs: list[tuple[str, str]] = []
        for character in text:
            current = runs[-1][1] if runs else None
            face = self._face(character, current, faces, bold, variant)
            if face is not None and face == current:
                runs[-1] = (runs[-1][0] + character, face)
            elif face is not None:
                runs.append((character, face))
        return runs

    def _face(self, character: str, current: str | None, faces: Sequence[str], bold: bool, variant: str) -> str | None:
        """Return the face for a character; None if the character is not drawn."""
        ignorable = is_ignorable(character)
        stays = ignorable or extends(character) or character.isspace()
        if current is not None and stays and (fonts.covers(current, character) or (ignorable and current not in faces)):
            return current
        found = next((face for face in (*faces, fonts.SCRIPTS_FACES[bold]) if fonts.covers(face, character)), None)
        if found is None and self._system and not ignorable:
            found = system_fonts.name_for(character, bold=bold, variant=variant)
        if found is not None or ignorable:
            return found
        if character.isspace():
            return current or faces[0]
        self.missing.add(character)
        return fonts.SCRIPTS_FACES[bold]


def warnings(missing: Iterable[str]) -> list[str]:
    """Return a line for each script with characters that no font has."""
    found: dict[Script, list[str]] = {}
    for character in sorted(missing):
        found.setdefault(script_of(character), []).append(character)
    return [f"{NO_FONT} ({script.name}: {script.advice}), {_listed(group)}" for script, group in found.items()]


def _listed(characters: list[str]) -> str:
    shown = " ".join(f"U+{ord(c):04X}" for c in characters[:5])
    return f"{shown} and {len(characters) - 5} more" if len(characters) > 5 else shown
