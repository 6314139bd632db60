"""Pages whose HTML lacks their content: applications that need scripts, consent walls, bot challenges, error pages.

Servers send such pages with status 200, so only the document tells. All rules apply to short documents only: a long
page is kept without a notice, whatever words it contains.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import StrEnum
from typing import Any, Final

from lxml import etree

from wcspider.web.charset import decode
from wcspider.web.documents.html import Document, is_shadow_root
from wcspider.web.styles.alternative_images import tag_name

_UNREAD: Final = frozenset({"script", "style", "template", "noscript", "head"})
_CONTENT: Final = frozenset(
    {"img", "svg", "object", "embed", "video", "audio", "frame", "iframe", "canvas", "input", "select", "textarea"}
)
"""Elements that are content without text."""

SHORT: Final = 150
"""The number of words below which a page may be a challenge, an error page or a consent wall."""

SPARSE: Final = 50
"""The number of words below which a page with scripts may need them for its content."""

EMPTY: Final = 10
"""The number of words below which a page with scripts, but without images or fields, has almost no content."""

LARGEST: Final = 1024 * 1024
"""The size of the largest page that is examined, in bytes; its tree takes about fifty times as much memory."""

_READ: Final = 20_000
"""The number of characters that are examined: more than `SHORT` words have."""

_CHALLENGE_TITLE: Final = re.compile(
    r"just a moment|attention required! \| cloudflare|checking your browser|ddos-guard|one moment, please"
    r"|are you (?:a )?(?:human|robot)|verif(?:y|ying) (?:that )?you are (?:a )?human|security check(?:point)?\b"
    r"|pardon our interruption|client challenge|bot (?:check|verification)|human verification",
    re.IGNORECASE,
)
_CHALLENGE_URL: Final = re.compile(
    r"/cdn-cgi/challenge-platform/|challenges\.cloudflare\.com|_incapsula_resource|captcha-delivery\.com|/px-captcha"
    r"|awswaf\.com|ddos-guard/|hcaptcha\.com|/recaptcha/",
    re.IGNORECASE,
)
_ERROR_TITLE: Final = re.compile(
    r"^\W*(?:(?:http )?(?:error )?(?:403|404|410|429|500|502|503|504)\b|(?:page|file|document) not found\b|not found\b"
    r"|access denied\b|forbidden\b|(?:internal )?server error\b|bad gateway\b|service (?:temporarily )?unavailable\b"
    r"|gateway time-?out\b|too many requests\b)",
    re.IGNORECASE,
)
_NEEDS_SCRIPTS: Final = re.compile(
    r"\b(?:enable|activate|turn on|requires?|needs?|without|aktivieren\w*|activer|activez|activar|active)\b.{0,40}"
    r"\bjava ?script|\bjava ?script\b.{0,40}"
    r"(?:\b(?:required|disabled|enabled|turned off|aktivieren|aktiviert|activé|activado|needed)\b)",
    re.IGNORECASE | re.DOTALL,
)
_CONSENT: Final = re.compile(
    r"before you continue|we value your privacy|(?:accept|allow|agree to) (?:all )?cookies|cookie consent"
    r"|accept all\b|alle (?:cookies )?akzeptieren|tout accepter|aceptar todo|accetta tutt[oi]",
    re.IGNORECASE,
)
_PRIVACY: Final = re.compile(
    r"cookie|consent|privacy|datenschutz|einwilligung|confidentialit|privacidad", re.IGNORECASE
)
_ACCEPTING: Final = re.compile(
    r"\W*(?:yes\W+)?(?:(?:i )?(?:accept|agree|allow)|i consent)(?: to)?"
    r"(?: all| the| these| our| optional)*(?: cookies)?(?: (?:and|&) (?:continue|close|proceed|go on|enter))?\W*"
    r"|\W*(?:alle )?(?:cookies )?(?:akzeptieren|zulassen|zustimmen)(?: und (?:weiter|fortfahren|schließen))?\W*"
    r"|\W*(?:einverstanden|ich stimme zu|ich akzeptiere)(?: alle)?(?: cookies)?\W*"
    r"|\W*(?:tout accepter|(?:j['\u2019]accepte|accepter)(?: tou[ts])?(?: les)?(?: cookies)?)"
    r"(?: et (?:continuer|fermer))?\W*"
    r"|\W*(?:aceptar|acepto)(?: tod[oa]s?)?(?: l[oa]s)?(?: cookies)?(?: y (?:continuar|cerrar))?\W*"
    r"|\W*(?:accetta|accetto)(?: tutt[oi])?(?: i)?(?: cookies?)?(?: e (?:continua|chiudi))?\W*",
    re.IGNORECASE,
)
"""The whole text of a link by which a reader accepts cookies, unlike a link to a page about them."""

_APPLICATION_ROOTS: Final = frozenset(
    {"root", "app", "__next", "__nuxt", "___gatsby", "react-root", "app-root", "main-app"}
)


class Notice(StrEnum):
    """A reason for which the content of a page may be missing. `NOTHING` is found without a document."""

    NOTHING = "empty answer"
    CHALLENGE = "a bot challenge, in the place of the page"
    ERROR = "an error page with status 200"
    NEEDS_SCRIPTS = "asks for JavaScript: the content needs scripts"
    APPLICATION = "an empty application: the content needs scripts"
    CONSENT = "a consent wall, in the place of the page"
    EMPTY = "almost no text: the content may need scripts"


def notice_of(document: Document, body: bytes) -> Notice | None:
    """Return the reason for which the content of a page may be missing; None for an ordinary page."""
    if len(body) > LARGEST or sum(map(len, document.text_pieces)) > _READ or _is_long(document):
        return None
    return _notice_of(_Tree(body, document.encoding))


def _is_long(document: Document) -> bool:
    """Tell whether the text of a page is certainly not short, so that no tree of the page is needed.

    The text of the document includes its title and NOSCRIPT elements, which a reader with scripts does not see, and
    joins words at tags.
    """
    return not document.has_noscript and len(document.text.split()) - len(document.title.split()) > SHORT


class _Tree:
    """The tree of a short page."""

    def __init__(self, body: bytes, encoding: str) -> None:
        data = decode(body, encoding).replace("\0", "").encode("utf-8", "replace")
        try:
            root = etree.fromstring(data, etree.HTMLParser(encoding="utf-8", huge_tree=True))
        except etree.LxmlError:  # there is no element
            root = None
        elements = [] if root is None else root.iter(etree.Element)
        self._elements = [(tag_name(element), element) for element in elements]

    def elements(self, skip: frozenset[str] = frozenset()) -> Iterator[tuple[str, Any]]:
        """Yield each element with its name, in document order, without those in elements named in `skip`."""
        hidden = {
            below
            for name, element in self._elements
            if name in skip and not is_shadow_root(name, element.attrib)
            for below in element.iter()
        }
        return (pair for pair in self._elements if pair[1] not in hidden)

    def title(self) -> str:
        """Return the text of the first TITLE, with white space folded; "" without one."""
        titles = (_text(element) for name, element in self._elements if name == "title")
        return " ".join(next(titles, "").split())


def _notice_of(document: _Tree) -> Notice | None:
    """Return the notice for a short page."""
    text = _visible_text(document)
    words = len(text.split())
    if words >= SHORT:
        return None
    names = {name for name, _ in document.elements()}
    if _is_challenge(document):
        return Notice.CHALLENGE
    if _is_error(document):
        return Notice.ERROR
    if words < SPARSE and (notice := _script_notice(document, text, names)) is not None:
        return notice
    if _asks_for_consent(f"{document.title()} {text}") and _can_accept(document, names):
        return Notice.CONSENT
    if words < EMPTY and "script" in names and names.isdisjoint(_CONTENT):
        return Notice.EMPTY
    return None


def _visible_text(document: _Tree) -> str:
    """Return the beginning of the text that a reader without scripts sees, except in NOSCRIPT."""
    found: list[str] = []
    length = 0
    for _, element in document.elements(_UNREAD):
        pieces = [element.text or "", *(child.tail or "" for child in element)]
        found += pieces
        length += sum(map(len, pieces))
        if length > _READ:
            break
    return " ".join(" ".join(found).split())


def _is_challenge(document: _Tree) -> bool:
    if _CHALLENGE_TITLE.search(document.title()):
        return True
    sources = (element.get("src") or "" for name, element in document.elements() if name in ("script", "iframe"))
    own = any(_CHALLENGE_URL.search(source) for source in sources)
    return own and not any(name in ("p", "article", "main", "ul") for name, _ in document.elements())


def _asks_for_consent(text: str) -> bool:
    return _CONSENT.search(text) is not None and _PRIVACY.search(text) is not None


def _can_accept(document: _Tree, names: set[str]) -> bool:
    """Tell whether a page has a button, a form, or a link that accepts cookies."""
    if not names.isdisjoint({"button", "form"}):
        return True
    links = (element for name, element in document.elements(_UNREAD) if name == "a" and _leads_on(element.get("href")))
    return any(_ACCEPTING.fullmatch(" ".join(_text(link).split())) for link in links)


def _leads_on(href: str | None) -> bool:
    """Tell whether a link leads to another state than that of the page: a section of the page is none."""
    return href is not None and (href.strip() == "#" or not href.strip().startswith("#"))


def _is_error(document: _Tree) -> bool:
    headings = (_text(element) for name, element in document.elements() if name == "h1")
    return any(_ERROR_TITLE.search(text.strip()) for text in (document.title(), next(headings, "")))


def _script_notice(document: _Tree, text: str, names: set[str]) -> Notice | None:
    notes = [_text(element) for name, element in document.elements() if name == "noscript"]
    if "script" in names and any(map(_NEEDS_SCRIPTS.search, [text, *notes])):
        return Notice.NEEDS_SCRIPTS
    if "script" in names and any(_is_empty_root(element) for _, element in document.elements()):
        return Notice.APPLICATION
    return None


def _is_empty_root(element: Any) -> bool:
    is_root = element.get("id") in _APPLICATION_ROOTS or element.tag == "app-root"
    return is_root and len(element) == 0 and not (element.text or "").strip()


def _text(element: Any) -> str:
    return "".join(element.itertext())[:_READ]
