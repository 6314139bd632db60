"""Pages whose HTML lacks their content, and ordinary pages that resemble them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wcspider.web.documents.html_parsing import parse
from wcspider.web.documents.page_notices import LARGEST, Notice, notice_of

SCRIPT = "<script src=/static/main.js></script>"
PROSE = "<p>" + "The lighthouse was built in 1889 by the ferry company. " * 20

# document, notice
PAGES: list[tuple[str, Notice | None]] = [
    # create-react-app, Vue, Next.js, Nuxt, Angular
    (
        "<title>App</title><noscript>You need to enable JavaScript to run this app.</noscript>"
        f"<div id=root></div>{SCRIPT}",
        Notice.NEEDS_SCRIPTS,
    ),
    (
        "<noscript><strong>We're sorry but shop doesn't work properly without JavaScript enabled.</strong></noscript>"
        f"<div id=app></div>{SCRIPT}",
        Notice.NEEDS_SCRIPTS,
    ),
    (f"<title>Next</title><body><div id=__next></div>{SCRIPT}", Notice.APPLICATION),
    (f"<title>Nuxt</title><body><div id=__nuxt> </div>{SCRIPT}", Notice.APPLICATION),
    (f"<body><app-root></app-root>{SCRIPT}", Notice.APPLICATION),
    (f"<noscript>This page needs JavaScript. {PROSE}</noscript><div id=root></div>{SCRIPT}", Notice.NEEDS_SCRIPTS),
    (f"<p>Bitte aktivieren Sie JavaScript, um fortzufahren.{SCRIPT}", Notice.NEEDS_SCRIPTS),
    (f"<title>Loading</title><p>Loading...</p>{SCRIPT}", Notice.EMPTY),
    (f"<x-page><template>{PROSE}</template></x-page>{SCRIPT}", Notice.EMPTY),
    # Cloudflare, Imperva, DataDome
    (f"<title>Just a moment...</title><h1>example.com</h1>{SCRIPT}", Notice.CHALLENGE),
    ("<iframe src='/_Incapsula_Resource?SWUDNSAI=31&xinfo=1'></iframe>Request unsuccessful.", Notice.CHALLENGE),
    ("<title>shop.example</title><script src=https://ct.captcha-delivery.com/c.js></script>", Notice.CHALLENGE),
    # answers with status 200 that say that there is no page
    ("<title>404 Not Found</title><h1>Not Found</h1><p>nginx", Notice.ERROR),
    ("<title>My site</title><h1>Page not found</h1><p>Sorry.", Notice.ERROR),
    ("<h1>503 Service Unavailable</h1>No server is available to handle this request.", Notice.ERROR),
    (
        "<title>Before you continue</title><p>We use cookies and data.<form><button>Reject all</button>"
        "<button>Accept all</button></form>",
        Notice.CONSENT,
    ),
    *(
        (
            f"<title>Shop</title><p>We use cookies. Accept all cookies?<p><a class=b href={href}>{text}</a>",
            Notice.CONSENT,
        )
        for href, text in [
            ("?ok=1", "Accept all cookies"),
            ("#", "<span>Accept\n all</span> cookies"),
            ("javascript:accept()", "I accept"),
            ("/consent", "Yes, I agree"),
            ("/consent", "Accept and continue »"),
            ("/consent", "Allow the cookies"),
            ("/consent", "Alle Cookies akzeptieren"),
            ("/consent", "Tout accepter et fermer"),
            ("/consent", "J’accepte"),
            ("/consent", "Aceptar todas las cookies"),
            ("/consent", "Accetta tutti i cookie"),
        ]
    ),
    ("<a href='?ok=1'>Accept all cookies</a>", Notice.CONSENT),
    # pages that ask for consent, or seem to, with links that do not accept
    *(
        (f"<title>Shop</title><p>We use cookies. We value your privacy.<p>{link}", None)
        for link in [
            "<a href=/cookies>Cookie policy</a>",
            "<a href=/privacy>We value your privacy</a>",
            "<a href=/settings>Manage cookie consent</a>",
            "<a href=/settings>Consent</a>",
            "<a href=/help>How to accept all cookies</a>",
            "<a href=/help>Accept all cookies in Firefox</a>",
            "<a href='#accept'>Accept all cookies</a>",
            "<a name=accept>Accept all cookies</a>",
            "<template><a href='?ok=1'>Accept all cookies</a></template>",
            "<a href=/>Continue</a>",
            "<a href=/></a>",
        ]
    ),
    ("<h1>Terms</h1><p>These are our terms.<p><a href='?ok=1'>I accept</a>", None),  # no cookies
    (f"{PROSE}<p>We use cookies. <a href='?ok=1'>Accept all cookies</a>", None),
    # ordinary pages
    ("<p>hello", None),
    ("", None),
    (f"<title>Short</title><p>A short note about a lighthouse, with a counter of its visitors.{SCRIPT}", None),
    (f"<title>Picture</title><img src=a.png>{SCRIPT}", None),
    (f"<x-page><template shadowrootmode=open>{PROSE}</template></x-page>{SCRIPT}", None),
    (f"<div id=root>{PROSE}</div><noscript>Please enable JavaScript for comments.</noscript>{SCRIPT}", None),
    (f"<div id=root><img src=a.png></div>{SCRIPT}", None),
    (f"<title>Just a moment in time</title>{PROSE}", None),
    (f"<h1>404 ways to build a tower</h1>{PROSE}", None),
    (f"{PROSE}<form>We value your privacy <button>Accept all cookies</button></form>{SCRIPT}", None),
    (
        "<h1>Contact</h1><p>Write to us.<form><input></form><script src=https://www.google.com/recaptcha/api.js></script>",
        None,
    ),
    ("<h1>JavaScript</h1><p>A language that browsers run.", None),
]


@pytest.mark.parametrize(("document", "expected"), PAGES)
def test_notices(document: str, expected: Notice | None) -> None:
    assert notice_of(parse(document), document.encode()) is expected


@pytest.mark.parametrize("padding", ["<p>" + "words " * 5000, "<!--" + "x" * LARGEST + "-->"])
def test_long_pages_are_not_examined(padding: str) -> None:
    document = PAGES[0][0] + padding
    assert notice_of(parse(document), document.encode()) is None


@given(st.text(alphabet="<>/ abdinoprstv=\"'&#\n"))
def test_any_document_is_examined(text: str) -> None:
    assert notice_of(parse(text), text.encode()) in (None, *Notice)
