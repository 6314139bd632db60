"""The objects of a fragment, put into a file."""

from __future__ import annotations

import subprocess
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pikepdf

from tests.archive.run.test_writer import new_writer
from tests.support.archive_samples import COMMAND, fragment, new_database, rendered
from wcspider.archive.pages.packed import PackedFragment
from wcspider.pdf.objects import Name, Ref


def test_references_to_missing_objects_become_null(tmp_path: Path) -> None:
    path = tmp_path / "site.pdf"
    made = fragment()
    missing, note = len(made.objects), len(made.objects) + 1
    annotation = {"Subtype": Name("Text"), "Rect": [0, 0, 9, 9], "Parent": Ref(missing), "IRT": Ref(missing)}
    page = {**made.objects[0], "Annots": [Ref(note)], "AA": Ref(missing)}
    made = replace(made, objects=(page, *made.objects[1:], None, annotation))
    with closing(new_database(path)) as database:
        database.add_commands([COMMAND])
        writer = new_writer(database)
        writer.add(replace(rendered("/"), packed=PackedFragment.of(made)))
        writer.finish()
        writer.close()
    with pikepdf.open(path) as pdf:
        assert dict(pdf.pages[0].Annots[0]) == {"/Subtype": "/Text", "/Rect": [0, 0, 9, 9]}
    clean = tmp_path / "clean.pdf"
    subprocess.run(["mutool", "clean", path, clean], check=True, capture_output=True)
    with pikepdf.open(clean) as pdf:
        assert len(pdf.pages) == 1
