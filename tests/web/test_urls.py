"""web/urls.py: canonical URL strings (14.10.3.2) and references (RFC 1808)."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from w3lib.url import safe_url_string

from wcspider.exceptions import InvalidURLError
from wcspider.web import urls
from wcspider.web.urls import (
    canonical_url,
    has_login,
    is_capturable,
    location,
    remove_dot_segments,
    resolve,
    split_fragment,
    without_login,
)

RFC_1808_BASE = "http://a/b/c/d;p?q#f"


@pytest.mark.parametrize(
    ("reference", "expected"),
    [
        # RFC 1808, 5.1: normal examples.
        ("g:h", InvalidURLError),  # a scheme that cannot be captured
        ("g", "http://a/b/c/g"),
        ("./g", "http://a/b/c/g"),
        ("g/", "http://a/b/c/g/"),
        ("/g", "http://a/g"),
        ("//g", "http://g/"),  # an empty path is "/"
        ("?y", "http://a/b/c/d;p?y"),
        ("g?y", "http://a/b/c/g?y"),
        ("g?y/./x", "http://a/b/c/g?y/./x"),
        ("#s", "http://a/b/c/d;p?q"),  # step b) cuts fragments, here and below
        ("g#s", "http://a/b/c/g"),
        ("g#s/./x", "http://a/b/c/g"),
        ("g?y#s", "http://a/b/c/g?y"),
        (";x", "http://a/b/c/d;x"),  # browsers and Python say /b/c/;x
        ("g;x", "http://a/b/c/g;x"),
        ("g;x?y#s", "http://a/b/c/g;x?y"),
        (".", "http://a/b/c/"),
        ("./", "http://a/b/c/"),
        ("..", "http://a/b/"),
        ("../", "http://a/b/"),
        ("../g", "http://a/b/g"),
        ("../..", "http://a/"),
        ("../../", "http://a/"),
        ("../../g", "http://a/g"),
        # RFC 1808, 5.2: abnormal examples.
        ("", "http://a/b/c/d;p?q"),
        ("../../../g", "http://a/g"),  # the RFC keeps ".." above the root; browsers and RFC 3986 do not
        ("../../../../g", "http://a/g"),
        ("../../..", "http://a/"),
        ("/../..g", "http://a/..g"),
        ("/./g", "http://a/g"),  # stays /./g in the RFC; step g) transforms absolute paths as well
        ("/../g", "http://a/g"),
        ("g.", "http://a/b/c/g."),
        (".g", "http://a/b/c/.g"),
        ("g..", "http://a/b/c/g.."),
        ("..g", "http://a/b/c/..g"),
        ("./../g", "http://a/b/g"),
        ("./g/.", "http://a/b/c/g/"),
        ("g/./h", "http://a/b/c/g/h"),
        ("g/../h", "http://a/b/c/h"),
        ("http:g", InvalidURLError),  # absolute by the RFC, and then it has no host
        ("http:", InvalidURLError),
    ],
)
def test_rfc_1808_examples(reference: str, expected: str | type[Exception]) -> None:
    check(reference, RFC_1808_BASE, expected)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        # c), d) scheme and host in lower case, nothing else
        ("HTTP://WWW.Adobe.COM/Fiddle?Q=A", "http://www.adobe.com/Fiddle?Q=A"),
        ("ftp://FTP.example/%7E%7e", "ftp://ftp.example/%7E%7e"),
        # e) file and localhost
        ("file://localhost/etc/hosts", "file:///etc/hosts"),
        ("FILE://LocalHost/", "file:///"),
        ("file:/etc/hosts", "file:///etc/hosts"),
        ("file://server/share", "file://server/share"),
        ("file:////server/share", "file:////server/share"),  # an empty segment is not a host
        ("file:///C:\\My Files\\a.htm", "file:///C:/My%20Files/a.htm"),
        ("http://localhost/", "http://localhost/"),
        ("file:etc/hosts", InvalidURLError),
        ("file://h:80/a", InvalidURLError),
        ("file://u@h/a", InvalidURLError),
        # f) default ports
        ("http://h:80/", "http://h/"),
        ("http://h:0080/", "http://h/"),
        ("http://h:/", "http://h/"),
        ("http://h:443/", "http://h:443/"),
        ("https://h:443/", "https://h/"),
        ("ftp://h:21/a", "ftp://h/a"),
        ("ftp://h:80/a", "ftp://h:80/a"),
        ("http://h:08080/", "http://h:8080/"),
        ("http://h:65535/", "http://h:65535/"),
        ("http://h:65536/", InvalidURLError),
        pytest.param(f"http://h:{'6' * 5000}/", InvalidURLError, id="a port of 5,000 digits"),
        ("http://h:a/", InvalidURLError),
        ("http://h:٣/", InvalidURLError),  # a digit, but no ASCII digit
        # g) dot segments
        ("http://h/a/../b/./c", "http://h/b/c"),
        ("http://h/a/..", "http://h/"),
        ("http://h/.", "http://h/"),
        ("http://h/..", "http://h/"),
        ("http://h/../a/..", "http://h/"),
        ("http://h/a//../b", "http://h/a/b"),  # an empty segment is a segment
        ("http://h/a/%2e%2e/b", "http://h/a/%2e%2e/b"),  # encoded once, so no dots (NOTE)
        ("http://h/a?b/../c", "http://h/a?b/../c"),
        ("http://h/a;b/c/../d", "http://h/a;b/d"),
        # empty parts
        ("http://h", "http://h/"),
        ("http://h?q", "http://h/?q"),
        ("http://h/?", "http://h/"),
        ("http://h/#", "http://h/"),
        ("http://h/a#b#c", "http://h/a"),  # before the first number sign
        # logins are kept, empty ones are none
        ("http://u:p@h/", "http://u:p@h/"),
        ("http://u:@h/", "http://u:@h/"),
        ("http://@h/", "http://h/"),
        ("http://:@h/", "http://h/"),
        ("http://u@v@h/", "http://u%40v@h/"),
        # one encoding pass, never two
        ("http://h/a b", "http://h/a%20b"),
        ("http://h/a%20b", "http://h/a%20b"),
        ("http://h/100%", "http://h/100%"),
        ("http://h/é?é", "http://h/%C3%A9?%C3%A9"),
        ("http://h/\ud83d\ude00", "http://h/%F0%9F%98%80"),  # a pair of surrogates is a character
        ("http://h/\ud83d", "http://h/%EF%BF%BD"),  # half a pair is not
        # the order and spelling of the query is the server's
        ("http://h/?b=1&a=2&b=1&&c", "http://h/?b=1&a=2&b=1&&c"),
        # hosts
        ("http://bücher.example/", "http://xn--bcher-kva.example/"),
        ("http://BÜCHER.example/", "http://xn--bcher-kva.example/"),
        ("http://faß.de/", "http://xn--fa-hia.de/"),  # as browsers; IDNA 2003 says fass.de
        ("http://☃.net/", "http://xn--n3h.net/"),  # no IDNA 2008 name, yet browsers go there
        ("http://例え。テスト/", "http://xn--r8jz45g.xn--zckzah/"),
        ("http://ex%41mple.com/", "http://example.com/"),
        ("http://b%C3%BCcher.example/", "http://xn--bcher-kva.example/"),
        ("http://a_b.example/", "http://a_b.example/"),
        ("http://[2001:DB8::1]:80/", "http://[2001:db8::1]/"),
        ("http://127.0.0.1:8000/", "http://127.0.0.1:8000/"),
        ("http://[::1/", InvalidURLError),
        ("http://[::g]/", InvalidURLError),
        ("http://[fe80::1%25eth0]/", InvalidURLError),
        ("http://a b/", InvalidURLError),
        ("http://a%2Fb/", InvalidURLError),
        ("http://％４１.com/", InvalidURLError),  # becomes "%41", which no host may hold
        ("http://%ff/", InvalidURLError),
        # what browsers leave out
        (" \x00http://h/a \n", "http://h/a"),
        ("ht\ntp://h/a\t\r\nb", "http://h/ab"),
        ("http:\\\\h\\a?b\\c", "http://h/a?b%5Cc"),
        # no URL at all, or none that can be captured
        ("", InvalidURLError),
        ("a.html", InvalidURLError),
        ("//h/a", InvalidURLError),
        ("http:///a", InvalidURLError),
        ("http://u:p@/", InvalidURLError),
        ("http://:80/", InvalidURLError),
        ("ftp:", InvalidURLError),
        ("mailto:a@b", InvalidURLError),
        ("javascript:void(0)", InvalidURLError),
        ("data:,x", InvalidURLError),
        ("1http://h/", InvalidURLError),
    ],
)
def test_canonical_url(url: str, expected: str | type[Exception]) -> None:
    check(url, None, expected)
    assert is_capturable(url) is isinstance(expected, str)


@pytest.mark.parametrize(
    ("base", "reference", "expected"),
    [
        ("http://h", "a", "http://h/a"),
        ("http://h?q", "", "http://h/?q"),
        ("http://h/a;b/c/d", "e", "http://h/a;b/c/e"),  # parameters in the middle are part of the path
        ("http://h/a/b;x/../c", "d", "http://h/a/d"),
        ("http://h", ";x", "http://h/;x"),
        ("http://h/a/;x", ";y", "http://h/a/;y"),
        ("http://h/a/b?c/d", "e", "http://h/a/e"),
        ("https://u:p@h/a", "/b", "https://u:p@h/b"),
        ("https://h/a", "//i:443", "https://i/"),
        ("file:///a/b", "c", "file:///a/c"),
        ("file:///a/b", "//localhost/c", "file:///c"),
        ("ftp://h/a/b", "..", "ftp://h/"),
        ("http://h/a", "\\b", "http://h/b"),
        ("a/b", "c", InvalidURLError),
        ("about:blank", "c", InvalidURLError),
        ("about:blank", "http://h/", "http://h/"),  # the base is not needed
    ],
)
def test_relative_to_a_base(base: str, reference: str, expected: str | type[Exception]) -> None:
    check(reference, base, expected)


@pytest.mark.parametrize(
    ("encoding", "expected"),
    [
        ("utf-8", "http://h/%C3%A9?%C3%A9=%E6%97%A5"),
        ("windows-1252", "http://h/%C3%A9?%E9=%26%2326085%3B"),  # a character that the encoding has not
        ("ISO-8859-1", "http://h/%C3%A9?%E9=%26%2326085%3B"),  # which is windows-1252 by its label
        ("shift_jis", "http://h/%C3%A9?%26%23233%3B=%93%FA"),
        ("utf-16le", "http://h/%C3%A9?%C3%A9=%E6%97%A5"),  # URLs are never sent in UTF-16
        ("no-such-encoding", LookupError),
    ],
)
def test_only_the_query_is_in_the_encoding_of_the_document(encoding: str, expected: str | type[Exception]) -> None:
    if isinstance(expected, str):
        assert canonical_url("http://h/é?é=日", encoding=encoding) == expected
    else:
        with pytest.raises(expected):
            canonical_url("http://h/é?é=日", encoding=encoding)


@pytest.mark.parametrize(
    ("reference", "expected"),
    [
        ("", "http://a/b/c/d;p?q#f"),  # RFC 1808, section 4, step 2 a
        ("#s t", "http://a/b/c/d;p?q#s%20t"),
        ("g#s#t", "http://a/b/c/g#s%23t"),
        ("g#", "http://a/b/c/g"),
        (" mailto:a@b ", "mailto:a@b"),
        ("mailto:a@b?subject=ü x", "mailto:a@b?subject=%C3%BC%20x"),
        ("sms:+49?body=ж%20", "sms:+49?body=%D0%B6%20"),
        ("g:h", "g:h"),
    ],
)
def test_resolve_keeps_fragments_and_foreign_schemes(reference: str, expected: str) -> None:
    assert resolve(RFC_1808_BASE, reference) == expected


def test_split_fragment() -> None:
    assert split_fragment("http://h/a#b#c") == ("http://h/a", "b#c")
    assert split_fragment("http://h/a") == ("http://h/a", "")


def test_location() -> None:
    assert location("HTTP://U:P@H:8080/a/b?c") == ("http", "h", "8080", "/a/b")
    assert location("https://h:443") == ("https", "h", "", "/")


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("", ""),
        ("/", "/"),
        ("/a/b/../..", "/"),
        ("/a/../../b/..", "/../"),
        ("/../..", "/../.."),
        ("/a/..;x", "/;x"),  # the parameters stand behind the path
        ("/a/...", "/a/..."),
        ("a/..", ""),
    ],
)
def test_remove_dot_segments(path: str, expected: str) -> None:
    assert remove_dot_segments(path) == expected


def rfc_1808_step_6(path: str) -> str:
    """Section 4, step 6 of RFC 1808 word by word: remove the leftmost match until there is none."""
    root, segments = path[:1], path[1:].split("/")
    segments = [part for part in segments[:-1] if part != "."] + segments[-1:]  # a)
    if segments[-1] == ".":  # b)
        segments[-1] = ""
    while True:
        for index, (part, following) in enumerate(pairwise(segments)):
            if part != ".." and following == "..":  # c), and d) at the end, which leaves the slash
                at_end = index + 2 == len(segments)
                segments[index : index + 2] = [""] if at_end else []
                break
        else:
            return root + "/".join(segments)


@given(st.lists(st.sampled_from(["", ".", "..", "a", "b."]), min_size=1, max_size=9))
def test_dot_segments_as_the_rfc_removes_them(segments: list[str]) -> None:
    path = "/" + "/".join(segments)
    assert remove_dot_segments(path) == rfc_1808_step_6(path)


# Pieces that URLs are made of, so that most strings have something of a URL.
ASCII_PIECES = r"http:// file: // / \ ? # @ : % %2 %2e .. . ; [ ] 80 h xn-- localhost & ' | ~"
OTHER_PIECES = ["é", "ß", "。", '"', " ", "\t", "\x00", "\u200d", "\ud800"]
PIECES = st.sampled_from(ASCII_PIECES.split(" ") + OTHER_PIECES)
URLS = st.one_of(st.text(), st.lists(PIECES).map("".join), st.lists(PIECES).map(lambda p: "http://h" + "".join(p)))
ENCODINGS = st.sampled_from(["utf-8", "windows-1252", "shift_jis", "iso-2022-jp", "gb18030", "big5", "koi8-r"])


@given(URLS, st.none() | URLS, ENCODINGS)
@example("http://h/?é日 \x1b", None, "iso-2022-jp")
@example("http://h/;/..;.", None, "utf-8")
def test_canonical_urls_are_ascii_and_stay_as_they_are(url: str, base: str | None, encoding: str) -> None:
    try:
        canonical = canonical_url(url, base, encoding=encoding)
    except InvalidURLError:
        return
    assert canonical.isascii()
    assert canonical.isprintable()
    assert not set(canonical) & set(' #"<>')
    assert safe_url_string(canonical) == canonical
    assert canonical_url(canonical) == canonical
    assert canonical_url(canonical, "http://other/", encoding="shift_jis") == canonical


@given(
    st.sampled_from(["http://a.example", "http://u:p@a.example/b;c/d;e?f#g", "file:///a/b", "http://a.example/é%41?é"]),
    st.text("a./~", max_size=6),
    st.text("a.~-", max_size=3),
)
@example("http://a.example/b;c/d;e?f#g", "", "a")
@example("http://a.example/", "//host/../b", "a")
def test_fragments_do_not_change_the_resolution(base: str, document: str, fragment: str) -> None:
    reference = f"{document}#{fragment}"
    assert _outcome(urls.resolve, base, reference) == _outcome(urls._resolved.__wrapped__, base, reference)


def _outcome(resolve: Callable[[str, str, str], str], base: str, reference: str) -> str | None:
    try:
        return resolve(base, reference, "utf-8")
    except InvalidURLError:
        return None


@given(URLS)
@example(". ?")
def test_resolving_again_changes_nothing(reference: str) -> None:
    try:
        resolved = resolve(RFC_1808_BASE, reference)
    except InvalidURLError:
        return
    assert resolve(RFC_1808_BASE, resolved) == resolved


@given(st.lists(st.text("ab=%41", max_size=4), min_size=1).map("&".join))
def test_the_query_is_never_reordered(query: str) -> None:
    assert canonical_url(f"http://h/?{query}") == (f"http://h/?{query}" if query else "http://h/")


def check(url: str, base: str | None, expected: str | type[Exception]) -> None:
    if isinstance(expected, str):
        assert canonical_url(url, base) == expected
    else:
        with pytest.raises(expected):
            canonical_url(url, base)


@pytest.mark.parametrize(
    ("url", "without"),
    [
        ("https://me:secret@h:8080/a?b", "https://h:8080/a?b"),
        ("https://me@h/", "https://h/"),
        ("https://me@you:secret@h/", "https://h/"),  # the last "@" ends the login
        ("https://h/", "https://h/"),
        ("https://h/a@b", "https://h/a@b"),
        ("https://h/?next=https://me:secret@i/", "https://h/?next=https://me:secret@i/"),  # another URL, as text
        ("file:///a@b", "file:///a@b"),
    ],
)
def test_logins(url: str, without: str) -> None:
    assert without_login(url) == without
    assert has_login(url) is (url != without)


@pytest.mark.parametrize("wrong", ["http://me:secret@[bad/", "http://me:sec/ret@:x/", "gopher://me:secret@host/"])
def test_messages_quote_no_login(wrong):
    with pytest.raises(InvalidURLError) as refused:
        canonical_url(wrong)
    assert "me:sec" not in str(refused.value)


@pytest.mark.parametrize("wrong", ["http://" + "@" * 300_000 + ":x", "http:" + "/" * 300_000, "http://h@[" * 30_000])
def test_the_work_grows_with_the_length_of_what_is_wrong(wrong: str) -> None:
    with pytest.raises(InvalidURLError):
        canonical_url(wrong)


def test_messages_are_not_as_long_as_what_is_wrong():
    with pytest.raises(InvalidURLError) as refused:
        canonical_url("gopher://" + "x" * 1_000_000)
    assert len(str(refused.value)) < 500


def test_long_references_are_not_remembered() -> None:
    """The data: URLs of a page may have megabytes."""
    reference = f"data:text/plain,{'x' * 10_000}"
    before = urls._resolved.cache_info().currsize
    assert urls.resolve("http://example.com/", reference) == reference
    assert urls._resolved.cache_info().currsize == before
