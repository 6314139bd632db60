"""A script that makes the generated files of the example site: images, the guide, and pages in old encodings.

    python examples/make_assets.py

The results are in the repository. Run the script again only after a change here or in sources/. It needs Pillow,
reportlab and fontTools, which wcspider also needs.
"""

from __future__ import annotations

import io
import math
import zipfile
from pathlib import Path

from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont
from PIL import Image, ImageDraw
from reportlab import rl_config
from reportlab.lib.pagesizes import A5
from reportlab.pdfgen.canvas import Canvas

HERE = Path(__file__).parent
SITE = HERE / "site"
SOURCES = HERE / "sources"
MODERN = HERE / "modern"
FONT = HERE.parent / "wcspider" / "fonts" / "WcspiderSerif-BoldItalic.ttf"

ENCODINGS = {
    "bg.html": "windows-1251",
    "cs.xhtml": "iso-8859-2",
    "el-utf16.html": "utf-16-le",
    "fr.html": "windows-1252",
    "ja.html": "shift_jis",
    "pl.html": "iso-8859-2",
    "ru-1251.html": "windows-1251",
    "ru-koi8.html": "koi8-r",
    "uk.html": "windows-1251",
}
"""The encoding in site/lang/ of each page of sources/. In sources/ all pages are UTF-8."""

INK = (31, 78, 95)
RUST = (179, 84, 30)
FOAM = (223, 236, 240)


def encoded(name: str) -> bytes:
    """Return a page of sources/ in its encoding in site/lang/; UTF-16 starts with a byte order mark."""
    text = (SOURCES / name).read_text(encoding="utf-8")
    encoding = ENCODINGS[name]
    return ("\ufeff" + text if encoding.startswith("utf-16") else text).encode(encoding)


def lighthouse(width: int, height: int) -> Image.Image:
    """Draw the tower at dusk: a sky that grows pale, a beam, the tower, the sea."""
    scale = width / 480
    picture = Image.new("RGB", (width, height))
    draw = ImageDraw.Draw(picture, "RGBA")
    for y in range(height):
        share = y / height
        draw.line([(0, y), (width, y)], fill=(int(38 + 190 * share), int(58 + 110 * share), int(96 + 40 * share)))

    def polygon(points: list[tuple[float, float]], fill: tuple[int, ...]) -> None:
        draw.polygon([(x * scale, y * scale) for x, y in points], fill=fill)

    polygon([(336, 84), (0, 20), (0, 110)], (255, 240, 190, 70))
    polygon([(336, 84), (480, 66), (480, 104)], (255, 240, 190, 70))
    polygon([(0, 262), (170, 236), (480, 250), (480, 300), (0, 300)], (24, 44, 58, 255))
    polygon([(314, 244), (322, 96), (350, 96), (358, 244)], (244, 240, 232, 255))
    polygon([(316, 206), (318, 170), (354, 170), (356, 206)], RUST)
    polygon([(320, 134), (321, 104), (351, 104), (352, 134)], RUST)
    polygon([(318, 98), (318, 92), (354, 92), (354, 98)], INK)
    polygon([(324, 92), (324, 76), (348, 76), (348, 92)], (255, 236, 160, 255))
    polygon([(320, 76), (336, 62), (352, 76)], INK)
    return picture


def lens(size: int, rim: tuple[int, ...]) -> Image.Image:
    """Draw concentric prisms on a transparent background."""
    picture = Image.new("RGBA", (size, size), (0, 0, 0, 0))
    draw = ImageDraw.Draw(picture)
    for ring in range(7):
        inset = ring * size / 15
        shade = (*FOAM, 90 + 20 * ring) if ring % 2 else (*rim, 60 + 20 * ring)
        draw.ellipse([inset, inset, size - 1 - inset, size - 1 - inset], fill=shade, outline=rim)
    return picture


def beam(turn: float) -> Image.Image:
    """Draw one frame of the turning beam."""
    picture = Image.new("P", (32, 32), 0)
    picture.putpalette([*INK, 255, 236, 160, 244, 240, 232])
    draw = ImageDraw.Draw(picture)
    for side in (0, math.pi):
        edges = [(16 + 22 * math.cos(turn + side + off), 16 + 22 * math.sin(turn + side + off)) for off in (-0.3, 0.3)]
        draw.polygon([(16, 16), *edges], fill=1)
    draw.ellipse([12, 12, 20, 20], fill=2)
    return picture


def waves() -> Image.Image:
    """Draw the background of the pages."""
    picture = Image.new("RGB", (48, 16), FOAM)
    draw = ImageDraw.Draw(picture)
    draw.line([(x, 8 + 3 * math.sin(x * math.pi / 12)) for x in range(49)], fill=(197, 214, 220), width=1)
    return picture


def rings() -> Image.Image:
    """Draw concentric rings."""
    picture = Image.new("L", (60, 60), 255)
    draw = ImageDraw.Draw(picture)
    for radius in range(4, 30, 5):
        draw.ellipse([30 - radius, 30 - radius, 30 + radius, 30 + radius], outline=225)
    return picture


