"""archive/pages/fragments.py: Link annotations taken out of a PDF file."""

from __future__ import annotations

import io
import pickle
import re
from decimal import Decimal

import pikepdf
import pytest
from PIL import Image

from tests.support.pdf_samples import handmade_pdf
from tests.support.pictures import tiff_of
from tests.support.shown_images import page
from wcspider.archive.pages import page_extraction
from wcspider.archive.pages.link_syntax import LINKS_AT_ONCE, LinkAnnotations, grouped, uri_of
from wcspider.archive.pages.page_extraction import extract_pages
from wcspider.engines.base import DrawnImage, Rendering, RenderTask
from wcspider.engines.plain.image_engine import ImageEngine
from wcspider.engines.saving import LinkAnnotation, OpenDocument
from wcspider.pdf.object_syntax import read
from wcspider.pdf.objects import Name, Ref, Stream, write

URI_ENTRIES = {"S": pikepdf.Name.URI, "URI": pikepdf.String("http://h/(a")}
URI = pikepdf.Dictionary(**URI_ENTRIES)


def annotations_of(**entries):
    """Return the annotations of the one page of a document that has a Link annotation with these entries."""
    pdf = pikepdf.new()
    page = pdf.add_blank_page()
    link = pikepdf.Dictionary(Type=pikepdf.Name.Annot, Subtype=pikepdf.Name.Link, Rect=[1, 2, 3, 4], **entries)
    page.obj.Annots = pikepdf.Array([pdf.make_indirect(link), link])
    if "P" in entries:
        page.obj.Annots[0].P = page.obj
    data = io.BytesIO()
    pdf.save(data)
    return extract_pages(Rendering(data.getvalue())).objects[0]["Annots"]


def test_an_open_document_gives_the_pages_that_its_file_gives():
    pdf = pikepdf.new()
    page = pdf.add_blank_page()
    link = pikepdf.Dictionary(Type=pikepdf.Name.Annot, Subtype=pikepdf.Name.Link, Rect=[1, 2, 3, 4], A=URI)
    page.obj.Annots = pikepdf.Array([pdf.make_indirect(link)])
    page.obj.Contents = pdf.make_stream(b"0 0 1 1 re f " * 50)
    document = OpenDocument(pdf)
    assert pickle.loads(pickle.dumps(document)) == document == bytes(document)
    opened, saved = extract_pages(Rendering(document)), extract_pages(Rendering(bytes(document)))
    assert opened == saved
    assert any(isinstance(value, Stream) and value.dictionary["Filter"] == "FlateDecode" for value in opened.objects)


def test_links_beside_an_open_document_are_in_its_file_and_in_its_pages():
    pdf = pikepdf.new()
    for _ in range(2):
        pdf.add_blank_page()
    widget = pikepdf.Dictionary(Type=pikepdf.Name.Annot, Subtype=pikepdf.Name.Widget, Rect=[5, 6, 7, 8])
    pdf.pages[1].obj.Annots = [pdf.make_indirect(widget)]
    entries = b"<</Type/Annot/Subtype/Link/Contents(1 0 \\(x)/Rect[1 2 3 4]"
    link = LinkAnnotation("http://h/(ü".encode(), entries)
    saved = extract_pages(Rendering(bytes(OpenDocument(pdf, [[], [link]]))))
    del pdf.pages[1].obj.Annots
    pdf.pages[1].obj.Annots = [pdf.make_indirect(widget)]
    opened = extract_pages(Rendering(OpenDocument(pdf, [[], [link]])))
    for fragment in (saved, opened):
        assert "Annots" not in fragment.objects[0]
        found, other = fragment.objects[1]["Annots"]
        [(key, action)] = fragment.targets.items()
        assert read(action)["URI"] == link.uri
        assert read(found.leading_to({key: b"7 0 R"})) == read(link.leading_to(b"7 0 R"))
        assert isinstance(other, Ref)


@pytest.mark.parametrize("action", [URI, pikepdf.Dictionary(Type=pikepdf.Name.Action, **URI_ENTRIES)])
def test_links_to_a_uri_are_written_but_for_their_actions(action):
    [links] = annotations_of(A=action, Contents=pikepdf.String("1 0 (x %b"))
    assert isinstance(links, LinkAnnotations)
    expected = {"Type": "Annot", "Subtype": "Link", "Rect": [1, 2, 3, 4], "Contents": b"1 0 (x %b", "A": Ref(7)}
    assert links.keys == (b"http://h/(a", b"http://h/(a")
    assert read(b"[%b]" % links.leading_to({b"http://h/(a": b"7 0 R"})) == [expected, expected]


