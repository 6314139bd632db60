"""The fields of a page's forms, as engines report them: their kind and their values, without their appearance."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

FIELD, OPTION = "WCSP_Field", "WCSP_Option"
"""The entries of a widget annotation in a rendering that hold the index of its field and of its option."""


class FieldKind(StrEnum):
    """The kinds of fields (12.7.4)."""

    TEXT = "text"
    CHECKBOX = "checkbox"
    RADIO = "radio"
    CHOICE = "choice"
    BUTTON = "button"


@dataclass(frozen=True, slots=True)
class Option:
    """One choice of a field: an OPTION, a check box or a radio button."""

    value: str
    """The value to submit."""

    label: str = ""
    is_chosen: bool = False


@dataclass(frozen=True, slots=True)
class Submission:
    """The target of a form (12.7.5.2)."""

    url: str
    """An absolute URL without a fragment."""

    is_get: bool = True


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a form."""

    kind: FieldKind
    name: str = ""
    """The name in the page; empty for a field that is not submitted."""

    form: int | None = None
    """The index of its form in the page, from 0."""

    value: str = ""
    """The initial value of a text field; the caption of a button."""

    options: tuple[Option, ...] = ()
    is_disabled: bool = False
    """Whether it can neither be changed nor submitted."""

    is_read_only: bool = False
    is_required: bool = False
    is_hidden: bool = False
    """Whether it is submitted but not shown."""

    is_multiline: bool = False
    is_password: bool = False
    is_list: bool = False
    """Whether it is a list box, which shows several options at once."""

    first_shown: int = 0
    """The index of the option at the top of a list box, at first."""

    takes_several: bool = False
    """Whether several options can be chosen."""

    max_length: int | None = None
    submission: Submission | None = None
    """The target of a button that submits its form."""

    resets: bool = False
    """Whether it is a button that resets its form."""

    sends: int | None = None
    """The index, among the fields of the page, of the hidden field that a button submits with its form."""

    title: str = ""
    """The label or the hint that the page shows for it."""
