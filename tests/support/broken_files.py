"""Ways to break a file of `samples.conforming_pdf`: each is a function that changes an open `Pdf`."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from pikepdf import Array, Dictionary, Name, Object, Pdf, String

from tests.support import pdf_samples as samples
from tests.support.pdf_samples import SITE, md5

Mutation = Callable[[Pdf], object]

OTHER = b"\x01" * 16
"""An identifier that sorts before those of the sample."""


# What the mutations take hold of.


def leaves(node: Object) -> Iterator[Object]:
    for kid in node.get("/Kids", []):
        yield from leaves(kid)
    if "/Names" in node:
        yield node


def values(tree: Object) -> dict[bytes, Object]:
    pairs = [item for leaf in leaves(tree) for item in leaf.Names]
    return {bytes(key): value for key, value in zip(pairs[::2], pairs[1::2], strict=True)}


def content_set(pdf: Pdf, name: str) -> Object:
    """The content set that came from a URL of the site; an image set by the name of its image."""
    found = values(pdf.Root.Names.URLS)[f"{SITE}/{name}".encode()]
    return found[1] if isinstance(found, Array) else found


def home(pdf: Pdf) -> Object:
    return content_set(pdf, "")


def command(pdf: Pdf) -> Object:
    return pdf.Root.SpiderInfo.C[0]


def replace_tree(pdf: Pdf, name: str, change: Callable[[dict[bytes, Object]], object]) -> None:
    """Write a name tree anew with other entries."""
    entries = values(pdf.Root.Names[name])
    change(entries)
    pdf.Root.Names[name] = samples.name_tree(pdf, entries)


def insert_pair(tree: Object, key: Object, value: Object) -> None:
    """Put a pair in front of the first leaf, and make Limits above it right."""
    node = tree
    while "/Kids" in node:
        node = node.Kids[0]
        node.Limits[0] = key
    node.Names = Array([key, value, *node.Names])


# What they do.


def put(find: Callable[[Pdf], Object], key: str, value: object) -> Mutation:
    """Set an entry of an object, or remove it if the value is None."""

    def mutate(pdf: Pdf) -> None:
        if value is None:
            del find(pdf)[key]
        else:
            find(pdf)[key] = value

    return mutate


def append(find: Callable[[Pdf], Object], make: Callable[[Pdf], object]) -> Mutation:
    return lambda pdf: find(pdf).append(make(pdf))


def direct(obj: Object) -> Dictionary:
    return Dictionary(dict(obj.items()))


def node_met_twice(pdf: Pdf) -> None:
    ids = pdf.Root.Names.IDS
    ids.Kids.append(ids.Kids[0])


def empty_node(pdf: Pdf) -> Object:
    return pdf.make_indirect(Dictionary(Kids=Array([])))


def unsorted_keys(pdf: Pdf) -> None:
    leaf = next(leaves(pdf.Root.Names.URLS))
    leaf.Names = Array([leaf.Names[2], leaf.Names[3], leaf.Names[0], leaf.Names[1]])


def repeated_key(pdf: Pdf) -> None:
    leaf = next(leaves(pdf.Root.Names.URLS))
    leaf.Names = Array([leaf.Names[0], leaf.Names[1], *leaf.Names])


def direct_kid(pdf: Pdf) -> None:
    kids = pdf.Root.Names.URLS.Kids
    kids[0] = direct(kids[0])


def direct_content_set(pdf: Pdf) -> None:
    source = Dictionary(AU=f"{SITE}/x")
    image_set = Dictionary(S=Name.SIS, ID=String(OTHER), O=Array([]), R=Array([]), SI=source)
    insert_pair(pdf.Root.Names.IDS, String(OTHER), image_set)


def key_twice_in_array(pdf: Pdf) -> None:
    values(pdf.Root.Names.URLS)[f"{SITE}/logo.gif".encode()].append(content_set(pdf, "logo.gif"))


def not_in_urls(pdf: Pdf) -> None:
    replace_tree(pdf, "/URLS", lambda entries: entries.pop(f"{SITE}/paper.pdf".encode()))


def not_in_ids(pdf: Pdf) -> None:
    replace_tree(pdf, "/IDS", lambda entries: entries.pop(md5("paper.pdf")))


def alias_not_in_urls(pdf: Pdf) -> None:
    replace_tree(pdf, "/URLS", lambda entries: entries.pop(f"{SITE}/older".encode()))


def under_foreign_url(pdf: Pdf) -> None:
    replace_tree(pdf, "/URLS", lambda entries: entries.update({b"http://a.example/": home(pdf)}))


def under_foreign_id(pdf: Pdf) -> None:
    replace_tree(pdf, "/IDS", lambda entries: entries.update({OTHER: home(pdf)}))


def url_respelt(url: str) -> Mutation:
    """Another spelling of a URL, in AU and as the key."""

    def mutate(pdf: Pdf) -> None:
        paper = content_set(pdf, "paper.pdf")
        paper.SI.AU = String(url)
        replace_tree(
            pdf,
            "/URLS",
            lambda entries: entries.update({url.encode(): entries.pop(f"{SITE}/paper.pdf".encode())}),
        )

    return mutate


def short_identifier(pdf: Pdf) -> None:
    paper = content_set(pdf, "paper.pdf")
    digest = md5("paper.pdf")
    for obj in [paper, *paper.O]:
        obj.ID = String(digest[:15])
    replace_tree(pdf, "/IDS", lambda entries: entries.update({digest[:15]: entries.pop(digest)}))


def set_without_objects(pdf: Pdf) -> None:
    paper = content_set(pdf, "paper.pdf")
    for page in paper.O:
        del page.ID
    paper.O = Array([])


def direct_page(pdf: Pdf) -> None:
    home(pdf).O.append(direct(home(pdf).O[0]))


def page_outside_page_tree(pdf: Pdf) -> None:
    home(pdf).O.append(pdf.make_indirect(Dictionary(Type=Name.Page, ID=home(pdf).ID)))


def pages_in_other_order(pdf: Pdf) -> None:
    pages = home(pdf).O
    pages[0], pages[1] = pages[1], pages[0]


def page_in_two_sets(pdf: Pdf) -> None:
    home(pdf).O.append(content_set(pdf, "twin-a").O[0])


def image_set_of_a_form(pdf: Pdf) -> None:
    logo = content_set(pdf, "logo.gif")
    logo.O.append(home(pdf).O[1].Resources.XObject.Fm)
    logo.R = Array([3, 0])


def image_in_two_sets(pdf: Pdf) -> None:
    animation = content_set(pdf, "animation.gif")
    animation.O.append(content_set(pdf, "logo.gif").O[0])
    animation.R.append(3)


def single_count_in_array(pdf: Pdf) -> None:
    content_set(pdf, "logo.gif").R = Array([3])


def same_url_twice(pdf: Pdf) -> None:
    twins = content_set(pdf, "twin-a")
    twins.SI.append(direct(twins.SI[0]))


def source(name: str) -> Callable[[Pdf], Object]:
    return lambda pdf: content_set(pdf, name).SI


def alias(pdf: Pdf) -> Object:
    return home(pdf).SI.AU


def direct_command_of_source(pdf: Pdf) -> None:
    content_set(pdf, "paper.pdf").SI.C = Dictionary(URL=f"{SITE}/")


def unlisted_command(pdf: Pdf) -> None:
    content_set(pdf, "paper.pdf").SI.C = pdf.make_indirect(Dictionary(URL=f"{SITE}/"))


def indirect_alias(pdf: Pdf) -> None:
    home(pdf).SI.AU = pdf.make_indirect(direct(alias(pdf)))


def command_settings(pdf: Pdf) -> Object:
    return command(pdf).S


def settings_referred_to(pdf: Pdf) -> None:
    pdf.Root.Elsewhere = Array([Dictionary(Deep=command_settings(pdf).G)])


def settings_root_referred_to(pdf: Pdf) -> None:
    pdf.Root.Elsewhere = command_settings(pdf)


def two_settings_share(pdf: Pdf) -> None:
    pdf.Root.SpiderInfo.C[1].S = Dictionary(G=command_settings(pdf).G)


def first_page(pdf: Pdf) -> Object:
    return home(pdf).O[0]


def uncaptured_page_with_id(pdf: Pdf) -> None:
    pdf.Root.Pages.Kids[0].ID = String(md5("home"))


def unlisted_image_with_id(pdf: Pdf) -> None:
    first_page(pdf).Resources.XObject.A0 = pdf.make_stream(
        b"\0", Subtype=Name.Image, Width=1, Height=1, ID=String(OTHER)
    )
    content_set(pdf, "animation.gif").R[0] = 0


def page_tree_node(pdf: Pdf) -> Object:
    return home(pdf).O[0].Parent


def page_listed_twice(pdf: Pdf) -> None:
    node = page_tree_node(pdf)
    node.Kids.append(node.Kids[0])


def destination_outside_page_tree(*, in_dictionary: bool) -> Mutation:
    """Adds a named destination, which may be the D of a dictionary."""

    def add(pdf: Pdf) -> None:
        destination = Array([pdf.make_indirect(Dictionary(Type=Name.Page)), Name.Fit])
        value = Dictionary(D=destination) if in_dictionary else destination
        pdf.Root.Names.Dests = Dictionary(Names=Array([String("a"), value]))

    return add


def fields(*names: str, shown: bool = True, page: int = 0, original: bytes | None = None) -> Mutation:
    """Adds fields with one widget each to the first page, of which P may name another; with their original name."""

    def add(pdf: Pdf) -> None:
        pages = home(pdf).O
        widgets = [
            pdf.make_indirect(
                Dictionary(Type=Name.Annot, Subtype=Name.Widget, Rect=[0, 0, 9, 9], FT=Name.Tx, T=name, P=pages[page])
            )
            for name in names
        ]
        for widget in widgets if original is not None else ():
            widget.WCSP_Name = String(original)
        pdf.Root.AcroForm = Dictionary(Fields=Array(widgets))
        if shown:
            pages[0].Annots = Array([*pages[0].get("/Annots", []), *widgets])

    return add


def info(pdf: Pdf) -> Object:
    return pdf.Root.SpiderInfo


def names(pdf: Pdf) -> Object:
    return pdf.Root.Names


def urls(pdf: Pdf) -> Object:
    return pdf.Root.Names.URLS


def first_leaf(pdf: Pdf) -> Object:
    return next(leaves(urls(pdf)))