def test_links_are_grouped_by_their_place_and_number():
    uris = [b"http://h/%d" % (number % 300) for number in range(LINKS_AT_ONCE + 2)]
    links = [LinkAnnotation(uri, b"<</N %d" % number) for number, uri in enumerate(uris)]
    targets = {}
    first, second, other, third = grouped([*links, Ref(1), links[0]], targets)
    assert other == Ref(1)
    assert targets == {uri: b"<</S /URI/URI (%b)>>" % uri for uri in uris}
    syntax = b" ".join(group.leading_to({uri: b"(%b)" % uri for uri in uris}) for group in (first, second, third))
    found = read(b"[%b]" % syntax)
    assert [(entry["N"], entry["A"]) for entry in found] == [*enumerate(uris), (0, uris[0])]
    assert len(first.keys) == LINKS_AT_ONCE


@pytest.mark.parametrize(
    "entries",
    [
        {"A": pikepdf.Dictionary(S=pikepdf.Name.URI, URI=pikepdf.String("http://h/"), Next=URI)},  # it does more
        {"A": URI, "StructParent": 3},  # a number that means something in its document only
        {"A": URI, "P": 0},  # it refers to its page
        {"A": pikepdf.Dictionary(S=pikepdf.Name.GoTo, D=pikepdf.Array([0]))},
        {"Dest": pikepdf.Array([0])},
    ],
)
def test_any_other_link_is_a_dictionary(entries):
    for link in annotations_of(**entries):
        assert link["Subtype"] == Name("Link")
        assert "P" not in link
        assert "StructParent" not in link
        assert uri_of(link) == (b"http://h/(a" if entries.get("A") == URI else None)


def test_indirect_numbers_and_deleted_annotations_are_read(tmp_path):
    objects = {
        1: b"<</Type/Catalog/Pages 2 0 R>>",
        2: b"<</Type/Pages/Kids[3 0 R]/Count 7 0 R/Rotate 9 0 R/Resources<</XObject 99 0 R>>>>",
        3: b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 8 0 R]/Contents 4 0 R/Annots[99 0 R null 5 0 R]>>",
        4: b"<</Length 6 0 R>>\nstream\n0 0 9 9 re\nendstream",
        5: b"<</Subtype/Text/Rect[0 0 9 9]/Open 10 0 R/P 3 0 R>>",
        6: b"10",
        7: b"1",
        8: b"200.5",
        9: b"90",
        10: b"true",
    }
    made = extract_pages(Rendering(handmade_pdf(objects, tmp_path / "file.pdf").read_bytes()))
    [page] = [made.objects[index] for index in made.pages]
    [note] = page["Annots"]
    assert made.objects[page["Contents"].number] == Stream({}, b"0 0 9 9 re")
    assert made.objects[page["MediaBox"][3].number] == Decimal("200.5")
    assert made.objects[page["Rotate"].number] == 90
    assert read(made.objects[note.number].filled())["Subtype"] == "Text"


def test_the_rest_of_the_document_is_not_copied(tmp_path):
    objects = {
        1: b"<</Type/Catalog/Pages 2 0 R/PageLabels<</Nums[0<</S/r>>]>>>>",
        2: b"<</Type/Pages/Kids[3 0 R 4 0 R]/Count 2/MediaBox[0 0 300 200]/Resources<<>>>>",
        3: b"<</Type/Page/Parent 2 0 R/Annots[5 0 R]>>",
        4: b"<</Type/Page/Parent 2 0 R>>",
        5: b"<</Subtype/Text/Rect[0 0 9 9]/Resources<<>>/Mine[1 0 R 2 0 R 4 0 R 6 0 R 7 0 R]>>",
        6: b"<</Type/Page/Parent 2 0 R/Old true>>",  # not in the page tree
        7: b"<</PageLabels 8 0 R>>",
        8: b"<</Nums[0<</S/D>>]>>",
    }
    made = extract_pages(Rendering(handmade_pdf(objects, tmp_path / "file.pdf").read_bytes()))
    [note] = made.objects[0]["Annots"]
    found = [made.objects[reference.number] for reference in made.objects[note.number]["Mine"]]
    assert found == [None, None, made.objects[1], None, None]


