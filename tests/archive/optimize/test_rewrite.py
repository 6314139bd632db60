"""An optimized file is smaller and has the same content; until it is complete, the old file remains."""

from __future__ import annotations

import argparse
import errno
import fcntl
import os
import signal
import subprocess
import sys
from decimal import Decimal

import pikepdf
import pypdfium2
import pytest
from pikepdf import Array, Dictionary, Name, String
from scrapy.settings import Settings

from tests.archive.run.test_writer import new_writer, raw_names
from tests.pdf.file.test_revision import qpdf_check
from tests.support import pdf_samples
from tests.support.archive_samples import SITE, clock, new_database, rendered
from tests.support.crawls import run_module
from wcspider.archive.check.checker import check_file
from wcspider.archive.database.database import ContentDatabase
from wcspider.archive.journal.journal import Journal
from wcspider.archive.optimize import rewrite as module
from wcspider.archive.optimize.rewrite import optimize
from wcspider.archive.query.listing import Listing
from wcspider.commands.webcapture import Command
from wcspider.exceptions import (
    TargetDamagedError,
    TargetEncryptedError,
    TargetError,
    TargetLockedError,
    TargetMissingError,
    TargetNotPdfError,
    TargetNotWritableError,
    TargetUnfinishedError,
)
from wcspider.pdf.file import base_file
from wcspider.pdf.file.revision import RevisionFile
from wcspider.pdf.objects import Name as OwnName
from wcspider.pdf.objects import Stream

pytestmark = pytest.mark.slow

COUNT = 80
"""Page sets of the sample: more than a leaf of a name tree holds, and than a node of the page tree."""


def capture(path, numbers, batch=1):
    """Capture pages with links to each other and images, into a new or an existing file, in many revisions."""
    database = ContentDatabase.open(path, clock) if path.exists() else new_database(path)
    writer = new_writer(database, batch)
    for number in numbers:
        links = [f"{SITE}/{(number * 7 + step) % (COUNT + 9)}" for step in range(4)] + [f"{SITE}/{number}#part"]
        images = ("logo.png", f"photo-{number // 10}.png")
        anchors = (("part", 0),) if number % 2 else ()
        writer.add(rendered(f"/{number}", images=images, links=links, anchors=anchors, pages=1 + number % 3))
    writer.finish("A site")
    writer.close()
    database.close()
    return path


@pytest.fixture(scope="module")
def _captured(tmp_path_factory):
    return capture(tmp_path_factory.mktemp("optimize") / "site.pdf", range(COUNT)).read_bytes()


@pytest.fixture
def site(_captured, tmp_path):
    """A file that has grown by many revisions."""
    path = tmp_path / "site.pdf"
    path.write_bytes(_captured)
    return path


def described(path):
    """Return what ``list --json`` prints."""
    database = ContentDatabase.open(path, clock)
    try:
        described = Listing(database).describe(database.content_sets())
        return {**described, "content_sets": list(described["content_sets"])}
    finally:
        database.close()


def texts(path):
    """Return the text of each page, as PDFium reads it."""
    with pypdfium2.PdfDocument(path) as document:
        return [page.get_textpage().get_text_range() for page in document]


def jumps(path):
    """Return, for each page, where its links lead: to page numbers and places, or to URIs."""
    with pikepdf.open(path, inherit_page_attributes=False) as pdf:
        numbers = {page.obj.objgen: index for index, page in enumerate(pdf.pages)}
        places = {
            name: (numbers[target[0].objgen], [repr(entry) for entry in list(target.as_list())[1:]])
            for name, target in raw_names(pdf.Root.Names.Dests)
        }
        return [[leads_to(annotation.A, places) for annotation in page.Annots.as_list()] for page in pdf.pages]


def leads_to(action, places):
    """Return the target of an action."""
    return places[bytes(action.D)] if str(action.S) == "/GoTo" else bytes(action.URI)


def revisions(path):
    """Return how many cross-reference sections a file has."""
    return path.read_bytes().count(b"startxref")


