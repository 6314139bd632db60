"""Fixtures that tests of every part use."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.support.crawls import FIXED_TIME, Run, captured
from tests.support.http_server import Site, SiteServer
from tests.support.order import group_of, in_parts
from tests.support.paths import ROOT
from tests.support.pdf_inspection import inspect, summary
from wcspider.engines.text.font_folder import share

# How long an example takes says what else the machine does.
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")

EXAMPLE_SETTINGS = {"WEBCAPTURE_FIXED_TIME": FIXED_TIME, "WEBCAPTURE_SYSTEM_FONTS": False}
"""What makes the capture of examples/site the same on each machine."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option for the files that tests leave behind."""
    parser.addoption("--inspect-pdfs", metavar="FILE", help="write what other programs say of the tests' PDF files")


def pytest_configure(config: pytest.Config) -> None:
    """Prepare the process of the tests, and those that it starts.

    They share one folder of fonts, so that fontconfig reads the fonts of the system once. They keep compiled modules,
    also where the environment forbids it: each of the hundreds of processes would compile the package again.
    """
    share()
    sys.dont_write_bytecode = False
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    report = config.getoption("--inspect-pdfs")
    if report and not hasattr(config, "workerinput"):  # the process that starts the others, or the only one
        Path(report).unlink(missing_ok=True)


def pytest_collection_finish() -> None:
    """Exempt the modules and the list of tests from garbage collection, of which each full run would visit them all.

    The runs at the end of pytest could take so long on a busy machine that execnet, which waits five seconds for the
    end of a process of xdist, interrupted them with a KeyboardInterrupt.
    """
    gc.collect()
    gc.freeze()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give each process its share of the slow tests first, so that short ones are left to fill the gaps at the end."""
    processes = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))

    def group(item: pytest.Item) -> Path | None:
        return group_of(item.path, is_slow=item.get_closest_marker("slow") is not None)

    items.sort(key=lambda item: (item.path.name, item.path))  # each part has short tests of all folders
    items[:] = in_parts(items, group, processes)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Run three processes of tests on two cores, because many tests wait: for servers, for processes, for pauses."""
    return (os.cpu_count() or 1) * 3 // 2


@pytest.fixture(autouse=True)
def inspected(request: pytest.FixtureRequest) -> Iterator[None]:
    """Lets other programs read the PDF files that a test leaves in its folder, if that is wanted."""
    report = request.config.getoption("--inspect-pdfs")
    folder = request.getfixturevalue("tmp_path") if report and "tmp_path" in request.fixturenames else None
    yield
    if folder is not None:
        is_odd = request.node.get_closest_marker("odd_pdfs") is not None
        inspect(folder, request.node.nodeid, Path(report), is_odd=is_odd)


@pytest.fixture(scope="session", autouse=True)
def inspected_at_the_end(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Lets other programs read the PDF files of fixtures that tests share, if that is wanted."""
    yield
    report = request.config.getoption("--inspect-pdfs")
    if report:
        inspect(tmp_path_factory.getbasetemp(), "", Path(report))


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail if other programs have found problems in files of wcspider."""
    report = session.config.getoption("--inspect-pdfs")
    if report and not hasattr(session.config, "workerinput") and summary(Path(report))[1]:
        session.exitstatus = session.exitstatus or pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Show what other programs say of the files of wcspider."""
    report = config.getoption("--inspect-pdfs")
    if report:
        terminalreporter.section("PDF files")
        for line in summary(Path(report))[0]:
            terminalreporter.line(line)


@pytest.fixture
def server() -> Iterator[Callable[..., SiteServer]]:
    """Starts servers: ``server({"/": page("<p>hello")}, jitter=1)``. They end with the test."""
    with ExitStack() as stack:

        def start(site: Site | Path, **options: object) -> SiteServer:
            return stack.enter_context(SiteServer(site, **options))

        yield start


@pytest.fixture(scope="session")
def example_site() -> Iterator[str]:
    """The URL of examples/site, served as ``make capture`` serves it."""
    command = [sys.executable, str(ROOT / "examples" / "serve.py")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        yield process.stdout.readline().strip()
        process.kill()


@dataclass(frozen=True)
class ExampleCapture:
    """examples/site in a file."""

    site: str
    """The URL of the site, without its last slash."""

    run: Run
    pdf: Path


@pytest.fixture(scope="session")
def example(example_site: str, tmp_path_factory: pytest.TempPathFactory) -> ExampleCapture:
    """examples/site, captured with all its levels by one worker, at `FIXED_TIME`. Not to be written to."""
    pdf = tmp_path_factory.mktemp("example") / "example.pdf"
    run = captured(example_site, pdf, EXAMPLE_SETTINGS, levels="all")
    return ExampleCapture(example_site.removesuffix("/"), run, pdf)
