"""The engines, by product name and media type."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.util import find_spec

from wcspider.engines.base import SVG, Engine, Rendering, RenderTask, Step
from wcspider.exceptions import ArgumentError

ENGINES = {
    "plutobook": "wcspider.engines.plutobook.engine.PlutoBookEngine",
    "xhtml2pdf": "wcspider.engines.xhtml2pdf.engine.Xhtml2PdfEngine",
}
"""The engines that users can choose for HTML, by product name."""

AUTOMATIC = "auto"
"""The choice of `PREFERRED` where it is installed, and of `SIMPLER` elsewhere."""

CHOICES = (AUTOMATIC, *sorted(ENGINES))
PREFERRED, SIMPLER = "plutobook", "xhtml2pdf"
_PACKAGES = {"plutobook": "plutoprint"}
"""The packages of engines that are not available on every platform."""

_TEXT = "wcspider.engines.plain.text_engine.TextEngine"
_IMAGE = "wcspider.engines.plain.image_engine.ImageEngine"
_HTML = ("text/html", "application/xhtml+xml")


def prepare() -> None:
    """Make the folder that the workers share, in the process that starts them. It is removed when this process ends."""
    if is_installed(PREFERRED):
        import_module("wcspider.engines.text.font_folder").share()


def product(name: str) -> str:
    """Return the product name of the engine that a user has chosen.

    Raises `ArgumentError` for a name that is not in `CHOICES`, and for an engine that is not installed.
    """
    if name == AUTOMATIC:
        return PREFERRED if is_installed(PREFERRED) else SIMPLER
    if name not in ENGINES:
        raise ArgumentError(f"unknown engine {name!r}", f"the engines are: {', '.join(CHOICES)}")
    if not is_installed(name):
        raise ArgumentError(
            f"the engine {name!r} is not installed", f"install the package {_PACKAGES[name]}, or choose {SIMPLER!r}"
        )
    return name


def is_installed(name: str) -> bool:
    """Tell whether an engine can be used: some have packages for some platforms only."""
    return name in ENGINES and (name not in _PACKAGES or find_spec(_PACKAGES[name]) is not None)


def engine_for(name: str, media_type: str, step: Step = Step.FULL) -> Engine | None:
    """Return the engine for a resource of `media_type` where the user has chosen `name` for HTML.

    None for a type that no engine converts. Raises `ArgumentError` as `product` does.
    """
    chosen = product(name)
    if media_type in _HTML:
        paths = {Step.TEXT_ONLY: _TEXT, Step.SIMPLER_ENGINE: ENGINES[SIMPLER]}
        return _engine(paths.get(step, ENGINES[chosen]))
    if media_type == "text/plain":
        return _engine(_TEXT)
    if media_type == SVG and chosen == PREFERRED and step < Step.SIMPLER_ENGINE:
        return _engine(ENGINES[chosen])
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