def test_the_file_is_smaller_and_says_the_same(site):
    before = (described(site), texts(site), jumps(site), revisions(site))
    size = site.stat().st_size
    done = optimize(site)
    assert (done.before, done.after) == (size, site.stat().st_size)
    assert done.after < size / 1.4
    assert before[3] > COUNT / 2
    assert revisions(site) == 1
    assert (described(site), texts(site), jumps(site)) == before[:3]
    assert any(isinstance(target, tuple) for page in before[2] for target in page)
    assert list(check_file(site)) == []
    qpdf_check(site)
    assert [entry.name for entry in site.parent.iterdir()] == ["site.pdf"]


def test_every_lookup_holds(site):
    with_before = ContentDatabase.open(site, clock)
    wanted = [[found.content.title for found in with_before.find_by_url(f"{SITE}/{n}")] for n in range(COUNT)]
    identifiers = [stored.content.identifier for stored in with_before.content_sets()]
    with_before.close()
    optimize(site)
    database = ContentDatabase.open(site, clock)
    assert [[found.content.title for found in database.find_by_url(f"{SITE}/{n}")] for n in range(COUNT)] == wanted
    assert all(database.find_by_identifier(identifier) for identifier in identifiers)
    assert database.find_by_url(SITE + "/nowhere") == []
    database.close()


def test_a_file_written_anew_does_not_change_once_more(site):
    optimize(site)
    length = site.stat().st_size
    assert optimize(site).after == length


def test_the_result_depends_on_the_file_alone(site, tmp_path, monkeypatch):
    optimize(site, tmp_path / "one.pdf")
    monkeypatch.setattr(base_file, "BLOCKS_BEFORE_REOPENING", 1)
    optimize(site, tmp_path / "other.pdf")
    assert (tmp_path / "one.pdf").read_bytes() == (tmp_path / "other.pdf").read_bytes()


def test_a_large_file_comes_about_in_batches(site, monkeypatch):
    before = described(site), texts(site), jumps(site)
    monkeypatch.setattr(module, "BATCH_OBJECTS", 64)
    optimize(site)
    assert revisions(site) > 3
    assert (described(site), texts(site), jumps(site)) == before
    assert list(check_file(site)) == []
    qpdf_check(site)


def test_more_can_be_captured_into_it(site, tmp_path):
    late = range(COUNT, COUNT + 9)
    other = tmp_path / "other.pdf"
    other.write_bytes(site.read_bytes())
    capture(other, late)
    optimize(site)
    capture(site, late)
    assert list(check_file(site)) == []
    qpdf_check(site)
    assert (texts(site), jumps(site)) == (texts(other), jumps(other))
    assert described(site) == described(other)


def test_name_trees_have_full_leaves(site):
    optimize(site)
    with pikepdf.open(site) as pdf:
        for name in ("/URLS", "/IDS"):
            leaves = [len(kid.Names) // 2 for kid in pdf.Root.Names[name].Kids.as_list()]
            assert leaves[:-1] == [module.FANOUT] * (len(leaves) - 1)


@pytest.mark.parametrize("make", [lambda path: pdf_samples.plain_pdf(40, path), pdf_samples.classic_pdf])
def test_files_without_web_capture(make, tmp_path):
    path = make(tmp_path / "file.pdf")
    with pikepdf.open(path, inherit_page_attributes=False) as pdf:
        before = [page.Contents.read_bytes() if "/Contents" in page else None for page in pdf.pages]
        title = str(pdf.docinfo.get("/Title"))
    done = optimize(path)
    assert done.after < done.before + 200
    with pikepdf.open(path, inherit_page_attributes=False) as pdf:
        assert [page.Contents.read_bytes() if "/Contents" in page else None for page in pdf.pages] == before
        assert str(pdf.docinfo.get("/Title")) == title
    qpdf_check(path)


def test_files_of_others_with_numbers_that_stand_elsewhere(tmp_path):
    objects = {
        1: b"<</Type/Catalog/Pages 2 0 R>>",
        2: b"<</Type/Pages/Kids[3 0 R]/Count 5 0 R/MediaBox[0 0 300 6 0 R]/Resources<<>>>>",
        3: b"<</Type/Page/Parent 2 0 R/Contents 4 0 R/Hidden 7 0 R/None 8 0 R>>",
        4: b"<</Length 9 0 R>>\nstream\n0 0 9 9 re\nendstream",
        5: b"1",
        6: b"200.5",
        7: b"true",
        8: b"null",
        9: b"10",
    }
    path = pdf_samples.handmade_pdf(objects, tmp_path / "file.pdf")
    optimize(path)
    with pikepdf.open(path, inherit_page_attributes=False) as pdf:
        assert [pdf.Root.Pages.Count, pdf.Root.Pages.MediaBox[3]] == [1, Decimal("200.5")]
        [page] = pdf.pages
        assert (page.Contents.read_bytes(), page.Hidden, "/None" in page) == (b"0 0 9 9 re", True, False)
    qpdf_check(path)


@pytest.mark.odd_pdfs
@pytest.mark.parametrize("make", [pdf_samples.conforming_pdf, pdf_samples.acrobat_pdf, pdf_samples.hybrid_pdf])
def test_files_of_others_keep_what_they_say(make, tmp_path):
    path = make(tmp_path / "file.pdf")
    before = described(path), [finding.rule for finding in check_file(path)]
    done = optimize(path)
    assert done.after <= done.before
    assert (described(path), [finding.rule for finding in check_file(path)]) == before
    qpdf_check(path)


@pytest.mark.odd_pdfs
def test_what_else_the_catalogue_holds_stays(tmp_path):
    path = pdf_samples.conforming_pdf(tmp_path / "file.pdf")
    with pikepdf.open(path, allow_overwriting_input=True, inherit_page_attributes=False) as pdf:
        pdf.Root.PageLabels = Dictionary(Nums=Array([0, Dictionary(S=Name.r), 2, Dictionary(S=Name.D, P=String("A-"))]))
        pdf.Root.Outlines = pdf.make_indirect(Dictionary(Type=Name.Outlines))
        entry = pdf.make_indirect(Dictionary(Title=String("Übersicht"), Parent=pdf.Root.Outlines))
        pdf.Root.Outlines.update({"/First": entry, "/Last": entry, "/Count": 1})
        pdf.Root["/A#20b (\xe9)"] = Array([Name("/x y"), True, None, String(b"\0\xff(\\")])
        pdf.save(path, min_version="2.0")
    kept = ("/PageLabels", "/A#20b (\xe9)", "/Extensions")
    with pikepdf.open(path) as pdf:
        before = {key: pdf.Root[key].unparse(resolved=True) for key in kept if key in pdf.Root}
    optimize(path)
    with pikepdf.open(path) as pdf:
        assert {key: pdf.Root[key].unparse(resolved=True) for key in kept if key in pdf.Root} == before
        assert str(pdf.Root.Outlines.First.Title) == "Übersicht"
        assert pdf.Root.Outlines.First.Parent.objgen == pdf.Root.Outlines.objgen
        assert str(pdf.Root.Version) == "/2.0"
        assert [page.label for page in pdf.pages][:3] == ["i", "ii", "A-1"]


# Merging


@pytest.fixture
def twins(tmp_path):
    """Two pages, each with a font, a form, an image, a soft mask and a layer of its own; all are alike."""
    path = tmp_path / "twins.pdf"
    with pikepdf.new() as pdf:
        builder = pdf_samples._Builder(pdf)
        for _ in range(2):
            image = builder.image(None, 7)
            image.SMask = builder.image(None, 8)
            page = builder.page(Im=image, Fm=builder.form(b"/Im Do", Im=image))
            font = Dictionary(Type=Name.Font, Subtype=Name.Type1, BaseFont=Name.Helvetica)
            font.FontDescriptor = pdf.make_indirect(Dictionary(Type=Name.FontDescriptor, FontName=Name.Helvetica))
            page.Resources.Font = Dictionary(F=pdf.make_indirect(font))
            layer = pdf.make_indirect(Dictionary(Type=Name.OCG, Name=String("Layer")))
            page.Resources.Properties = Dictionary(L=layer)
            page.Annots = Array([pdf.make_indirect(Dictionary(Type=Name.Annot, Subtype=Name.Text, Rect=[0, 0, 1, 1]))])
            pdf.pages.append(pikepdf.Page(page))
        pdf.save(path)
    return path


def pair(path, pick):
    """Return whether `pick` returns the same object for each of two pages."""
    with pikepdf.open(path, inherit_page_attributes=False) as pdf:
        first, second = (pick(page) for page in pdf.pages)
        return first.objgen == second.objgen


MERGED = [
    lambda page: page.Contents,
    lambda page: page.Resources.Font.F,
    lambda page: page.Resources.Font.F.FontDescriptor,
    lambda page: page.Resources.XObject.Im,
    lambda page: page.Resources.XObject.Im.SMask,
    lambda page: page.Resources.XObject.Fm,
]
KEPT_APART = [lambda page: page.obj, lambda page: page.Annots[0], lambda page: page.Resources.Properties.L]


def test_what_pages_draw_with_is_stored_once(twins):
    assert not any(pair(twins, pick) for pick in MERGED)
    optimize(twins)
    assert all(pair(twins, pick) for pick in MERGED)
    assert not any(pair(twins, pick) for pick in KEPT_APART)
    qpdf_check(twins)


def test_members_of_image_sets_are_kept_apart(twins):
    with pikepdf.open(twins, allow_overwriting_input=True) as pdf:
        images = [page.Resources.XObject.Im for page in pdf.pages]
        pdf.Root.Sets = Array([pdf.make_indirect(Dictionary(S=Name.SIS, O=Array([image]))) for image in images])
        pdf.save(twins)
    optimize(twins)
    assert not pair(twins, lambda page: page.Resources.XObject.Im)
    assert not pair(twins, lambda page: page.Resources.XObject.Fm)
    assert pair(twins, lambda page: page.Resources.XObject.Im.SMask)


def test_what_the_logical_structure_leads_to_is_kept_apart(twins):
    with pikepdf.open(twins, allow_overwriting_input=True) as pdf:
        for page in pdf.pages:
            page.Resources.XObject.Fm.StructParents = 3
        pdf.save(twins)
    optimize(twins)
    assert not pair(twins, lambda page: page.Resources.XObject.Fm)
    assert pair(twins, lambda page: page.Resources.XObject.Im)


def test_what_leads_back_to_itself_is_kept(twins):
    with pikepdf.open(twins, allow_overwriting_input=True) as pdf:
        for page in pdf.pages:
            page.Resources.XObject.Fm.Resources.XObject.Self = page.Resources.XObject.Fm
        pdf.save(twins)
    optimize(twins)
    with pikepdf.open(twins) as pdf:
        for page in pdf.pages:
            form = page.Resources.XObject.Fm
            assert form.Resources.XObject.Self.objgen == form.objgen


def test_an_empty_stream_is_no_empty_dictionary(tmp_path):
    path = tmp_path / "file.pdf"
    with pikepdf.new() as pdf:
        pdf.add_blank_page()
        pdf.pages[0].obj.Contents = pdf.make_stream(b"")
        pdf.pages[0].obj.Resources = pdf.make_indirect(Dictionary())
        pdf.save(path)
    optimize(path)
    with pikepdf.open(path) as pdf:
        assert isinstance(pdf.pages[0].obj.Contents, pikepdf.Stream)
        assert not isinstance(pdf.pages[0].obj.Resources, pikepdf.Stream)


def test_what_nothing_leads_to_goes(site):
    file = RevisionFile.open(site)
    secret = file.add(Stream({}, b"what was removed" * 1000))
    holder = file.add({"Type": OwnName("Held"), "Secret": secret})
    file.commit()
    file.put(holder, None)
    file.commit()
    file.close()
    assert b"what was removed" in site.read_bytes()
    optimize(site)
    assert b"what was removed" not in site.read_bytes()


def test_a_name_tree_out_of_order_stays_as_it_is(tmp_path):
    path = pdf_samples.acrobat_pdf(tmp_path / "file.pdf")
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        names = pdf.Root.Names.IDS.Names
        names.extend(list(names.as_list())[:2])
        pdf.save(path)
    before = described(path)
    optimize(path)
    assert described(path) == before


# Refusals


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (pdf_samples.encrypted_pdf, TargetEncryptedError),
        (pdf_samples.locked_pdf, TargetEncryptedError),
        (pdf_samples.damaged_pdf, TargetDamagedError),
        (lambda path: path.write_text("no PDF") and path, TargetNotPdfError),
        (lambda path: path, TargetMissingError),
    ],
)
@pytest.mark.parametrize("output", [None, "out.pdf"])
def test_files_that_cannot_be_relied_on_are_refused(make, error, output, tmp_path):
    path = make(tmp_path / "file.pdf")
    before = path.read_bytes() if path.exists() else None
    with pytest.raises(error):
        optimize(path, output and tmp_path / output)
    assert before is None or path.read_bytes() == before
    assert [entry.name for entry in tmp_path.iterdir()] == ["file.pdf"] * (before is not None)


