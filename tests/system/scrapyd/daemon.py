"""A real Scrapyd in a folder of its own, on a loopback port of its own, whose Python has all but wcspider.

    with Scrapyd(programs, folder, port) as scrapyd:
        deploy(programs, sources, scrapyd.url)
        done = scrapyd.end(scrapyd.schedule("capture", url=..., pdf="site.pdf"))

So whatever a job imports of wcspider comes from the egg that was deployed.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import sysconfig
import time
import urllib.error
import urllib.parse
import urllib.request
import venv
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from tests.support.crawls import PATIENCE_SECONDS, ROOT, Run

SOURCES = (
    "wcspider",
    "setup.py",
    "scrapy.cfg",
    "pyproject.toml",
    "MANIFEST.in",
    "README.md",
    "CHANGELOG.md",
    "LICENSE",
)
SCRIPTS = ("scrapy", "scrapyd", "scrapyd-deploy")
PAUSE_SECONDS = 0.05

CONFIGURATION = """
[scrapyd]
http_port = {port}
poll_interval = 0.1
max_proc = 2
jobs_to_keep = 100
"""


def make_environment(folder: Path) -> Path:
    """Make an environment with the packages and scripts of this one, wcspider left out; return its folder of programs.

    Packages are links, so it takes no time. What is installed in place is found by a file that is not taken along.
    """
    venv.EnvBuilder(with_pip=False, symlinks=True).create(folder)
    [packages] = folder.glob("lib/python*/site-packages")
    for entry in Path(sysconfig.get_path("purelib")).iterdir():
        if "wcspider" not in entry.name:
            (packages / entry.name).symlink_to(entry)
    programs = folder / "bin"
    for name in SCRIPTS:
        _, _, program = (Path(sys.executable).parent / name).read_text("utf-8").partition("\n")
        (programs / name).write_text(f"#!{programs / 'python'}\n{program}", "utf-8")
        (programs / name).chmod(0o755)
    return programs


def copy_sources(folder: Path) -> Path:
    """Copy the sources of an egg, so that nothing is built in the repository."""
    for name in SOURCES:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, folder / name)
    return folder


def outside(programs: Path) -> dict[str, str]:
    """Return the environment of a process outside the repository."""
    changed = {**os.environ, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}
    return {name: value for name, value in changed.items() if name != "PYTHONPATH" and not name.startswith("SCRAPY")}


def free_port() -> int:
    """Return an unused port."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        return int(bound.getsockname()[1])


