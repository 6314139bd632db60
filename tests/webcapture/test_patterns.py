"""Regular expressions that the URLs of pages have to match, or may not."""

from __future__ import annotations

import re
import signal
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from wcspider.webcapture import patterns as patterns_module
from wcspider.webcapture.patterns import DENIED, MOST_SLOW, NOT_ALLOWED, TOO_SLOW, Patterns, slow_searches
from wcspider.webcapture.records import Command
from wcspider.webcapture.scope import OTHER_PATH, OTHER_SITE, Scope, Scopes

SITE = "https://example.com"

TABLE = [
    ("", "", "/any", ""),
    ("/guide/", "", "/guide/a", ""),
    ("/guide/", "", "/news/a", NOT_ALLOWED),
    ("/guide/|/news/", "", "/news/a", ""),
    ("", "/staff/", "/staff/a", DENIED),
    ("", "/staff/", "/guide/a", ""),
    ("/guide/", "/guide/old", "/guide/old/a", DENIED),  # deny wins
    (r"\?page=\d{1,2}$", "", "/list?page=12", ""),
    (r"\?page=\d{1,2}$", "", "/list?page=123", NOT_ALLOWED),  # a comma is a comma
    ("^https://example.com/a", "", "/a", ""),
    ("GUIDE", "", "/guide/", NOT_ALLOWED),  # by case, unless the pattern says otherwise
    ("(?i)GUIDE", "", "/guide/", ""),
    ("%C3%A9", "", "/é", ""),  # searched in the canonical URL
]


@pytest.mark.parametrize(("allow", "deny", "path", "expected"), TABLE)
def test_refusals(allow: str, deny: str, path: str, expected: str) -> None:
    command = Command(f"{SITE}/", levels=2, allow=allow, deny=deny)
    assert Scope.of(command).refusal(SITE + path) == expected
    assert Scope.of(command).allows(SITE + path) is (not expected)


@given(st.from_regex(r"[a-d/]{1,3}", fullmatch=True), st.from_regex(r"[a-d/]{1,3}", fullmatch=True), st.text("abcd/"))
def test_what_is_taken_matches_allow_and_not_deny(allow: str, deny: str, path: str) -> None:
    refusal = Patterns(allow, deny).refusal(path)
    assert (refusal == DENIED) == (deny in path)
    assert (not refusal) == (allow in path and deny not in path)


@given(st.text(max_size=8))
@example("a{99999999999}")
@example("(" * 5000 + ")" * 5000)
@example("[[a]")
@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_a_pattern_is_refused_where_python_refuses_it(pattern: str) -> None:
    try:
        re.compile(pattern)
    except (re.error, OverflowError, RecursionError):
        assert Patterns(deny=pattern).problem().startswith("deny is not a valid regular expression")
    else:
        assert Patterns(deny=pattern).problem() == ""


def test_a_pattern_gives_no_warning() -> None:
    assert Patterns(allow="[[b]").refusal("b") == ""


def test_a_search_without_end_is_given_up() -> None:
    endless, url = "(a+)+$", f"{SITE}/{'a' * 60}!"
    for patterns in (Patterns(allow=endless), Patterns(deny=endless)):
        assert patterns.refusal(url) == TOO_SLOW
        assert patterns.refusal(f"{SITE}/b") == (NOT_ALLOWED if patterns.allow else "")
    assert Patterns(endless, "!$").refusal(url) == DENIED


def test_a_pattern_that_is_too_slow_is_searched_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patterns_module, "SECONDS", 0.01)
    endless = "(b+)+$"
    urls = [f"{SITE}/{'b' * 60}{number}!" for number in range(MOST_SLOW)]
    assert {Patterns(deny=endless).refusal(url) for url in urls} == {TOO_SLOW}
    assert Patterns(deny=endless).refusal(f"{SITE}/a") == TOO_SLOW
    assert Patterns(deny="b+$").refusal(f"{SITE}/a") == ""
    assert slow_searches([endless, endless, "", "b+$"]) == {endless: MOST_SLOW + 1}


def test_a_search_leaves_the_timer_of_the_process_as_it_was() -> None:
    handler = signal.getsignal(signal.SIGALRM)
    timer = signal.setitimer(signal.ITIMER_REAL, 1000)
    try:
        assert Patterns(allow="timer").refusal(f"{SITE}/timer") == ""
        assert signal.getitimer(signal.ITIMER_REAL)[0] > 100
        assert signal.getsignal(signal.SIGALRM) is handler
    finally:
        signal.setitimer(signal.ITIMER_REAL, *timer)


def test_patterns_in_another_thread() -> None:
    with ThreadPoolExecutor(1) as thread:
        found = [*thread.map(Patterns(deny="thread").refusal, [f"{SITE}/thread", SITE])]
    assert found == [DENIED, ""]


COMMANDS = [
    Command("https://example.net/", levels=2, allow="/anywhere"),
    Command("https://example.net/again", levels=2, allow="/anywhere"),
    Command("https://example.net/deep", levels=3, allow="/anywhere"),
    Command(f"{SITE}/a/", levels=3, same_site=True, same_path=True),
    Command(f"{SITE}/b/", levels=3, same_site=True, same_path=True),
    Command("http://example.com/b/", levels=3, same_site=True, same_path=True),
    Command(f"{SITE}/b/x", levels=2, same_site=True, same_path=True, deny="/x"),
    Command("https://example.org/", levels=2, same_site=True, allow="/open"),
    Command(f"{SITE}/", levels=2, same_site=True, allow="/open"),
]
LINKS = [
    f"{SITE}/a/1",
    f"{SITE}/b/x",
    f"{SITE}/b/y",
    "http://example.com/b/y",
    f"{SITE}/b/anywhere",
    "https://example.org/open",
    f"{SITE}/open",
]


@given(
    st.sampled_from(LINKS),
    st.integers(1, 4),
    st.integers(0, len(COMMANDS) - 1),
    st.lists(st.integers(0, len(COMMANDS) - 1), unique=True),
)
@example("http://example.com/b/y", 1, 3, [4, 5])  # the two differ by their schemes
@example(f"{SITE}/open", 1, 3, [7, 8])  # by their sites
@example(f"{SITE}/b/anywhere", 1, 3, [0, 4])  # the first one is bound to no site
@example(f"{SITE}/b/anywhere", 2, 3, [0, 2])  # by their levels
def test_a_link_gets_the_command_that_trying_all_would_find(
    url: str, level: int, preferred: int, others: list[int]
) -> None:
    scopes = {index: Scope.of(COMMANDS[index]) for index in sorted({preferred, *others})}
    tried = [preferred, *(index for index in scopes if index != preferred)]
    fit = [index for index in tried if scopes[index].follows(level) and scopes[index].allows(url)]
    assert Scopes(scopes).first(url, level, preferred) == (fit[0] if fit else None)


def test_bounds_go_before_patterns() -> None:
    scope = Scope.of(Command(f"{SITE}/a/", same_site=True, same_path=True, deny="."))
    assert scope.refusal("https://example.org/") == OTHER_SITE
    assert scope.refusal(f"{SITE}/b") == OTHER_PATH
    assert scope.refusal(f"{SITE}/a/b") == DENIED
