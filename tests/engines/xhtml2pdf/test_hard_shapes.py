"""Pages whose shape xhtml2pdf alone could not lay out, or only in a long time."""

from __future__ import annotations

import pytest

from tests.support.rendered_pages import Step, boxes, render, sizes, text
from wcspider.engines.document.page_parsing import as_html

pytestmark = pytest.mark.slow


class TestHardShapes:
    def test_nested_500_deep(self) -> None:
        assert "bottom" in text(render("<div>" * 500 + "bottom"))
        assert "bottom" in text(render("<b><i><span>" * 400 + "bottom"))
        assert "bottom" in text(render("<table><tr><td>" * 100 + "bottom"))

    @pytest.mark.parametrize("spans", ["", " rowspan=2"])
    def test_cell_taller_than_a_page_stays_readable(self, spans: str) -> None:
        cell = "<p>" + "lorem ipsum " * 30
        rendering = render(f"<table><tr><td{spans}>{cell * 40}<td>side<tr><td>next</table>")
        assert text(rendering).count("lorem") == 40 * 30
        heights = [b[3] - b[1] for _, c, b in boxes(rendering) if c == "l"]
        assert min(heights) >= 4

    def test_long_preformatted_text_is_all_there(self) -> None:
        lines = "\n".join(f"<span>line</span> {n:05d} of it" for n in range(1500))
        found = text(render(f"<pre>{lines}</pre>"))
        assert [f"{n:05d}" in found for n in range(1500)] == [True] * 1500

    def test_long_lines_stay_on_the_page(self) -> None:
        for body in ("<pre>" + "abc def " * 60, "<p>" + "x" * 500, "<p style='white-space: pre'>" + "ab " * 200):
            assert max(box[2] for _, _, box in boxes(render(body))) < 595

    def test_long_paragraph_and_long_table_are_all_there(self) -> None:
        words = " ".join(f"w{n:05d}" for n in range(6000))
        assert text(render(f"<p>{words}")).count("w") == 6000
        rows = "".join(f"<tr><td>r{n:04d}<td>x" for n in range(900))
        assert text(render(f"<table>{rows}</table>")).count("r") == 900

    def test_long_boxes_do_not_lose_text_or_space(self) -> None:
        body = "<div style='width: 400px; padding: 10px; border: 1px solid'>" * 3 + "<p>paragraph</p>" * 200
        assert text(render(body)).count("paragraph") == 200

    @pytest.mark.parametrize("body", [b"", b"\x00\xff", b"<", b"<html><frameset><frame src=x></frameset>", b"<!---"])
    def test_hardly_a_page(self, body: bytes) -> None:
        assert len(sizes(render(body))) == 1

    def test_orders_to_xhtml2pdf_are_no_orders(self) -> None:
        body = "<pdf:toc/><pdftoc></pdftoc><pdf:nextpage><pdf:insertpdf src='/etc/passwd'>one<pdf:pagenumber> page"
        rendering = render(f"<p style='-pdf-page-break: before'>{body}")
        assert len(sizes(rendering)) == 1
        assert "one" in text(rendering)

    def test_unshown_elements(self) -> None:
        body = "<script>no</script><template>no</template><p hidden>no</p><dialog>no</dialog><!-- no --><p>yes</p>"
        assert text(render(body + "<noscript>too</noscript><p popover>no")).split() == ["yes", "too"]

    def test_controls_are_drawn_as_text_where_nothing_else_works(self) -> None:
        body = (
            "<input value=name><input type=hidden value=no><input type=checkbox checked>"
            "<select><option>1<option selected>two</select><textarea>area</textarea><button>Go</button>"
        )
        found = text(render(body, step=Step.TEXT_ONLY))
        assert all(word in found for word in ("name", "☑", "two", "area", "Go"))
        assert "no" not in found

    @pytest.mark.parametrize(
        ("head", "body", "shown"),
        [
            ("<title/>", "<p/>x", "x"),
            ("<script src='a>b'/>", "x", "x"),
            ("<style title='/>'/><script\n/>", "x", "x"),
            ("", "<a id='1>'/>x", "x"),
            ("", "<p>a <![CDATA[b < c & <i/> d]]> e</p>", "a b < c & <i/> d e"),
            ("<!-- <script> --><?x a > b ?>", "<!-- <![CDATA[ --><?x > ?>x", "x"),
            ("<style>/*<![CDATA[*/ body > i { display: none } /*]]>*/</style>", "x<i>y</i>", "x"),
            ("<style><![CDATA[ body > i { display: none } ]]></style>", "x<i>y</i>", "x"),
            ("<script>'<p/>' > '<![CDATA['</script>", "<p/>x", "x"),
            # Not well-formed, so as it is in HTML
            ("", "<p it's/>x", "x"),
            ("", "x<b>y<![CDATA[z", "xy"),
            ("", "x<!-- y", "x"),
        ],
    )
    def test_xhtml(self, head: str, body: str, shown: str) -> None:
        page = f"<html xmlns='http://www.w3.org/1999/xhtml'><head>{head}</head><body>{body}</body></html>"
        assert text(render(page.encode(), media_type="application/xhtml+xml")).split() == shown.split()

    @pytest.mark.parametrize(
        "repeated", ["a", " ", "/", '"', "'\"", "<!--", "<![CDATA[", "<?", "<style>", "<a '", "<a b"]
    )
    def test_the_work_grows_with_the_length_of_xhtml(self, repeated: str) -> None:
        page = "<a" + repeated * (500_000 // len(repeated))
        assert as_html(page) == page