def wait_until(condition: Callable[[], bool], what: str) -> None:
    """Ask again and again until a condition holds; raise TimeoutError when it takes too long."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError(what)
        time.sleep(PAUSE_SECONDS)


@dataclass(frozen=True)
class Job:
    """A job that was scheduled."""

    spider: str
    identifier: str


class Scrapyd:
    """The daemon, while the context lasts; with it end the jobs that it started."""

    def __init__(self, programs: Path, folder: Path, port: int, options: Sequence[str] = (), login: str = "") -> None:
        self.folder = folder
        self.project = "wcspider"
        self.url = f"http://127.0.0.1:{port}/"
        self.output = folder / "scrapyd.log"
        self._command = [str(programs / "scrapyd"), *options]
        self._environment = outside(programs)
        self._headers = {"Authorization": f"Basic {b64encode(login.encode()).decode()}"} if login else {}

    def __enter__(self) -> Scrapyd:
        with self.output.open("wb") as output:
            self._process = subprocess.Popen(
                self._command, cwd=self.folder, env=self._environment, stdout=output, stderr=subprocess.STDOUT
            )
        wait_until(self._listens, "Scrapyd does not answer")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            for job in self.jobs()["running"]:
                os.kill(job["pid"], signal.SIGKILL)
        finally:
            self._process.kill()
            self._process.wait()

    def _listens(self) -> bool:
        assert self._process.poll() is None, self.log()
        try:
            return bool(self.ask("daemonstatus.json")["status"] == "ok")
        except urllib.error.URLError:
            return False

    def log(self) -> str:
        """The log of the daemon."""
        return self.output.read_text("utf-8")

    def ask(self, service: str, **fields: object) -> Any:
        """Ask a service; with fields, by POST."""
        data = urllib.parse.urlencode(fields, doseq=True).encode() if fields else None
        request = urllib.request.Request(self.url + service, data, self._headers)
        with urllib.request.urlopen(request, timeout=PATIENCE_SECONDS) as answer:
            return json.load(answer)

    def jobs(self) -> dict[str, list[dict[str, Any]]]:
        """The jobs by state: ``pending``, ``running``, ``finished``."""
        listed = self.ask("listjobs.json")
        return {state: listed[state] for state in ("pending", "running", "finished")}

    def schedule(self, spider: str, settings: Mapping[str, object] | None = None, **arguments: object) -> Job:
        """Schedule a job with one worker, which starts faster than two."""
        changed = {"WEBCAPTURE_WORKERS": 1, **(settings or {})}
        setting = [f"{name}={value}" for name, value in changed.items()]
        answer = self.ask("schedule.json", project=self.project, spider=spider, setting=setting, **arguments)
        assert answer["status"] == "ok", answer
        return Job(spider, answer["jobid"])

    def state(self, job: Job) -> str:
        """The state of a job."""
        jobs = self.jobs()
        found = [state for state, listed in jobs.items() if job.identifier in [entry["id"] for entry in listed]]
        return found[0] if found else "nowhere"  # it may be on its way from one to the next

    def cancel(self, job: Job) -> str:
        """Cancel a job, as a person would; return the state that it was in."""
        return str(self.ask("cancel.json", project=self.project, job=job.identifier)["prevstate"])

    def job_log(self, job: Job) -> str:
        """The log of a job so far."""
        path = self.folder / "logs" / self.project / job.spider / f"{job.identifier}.log"
        return path.read_text("utf-8") if path.exists() else ""

    def wait_for_log(self, job: Job, text: str) -> None:
        """Return when a job has logged something."""
        wait_until(lambda: text in self.job_log(job), f"{text!r} is not in the log of the job: {self.job_log(job)}")

    def end(self, job: Job) -> Run:
        """Wait for the end of a job."""
        wait_until(lambda: self.state(job) == "finished", f"{job} does not end: {self.job_log(job)}")
        died = [
            line for line in self.log().splitlines() if "Process died" in line and f"job={job.identifier!r}" in line
        ]
        status = int(died[0].partition("exitstatus=")[2].split()[0].rstrip(",")) if died else 0
        return Run(status, "", self.job_log(job))


def build_egg(programs: Path, sources: Path, egg: Path) -> Path:
    """Build the egg of the sources with compiled modules only, and return its path.

    Python keeps no compiled modules of a ZIP file, so each process of a job would compile the package again.
    `tests.system.scrapyd.test_page` deploys the egg as users build it.
    """
    (sources / "setup.cfg").write_text("[bdist_egg]\nexclude-source-files = 1\n", "utf-8")
    _deploy(programs, sources, "--build-egg", str(egg))
    (sources / "setup.cfg").unlink()
    return egg


def deploy(programs: Path, sources: Path, url: str, *, spiders: int = 2, egg: Path | None = None) -> None:
    """Deploy an egg to a daemon: that of the sources, which is built if none is given."""
    configuration = sources / "scrapy.cfg"
    written = configuration.read_text("utf-8")
    configuration.write_text(written.replace("http://localhost:6800/", url), "utf-8")
    output = _deploy(programs, sources, *([] if egg is None else ["--egg", str(egg)]))
    configuration.write_text(written, "utf-8")
    assert json.loads(output)["spiders"] == spiders


def _deploy(programs: Path, sources: Path, *options: str) -> str:
    """Run ``scrapyd-deploy``, which must succeed, and return its output."""
    command = [programs / "scrapyd-deploy", *options]
    done = subprocess.run(command, cwd=sources, env=outside(programs), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout
