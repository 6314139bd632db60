"""An optimized file is smaller and has the same content."""

from __future__ import annotations

import argparse
from datetime import datetime
from decimal import Decimal

import pikepdf
import pypdfium2
import pytest
from pikepdf import Array, Dictionary, Name, String
from scrapy.settings import Settings

from tests.archive.optimize.grown_file import COUNT, capture
from tests.archive.run.test_writer import raw_names
from tests.pdf.file.test_revision import qpdf_check
from tests.support import pdf_samples
from tests.support.archive_samples import SITE, clock
from wcspider.archive.check.checker import check_file
from wcspider.archive.database.database import ContentDatabase
from wcspider.archive.optimize import rewrite as module
from wcspider.archive.optimize.rewrite import optimize
from wcspider.archive.query.history import revisions as revisions_of
from wcspider.archive.query.listing import Listing
from wcspider.commands.webcapture import Command
from wcspider.exceptions import TargetError
from wcspider.pdf.file import base_file
from wcspider.pdf.file.revision import RevisionFile
from wcspider.pdf.objects import Name as OwnName
from wcspider.pdf.objects import Stream

pytestmark = pytest.mark.slow


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


def test_name_trees_of_several_levels(site, monkeypatch):
    monkeypatch.setattr(module, "FANOUT", 3)
    before = described(site), jumps(site)
    optimize(site)
    with pikepdf.open(site) as pdf:
        assert "/Kids" in pdf.Root.Names.URLS.Kids[0].Kids[0]
    assert (described(site), jumps(site)) == before
    assert list(check_file(site)) == []


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


# The command


def run(*arguments, settings=None):
    """Run ``scrapy webcapture``; return its exit status."""
    command = Command()
    command.settings = Settings(settings)
    command.run([], argparse.Namespace(arguments=[str(argument) for argument in arguments]))
    return command.exitcode


def test_the_command_says_what_was_gained(site, tmp_path, capsys):
    size = site.stat().st_size
    assert run("optimize", site, "-o", tmp_path / "out.pdf") == 0
    assert site.stat().st_size == size
    after = (tmp_path / "out.pdf").stat().st_size
    expected = f"{tmp_path / 'out.pdf'}: {size / 1000:.1f} kB -> {after / 1000:.1f} kB\n"
    assert capsys.readouterr() == (expected, "")


@pytest.mark.parametrize("moment", ["2026-03-01T12:00:00Z", "2027-03-01T12:00:00Z"])
def test_the_command_can_be_repeated_byte_for_byte(site, tmp_path, moment):
    """The date of the run record is WEBCAPTURE_FIXED_TIME; nothing else depends on the moment."""
    outputs = [tmp_path / "one.pdf", tmp_path / "two.pdf"]
    for output in outputs:
        assert run("optimize", site, "-o", output, settings={"WEBCAPTURE_FIXED_TIME": moment}) == 0
    one, two = (output.read_bytes() for output in outputs)
    assert one == two
    [revision] = revisions_of(outputs[0])
    assert revision.moment == datetime.fromisoformat(moment)


def test_another_file_is_replaced_only_if_the_user_says_so(site, tmp_path, capsys):
    other = tmp_path / "other.pdf"
    other.write_bytes(b"precious")
    assert run("optimize", site, "-o", other) == 2
    assert "other.pdf: exists already; name another file, or give --force to replace it" in capsys.readouterr().err
    assert other.read_bytes() == b"precious"
    assert run("optimize", site, "-o", other, "--force") == 0


@pytest.mark.parametrize("name", ["site.pdf", "symbolic.pdf", "folder/../site.pdf", "link/site.pdf"])
@pytest.mark.parametrize("is_damaged", [False, True])
def test_a_file_as_its_own_output_is_rewritten_in_its_place(site, tmp_path, capsys, name, is_damaged):
    """It is not repaired, even if --force permits to replace another file: a repair may lose objects."""
    (tmp_path / "folder").mkdir()
    (tmp_path / "symbolic.pdf").symlink_to("site.pdf")
    (tmp_path / "link").symlink_to(".")
    if is_damaged:
        site.write_bytes(site.read_bytes()[:-20])
    before = site.read_bytes()
    if is_damaged:
        assert run("optimize", site, "-o", tmp_path / name, "--force") == 2
        assert "is damaged" in capsys.readouterr().err
        assert site.read_bytes() == before
    else:
        assert run("optimize", site, "-o", tmp_path / name) == 0
        assert site.stat().st_size < len(before)
    assert (tmp_path / "symbolic.pdf").is_symlink()


def test_a_hard_link_is_another_file(site, tmp_path, capsys):
    before = site.read_bytes()
    backup = tmp_path / "backup.pdf"
    backup.hardlink_to(site)
    assert run("optimize", site, "-o", backup) == 2
    assert "backup.pdf: exists already; name another file, or give --force" in capsys.readouterr().err
    assert backup.samefile(site)
    assert run("optimize", site, "-o", backup, "--force") == 0
    assert site.read_bytes() == before
    assert backup.stat().st_size < len(before)
    backup.unlink()
    backup.hardlink_to(site)
    assert run("optimize", site) == 0
    assert backup.read_bytes() == before, "the file in its place is separated from its hard link"


def test_a_change_of_the_file_meanwhile_is_not_undone(site, monkeypatch):
    write = module._Rewrite.write_to

    def write_slowly(*args):
        length = write(*args)
        with site.open("ab") as file:
            file.write(b"\n% a change\n")
        return length

    monkeypatch.setattr(module._Rewrite, "write_to", write_slowly)
    before = site.read_bytes()
    with pytest.raises(TargetError, match="was changed by another program meanwhile"):
        optimize(site)
    assert site.read_bytes() == before + b"\n% a change\n"


def test_the_command_refuses_in_one_line(tmp_path, capsys):
    path = pdf_samples.encrypted_pdf(tmp_path / "file.pdf")
    assert run("optimize", path) == 2
    out, error = capsys.readouterr()
    assert out == ""
    assert error.startswith(f"scrapy webcapture: {path}: is encrypted; ")
    assert error.count("\n") == 1
