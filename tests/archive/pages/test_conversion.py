"""The conversion of a source into a fragment."""

from __future__ import annotations

import pytest

from tests.support.rendered_pages import Step, task
from wcspider.archive.pages.conversion import Conversion, convert
from wcspider.engines.registry import CHOICES, product
from wcspider.exceptions import EngineError

HIDDEN = "<style>* { display: none !important }</style><title>t</title><p>Text that a script would show."
NO_PAGES = "the layout has no pages"


def result(engine: str, step: Step) -> int | str:
    """Return the number of pages of a conversion, or its error."""
    try:
        return len(convert(Conversion(task(HIDDEN, step=step), engine)).unpacked().pages)
    except EngineError as error:
        return error.problem


@pytest.mark.parametrize("engine", sorted({product(name) for name in CHOICES}))
def test_a_layout_without_pages_is_an_error_so_the_next_step_follows(engine: str) -> None:
    """A page set without pages would lose the text of the page without a message."""
    assert result(engine, Step.FULL) in (1, NO_PAGES)
    assert result(engine, Step.NO_AUTHOR_STYLES) == 1
