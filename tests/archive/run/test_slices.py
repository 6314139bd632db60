"""Pages that are stored in slices: the file is the same, and no slice takes long."""

from __future__ import annotations

import sys
from collections import deque

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.archive.run.test_writer import PAGES, TURNS, skipped_pages, write
from tests.support.archive_samples import COMMAND, SITE, new_database, rendered
from wcspider import steps
from wcspider.archive.journal.journal import Checkpoint, Journal
from wcspider.archive.run.writer import LOST, Batch, CaptureWriter
from wcspider.exceptions import TargetNotWritableError
from wcspider.pdf.webcapture.run_records import CAPTURE, Run
from wcspider.steps import Slices
from wcspider.webcapture.order import Turn, TurnKind

EVENTS = [*TURNS, *PAGES.items()]
PAGE_SETS = len(PAGES) - 1
"""Two pages have the same content."""

LARGEST_STEP = 0.04
"""The part of the work that a single step may do."""


class Loop:
    """An event loop that does the next slice when it is told to."""

    def __init__(self):
        self.calls = deque()
        self.errors = []
        self.slices = Slices(self.calls.append, self.errors.append)

    def turn(self):
        if self.calls:
            self.calls.popleft()()


def sliced_writer(path, loop, batch=2):
    writer = CaptureWriter(new_database(path), Journal(), Batch(batch, 10**9), 10**6, Checkpoint(), loop.slices)
    writer.begin([COMMAND])
    return writer


def send(writer, event):
    if isinstance(event, Turn):
        writer.turn(event)
    else:
        writer.captured(SITE + event[0], event[1])


def closed(writer):
    writer.finish("A title", Run(CAPTURE))
    writer.close()
    writer.database.close()


@pytest.fixture(scope="module")
def at_once(tmp_path_factory):
    """The bytes of the sample site that was stored without slices."""
    path = tmp_path_factory.mktemp("once") / "site.pdf"
    write(path, range(len(EVENTS)))
    return path.read_bytes()


@pytest.fixture
def single_steps(monkeypatch):
    """Make each step a slice of its own."""
    monkeypatch.setattr(steps, "SLICE_SECONDS", 0)


@given(order=st.permutations(range(len(EVENTS))), turns=st.lists(st.integers(0, 12), min_size=11, max_size=11))
@settings(max_examples=15, deadline=None)
def test_the_file_depends_on_no_slice(order, turns, at_once, tmp_path_factory):
    path = tmp_path_factory.mktemp("sliced") / "site.pdf"
    before, steps.SLICE_SECONDS = steps.SLICE_SECONDS, 0
    try:
        loop = Loop()
        writer = sliced_writer(path, loop)
        for index, count in zip(order, turns, strict=True):
            send(writer, EVENTS[index])
            for _ in range(count):
                loop.turn()
        while loop.calls:
            loop.turn()
    finally:
        steps.SLICE_SECONDS = before
    assert not loop.errors
    assert not writer.is_busy
    closed(writer)
    assert path.read_bytes() == at_once


@pytest.mark.usefixtures("single_steps")
def test_a_commit_completes_the_page_set_that_is_being_stored(tmp_path):
    loop = Loop()
    writer = sliced_writer(tmp_path / "site.pdf", loop)
    for event in EVENTS:
        send(writer, event)
    assert writer.is_busy
    writer.commit()
    assert not writer.is_busy
    assert writer.report.page_sets == PAGE_SETS
    closed(writer)


@pytest.mark.usefixtures("single_steps")
def test_captures_without_a_turn_are_stored_one_after_the_other(tmp_path):
    loop = Loop()
    writer = sliced_writer(tmp_path / "site.pdf", loop)
    for page in PAGES.values():
        writer.add(page)
        loop.turn()
    while loop.calls:
        loop.turn()
    assert writer.report.page_sets == PAGE_SETS
    assert [content.title for content in titles(writer)] == [
        page.capture.title for page in list(PAGES.values())[:PAGE_SETS]
    ]
    closed(writer)


def titles(writer):
    found = [stored.content for stored in writer.database.content_sets()]
    sets = [content for content in found if hasattr(content, "title")]
    return sorted(sets, key=lambda content: content.objects)


@pytest.mark.usefixtures("single_steps")
def test_an_error_in_a_later_slice_loses_its_page_alone(tmp_path, monkeypatch):
    loop = Loop()
    writer = sliced_writer(tmp_path / "site.pdf", loop)
    update = writer.database.update

    def failing(stored, content):
        if content.sources and content.sources[0].url.endswith("/a"):
            raise ValueError
        return update(stored, content)

    monkeypatch.setattr(writer.database, "update", failing)
    for event in EVENTS:
        send(writer, event)
    while loop.calls:
        loop.turn()
    assert not loop.errors
    assert skipped_pages(writer)[LOST] == [f"{SITE}/old-a -> {SITE}/a", f"{SITE}/a"]
    assert {content.title for content in titles(writer)} >= {"Title of /", "Title of /b"}
    writer.close()
    writer.database.close()


@pytest.mark.usefixtures("single_steps")
def test_a_file_that_cannot_be_written_ends_the_work(tmp_path, monkeypatch):
    loop = Loop()
    writer = sliced_writer(tmp_path / "site.pdf", loop)
    problem = TargetNotWritableError("full")

    def full(body):
        raise problem

    monkeypatch.setattr(writer.database.file, "_append", full)
    for event in EVENTS:
        send(writer, event)
    while loop.calls:
        loop.turn()
    assert loop.errors == [problem]
    assert not writer.is_busy
    writer.close()
    writer.database.close()


@pytest.mark.usefixtures("single_steps")
def test_no_step_of_a_large_page_is_long(tmp_path):
    """The work is counted in function calls, because a time would depend on the machine."""
    images = [f"{number}.png" for number in range(20)]
    links = [f"{SITE}/{number}" for number in range(5)]
    large = rendered("/large", pages=3_000, images=images, links=links)
    loop = Loop()
    writer = sliced_writer(tmp_path / "site.pdf", loop, batch=1)
    writer.turn(Turn(0, TurnKind.PAGE, (), f"{SITE}/large"))
    calls = [function_calls(lambda: writer.captured(f"{SITE}/large", large))]
    while loop.calls:
        calls.append(function_calls(loop.turn))
    assert writer.report.pages == 3_000
    assert max(calls) < sum(calls) * LARGEST_STEP
    closed(writer)


def function_calls(function):
    """The number of function calls, also of functions in C, that a function makes."""
    count = 0

    def called(frame, event, argument):
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(called)
    try:
        function()
    finally:
        sys.setprofile(before)
    return count
