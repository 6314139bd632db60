"""A capture that is killed at any step: FILE is old or new, and the same command makes the same file, byte for byte."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import signal

import pytest

from tests.support.crawls import FIXED_TIME, capture, captured, crawl_arguments, dying, started, tool, webcapture
from tests.support.http_server import Reply, SiteServer, page, redirect
from tests.system.crash.dying import STEPS

pytestmark = pytest.mark.crash

SETTINGS = {"WEBCAPTURE_BATCH_PAGES": 2, "WEBCAPTURE_FIXED_TIME": FIXED_TIME, "WEBCAPTURE_LOOKAHEAD": 5}
IMPATIENT = {**SETTINGS, "DOWNLOAD_TIMEOUT": 3}
"""A crawl that is stopped waits for the answers to what it has asked."""

KILLS = int(os.environ.get("WCSPIDER_KILLS", "3"))
"""How often crawls are killed at random moments."""

PAGES = 10
PAGE_TEXTS = {f"/{number}.txt": Reply(b"Text %d" % number, content_type="text/plain") for number in range(PAGES)}
LINKS = "".join(f'<a href="/{number}.txt">{number}</a> <a href="/to/{number}">way</a>' for number in range(PAGES))
SITE = {
    "/": page(f"<title>Start</title><p>{LINKS}<a href='/gone'>gone</a><a href='/more'>more</a>"),
    "/more": page("<title>More</title><a href='/last.txt'>last</a><a href='/'>start</a>"),
    "/last.txt": Reply(b"The last", content_type="text/plain"),
    **PAGE_TEXTS,
    **{f"/to/{number}": redirect(f"/{number}.txt") for number in range(PAGES)},
}


@pytest.fixture(scope="module")
def site():
    """The server of the site, at one address for the whole module."""
    with SiteServer(SITE) as running:
        yield running


@pytest.fixture(scope="module")
def whole(site, tmp_path_factory):
    """The file of an uninterrupted capture."""
    path = tmp_path_factory.mktemp("whole") / "site.pdf"
    captured(site.url(), path, SETTINGS, levels="all")
    return path


def assert_same(path, whole):
    """Assert that a file has the bytes of that of an uninterrupted capture; if not, name the difference in content."""
    if path.read_bytes() != whole.read_bytes():
        assert described(path) == described(whole)
        pytest.fail("the files have the same content, but not the same bytes")


def described(path):
    """Return the content of a file in the format of ``list --json``."""
    return json.loads(webcapture("list", path, "--json").output)


def arguments_of(url, path, **arguments):
    """The arguments of ``scrapy`` for a capture of the whole site."""
    return crawl_arguments(url, path, SETTINGS, levels="all", **arguments)


def killed(step, times, url, path, **arguments):
    """Run a capture that is killed at a step; tell whether it came to that."""
    return dying(step, times, *arguments_of(url, path, **arguments)).status != 0


def assert_sound(path):
    """Assert that a file is a complete PDF file that keeps the rules, and the only file in its folder."""
    tool("qpdf", "--check", path)
    assert webcapture("check", path).status == 0
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]


UNNAMED = {"a statement", "a moment", "half copied"}
NAMED = [(step, times) for step in STEPS if step not in UNNAMED for times in (0, 2)]
ONCE = {"locked", "begun", "before the rename", "after the rename"}


@pytest.mark.parametrize(("step", "times"), [(step, times) for step, times in NAMED if not (times and step in ONCE)])
def test_a_capture_that_is_killed_goes_on(site, whole, tmp_path, step, times):
    path = tmp_path / "site.pdf"
    assert killed(step, times, site.url(), path)
    assert path.exists() == (step == "after the rename")
    if step == "after the rename":
        assert_same(path, whole)
        return
    captured(site.url(), path, SETTINGS, levels="all")
    assert_same(path, whole)
    assert_sound(path)


@pytest.mark.parametrize("seed", range(2))
def test_a_capture_that_is_killed_at_random_goes_on(site, whole, tmp_path, seed):
    path = tmp_path / "site.pdf"
    moments = random.Random(seed)
    while killed("a statement", moments.randrange(40, 250), site.url(), path):
        assert not path.exists()
    assert_same(path, whole)
    assert_sound(path)


def test_crawls_that_are_killed_at_any_moment_go_on(site, tmp_path):
    """Captures are killed and resumed, one after the other, until there were so many kills; each file has the same
    bytes as without a kill.

    Every other capture adds to an existing file.
    """
    old = tmp_path / "old.pdf"
    captured(site.url("/more"), old, SETTINGS)
    uninterrupted = [capture_over(site, original, tmp_path / name) for name, original in (("new", None), ("more", old))]
    moments = random.Random(KILLS)
    kills = crawls = 0
    while kills < KILLS or crawls < len(uninterrupted):
        original = old if crawls % 2 else None
        path = placed(original, tmp_path / str(crawls))
        whole, longest = uninterrupted[crawls % 2]
        died = False
        while kills < KILLS and not is_new(path, original):
            died = killed("a moment", moments.randrange(1, longest), site.url(), path)
            kills += died
        if not is_new(path, original):
            captured(site.url(), path, SETTINGS, levels="all")
            died = False
        assert_same(path, whole)
        if died:  # behind the rename: the journal is left to the next command
            captured(site.url("/more"), path, SETTINGS)
        assert_sound(path)
        crawls += 1
    assert kills == KILLS


def placed(original, folder):
    """Return where a capture goes to, in a folder of its own; with a copy of a file, if there is one."""
    folder.mkdir()
    path = folder / "site.pdf"
    if original is not None:
        shutil.copyfile(original, path)
    return path


def capture_over(site, original, folder):
    """Capture without interruption; return the file, and the milliseconds of processor time that it took."""
    path = placed(original, folder)
    done = dying("a moment", 10**6, *arguments_of(site.url(), path))
    return path, int(done.output)


def is_new(path, original):
    """Tell whether FILE is the new one; it is the old one if not."""
    if original is None:
        return path.exists()
    return path.read_bytes() != original.read_bytes()


def test_what_is_in_the_file_is_not_fetched_again(site, tmp_path):
    path = tmp_path / "site.pdf"
    site.forget()
    assert killed("after a checkpoint", 4, site.url(), path)
    before = [entry for entry in site.paths() if entry != "/robots.txt"]
    site.forget()
    captured(site.url(), path, SETTINGS, levels="all")
    again = [entry for entry in site.paths() if entry != "/robots.txt"]
    stored = 2 * 4  # the first checkpoint holds the command alone
    assert before[:1] == ["/"]
    assert "/" not in again
    assert len(set(before) & set(again)) <= len(before) - stored + 1


def test_an_answer_without_end_does_not_stop_a_capture_that_is_resumed(tmp_path):
    """Nor does a server that sends a part and then waits; the other pages are in the file as without a kill."""
    path = tmp_path / "site.pdf"
    settings = {**SETTINGS, "DOWNLOAD_MAXSIZE": 100_000, "DOWNLOAD_TIMEOUT": 2, "RETRY_TIMES": 0}
    with SiteServer(SITE) as changing:
        command = crawl_arguments(changing.url(), path, settings, levels="all")
        assert dying("after a checkpoint", 3, *command).status != 0
        endless = Reply(b"more text ", content_type="text/plain", endless=True)
        slow = Reply(b"Text 9", content_type="text/plain", trickle=1.5)
        changing.update({"/8.txt": endless, "/9.txt": slow})
        done = captured(changing.url(), path, settings, levels="all")
        assert changing.url("/8.txt") in done.left_out["larger than DOWNLOAD_MAXSIZE"]
        assert changing.url("/9.txt") in done.left_out["timed out"]
        urls = {source["url"] for found in described(path)["content_sets"] for source in found["sources"]}
        assert urls == {changing.url(name) for name in SITE if not name.startswith("/to/")} - {
            changing.url("/8.txt"), changing.url("/9.txt"),
        }  # fmt: skip
    assert_sound(path)


@pytest.mark.parametrize("step", ["half copied", "half a revision", "before the rename"])
def test_a_file_that_was_there_stays_until_the_new_one_is_whole(site, tmp_path, step):
    path = tmp_path / "site.pdf"
    captured(site.url("/more"), path, SETTINGS)
    before = path.read_bytes()
    assert killed(step, 0, site.url(), path)
    assert path.read_bytes() == before
    captured(site.url(), path, SETTINGS, levels="all")
    assert_sound(path)
    assert len(described(path)["commands"]) == 2


def test_unfinished_work_of_another_command_is_not_touched(site, tmp_path):
    path = tmp_path / "site.pdf"
    assert killed("after a checkpoint", 2, site.url(), path)
    kept = {entry.name: entry.read_bytes() for entry in tmp_path.iterdir() if entry.suffix == ".part"}
    other = capture(site.url("/more"), path, SETTINGS)
    assert other.problem == (
        f"{path}.part: holds the unfinished work of another command: "
        f"scrapy crawl capture -a url={site.url()} -a levels=all -a pdf={path}; "
        "repeat the command that began it, or add -a fresh=true to start again"
    )
    other = capture(site.url(), path, {**SETTINGS, "WEBCAPTURE_PAGE_SIZE": "A5"}, levels="all")
    assert f"another command: scrapy crawl capture -a url={site.url()} -a levels=all -a pdf={path}; " in other.problem
    other = capture(site.url(), path, SETTINGS, levels="all", headers='{"X-Group": "a"}')
    assert "another command" in other.problem
    assert {entry.name: entry.read_bytes() for entry in tmp_path.iterdir() if entry.suffix == ".part"} == kept
    captured(site.url("/more"), path, SETTINGS, fresh="true")
    assert [command["url"] for command in described(path)["commands"]] == [site.url("/more")]
    assert_sound(path)


def test_unfinished_work_on_a_file_that_has_changed_since_is_not_touched(site, tmp_path):
    path = tmp_path / "site.pdf"
    captured(site.url("/more"), path, SETTINGS)
    assert killed("after a checkpoint", 2, site.url(), path)
    path.write_bytes(path.read_bytes() + b"\n")
    assert "was changed since" in capture(site.url(), path, SETTINGS, levels="all").problem


@pytest.mark.parametrize("partial", ["false", "true"])
def test_ctrl_c_leaves_what_the_same_command_goes_on_with(whole, tmp_path, partial):
    path = tmp_path / "site.pdf"
    slow = {**SITE, "/5.txt": Reply(b"Text 5", content_type="text/plain", gate="five")}
    with SiteServer(slow) as gated:
        arguments = crawl_arguments(gated.url(), path, IMPATIENT, levels="all", partial=partial)
        with started(*arguments) as crawl:
            gated.wait_for("/5.txt")
            crawl.process.send_signal(signal.SIGINT)
            done = crawl.end()
        if partial == "true":
            assert done.status == 0
            reason = "not reached before the crawl was stopped by Ctrl-C or a signal"
            assert reason in done.left_out
            omitted = json.loads(webcapture("omitted", path, "--json").output)["omitted"]
            unreached = [page for page in omitted if page["reason"] == reason]
            assert unreached
            assert all(page["linked_from"] == gated.url() and page["level"] == 2 for page in unreached)
            assert_sound(path)
            return
        assert done.status == 1
        assert f"the pages captured so far are in {path}.part; run the same command to continue" in done.problem
        assert not path.exists()
        gated.open_gate("five")
        captured(gated.url(), path, SETTINGS, levels="all", partial=partial)
    assert len(described(path)["content_sets"]) == len(described(whole)["content_sets"])
    assert_sound(path)


def test_ctrl_c_asks_for_no_more_pages(tmp_path):
    """With one request at a time, a stopped crawl does not request the pages that are still in the queue."""
    path = tmp_path / "site.pdf"
    pages = {"/": page("".join(f"<a href=/{number}>{number}</a> " for number in range(20)))}
    leaves = {f"/{number}": page(f"<title>{number}</title>page") for number in range(20)}
    settings = {"CONCURRENT_REQUESTS_PER_DOMAIN": 1}
    with SiteServer({**pages, **leaves, "/0": page("<title>0</title>page", gate="first")}) as gated:
        command = crawl_arguments(gated.url(), path, settings, levels=2)
        with started(*command) as crawl:
            gated.wait_for("/0")
            crawl.process.send_signal(signal.SIGINT)
            while "Closing spider" not in crawl.process.stderr.readline():
                pass
            gated.open_gate("first")
            done = crawl.end()
            assert done.status == 1
        asked = ["/", "/0"]
        assert set(gated.paths()) - {"/robots.txt"} == set(asked)
        # On a slow machine, the time after Ctrl-C is too short for the layout of both pages.
        counted = re.search(r"Captured (\d+) page", "\n".join(done.summary))
        held = int(counted[1]) if counted else 0
        gated.forget()
        captured(gated.url(), path, settings, levels=2)
        assert set(gated.paths()) & set(asked) == set(asked[held:])
    assert len(described(path)["content_sets"]) == 21


def test_every_step_is_killed_at():
    assert set(STEPS) == {step for step, _ in NAMED} | UNNAMED
