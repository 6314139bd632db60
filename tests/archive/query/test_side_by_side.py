"""Work in several processes: results in order, errors, and processes that are killed."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tests.archive.query.test_listing import site
from tests.support.archive_samples import clock
from wcspider.archive.database.database import ContentDatabase
from wcspider.archive.query import search as search_module
from wcspider.archive.query import side_by_side as module
from wcspider.archive.query.search import pages, search
from wcspider.archive.query.side_by_side import side_by_side
from wcspider.exceptions import TargetDamagedError


@pytest.fixture(autouse=True)
def cores(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Three cores and enough memory, whatever the machine has, and no thread of a test tool."""
    monkeypatch.setattr(module, "_usable_cores", lambda: 3)
    memory = tmp_path / "memory"
    memory.write_text("MemAvailable: 9999999 kB")
    monkeypatch.setattr(module, "_MEMORY", memory)


def with_process(number: int) -> tuple[int, int]:
    return number, os.getpid()


def test_results_come_in_order_from_several_processes() -> None:
    found = list(side_by_side(with_process, range(20)))
    assert [number for number, _ in found] == list(range(20))
    processes = [process for _, process in found]
    assert len(set(processes)) == 3
    assert os.getpid() not in processes


@pytest.mark.parametrize(
    ("memory", "processes"),
    [("MemTotal: 9 kB\nMemAvailable:  1048576 kB\n", 2), ("MemAvailable: 1000 kB\n", 1), ("", 1)],
)
def test_no_more_processes_than_the_memory_has_room_for(
    memory: str, processes: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = tmp_path / "meminfo"
    told.write_text(memory)
    monkeypatch.setattr(module, "_MEMORY", told)
    found = {process for _, process in side_by_side(with_process, range(6))}
    assert len(found) == processes
    assert (os.getpid() in found) == (processes == 1)


@pytest.mark.parametrize("pieces", [[], [1]])
def test_a_single_piece_needs_no_process(pieces: list[int]) -> None:
    assert list(side_by_side(with_process, pieces)) == [(piece, os.getpid()) for piece in pieces]


def test_an_error_comes_in_its_place() -> None:
    def work(number: int) -> int:
        if number == 4:
            raise TargetDamagedError("broken", "repair it")
        return number

    results = side_by_side(work, range(9))
    assert [next(results) for _ in range(4)] == [0, 1, 2, 3]
    with pytest.raises(TargetDamagedError, match="broken; repair it"):
        next(results)


class OddError(Exception):
    """An exception that cannot be unpickled."""

    def __init__(self, text: str, number: int) -> None:
        super().__init__(text)
        self.number = number


def test_an_error_that_cannot_be_passed_between_processes() -> None:
    def work(number: int) -> int:
        if number == 4:
            raise OddError("odd", number)
        return number

    with pytest.raises(OddError, match="odd"):
        list(side_by_side(work, range(9)))


def test_the_work_of_a_killed_process_is_done_here() -> None:
    here = os.getpid()

    def work(number: int) -> int:
        if number == 1 and os.getpid() != here:
            os.kill(os.getpid(), signal.SIGKILL)
        return number

    assert list(side_by_side(work, range(9))) == list(range(9))


def test_a_caller_that_has_enough_ends_the_processes() -> None:
    results = side_by_side(with_process, range(10**6))
    processes = {next(results)[1] for _ in range(9)}
    results.close()  # type: ignore[attr-defined]
    assert not any(Path(f"/proc/{process}").exists() for process in processes)


def test_processes_end_with_a_parent_that_is_killed() -> None:
    script = (
        "import os, signal; from wcspider.archive.query import side_by_side as module; "
        "module._usable_cores = lambda: 2; "
        "results = module.side_by_side(lambda number: os.getpid(), range(10**9)); "
        "print(next(results), next(results), flush=True); os.kill(os.getpid(), signal.SIGKILL)"
    )
    done = subprocess.run([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, check=False)
    assert done.returncode == -signal.SIGKILL  # and run() has returned: nobody holds the other end of stdout
    assert len(done.stdout.split()) == 2


def test_no_process_is_made_beside_other_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    waits = threading.Event()
    thread = threading.Thread(target=waits.wait)
    thread.start()
    assert module._usable_cores() == 1
    waits.set()
    thread.join()


def test_no_process_is_made_if_the_end_of_processes_is_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a program that a daemon has started. The system then forgets a process at once."""
    monkeypatch.undo()
    monkeypatch.setattr(threading, "active_count", lambda: 1)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1})
    assert module._usable_cores() == 2
    before = signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    try:
        assert module._usable_cores() == 1
    finally:
        signal.signal(signal.SIGCHLD, before)


def test_work_for_which_no_process_can_be_started_is_done_here(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused() -> int:
        raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))

    monkeypatch.setattr(os, "fork", refused)
    assert list(side_by_side(with_process, range(5))) == [(piece, os.getpid()) for piece in range(5)]


def test_ctrl_c_at_the_start_of_a_process_does_not_continue_the_code_of_the_parent(tmp_path: Path) -> None:
    here, fork, seen = os.getpid(), os.fork, tmp_path / "seen"

    def interrupted() -> int:
        process = fork()
        if not process:
            os.kill(os.getpid(), signal.SIGINT)
        return process

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(os, "fork", interrupted)
        try:
            found = list(side_by_side(with_process, range(6)))
        except BaseException:
            if os.getpid() != here:
                seen.touch()
                os._exit(1)
            raise
    assert len({process for _, process in found} - {here}) == 3
    assert not seen.exists()


def test_a_search_finds_the_same_in_any_number_of_processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = site(tmp_path / "site.pdf", 7)
    monkeypatch.setattr(search_module, "PAGES_BEFORE_REOPENING", 2)
    found = []
    for cores in (1, 3):
        monkeypatch.setattr(module, "_usable_cores", lambda cores=cores: cores)
        database = ContentDatabase.open(path, clock)
        read = list(pages(database))
        found.append((read, list(search(database, [read[-1].text.split()[0]]))))
        database.close()
    assert found[0] == found[1]
    read, results = found[0]
    assert [page.number for page in read] == list(range(1, 14))
    assert results[-1].page.number == 13
