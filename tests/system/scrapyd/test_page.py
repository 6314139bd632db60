"""docs/scrapyd.md, followed from top to bottom: its files are written, its commands are run, its answers come."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from configparser import ConfigParser
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from tests.support.crawls import PATIENCE_SECONDS, ROOT, Archive
from tests.support.http_server import SiteServer, page
from tests.system.scrapyd.daemon import Job, Scrapyd, free_port, make_environment, outside

PAGE = (ROOT / "docs" / "scrapyd.md").read_text("utf-8")
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
FILES = {text.partition("\n")[0][2:]: text for _, text in BLOCKS if text.startswith("# ")}
UNITS = {name: text for name, text in FILES.items() if name.startswith("/etc/systemd/system/")}
NOT_HERE = ("sudo ", "python3 -m pip ")
"""Commands that are for root, or fetch packages."""

DAEMON_LOG = "journalctl --unit scrapyd --since yesterday"
ANYTHING = "..."


@dataclass(frozen=True)
class Machine:
    """The machine that the page speaks of, in a folder."""

    root: Path
    """What the page calls /srv/scrapyd."""

    sources: Path
    port: int
    site: SiteServer

    def here(self, text: str) -> str:
        """Return a text of the page, adapted to this machine."""
        return (
            text.replace("/srv/scrapyd", str(self.root))
            .replace("localhost:6800", f"127.0.0.1:{self.port}")
            .replace("localhost", "127.0.0.1")
            .replace("6800", str(self.port))
            .replace("https://example.com/", self.site.url())
            .replace(DAEMON_LOG, f"cat {self.root / 'scrapyd.log'}")
        )

    def run(self, command: str) -> str:
        """Run a command of the page, which must succeed, and return its output."""
        environment = {**outside(self.root / "venv" / "bin"), "HOME": str(self.root)}
        done = subprocess.run(
            ["sh", "-c", self.here(command)],
            cwd=self.sources,
            env=environment,
            capture_output=True,
            text=True,
            timeout=PATIENCE_SECONDS,
            check=False,
        )
        assert done.returncode == 0, (command, done.stdout, done.stderr)
        return done.stdout


def _unit(name: str) -> ConfigParser:
    unit = ConfigParser(interpolation=None)
    unit.optionxform = str  # type: ignore[assignment, method-assign]
    unit.read_string(UNITS[f"/etc/systemd/system/{name}"])
    return unit


def _of_systemd(command: str) -> list[str]:
    return shlex.split(command.replace("%%", "%").replace("$$", "$"))


def _commands(text: str) -> Iterator[str]:
    for command in text.replace("\\\n", " ").splitlines():
        if not command.startswith(NOT_HERE):
            yield command


@pytest.fixture
def machine(sources: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Machine]:
    """A machine with the programs that the page installs, and a site to capture."""
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    root = tmp_path / "srv"
    (root / "pdf").mkdir(parents=True)
    make_environment(root / "venv")
    shutil.copytree(sources, tmp_path / "sources")
    with SiteServer({
        "/": page("<title>Start</title><p><a href=/two>two</a>", etag='"1"'),
        "/two": page("<title>Before</title><p>two"),
    }) as site:  # fmt: skip
        yield Machine(root, tmp_path / "sources", free_port(), site)


@pytest.mark.slow
def test_the_page_can_be_followed(machine: Machine) -> None:
    quick = "poll_interval = 0.2\n"
    (machine.root / "scrapyd.conf").write_text(machine.here(FILES["/srv/scrapyd/scrapyd.conf"]) + quick, "utf-8")
    (machine.root / ".netrc").write_text(machine.here(FILES["~/.netrc"]), "utf-8")
    (machine.sources / "scrapy.cfg").write_text(machine.here(FILES["scrapy.cfg"]), "utf-8")
    service = _unit("scrapyd.service")["Service"]
    program, *options = _of_systemd(machine.here(service["ExecStart"]))
    assert machine.here(service["WorkingDirectory"]) == str(machine.root)
    with Scrapyd(Path(program).parent, machine.root, machine.port, options, "night:change-me") as scrapyd:
        _follow(machine, scrapyd)
    with Archive(machine.root / "pdf" / "example.pdf") as archive:
        assert archive.order(machine.site.url("")) == ["/", "/two"]
        assert [found.title for found in archive.page_sets] == ["Start", "After"]


def _follow(machine: Machine, scrapyd: Scrapyd) -> None:
    said: list[str] = []
    for kind, text in BLOCKS:
        if kind == "json":
            expected, found = json.loads(text), json.loads(said[-1])
            assert {name: found[name] for name in expected if expected[name] != ANYTHING} == {
                name: value for name, value in expected.items() if value != ANYTHING
            }
            assert expected.keys() == found.keys()
        elif kind == "sh":
            said = []
            for command in _commands(text):
                _prepare(machine, scrapyd, command)
                said.append(machine.run(command))
                _check(machine, scrapyd, command, said[-1])
        elif text.startswith(("# crontab", "# /etc/systemd/system/wcspider-refresh.service")):
            _nightly(machine, scrapyd, text)


def _nightly(machine: Machine, scrapyd: Scrapyd, text: str) -> None:
    """Run the nightly command, and assert that the file was refreshed."""
    if text.startswith("# crontab"):
        command = text.splitlines()[1].split(maxsplit=5)[5].replace("\\%", "%")
        command, expected = f"{command} || [ $? = 1 ]", ""  # nothing that is not in order
    else:
        [_, _, command] = _of_systemd(_unit("wcspider-refresh.service")["Service"]["ExecStart"])
        expected = '"status": "ok"'
    before = machine.run("ls -i /srv/scrapyd/pdf/example.pdf")
    machine.site.update({"/two": page("<title>After</title><p>three")})
    job = Job("refresh", f"example-{date.today().isoformat()}")
    log = scrapyd.folder / "logs" / "wcspider" / "refresh" / f"{job.identifier}.log"
    log.unlink(missing_ok=True)
    said = machine.run(command)
    assert expected in said if expected else said == ""
    scrapyd.wait_for_log(job, "Spider closed (finished)")
    done = scrapyd.end(job)
    assert (done.status, done.messages("ERROR")) == (0, [])
    assert machine.run("ls -i /srv/scrapyd/pdf/example.pdf") != before


def _prepare(machine: Machine, scrapyd: Scrapyd, command: str) -> None:
    """Create the situation that a command of the page needs."""
    if command.startswith("journalctl"):
        assert scrapyd.end(scrapyd.schedule("refresh", pdf=machine.root / "none.pdf")).status == 1
    elif "jobid=anew" in command:
        machine.site.update({"/": page("<title>Start</title><p>late", gate="late")})
        machine.site.forget()


def _check(machine: Machine, scrapyd: Scrapyd, command: str, said: str) -> None:
    """Assert that a command of the page had the documented effect."""
    if "jobid=first" in command:
        assert scrapyd.end(Job("capture", "first")).status == 0
    elif "/status.json" in command:
        assert json.loads(said)["currstate"] == "finished"
    elif "first.log" in command:
        assert "Captured 2 pages into" in said
    elif "webcapture history" in command:
        assert said.count("refresh:") == 2
    elif command.startswith("journalctl"):
        assert "exitstatus=1" in said
    elif command.startswith("grep --recursive"):
        assert "no such file" in said
    elif "jobid=anew" in command:
        machine.site.wait_for("/")
    elif "cancel.json" in command:
        scrapyd.wait_for_log(Job("refresh", "anew"), "shutting down gracefully")
        machine.site.open_gate("late")
        problem = scrapyd.end(Job("refresh", "anew")).problem
        assert "not written: the crawl was stopped" in problem
        is_kept = (machine.root / "pdf" / "example.pdf.part.db").exists()
        assert is_kept == ("before a page was captured" not in problem)  # it had three seconds for the layout


def test_the_repository_has_the_file_that_says_where_to_deploy() -> None:
    files = [ConfigParser(), ConfigParser()]
    for file, text in zip(files, [FILES["scrapy.cfg"], (ROOT / "scrapy.cfg").read_text("utf-8")], strict=True):
        file.read_string(text)
    assert files[0] == files[1]


def test_what_the_log_says_is_what_the_code_says() -> None:
    code = "".join(path.read_text("utf-8") for path in (ROOT / "wcspider").rglob("*.py"))
    [table] = re.findall(r"^\| the log says \|.*?\n\n", PAGE, re.MULTILINE | re.DOTALL)
    phrases = [phrase for row in table.splitlines()[2:] for phrase in re.findall(r"`([^`]+)`", row.split(" | ")[0])]
    assert len(phrases) > 8
    assert [phrase for phrase in phrases if any(part not in code for part in phrase.split("example.pdf.part"))] == []


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not there to read its units")
def test_systemd_takes_the_units(machine: Machine, tmp_path: Path) -> None:
    units = []
    for name, text in UNITS.items():
        units.append(tmp_path / Path(name).name)
        units[-1].write_text(machine.here(text), "utf-8")
    command = ["systemd-analyze", "verify", "--man=no", "--recursive-errors=no", *map(str, units)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_SECONDS, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_units_name_each_other() -> None:
    names = {Path(name).name for name in UNITS}
    asked: dict[str, Any] = {name: _unit(name) for name in names}
    assert asked["wcspider-refresh.service"]["Unit"]["Requires"] in names
    assert PAGE.count("systemctl enable --now wcspider-refresh.timer") == 1
    assert names == {"scrapyd.service", "wcspider-refresh.service", "wcspider-refresh.timer"}
