"""The engines, by product name and media type."""

from __future__ import annotations

from functools import cache
from importlib import import_module

from wcspider.engines.base import Engine, Rendering, RenderTask, Step
from wcspider.exceptions import ArgumentError

ENGINES = {
    "xhtml2pdf": "wcspider.engines.xhtml2pdf.engine.Xhtml2PdfEngine",
}
"""The engines that users can choose for HTML, by product name."""

_TEXT = "wcspider.engines.plain.text_engine.TextEngine"
_IMAGE = "wcspider.engines.plain.image_engine.ImageEngine"
_HTML = ("text/html", "application/xhtml+xml")


def engine_for(name: str, media_type: str, step: Step = Step.FULL) -> Engine | None:
    """Return the engine for a media type, or None if no engine converts it; `name` is the user's choice for HTML.

    Raise `ArgumentError` if `name` is not in `ENGINES`.
    """
    if name not in ENGINES:
        raise ArgumentError(f"unknown engine {name!r}", f"the engines are: {', '.join(sorted(ENGINES))}")
    if media_type in _HTML:
        return _engine(_TEXT if step is Step.TEXT_ONLY else ENGINES[name])
    if media_type == "text/plain":
        return _engine(_TEXT)
    return _engine(_IMAGE) if media_type.startswith("image/") else None


def render(name: str, task: RenderTask) -> Rendering:
    """Convert `task` with the engine for its media type; `name` is the user's choice for HTML.

    A function at module level, so that it can be pickled for a worker process.
    """
    engine = engine_for(name, task.media_type, task.step)
    if engine is None:
        raise ArgumentError(f"{task.url}: no engine converts {task.media_type}")
    return engine.render(task)


@cache
def _engine(path: str) -> Engine:
    # Imported by name, so that only the workers load the libraries of the engines.
    module, _, attribute = path.rpartition(".")
    engine = getattr(import_module(module), attribute)()
    assert isinstance(engine, Engine)
    return engine
