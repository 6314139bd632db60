"""The check of a file against the rules of Web Capture (14.10).

The file is read as it is. Only damage that prevents reading is repaired, and reported. An object of the wrong type is a
finding, not an exception.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import pikepdf

from wcspider.archive.check.findings import Finding, Rule, Severity
from wcspider.archive.check.reading.checked_document import Document
from wcspider.archive.check.reading.opening import CheckedFile, opened
from wcspider.archive.check.rules.command_rules import check_commands, check_info
from wcspider.archive.check.rules.content_set_rules import check_content_sets
from wcspider.archive.check.rules.form_rules import check_forms
from wcspider.archive.check.rules.member_rules import check_members
from wcspider.archive.check.rules.name_tree_rules import check_database
from wcspider.archive.check.rules.setting_rules import check_settings
from wcspider.archive.check.rules.state_rules import check_earlier_states
from wcspider.pdf.file.base_file import head

__all__ = ["Finding", "Rule", "Severity", "check", "check_file", "has_web_capture", "opened"]


def check_file(path: Path | str) -> Iterator[Finding]:
    """Yield a finding for each place in a file that breaks a rule of 14.10; nothing for a file without Web Capture.

    Raises a `TargetError` if the file is missing, encrypted, damaged beyond repair, or not a PDF file.
    """
    with opened(Path(path)) as file:
        if not head(Path(path)).startswith(b"%PDF-"):
            yield Rule.HEADER.broken("file", "there are bytes before the PDF header, so nothing can be added to it")
        document = Document(file)
        yield from _findings(document)
        yield from check_earlier_states(document, Path(path))
        if file.find_damage():
            yield Rule.STRUCTURE.broken("file", file.damage)


def check(pdf: pikepdf.Pdf) -> Iterator[Finding]:
    """Yield a finding for each place in an open file that breaks a rule of 14.10.

    Open it with ``inherit_page_attributes=False``, as `opened` does: otherwise qpdf corrects the page tree.
    """
    return _findings(Document(CheckedFile(pdf)))


def _findings(document: Document) -> Iterator[Finding]:
    if not document.has_web_capture:
        return iter(())
    return chain(
        check_info(document),
        document.page_tree.findings,
        check_database(document),
        check_content_sets(document),
        check_commands(document),
        check_settings(document),
        check_members(document),
        check_forms(document),
    )


def has_web_capture(pdf: pikepdf.Pdf) -> bool:
    """Return whether a file has an information dictionary or a content database (14.10.1)."""
    return Document(CheckedFile(pdf)).has_web_capture
