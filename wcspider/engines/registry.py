"""Which engine converts what."""

from __future__ import annotations

from functools import cache
from importlib import import_module

from wcspider.engines.base import Engine, Rendering, RenderTask, Step
from wcspider.exceptions import ArgumentError

ENGINES = {
    "plutobook": "wcspider.engines.plutobook.engine.PlutoBookEngine",
    "xhtml2pdf": "wcspider.engines.xhtml2pdf.engine.Xhtml2PdfEngine",
}
"""The engines that a user may choose for HTML, by product name."""

_TEXT = "wcspider.engines.plain.text_engine.TextEngine"
_IMAGE = "wcspider.engines.plain.image_engine.ImageEngine"
_HTML = ("text/html", "application/xhtml+xml")


def prepare(name: str) -> None:
    """Make what the workers of an engine share, in the process that starts them and removes it at its end."""
    if name == "plutobook":
        import_module("wcspider.engines.text.font_folder").share()


def engine_for(name: str, media_type: str, step: Step = Step.FULL) -> Engine | None:
    """The engine for a resource of `media_type` where the user has chosen `name` for HTML.

    None for a type that no engine converts. Raises `ArgumentError` for a name that is not in `ENGINES`.
    """
    if name not in ENGINES:
        raise ArgumentError(f"there is no engine {name!r}", f"the engines are: {', '.join(sorted(ENGINES))}")
    if media_type in _HTML:
        return _engine(_TEXT if step is Step.TEXT_ONLY else ENGINES[name])
    if media_type == "text/plain":
        return _engine(_TEXT)
    return _engine(_IMAGE) if media_type.startswith("image/") else None


def render(name: str, task: RenderTask) -> Rendering:
    """Convert `task` with the engine for it; at the top level, so that a worker process can be told to call it."""
    engine = engine_for(name, task.media_type, task.step)
    if engine is None:
        raise ArgumentError(f"{task.url}: no engine converts {task.media_type}")
    return engine.render(task)


@cache
def _engine(path: str) -> Engine:
    # By name, so that the engines' libraries are loaded in the workers only.
    module, _, attribute = path.rpartition(".")
    engine = getattr(import_module(module), attribute)()
    assert isinstance(engine, Engine)
    return engine
