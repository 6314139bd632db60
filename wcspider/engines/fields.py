"""The fields of a page's forms, as an engine tells them: what they are, not how they look."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

FIELD, OPTION = "WCSP_Field", "WCSP_Option"
"""The entries by which a widget annotation of a rendering says which field, and which option of it, it shows."""


class FieldKind(StrEnum):
    """What a field is (12.7.4)."""

    TEXT = "text"
    CHECKBOX = "checkbox"
    RADIO = "radio"
    CHOICE = "choice"
    BUTTON = "button"


@dataclass(frozen=True, slots=True)
class Option:
    """One of the things that a field lets its reader choose: an OPTION, a check box, a radio button."""

    value: str
    """What is sent."""

    label: str = ""
    is_chosen: bool = False


@dataclass(frozen=True, slots=True)
class Submission:
    """Where a form is sent to (12.7.5.2)."""

    url: str
    """Absolute, without a fragment."""

    is_get: bool = True


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a form."""

    kind: FieldKind
    name: str = ""
    """As the page has it; empty for one that is not sent."""

    form: int | None = None
    """Which form of the page it belongs to, from 0."""

    value: str = ""
    """What a text field holds at first; what a button says."""

    options: tuple[Option, ...] = ()
    is_disabled: bool = False
    """It can neither be changed nor is it sent."""

    is_read_only: bool = False
    is_required: bool = False
    is_hidden: bool = False
    """It is sent and not shown."""

    is_multiline: bool = False
    is_password: bool = False
    is_list: bool = False
    """Its options are seen at once."""

    first_shown: int = 0
    """The option that a list begins with, at first."""

    takes_several: bool = False
    """Several of its options can be chosen."""

    max_length: int | None = None
    submission: Submission | None = None
    """What a button does: it sends its form."""

    resets: bool = False
    """What a button does: it puts its form back to what it was."""

    sends: int | None = None
    """The hidden field that a button sends along with its form, by its place among the fields of the page."""

    title: str = ""
    """What tells a reader what to fill in."""
