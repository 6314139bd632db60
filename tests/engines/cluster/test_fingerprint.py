from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.paths import ROOT
from wcspider.engines.cluster import fingerprint as module
from wcspider.engines.cluster.fingerprint import differences, fingerprint
from wcspider.engines.text.system_fonts import Face
from wcspider.version import VERSION


def test_versions_and_fonts_of_this_machine() -> None:
    found = fingerprint(system_fonts=False)
    assert found["wcspider"] == VERSION
    assert found["plutoprint"].startswith("0.23")
    files = len(list((ROOT / "wcspider" / "fonts").glob("*.ttf")))
    assert found["fonts"].startswith(f"{files} files with digest ")
    assert {"zlib", "Python", "processor", "xhtml2pdf", "pikepdf", "Pillow"} <= found.keys()


@pytest.mark.parametrize(
    ("there", "expected"),
    [
        ({"a": "1", "b": "2"}, ""),
        ({"a": "1", "b": "3"}, "b: 2 here, 3 there"),
        ({"a": "1"}, "b: 2 here, none there"),
        ({"a": "1", "b": "2", "c": "4"}, "c: none here, 4 there"),
        ({}, "a: 1 here, none there, b: 2 here, none there"),
    ],
)
def test_differences(there: dict[str, str], expected: str) -> None:
    assert differences({"a": "1", "b": "2"}, there) == expected


def test_contents_and_names_of_fonts_matter_and_folders_do_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def digest(**fonts: bytes) -> str:
        folder = tmp_path / str(len(list(tmp_path.iterdir())))
        folder.mkdir()
        for name, content in fonts.items():
            (folder / name).write_bytes(content)
        faces = tuple(Face(str(folder / name), 0, 80, name, name, "41") for name in fonts)
        monkeypatch.setattr(module.installed, "faces", lambda: faces)
        fingerprint.cache_clear()
        return fingerprint(system_fonts=True)["fonts"]

    found = [digest(a=b"1", b=b"2"), digest(b=b"2", a=b"1"), digest(a=b"1"), digest(a=b"2", b=b"1"), digest(a=b"3")]
    fingerprint.cache_clear()
    assert found[0] == found[1]
    assert len(set(found)) == 4