def test_damage_that_shows_late_is_refused(site):
    data = site.read_bytes()
    at = data.index(b" obj\n", len(data) // 2)
    site.write_bytes(data[:at] + b" xyz\n" + data[at + 5 :])
    before = site.read_bytes()
    with pytest.raises(TargetDamagedError):
        optimize(site)
    assert site.read_bytes() == before


def sign_field(pdf):
    """Add a signature field with a signature, below a field that gives its type."""
    parent = pdf.make_indirect(Dictionary(FT=Name.Sig, T=String("all")))
    field = pdf.make_indirect(Dictionary(T=String("one"), Parent=parent, V=Dictionary(Type=Name.Sig)))
    parent.Kids = Array([field])
    pdf.Root.AcroForm = Dictionary(Fields=Array([parent]))


def certify(pdf):
    """Add a signature that restricts later changes."""
    pdf.Root.Perms = Dictionary(DocMDP=pdf.make_indirect(Dictionary(Type=Name.Sig)))


@pytest.mark.parametrize("sign", [sign_field, certify])
def test_signed_files_are_refused_unless_forced(sign, site):
    with pikepdf.open(site, allow_overwriting_input=True, inherit_page_attributes=False) as pdf:
        sign(pdf)
        pdf.save(site)
    before = site.read_bytes()
    with pytest.raises(TargetError, match=r"is signed.*--force"):
        optimize(site)
    assert site.read_bytes() == before
    optimize(site, force=True)
    assert list(check_file(site)) == []


@pytest.mark.odd_pdfs
def test_a_field_that_awaits_a_signature_is_no_signature(tmp_path):
    path = pdf_samples.plain_pdf(1, tmp_path / "file.pdf")
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        field = pdf.make_indirect(Dictionary(FT=Name.Sig, T=String("sign here")))
        pdf.Root.AcroForm = Dictionary(Fields=Array([field, 5]))
        pdf.save(path)
    optimize(path)


def test_a_file_that_is_captured_into_is_refused(site):
    before = site.read_bytes()
    part = site.with_name("site.pdf.part")
    script = "import fcntl, sys; f = open(sys.argv[1], 'ab'); fcntl.flock(f, fcntl.LOCK_EX); print('go', flush=True)"
    command = [sys.executable, "-c", script + "; sys.stdin.read()", str(part)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        process.stdout.readline()
        with pytest.raises(TargetLockedError):
            optimize(site)
        assert part.exists()
        process.communicate()
    assert site.read_bytes() == before
    optimize(site)


def test_unfinished_work_is_not_destroyed(site):
    part = site.with_name("site.pdf.part")
    part.write_bytes(site.read_bytes())
    Journal(site.with_name("site.pdf.part.db")).close()
    with pytest.raises(TargetUnfinishedError):
        optimize(site)
    assert part.read_bytes() == site.read_bytes()


def test_unfinished_work_itself_is_not_optimized(site):
    part = site.rename(site.with_name("site.pdf.part"))
    before = part.read_bytes()
    Journal(site.with_name("site.pdf.part.db")).close()
    with pytest.raises(TargetUnfinishedError, match="is the unfinished site"):
        optimize(part)
    assert part.read_bytes() == before
    optimize(part, site.with_name("other.pdf"))
    assert part.read_bytes() == before


def test_what_dead_processes_left_is_no_obstacle(site):
    site.with_name("site.pdf.part").write_bytes(b"half a file")
    optimize(site)
    Journal(site.with_name("site.pdf.part.db")).close()
    optimize(site)
    assert [entry.name for entry in site.parent.iterdir()] == ["site.pdf"]


def test_a_file_that_is_replaced_meanwhile_is_not_mixed_with_the_new_one(site, tmp_path, monkeypatch):
    monkeypatch.setattr(base_file, "BLOCKS_BEFORE_REOPENING", 1)
    reopen = base_file.BaseFile._reopen

    def replaced(file):
        site.with_name("new.pdf").write_bytes(site.read_bytes() + b"\n")
        site.with_name("new.pdf").replace(site)
        reopen(file)

    monkeypatch.setattr(base_file.BaseFile, "_reopen", replaced)
    with pytest.raises(TargetError, match="was changed while it was read"):
        optimize(site, tmp_path / "out.pdf")
    assert [entry.name for entry in tmp_path.iterdir()] == ["site.pdf"]


@pytest.mark.parametrize("output", ["folder", "missing/out.pdf"])
def test_outputs_that_cannot_be_written_are_refused(output, site, tmp_path):
    (tmp_path / "folder").mkdir()
    with pytest.raises(TargetNotWritableError):
        optimize(site, tmp_path / output)


def test_the_mode_of_the_file_stays(site, tmp_path):
    site.chmod(0o640)
    optimize(site)
    optimize(site, tmp_path / "out.pdf")
    assert [path.stat().st_mode & 0o777 for path in (site, tmp_path / "out.pdf")] == [0o640, 0o640]


# Faults


def test_an_error_of_the_disk_leaves_the_file(site, monkeypatch):
    before = site.read_bytes()

    def fail(descriptor):
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(TargetNotWritableError, match="Input/output error"):
        optimize(site)
    assert site.read_bytes() == before
    assert [entry.name for entry in site.parent.iterdir()] == ["site.pdf"]


FAULTY = "tests.archive.optimize.faulty"


@pytest.mark.parametrize("room", [0, 8, 20_000])
def test_a_full_disk_leaves_the_file(room, site):
    before = site.read_bytes()
    done = run_module(FAULTY, site, "full", room)
    assert "File too large; check the permissions and the free space" in done.output, done.log
    assert site.read_bytes() == before
    assert [entry.name for entry in site.parent.iterdir()] == ["site.pdf"]


@pytest.mark.crash
@pytest.mark.parametrize(("step", "times"), [("write", 1), ("write", 200), ("commit", 3), ("sync", 2), ("rename", 1)])
def test_a_killed_rewrite_leaves_the_file_byte_for_byte(step, times, site):
    before = site.read_bytes()
    assert run_module(FAULTY, site, step, times).status == -signal.SIGKILL
    assert site.read_bytes() == before
    optimize(site)
    assert [entry.name for entry in site.parent.iterdir()] == ["site.pdf"]
    assert list(check_file(site)) == []


# The command


def run(*arguments):
    """Run ``scrapy webcapture``; return its exit status."""
    command = Command()
    command.settings = Settings()
    command.run([], argparse.Namespace(arguments=[str(argument) for argument in arguments]))
    return command.exitcode


def test_the_command_says_what_was_gained(site, tmp_path, capsys):
    size = site.stat().st_size
    assert run("optimize", site, "-o", tmp_path / "out.pdf") == 0
    assert site.stat().st_size == size
    after = (tmp_path / "out.pdf").stat().st_size
    expected = f"{tmp_path / 'out.pdf'}: {size / 1000:.1f} kB -> {after / 1000:.1f} kB\n"
    assert capsys.readouterr() == (expected, "")


def test_another_file_is_replaced_only_if_the_user_says_so(site, tmp_path, capsys):
    other = tmp_path / "other.pdf"
    other.write_bytes(b"precious")
    assert run("optimize", site, "-o", other) == 2
    assert "other.pdf: exists already; name another file, or give --force to replace it" in capsys.readouterr().err
    assert other.read_bytes() == b"precious"
    assert run("optimize", site, "-o", other, "--force") == 0
    assert run("optimize", site, "-o", site) == 0, "a file may be named as its own output"


def test_the_command_refuses_in_one_line(tmp_path, capsys):
    path = pdf_samples.encrypted_pdf(tmp_path / "file.pdf")
    assert run("optimize", path) == 2
    out, error = capsys.readouterr()
    assert out == ""
    assert error.startswith(f"scrapy webcapture: {path}: is encrypted; ")
    assert error.count("\n") == 1


def test_the_lock_is_released(site):
    optimize(site)
    with site.with_name("site.pdf.part").open("ab") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