def point_map() -> Image.Image:
    """Draw the map with the areas that map.html links."""
    picture = Image.new("RGB", (400, 240), FOAM)
    draw = ImageDraw.Draw(picture)
    draw.polygon([(0, 240), (0, 90), (120, 70), (250, 50), (360, 60), (370, 130), (280, 236)], fill=(214, 222, 196))
    draw.ellipse([260, 50, 340, 130], fill=(244, 240, 232), outline=INK, width=2)
    draw.ellipse([288, 78, 312, 102], fill=RUST)
    draw.rectangle([60, 120, 160, 190], fill=(244, 240, 232), outline=INK, width=2)
    draw.polygon([(190, 200), (260, 180), (280, 230), (200, 236)], fill=(197, 214, 220), outline=INK)
    return picture


def chart() -> Image.Image:
    """Draw a chart larger than a page, for an image that is linked directly."""
    picture = Image.new("P", (1200, 800), 0)
    picture.putpalette([*FOAM, *INK, *RUST, 255, 255, 255])
    draw = ImageDraw.Draw(picture)
    for depth in range(12):
        draw.line(
            [(x, 120 + 50 * depth + 30 * math.sin(x / 90 + depth)) for x in range(0, 1201, 8)],
            fill=1,
            width=2,
        )
    draw.ellipse([820, 380, 860, 420], fill=2)
    draw.rectangle([0, 0, 1199, 799], outline=1, width=6)
    return picture


def guide() -> bytes:
    """Make a PDF file with three pages, links and bookmarks."""
    rl_config.useA85 = 0
    output = io.BytesIO()
    canvas = Canvas(output, pagesize=A5, invariant=1)
    canvas.setTitle("Skerry Point: a guide")
    canvas.setAuthor("Skerry Point Lighthouse Museum")
    pages = {
        "Skerry Point": ["A guide for the visitor", "Please give it back at the door."],
        "The tower": ["Height: 41 metres. Steps: 142.", "Range: eleven miles in clear weather."],
        "The causeway": ["Dry for two hours on either side of low water.", "The bell means: come back now."],
    }
    for title, lines in pages.items():
        canvas.bookmarkPage(title)
        canvas.addOutlineEntry(title, title)
        canvas.setFont("Times-Roman", 24)
        canvas.drawString(50, 500, title)
        canvas.setFont("Times-Roman", 12)
        for row, line in enumerate(lines):
            canvas.drawString(50, 460 - 18 * row, line)
        canvas.linkURL("https://skerrypoint.example/", (50, 40, 250, 60))
        canvas.drawString(50, 45, "skerrypoint.example")
        canvas.showPage()
    canvas.save()
    return output.getvalue()


def drawings() -> bytes:
    """Make a ZIP archive, which has a media type that is not captured."""
    output = io.BytesIO()
    with zipfile.ZipFile(output, "w") as archive:
        archive.writestr(zipfile.ZipInfo("readme.txt"), "The drawings are in the reading room.\n")
    return output.getvalue()


def web_font() -> bytes:
    """Return the letters of headings as a web font."""
    font = TTFont(FONT)
    subsetter = Subsetter(Options(layout_features=["kern"], drop_tables=["DSIG"]))
    subsetter.populate(unicodes=range(0x20, 0x7F))
    subsetter.subset(font)
    font.flavor = "woff2"
    output = io.BytesIO()
    font.save(output)
    return output.getvalue()


def make_modern() -> None:
    """Write the pictures and the font of the pages in modern CSS."""
    images = MODERN / "images"
    images.mkdir(exist_ok=True)
    lighthouse(240, 150).save(images / "tower.jpg", quality=75)
    lighthouse(720, 450).save(images / "tower-large.jpg", quality=60)
    lens(200, INK).save(images / "lens.png", optimize=True)
    lens(200, RUST).save(images / "lens.webp", quality=60)
    point_map().save(images / "map.png", optimize=True)
    chart().resize((300, 200)).save(images / "chart.png", optimize=True)
    (MODERN / "fonts").mkdir(exist_ok=True)
    (MODERN / "fonts" / "heading.woff2").write_bytes(web_font())


def main() -> None:
    """Write all files."""
    for name in ENCODINGS:
        (SITE / "lang" / name).write_bytes(encoded(name))

    images = SITE / "images"
    lighthouse(480, 300).save(images / "lighthouse.jpg", quality=82)
    (images / "copy" / "lighthouse.jpg").write_bytes((images / "lighthouse.jpg").read_bytes())
    lighthouse(960, 600).save(images / "lighthouse-large.jpg", quality=60)
    lens(200, INK).save(images / "lens.png", optimize=True)
    lens(200, (0, 0, 0)).save(images / "lens-print.png", optimize=True)
    waves().save(images / "waves.png", optimize=True)
    rings().save(images / "rings.png", optimize=True)
    point_map().save(images / "map.png", optimize=True)
    chart().save(images / "chart.png", optimize=True)
    first, *others = [beam(step * math.pi / 6) for step in range(6)]
    first.save(images / "beam.gif", save_all=True, append_images=others, duration=120, loop=0)

    make_modern()
    (SITE / "files" / "guide.pdf").write_bytes(guide())
    (SITE / "files" / "drawings.zip").write_bytes(drawings())


if __name__ == "__main__":
    main()
