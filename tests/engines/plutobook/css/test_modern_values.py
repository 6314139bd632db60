"""Values that PlutoBook does not know, in words that it knows."""

from __future__ import annotations

import pytest
import tinycss2

from wcspider.engines.plutobook.css.modern_values import plain_values


def plain(text: str) -> str:
    """The declarations as they are written."""
    declarations = [node for node in tinycss2.parse_blocks_contents(text) if node.type == "declaration"]
    found = plain_values(declarations)
    return "; ".join(f"{d.name}: {tinycss2.serialize(d.value).strip()}{' !' * d.important}" for d in found)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("align-items: end", "align-items: flex-end"),
        ("justify-content: safe center", "justify-content: center"),
        ("align-items: last baseline !important", "align-items: baseline !"),
        ("align-items: normal", "align-items: stretch; align-items: normal"),
        ("justify-content: NORMAL !important", "justify-content: flex-start !; justify-content: normal !"),
        (
            "place-content: normal stretch",
            "align-content: stretch; align-content: normal; justify-content: flex-start; justify-content: stretch",
        ),
        ("place-items: center", "align-items: center; justify-items: center"),
        ("place-content: start end", "align-content: flex-start; justify-content: flex-end"),
        ("grid-gap: 4px", "grid-gap: 4px; gap: 4px"),
        ("height: 50dvh", "height: 50vh"),
        ("padding: 1svw 2lvh", "padding: 1vw 2vh"),
        ("height: calc(100vh - 20px)", "height: calc(100vh - 20px)"),
        ("width: calc(100% - 170px)", "width: calc(100% - 170px)"),
        ("width: calc(50% - 900px)", ""),
        ("width: 25%", "width: 24.99975%"),
        ("inline-size: 66.66666667% !important", "width: 66.666% !"),
        ("width: 100%; height: 25%; max-width: 25%", "width: 100%; height: 25%; max-width: 25%"),
        ("flex: 1 calc(100% + 1s)", ""),
        ("width: min(100%, 300px)", "max-width: calc(300px); width: calc(100%)"),
        ("width: min(60rem, 100% - 85px) !important", "max-width: calc(60rem) !; width: calc(100% - 85px) !"),
        ("flex-basis: min(100%, 300px)", "flex-basis: calc(100%)"),
        ("width: min(100%, 300px, 2em)", "width: min(100%, 300px, 2em)"),
        ("max-width: min(100%, 300px)", "max-width: calc(300px)"),
        ("left: calc(50% - 8px)", "left: 50%; margin-left: calc(0px - 8px)"),
        (
            "inset-block-start: calc(100% + (var(--a) - 1px) / 2) !important",
            "inset-block-start: 100% !; margin-block-start: calc(0px + (var(--a) - 1px) / 2) !",
        ),
        ("top: calc((100% + 4px) / -2)", "top: calc((100% + 4px) / -2)"),
        ("top: max(50%, 8px)", "top: max(50%, 8px)"),
        ("right: calc(50% - 2%)", "right: 48%"),
        ("left: calc(1em + var(--x) - 50%)", "left: -50%; margin-left: calc(1em + var(--x))"),
        ("width: calc(50% - var(--x))", "width: calc(50% - var(--x))"),
        ("line-height: calc(1.75 / 1.25)", "line-height: calc(1.75 / 1.25)"),
        ("--Leading: calc(3 / 2)", "--Leading: calc(3 / 2)"),
        ("border-radius: calc(infinity * 1px) 2px", "border-radius: 9999px 2px"),
        ("border-radius: 3.40282e38px 2px", "border-radius: 9999px 2px"),
        ("border-radius: 33554400px", "border-radius: 9999px"),
        ("text-decoration: underline wavy red 2px", "text-decoration: underline wavy red"),
        ("text-decoration: from-font underline calc(1em / 8)", "text-decoration: underline"),
        ("text-decoration: none", "text-decoration: none"),
        ("clip-path: circle()", "clip-path: circle(); border-radius: 50%"),
        ("clip-path: circle(50% at center)", "clip-path: circle(50% at center); border-radius: 50%"),
        ("clip-path: ellipse(50% 50% at 50% 50%)", "clip-path: ellipse(50% 50% at 50% 50%); border-radius: 50%"),
        ("clip-path: inset(0 round 1em 2em)", "clip-path: inset(0 round 1em 2em); border-radius: 1em 2em"),
        ("clip-path: circle(20px)", "clip-path: circle(20px)"),
        ("clip-path: inset(5px round 1em)", "clip-path: inset(5px round 1em)"),
        ("scale: 2; translate: 4px; rotate: 1deg", "transform: translate(4px) rotate(1deg) scale(2)"),
        ("transform: skew(1deg); color: red; scale: 2 !important", "color: red; transform: scale(2) skew(1deg) !"),
        ("translate: none; rotate: none", "transform: none"),
        ("--X: calc(calc(1 / 2 * 100%) * -1) !important", "--X: -50% !"),
        ("--X: calc(1 / 2 * (100% + 1px))", "--X: calc(1 / 2 * (100% + 1px))"),
        ("left: calc(1/4*100%); width: calc(1/4*100%)", "left: 25%; width: 24.99975%"),
        ("translate: calc(100% * .5)var(--y)", "transform: translate(50%, var(--y))"),
        (
            "translate: -50% calc(1px - 50%); scale: 1",
            "transform: translate(-50%, -50%) translate(0px, calc(1px)) scale(1)",
        ),
        ("display: block flex", "display: flex"),
        ("display: grid inline !important", "display: inline-grid !"),
        ("display: inline flow-root", "display: inline-block"),
        ("display: block flow-root", "display: flow-root"),
        ("display: flow", "display: block"),
        ("display: inline flow", "display: inline"),
        ("display: block table; display: inline table", "display: table; display: inline-table"),
        ("display: flow-root list-item", "display: list-item"),
        ("display: inline-flex", "display: inline-flex"),
        ("display: block ruby", "display: block ruby"),
        ("display: var(--a) flex", "display: var(--a) flex"),
        ("background-image: -webkit-image-set('a\"b.png' 1x, url(c.png) 2x)", 'background-image: url("a\\"b.png")'),
        ("background: image-set(url(c.png) 2x, 'a.png' 1x) top", 'background: url("a.png") top'),
        ("isolation: isolate", "z-index: 0"),
        ("isolation: auto", "z-index: auto"),
        ("translate: -50% 2px", "transform: translate(-50%, 2px)"),
        ("rotate: 45deg; scale: 2", "transform: rotate(45deg) scale(2)"),
        ("translate: none", "transform: none"),
        ("translate: 1px 2px 3px; scale: 1 2 3", "transform: translate(1px, 2px) scale(1, 2)"),
        ("rotate: z 45deg; rotate: 0 0 1 4deg", "transform: rotate(45deg); transform: rotate(4deg)"),
        ("rotate: y 180deg", "transform: none"),
        ("transform: translate3d(-50%, calc(1px + 2px), 0)", "transform: translate(-50%, calc(1px + 2px))"),
        ("transform: translateY(calc(-100% - 9px))", "transform: translatey(-100%) translatey(calc(0px - 9px))"),
        (
            "transform: translate(calc(var(--x) - 50%), -50%) scale(2)",
            "transform: translate(-50%, -50%) translate(calc(var(--x)), 0px) scale(2)",
        ),
        ("transform: translate3d(calc(2em + 5%), 1px, 0)", "transform: translate(5%, 1px) translate(calc(2em), 0px)"),
        ("transform: translate(calc(-1 * 50%))", "transform: translate(calc(-1 * 50%))"),
        ("transform: translateX(1px) translateZ(0)", "transform: translateX(1px)"),
        (
            "transform: translate3d(var(--x, 1px), 0, 0) scale3d(1, 2, 1)",
            "transform: translate(var(--x, 1px), 0) scale(1, 2)",
        ),
        ("transform: rotateZ(4deg) rotate3d(0, 0, 1, 5deg)", "transform: rotate(4deg) rotate(5deg)"),
        ("transform: perspective(9px) rotateY(180deg) !important", "transform: none !"),
        # Names and values with a prefix.
        (
            "-webkit-justify-content: start; -webkit-transform: rotatez(1deg)",
            "justify-content: flex-start; transform: rotate(1deg)",
        ),
        ("width: -webkit-fit-content; height: -webkit-Max-content", "width: fit-content; height: max-content"),
        ("transform: rotate(0)", "transform: rotate(0deg)"),
        ("transform: translate(-50%, 2px) rotateZ(0)", "transform: translate(-50%, 2px) rotate(0deg)"),
        ("transform: skew(10deg, 0) SKEWX( 0 )", "transform: skew(10deg, 0deg) skewx(0deg)"),
        ("transform: rotate(10deg) scale(0)", "transform: rotate(10deg) scale(0)"),
        ("transform: matrix3d(1, 2, 0, 0, 3, 4, 0, 0, 0, 0, 1, 0, 5, 6, 0, 1)", "transform: matrix(1, 2, 3, 4, 5, 6)"),
        ("transform: matrix3d(1)", "transform: matrix(1)"),
        ("transform: scaleX(2) var(--z)", "transform: scaleX(2) var(--z)"),
        ("margin-left: calc(50% - 50vw)", "margin-left: calc(50% - 50vw)"),
        ("margin-left: calc(100% + 8px)", ""),
        ("margin-left: calc(50% - var(--x))", "margin-left: calc(50% - var(--x))"),
        ("padding: calc(env(safe-area-inset-left, max(1px, 2px)) + 4px)", "padding: calc(0px + 4px)"),
        ("--bottom: env(safe-area-inset-bottom)", "--bottom: 0px"),
        ("top: env(titlebar-area-y, 9px)", "top: env(titlebar-area-y, 9px)"),
        ("text-align: -webkit-center", "text-align: center"),
        ("text-align: -moz-right !important", "text-align: right !"),
        ("text-align: -webkit-match-parent", "text-align: -webkit-match-parent"),
        ("--gap: calc(100% - 1px)", "--gap: calc(100% - 1px)"),
        ("color: red", "color: red"),
        ("overflow-wrap: break-word; word-wrap: anywhere; word-break: break-word", ""),
        ("word-break: break-all", "word-break: break-all"),
        ("place-items:", ""),
    ],
)
def test_what_is_written(written: str, expected: str) -> None:
    assert plain(written) == expected