@pytest.mark.parametrize("parent", [b"[2 0 R 3 0 R]", b"3 0 R", b"7", b"null"])
def test_a_page_whose_parent_is_wrong_is_read(parent, tmp_path):
    objects = {
        1: b"<</Type/Catalog/Pages 2 0 R>>",
        2: b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        3: b"<</Type/Page/Parent %b/MediaBox[0 0 300 200]/Resources<<>>>>" % parent,
    }
    made = extract_pages(Rendering(handmade_pdf(objects, tmp_path / "file.pdf").read_bytes()))
    assert made.objects[0] == {"Type": "Page", "MediaBox": [0, 0, 300, 200], "Resources": {}}


def test_numbers_have_the_length_that_other_programs_read(tmp_path):
    pi = b"3." + b"14159265358979" * 5000
    objects = {
        1: b"<</Type/Catalog/Pages 2 0 R>>",
        2: b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        3: b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 200]/Resources<<>>/Contents 4 0 R/Annots[5 0 R 6 0 R]>>",
        4: b"<</Length 0/Pi %b>>\nstream\n\nendstream" % pi,
        5: b"<</Subtype/Text/Rect[0 0 9 9]/Pi %b>>" % pi,
        6: b"<</Subtype/Link/Rect[0 0 9 9]/Pi %b/A<</S/URI/URI(http://h/)>>>>" % pi,
    }
    made = extract_pages(Rendering(handmade_pdf(objects, tmp_path / "file.pdf").read_bytes()))
    values = [entry.dictionary if isinstance(entry, Stream) else entry for entry in made.objects]
    written = b"".join(map(write, values))
    assert written.count(b"/Pi 3.1415926536") == 3
    assert max(map(len, re.findall(rb"[\d.]+", written))) < 20


NAMED = [
    (b"(plain)", b"(plain)"),
    (b"(\\344)", b"(\\344)"),  # in PDFDocEncoding
    (b"<feff00e4>", b"<feff00e4>"),
    (b"<feff20ac0061>", b"<feff20ac0061>"),
    (b"(\\201\\202)", b"(\\201\\202)"),
    (b"9 0 R", b"(elsewhere)"),
]
NAMED_BY_NAMES = [b"/plain", b"/#c3#a4", b"/#e4", b"10 0 R"]


@pytest.mark.parametrize(("name", "key"), [*NAMED, *((name, None) for name in NAMED_BY_NAMES)])
@pytest.mark.parametrize("entry", [b"/Dest %s", b"/A<</S/GoTo/D %s>>", b"/A 11 0 R %% %s\n"])
def test_a_named_destination_becomes_the_place_that_it_stands_for(tmp_path, entry, name, key):
    tree = b"<</Names[(a)[3 0 R/Fit]%s 5 0 R]>>" % (key or b"(z)")
    older = b"/plain 6 0 R/#c3#a4 6 0 R/#e4 6 0 R/elsewhere 6 0 R" if key is None else b""
    objects = {
        1: b"<</Type/Catalog/Pages 2 0 R/Names<</Dests " + tree + b">>/Dests<<" + older + b">>>>",
        2: b"<</Type/Pages/Kids[3 0 R 4 0 R]/Count 2/MediaBox[0 0 300 200]/Resources<<>>>>",
        3: b"<</Type/Page/Parent 2 0 R/Annots[<</Subtype/Link/Rect[0 0 9 9]" + entry % name + b">>]>>",
        4: b"<</Type/Page/Parent 2 0 R>>",
        5: b"<</D 7 0 R>>",
        6: b"[4 0 R/Fit]",
        7: b"[4 0 R/Fit]",
        8: b"null",
        9: b"(elsewhere)",
        10: b"/elsewhere",
        11: b"<</S/GoTo/D %s>>" % name,
    }
    made = extract_pages(Rendering(handmade_pdf(objects, tmp_path / "file.pdf").read_bytes()))
    [link] = made.objects[0]["Annots"]
    assert link.get("Dest", link.get("A", {}).get("D")) == [Ref(1), Name("Fit")]


