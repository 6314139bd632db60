"""The private configuration of fontconfig, and the font for characters that no font has."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from importlib import resources
from pathlib import Path

import pytest
import uharfbuzz

from tests.support.paths import ROOT
from tools import make_box_font
from wcspider.engines.plutobook.fonts import font_setup
from wcspider.engines.plutobook.text import absent_characters
from wcspider.engines.text import font_folder
from wcspider.exceptions import EngineError

pytestmark = pytest.mark.slow

LAY_OUT = """
import hashlib, sys
from wcspider.engines.base import RenderTask
from wcspider.engines.registry import render
source = "<p>Latin, <b>Кириллица</b>, العربية ✓".encode()
print(hashlib.sha256(render("plutobook", RenderTask("http://a.example/", source, system_fonts=False)).pdf).hexdigest())
"""


def run(code: str, path: Path = ROOT, *, status: int = 0, **environment: str) -> str:
    """Return the output of a program in a process of its own, with wcspider from `path`."""
    known = {name: value for name, value in os.environ.items() if name != font_folder.VARIABLE}
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**known, "PYTHONPATH": str(path), **environment},
        cwd=path if path.is_dir() else path.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == status, done.stderr
    return done.stdout.strip()


def test_bytes_do_not_depend_on_the_process_or_the_user(tmp_path: Path) -> None:
    elsewhere = {"HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path), "FONTCONFIG_FILE": str(tmp_path / "no.conf")}
    assert run(LAY_OUT) == run(LAY_OUT, **elsewhere)
    assert list(tmp_path.iterdir()) == []


def test_package_in_an_archive(tmp_path: Path) -> None:
    archive = tmp_path / "wcspider.zip"
    with zipfile.ZipFile(archive, "w") as out:
        for file in sorted((ROOT / "wcspider").rglob("*")):
            if file.is_file() and "__pycache__" not in file.parts:
                out.write(file, file.relative_to(ROOT))
    assert run(LAY_OUT, archive) == run(LAY_OUT)


def test_folder_is_removed_at_the_end() -> None:
    use = "from wcspider.engines.plutobook.fonts import font_setup; font_setup.use(system_fonts=False)"
    folder = run(f"{use}; print(font_setup.share())")
    assert folder
    assert not Path(folder).exists()


def test_folder_of_a_process_that_was_killed_is_removed(tmp_path: Path) -> None:
    use = "from wcspider.engines.text.font_folder import share; print(share(), flush=True)"
    killed = run(f"{use}; import os; os.kill(os.getpid(), 9)", status=-9, TMPDIR=str(tmp_path))
    assert Path(killed).is_dir()
    living = run(f"{use}; import pathlib; print(pathlib.Path({killed!r}).exists())", TMPDIR=str(tmp_path))
    assert living.split()[1] == "False"


def test_folder_is_removed_while_another_process_writes_into_it(tmp_path: Path) -> None:
    code = (
        "import subprocess, sys, time; from wcspider.engines.text.font_folder import share; print(share());"
        "writer = subprocess.Popen([sys.executable, '-c', {!r}]);\n"
        "while len(list(share().iterdir())) < 500: time.sleep(0.001)"
    )
    writer = (
        "from wcspider.engines.text.font_folder import share, write_whole\n"
        "for number in range(20_000):\n"
        "    try: write_whole(share() / str(number), b'')\n"
        "    except FileNotFoundError: break"
    )
    run(code.format(writer), TMPDIR=str(tmp_path))
    assert list(tmp_path.iterdir()) == []


def test_folder_whose_removal_was_interrupted_is_removed(tmp_path: Path) -> None:
    rest = tmp_path / f"{font_folder.PRIVATE}abc{font_folder._DISCARDED}"
    rest.mkdir()
    (rest / "fonts.conf").touch()
    run("from wcspider.engines.text.font_folder import share; share()", TMPDIR=str(tmp_path))
    assert list(tmp_path.iterdir()) == []


def test_folder_of_a_process_that_runs_is_kept(tmp_path: Path) -> None:
    another = (
        "import os, subprocess, sys; from wcspider.engines.text.font_folder import VARIABLE, share; share();"
        "environment = {k: v for k, v in os.environ.items() if k != VARIABLE};"
        "code = 'from wcspider.engines.text.font_folder import share; share()';"
        "subprocess.run([sys.executable, '-c', code], env=environment, check=True); print(share().is_dir())"
    )
    assert run(another, TMPDIR=str(tmp_path)) == "True"


def test_folder_is_shared_with_processes_that_are_started() -> None:
    code = (
        "import subprocess, sys; from wcspider.engines.text.font_folder import share; print(share());"
        "print(subprocess.check_output([sys.executable, '-c', {!r}], text=True)); print(share().is_dir())"
    )
    child = "from wcspider.engines.text.font_folder import share; print(share())"
    first, second, *_, is_there = run(code.format(child)).split()
    assert first == second
    assert is_there == "True"  # the end of the other process has left it


def test_other_configuration_in_one_process() -> None:
    used = font_setup.can_use(system_fonts=True) and not font_setup.can_use(system_fonts=False)
    font_setup.use(system_fonts=used)
    assert not font_setup.can_use(system_fonts=not used)
    with pytest.raises(EngineError, match="start another process"):
        font_setup.use(system_fonts=not used)


@pytest.mark.skipif(shutil.which("fc-list") is None, reason="fontconfig's tools are not installed")
def test_other_files_of_a_folder_with_fonts_are_not_used(tmp_path: Path) -> None:
    fonts = tmp_path / "fonts & more"
    (fonts / "below").mkdir(parents=True)
    font = resources.files("wcspider.fonts").joinpath(f"{absent_characters.FAMILY}-Regular.ttf").read_bytes()
    for name in ("wanted.ttf", "other.ttf", "below/third.ttf"):
        (fonts / name).write_bytes(font)
    others = font_setup._others(str(fonts), {str(fonts / "wanted.ttf")}, ())
    file = tmp_path / "fonts.conf"
    file.write_text(font_setup.configuration([str(fonts)], tmp_path / "cache", rejected=others))
    command = ["fc-list", "--format", "%{file}\n"]
    listed = subprocess.check_output(command, env={**os.environ, "FONTCONFIG_FILE": str(file)}, text=True)
    assert listed.split("\n") == [str(fonts / "wanted.ttf"), ""]


def test_font_of_boxes() -> None:
    program = resources.files("wcspider.fonts").joinpath(f"{absent_characters.FAMILY}-Regular.ttf").read_bytes()
    face = uharfbuzz.Face(program)
    assert set(face.unicodes) == {
        0x20,
        *range(absent_characters.FIRST, absent_characters.FIRST + absent_characters.COUNT),
    }
    assert program == make_box_font.font()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain", ""),
        ("naïve Ω → ✓ שלום العربية", ""),
        ("日本", "日本"),
        # Steering characters and white space need no glyph.
        ("a\u200bb\u00a0c\u3000\ufe0f", ""),
        ("\U0001f9ff\U000e0041", "\U0001f9ff"),
    ],
)
def test_absent(text: str, expected: str) -> None:
    assert absent_characters.absent([text], system=False) == sorted(expected)


def test_more_characters_than_boxes() -> None:
    characters = [chr(0x4E00 + place) for place in range(absent_characters.COUNT + 5)]
    assert list(absent_characters.stand_ins(characters)) == characters[: absent_characters.COUNT]
