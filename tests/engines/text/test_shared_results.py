"""Results that workers share through the private folder of a capture."""

from pathlib import Path

import pytest

from wcspider.engines.text import font_folder
from wcspider.engines.text.font_folder import shared


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(font_folder.VARIABLE, str(tmp_path))
    return tmp_path


def never() -> int:
    raise AssertionError("made again")


def test_made_once(folder: Path) -> None:
    assert shared("answer", lambda: 42) == 42
    assert shared("answer", never) == 42
    assert [file.name for file in folder.iterdir()] == ["answer.result"]


@pytest.mark.parametrize("content", [b"", b"damaged", b"\x80\x05"])
def test_damaged_file_is_made_again(folder: Path, content: bytes) -> None:
    (folder / "answer.result").write_bytes(content)
    assert shared("answer", lambda: 42) == 42
    assert shared("answer", never) == 42


def test_nothing_is_shared_without_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(font_folder.VARIABLE, str(tmp_path / "missing"))
    assert shared("answer", lambda: 42) == 42
    assert shared("answer", lambda: 43) == 43