@pytest.mark.parametrize("names", [b"5", b"<</Dests 5>>", b"<</Dests[]>>"])
def test_names_of_another_type_are_ignored(tmp_path, names):
    objects = {
        1: b"<</Type/Catalog/Pages 2 0 R/Names " + names + b">>",
        2: b"<</Type/Pages/Kids[3 0 R]/Count 1/MediaBox[0 0 300 200]/Resources<<>>>>",
        3: b"<</Type/Page/Parent 2 0 R/Annots[<</Subtype/Link/Rect[0 0 9 9]/Dest(a)>>]>>",
    }
    made = extract_pages(Rendering(handmade_pdf(objects, tmp_path / "file.pdf").read_bytes()))
    assert made.objects[0]["Annots"] == [{"Subtype": "Link", "Rect": [0, 0, 9, 9], "Dest": None}]


@pytest.mark.parametrize("name", [b"\xef\xbb\xbf\xff", b"\xfe\xff\xd8", b"nowhere"])
def test_a_name_that_stands_for_nothing_leads_nowhere(name):
    assert [link["Dest"] for link in annotations_of(Dest=pikepdf.String(name))] == [None, None]


def test_the_later_frames_on_a_page_have_a_common_limit(monkeypatch):
    colors = [Image.new("RGB", (3, 2), color) for color in ("red", "green", "blue")]
    file = io.BytesIO()
    colors[0].save(file, "GIF", save_all=True, append_images=colors[1:])
    monkeypatch.setattr(page_extraction, "MAX_PIXELS", 3 * 6)
    pdf = pikepdf.new()
    page = pdf.add_blank_page()
    images = [DrawnImage(f"I{number}", f"http://h/{number}.gif") for number in range(2)]
    page.Resources.XObject = pikepdf.Dictionary(I0=pdf.make_stream(b"0"), I1=pdf.make_stream(b"1"))
    rendering = Rendering(OpenDocument(pdf), images=tuple(images), warnings=("a warning of the engine",))
    made = extract_pages(rendering, {image.url: file.getvalue() for image in images})
    found = {made.images[index]: len(frames) for index, frames in made.frames.items()}
    assert found == {"http://h/0.gif": 2, "http://h/1.gif": 1}
    warnings = list(made.notes.warnings)
    assert warnings[0] == "a warning of the engine"
    assert [warning.partition(":")[0] for warning in warnings[1:]] == ["an animated image is kept with 2 frames only"]


TIFF = tiff_of([(Image.new(mode, (8, 2)), {}) for mode in ("1", "1", "RGBA")])
URL = "http://h/a.tif"


def test_the_pages_of_a_tiff_file_in_an_html_page_are_later_frames():
    pdf = pikepdf.new()
    pdf.add_blank_page().Resources.XObject = pikepdf.Dictionary(I=pdf.make_stream(b"0"))
    made = extract_pages(Rendering(OpenDocument(pdf), images=(DrawnImage("I", URL),)), {URL: TIFF})
    [(first, frames)] = made.frames.items()
    assert made.page_images == (frozenset({first}),)
    bilevel, color = (made.objects[index] for index in frames)
    assert (bilevel.dictionary["BitsPerComponent"], bilevel.dictionary["Width"]) == (1, 8)
    assert made.objects[color.dictionary["SMask"].number].dictionary["ColorSpace"] == "DeviceGray"
    assert made.notes.warnings == ("only the first page of a TIFF file is shown",)


def test_the_pages_of_a_tiff_file_of_its_own_are_frames_that_pages_show():
    made = extract_pages(ImageEngine().render(RenderTask(URL, TIFF, "image/tiff")), {URL: TIFF})
    [(first, frames)] = made.frames.items()
    assert made.page_images == tuple(frozenset({index}) for index in (first, *frames))
    assert list(made.images) == [first]
    assert made.notes.warnings == ()


def test_a_tiff_file_has_the_same_frames_on_its_own_and_in_an_html_page():
    """So the image set of a file has one copy of each."""
    [own] = _frames(extract_pages(ImageEngine().render(RenderTask(URL, TIFF, "image/tiff")), {URL: TIFF}))
    for engine in ("plutobook", "xhtml2pdf"):
        rendering = page(TIFF, "<img src=i>", engine)
        [others] = _frames(extract_pages(rendering, {image.url: TIFF for image in rendering.images}))
        assert others == own


def _frames(fragment):
    """The frames of each image of a fragment, without the numbers of their soft masks."""
    for first, frames in fragment.frames.items():
        streams = [fragment.objects[index] for index in (first, *frames)]
        yield [({**stream.dictionary, "SMask": "SMask" in stream.dictionary}, stream.data) for stream in streams]
