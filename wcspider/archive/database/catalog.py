"""The catalog of a file: name trees, page tree, SpiderInfo, and the properties of the document."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from types import MappingProxyType
from typing import Any

import pikepdf

from wcspider.exceptions import TargetDamagedError
from wcspider.pdf.file.name_tree import Entry, NameTree
from wcspider.pdf.file.page_labels import Range, as_pdf, decimal_from, is_plain, read_ranges
from wcspider.pdf.file.page_tree import PageTree
from wcspider.pdf.file.revision import RevisionFile
from wcspider.pdf.objects import Name, Ref, Resolve, Stream, Value, write
from wcspider.pdf.values import date_string, read_reference, read_text, text_string
from wcspider.pdf.webcapture.commands import WebCaptureInfo
from wcspider.pdf.webcapture.run_records import Run
from wcspider.pdf.xmp import updated_xmp
from wcspider.version import VERSION

PRODUCER = "wcspider"
HISTORY = "WCSP_History"
"""The second-class entry for the records of the runs."""

CONTENTS = "WCSP_Contents"
"""The second-class entry for the node of the contents section."""


class Catalog:
    """The document catalog (7.7.2) and what it refers to. Missing parts are created when they are needed."""

    def __init__(self, file: RevisionFile, *, is_new: bool | None = None) -> None:
        """Use the catalog of a file, and create it if there is none.

        `is_new` tells whether the present run has begun the file. By default, a file without a catalog is new. A
        resumed run has to pass the value, because its file has a catalog already.
        """
        self.file = file
        self.is_new = file.root is None if is_new is None else is_new
        if file.root is None:
            tree = PageTree.create(file)
            file.root = file.add({"Type": Name("Catalog"), "Pages": tree.root})
        pages = file.dictionary(file.root).get("Pages")
        if not isinstance(pages, Ref) or not isinstance(file.resolve(file.dictionary(pages).get("Kids")), list):
            raise TargetDamagedError.of(file.path, "its catalog has no page tree")
        self.pages = PageTree(file, pages)
        self._trees: dict[str, NameTree | None] = {}
        self._labels_added_pages = False

    @property
    def _root(self) -> Ref:
        assert self.file.root is not None
        return self.file.root

    @property
    def _content(self) -> dict[str, Any]:
        content: dict[str, Any] = self.file.get(self._root)
        return content

    def entry(self, key: str) -> Value:
        """Return an entry of the catalog dictionary, which may be a reference; None if it is absent."""
        return self._content.get(key)

    def set_entry(self, key: str, value: Value) -> None:
        """Set an entry of the catalog dictionary."""
        self.file.put(self._root, {**self._content, key: value})

    def _put_object(self, key: str, value: Value) -> None:
        """Set an entry to an indirect object: the present one, unless that is the catalog or of another type."""
        reference = read_reference(self._content.get(key))
        if reference in (None, self._root) or type(self.file.get(reference)) is not type(value):
            self.set_entry(key, self.file.add(value))
        else:
            self.file.put(reference, value)

    def _dictionary(self, key: str, new: Mapping[str, Value] = MappingProxyType({})) -> Ref:
        """Return the dictionary of an entry as an indirect object. Anything else in its place is replaced by `new`."""
        reference = self._content.get(key)
        if not isinstance(reference, Ref) or not isinstance(self.file.get(reference), dict):
            reference = self.file.add({**new, **self.file.dictionary(reference)})
            self.set_entry(key, reference)
        return reference

    # Name trees

    def tree(self, name: str) -> NameTree | None:
        """Return a name tree of the document (7.7.4); None if there is none."""
        if self._trees.get(name) is None:
            names = self.file.dictionary(self._content.get("Names"))
            root = names.get(name)
            if isinstance(root, dict):
                root = self._put_tree(name, root)
            self._trees[name] = NameTree(self.file, root) if isinstance(root, Ref) else None
        return self._trees[name]

    def tree_value(self, name: str, key: bytes) -> Value:
        """Return the value of a key in a name tree, which may be a reference; None without such a key or tree."""
        tree = self.tree(name)
        return None if tree is None else tree.get(key)

    def tree_items(self, name: str, low: bytes | None = None, high: bytes | None = None) -> Iterator[Entry]:
        """Yield the keys of a name tree from `low` to `high`, both included, with their values; none without a tree."""
        tree = self.tree(name)
        return iter(()) if tree is None else tree.items(low, high)

    def tree_to_change(self, name: str) -> NameTree:
        """Return a name tree of the document, and create it if there is none."""
        found = self.tree(name)
        if found is None:
            found = self._trees[name] = NameTree(self.file, self._put_tree(name, {"Names": []}))
        return found

    def _put_tree(self, name: str, root: dict[str, Value]) -> Ref:
        """Make the root of a name tree an indirect object, so that changing it rewrites nothing else."""
        names = self._dictionary("Names")
        reference = self.file.add(root)
        self.file.put(names, {**self.file.get(names), name: reference})
        return reference

    # Web Capture information

    @property
    def web_capture(self) -> WebCaptureInfo | None:
        """The Web Capture information dictionary (14.10.2)."""
        value = self.file.resolve(self._content.get("SpiderInfo"))
        return WebCaptureInfo.from_pdf(value, self.file.resolve) if isinstance(value, dict) else None

    @web_capture.setter
    def web_capture(self, info: WebCaptureInfo) -> None:
        reference = self._dictionary("SpiderInfo")
        self.file.put(reference, {**self.file.get(reference), **info.as_pdf()})

    # The history of the file

    @property
    def history(self) -> tuple[Run, ...]:
        """The runs that the file has records of, in order."""
        found = (Run.from_pdf(self.file.resolve(record), self.file.resolve) for record in self._records)
        return tuple(run for run in found if run is not None)

    @property
    def _records(self) -> list[Value]:
        records = self.file.resolve(self._content.get(HISTORY))
        return records if isinstance(records, list) else []

    def add_run(self, run: Run) -> None:
        """Add the record of a run; it replaces the record of the same run before it was resumed."""
        last = self.history[-1:]
        if last and (last[0].base, last[0].digest) == (run.base, run.digest):
            self.file.put(self._records[-1], run.as_pdf())
            return
        self._put_object(HISTORY, [*self._records, self.file.add(run.as_pdf())])

    def set_language(self, language: str) -> None:
        """Set the language of a new document (14.9.2), unless it has one: the first page with a language decides."""
        if self.is_new and language and "Lang" not in self._content:
            self.set_entry("Lang", text_string(language))

    @property
    def outline_root(self) -> Value:
        """The outline dictionary (12.3.3); None if there is none."""
        return self._content.get("Outlines")

    def outlines(self) -> Ref:
        """Return the outline dictionary (12.3.3), and create it if there is none."""
        if self.is_new and "Outlines" not in self._content:
            self.set_entry("PageMode", Name("UseOutlines"))
        return self._dictionary("Outlines", {"Type": Name("Outlines")})

    # Pages in front, and page labels

    @property
    def contents(self) -> Ref | None:
        """The node of the page tree that holds the contents section; None if there is none."""
        node = self._content.get(CONTENTS)
        return node if isinstance(node, Ref) and isinstance(self.file.get(node), dict) else None

    @contents.setter
    def contents(self, node: Ref) -> None:
        if self._content.get(CONTENTS) != node:
            self.set_entry(CONTENTS, node)

    @property
    def page_labels(self) -> list[Range]:
        """The ranges of the page labels (12.4.2); empty if the pages are numbered from 1."""
        return read_ranges(self._content.get("PageLabels"), self.file.resolve)

    @page_labels.setter
    def page_labels(self, ranges: Sequence[Range]) -> None:
        tree = as_pdf(ranges)
        if self.file.resolve(self._content.get("PageLabels")) != tree:
            self._put_object("PageLabels", tree)

    def label_added_pages(self) -> None:
        """Give added pages plain numbers if the labels of the last pages before them are not plain numbers."""
        ranges = () if self._labels_added_pages else self.page_labels
        self._labels_added_pages = True
        if ranges and not is_plain(ranges[-1][1], self.file.resolve):
            count = self.pages.count
            self.page_labels = [*ranges, (count, decimal_from(count + 1))]

    # The interactive form

    @property
    def form(self) -> Value:
        """The interactive form dictionary (12.7.2); None if there is none."""
        return self._content.get("AcroForm")

    @form.setter
    def form(self, form: Ref | None) -> None:
        if form is None:
            self.file.put(self._root, {key: entry for key, entry in self._content.items() if key != "AcroForm"})
        elif self.form != form:
            self.set_entry("AcroForm", form)

    # The properties of the document

    @property
    def is_changed(self) -> bool:
        """True if a name tree or the root of the page tree was changed since the last `flush`."""
        trees = (tree for tree in self._trees.values() if tree is not None)
        return any(tree.changes for tree in trees) or self._content["Pages"] != self.pages.root

    def flush(self, kept_changes: int = 0) -> None:
        """Put the changed name trees, the root of the page tree and the version into the next revision.

        A name tree with at most `kept_changes` changes keeps these in memory.
        """
        for _, tree in sorted(self._trees.items()):  # in an order that a resumed run repeats
            if tree is not None and tree.changes > kept_changes:
                tree.flush()
        content = self._content
        if content["Pages"] != self.pages.root:
            self.set_entry("Pages", self.pages.root)
        if max(self.file.version, str(content.get("Version", ""))) < "1.7":
            self.set_entry("Version", Name("1.7"))

    @property
    def title(self) -> str:
        """The title of the document (14.3.3); empty if it has none."""
        info = self.file.info
        return "" if info is None else read_text(self.file.resolve(self.file.get(info).get("Title")))

    def describe(self, moment: datetime, title: str) -> tuple[str, ...]:
        """Write title, dates and producer into the information dictionary (14.3.3) and the metadata (14.3.2).

        An existing title stays unless `title` is given; an existing creation date always stays. Returns the standards,
        such as ``PDF/A-2B``, to which the metadata do not claim conformance any more.
        """
        info = self.file.info
        entries: dict[str, Value] = {} if info is None else dict(self.file.get(info) or {})
        now = date_string(moment)
        if title:
            entries["Title"] = text_string(title)
        entries.setdefault("CreationDate", now)
        entries |= {"ModDate": now, "Producer": text_string(f"{PRODUCER} {VERSION}")}
        if info is None:
            self.file.info = self.file.add(entries)
        else:
            self.file.put(info, entries)
        if self.is_new:
            self.set_entry("ViewerPreferences", {"DisplayDocTitle": True})
        return self._set_metadata(entries, moment)

    def _set_metadata(self, info: dict[str, Value], moment: datetime) -> tuple[str, ...]:
        """Update the metadata stream (14.3.2) from the information dictionary; return the removed claims."""
        stored = self.file.resolve(self._content.get("Metadata"))
        packet = decoded(stored, self.file.resolve) if isinstance(stored, Stream) else b""
        data, claims = updated_xmp(packet, {key: self.file.resolve(value) for key, value in info.items()}, moment)
        self._put_object("Metadata", Stream({"Type": Name("Metadata"), "Subtype": Name("XML")}, data))
        return claims


def decoded(stream: Stream, resolve: Resolve) -> bytes:
    """Return the decoded bytes of a stream. Raises `TargetDamagedError`."""
    if stream.dictionary.get("Filter") == "FlateDecode" and "DecodeParms" not in stream.dictionary:
        with suppress(zlib.error):  # pikepdf decodes the intact beginning of a damaged stream
            return zlib.decompress(stream.data)
    with pikepdf.new() as scratch:
        found = {key: resolve(stream.dictionary.get(key)) for key in ("Filter", "DecodeParms")}
        entries = {key: value for key, value in found.items() if value is not None}
        try:
            return pikepdf.Stream(scratch, stream.data, pikepdf.Object.parse(write(entries))).read_bytes()
        except pikepdf.PikepdfError as error:
            raise TargetDamagedError("a stream of the file cannot be decoded") from error
