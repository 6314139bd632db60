"""Files of the user: an endless one ends with one line."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from wcspider import user_files
from wcspider.crawl.inputs.request_parts import read_data, read_user_file
from wcspider.exceptions import ArgumentError, SettingError
from wcspider.web.logins import read_cookies, read_netrc

ENDLESS = "/dev/zero"


def test_an_endless_device_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(user_files, "LARGEST", 3 * 1024**2)
    too_large = f"{ENDLESS}: is larger than 3 MB"
    with pytest.raises(ArgumentError, match=f"^urls: {too_large}; a list"):
        read_user_file("urls", ENDLESS, "a list")
    with pytest.raises(ArgumentError, match=f"^data: {too_large}"):
        read_data(f"@{ENDLESS}")
    with pytest.raises(ArgumentError, match=f"^cookies: {ENDLESS}: is a device, not a file"):
        read_cookies(Path(ENDLESS))
    with pytest.raises(SettingError, match=f"^WEBCAPTURE_NETRC: {ENDLESS}: is a device, not a file"):
        read_netrc(ENDLESS)
    assert read_netrc(os.devnull) == {}
    largest = tmp_path / "data"
    largest.write_bytes(bytes(user_files.LARGEST))
    assert read_data(f"@{largest}") == bytes(user_files.LARGEST)


def test_a_file_that_is_no_text_is_refused_without_its_contents(tmp_path: Path) -> None:
    path = tmp_path / "secret"
    path.write_bytes(b"# Netscape HTTP Cookie File\n\xff secret")
    with pytest.raises(ArgumentError, match=f"^cookies: {path}: is not a text file; "):
        read_cookies(path)
    with pytest.raises(SettingError, match=f"^WEBCAPTURE_NETRC: {path}: is not a text file;"):
        read_netrc(str(path))
