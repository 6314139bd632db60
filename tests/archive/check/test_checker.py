"""Each rule of 14.10 that a file can break is broken once, alone, in a file that is right in all else."""

from __future__ import annotations

import io
from collections.abc import Iterator
from decimal import Decimal

import pikepdf
import pytest
from pikepdf import Array, Dictionary, Name, Pdf, String

from tests.support import pdf_samples as samples
from tests.support.broken_files import (
    OTHER,
    Mutation,
    alias,
    alias_not_in_urls,
    append,
    command,
    command_settings,
    content_set,
    destination_outside_page_tree,
    direct_command_of_source,
    direct_content_set,
    direct_kid,
    direct_page,
    empty_node,
    fields,
    first_leaf,
    first_page,
    home,
    image_in_two_sets,
    image_set_of_a_form,
    indirect_alias,
    info,
    insert_pair,
    key_twice_in_array,
    names,
    node_met_twice,
    not_in_ids,
    not_in_urls,
    page_in_two_sets,
    page_listed_twice,
    page_outside_page_tree,
    page_tree_node,
    pages_in_other_order,
    put,
    repeated_key,
    same_url_twice,
    set_without_objects,
    settings_referred_to,
    settings_root_referred_to,
    short_identifier,
    single_count_in_array,
    source,
    two_settings_share,
    uncaptured_page_with_id,
    under_foreign_id,
    under_foreign_url,
    unlisted_command,
    unlisted_image_with_id,
    unsorted_keys,
    url_respelt,
    urls,
)
from tests.support.pdf_samples import SITE
from wcspider.archive.check.checker import Finding, Rule, check


@pytest.fixture(scope="session")
def conforming(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return samples.conforming_pdf(tmp_path_factory.mktemp("check") / "conforming.pdf").read_bytes()


@pytest.fixture
def pdf(conforming: bytes) -> Iterator[Pdf]:
    with pikepdf.open(io.BytesIO(conforming)) as opened:
        yield opened


def rules(findings: Iterator[Finding]) -> set[str]:
    return {finding.rule for finding in findings}


MUTATIONS: list[tuple[Rule, Mutation]] = [
    (Rule.INFO_V, put(info, "/V", None)),
    (Rule.INFO_V, put(info, "/V", String("1.0"))),
    (Rule.INFO_V, put(info, "/V", True)),
    (Rule.INFO_V_VALUE, put(info, "/V", Decimal("1.25"))),
    (Rule.INFO_C_INDIRECT, append(lambda pdf: info(pdf).C, lambda pdf: Dictionary(URL=f"{SITE}/"))),
    (Rule.INFO_C_COMMAND, append(lambda pdf: info(pdf).C, lambda pdf: 7)),
    (Rule.TREE_NODE, node_met_twice),
    (Rule.TREE_NODE, append(lambda pdf: urls(pdf).Kids, lambda pdf: String("no node"))),
    (Rule.TREE_NODE, put(names, "/URLS", 5)),
    (Rule.TREE_ENTRIES, put(urls, "/Names", Array([]))),
    (Rule.TREE_ENTRIES, append(lambda pdf: urls(pdf).Kids, lambda pdf: pdf.make_indirect(Dictionary()))),
    (Rule.TREE_KIDS, append(lambda pdf: urls(pdf).Kids, empty_node)),
    (Rule.TREE_KIDS_INDIRECT, direct_kid),
    (Rule.TREE_NAMES, append(lambda pdf: first_leaf(pdf).Names, lambda pdf: String("a key alone"))),
    (Rule.TREE_NAMES, lambda pdf: first_leaf(pdf).Names.extend([Name.Key, home(pdf)])),
    (Rule.TREE_ORDER, unsorted_keys),
    (Rule.TREE_ORDER, put(names, "/Dests", Dictionary(Names=Array([String("b"), 1, String("a"), 1])))),
    (Rule.TREE_KIDS, put(names, "/WCSP_Links", Dictionary(Kids=Array([])))),
    (Rule.TREE_DUPLICATE, repeated_key),
    (Rule.TREE_ROOT_LIMITS, put(urls, "/Limits", Array([String("a"), String("z")]))),
    (Rule.TREE_LIMITS, put(first_leaf, "/Limits", None)),
    (Rule.TREE_LIMITS, put(first_leaf, "/Limits", Array([String("a"), String("z")]))),
    (Rule.VALUE, lambda pdf: insert_pair(pdf.Root.Names.IDS, String(OTHER), Name.Nothing)),
    (Rule.VALUE, lambda pdf: insert_pair(pdf.Root.Names.IDS, String(OTHER), Array([]))),
    (Rule.VALUE_ONCE, key_twice_in_array),
    (Rule.IN_URLS, not_in_urls),
    (Rule.URLS_COMPLETE, alias_not_in_urls),
    (Rule.URLS_OWN, under_foreign_url),
    (Rule.URLS_CANONICAL, url_respelt("/paper.pdf")),
    (Rule.URLS_CANONICAL, url_respelt(f"{SITE}/paper.pdf#page=2")),
    (Rule.URLS_CANONICAL, url_respelt("HTTP://www.example.com/paper.pdf")),
    (Rule.URLS_CANONICAL, url_respelt("http://www.Example.com/paper.pdf")),
    (Rule.URLS_CANONICAL, url_respelt("file://localhost/paper.pdf")),
    (Rule.URLS_CANONICAL, url_respelt("http://www.example.com:80/paper.pdf")),
    (Rule.URLS_CANONICAL, url_respelt(f"{SITE}/papers/../paper.pdf")),
    (Rule.URLS_FORM, url_respelt("http://paper.example.com")),
    (Rule.URLS_FORM, url_respelt("https://www.example.com:443/paper.pdf")),
    (Rule.IDS_OWN, under_foreign_id),
    (Rule.MD5, short_identifier),
    (Rule.MD5, put(home, "/TID", String(b"\x01" * 17))),
    (Rule.SET_TYPE, put(home, "/Type", Name.ContentSet)),
    (Rule.SET_S, put(home, "/S", None)),
    (Rule.SET_S, put(home, "/S", Name.SXS)),
    (Rule.SET_ID, put(home, "/ID", None)),
    (Rule.SET_ID, put(home, "/ID", Name.Id)),
    (Rule.SET_O, put(home, "/O", None)),
    (Rule.SET_O_EMPTY, set_without_objects),
    (Rule.SET_O_INDIRECT, direct_page),
    (Rule.SET_CT, put(home, "/CT", String("html"))),
    (Rule.SET_CT, put(home, "/CT", String("text/h\xe4ml"))),
    (Rule.SET_TS, put(home, "/TS", String("2024-02-29"))),
    (Rule.SET_TS, put(home, "/TS", String("D:20230229"))),
    (Rule.PAGE, page_outside_page_tree),
    (Rule.PAGE_ORDER, pages_in_other_order),
    (Rule.PAGE_ONCE, page_in_two_sets),
    (Rule.SET_T, put(home, "/T", Name.Home)),
    (Rule.SET_TID, put(home, "/TID", 5)),
    (Rule.PAGE_SET_ONLY, put(lambda pdf: content_set(pdf, "logo.gif"), "/T", String("Logo"))),
    (Rule.IMAGE, image_set_of_a_form),
    (Rule.IMAGE_ONCE, image_in_two_sets),
    (Rule.IMAGE_SET_ONLY, put(home, "/R", 1)),
    (Rule.R, put(lambda pdf: content_set(pdf, "logo.gif"), "/R", None)),
    (Rule.R, put(lambda pdf: content_set(pdf, "logo.gif"), "/R", Decimal("3.0"))),
    (Rule.R_INTEGER, single_count_in_array),
    (Rule.R_PARALLEL, put(lambda pdf: content_set(pdf, "animation.gif"), "/R", 1)),
    (Rule.R_PARALLEL, put(lambda pdf: content_set(pdf, "animation.gif"), "/R", Array([1]))),
    (Rule.R_COUNT, put(lambda pdf: content_set(pdf, "logo.gif"), "/R", 4)),
    (Rule.R_COUNT, put(lambda pdf: content_set(pdf, "animation.gif"), "/R", Array([1, 0]))),
    (Rule.SI_DISTINCT, same_url_twice),
    (Rule.SI_TS, put(source(""), "/TS", String("yesterday"))),
    (Rule.SI_E, put(source(""), "/E", String("D:20241301"))),
    (Rule.SI_S, put(source(""), "/S", 3)),
    (Rule.SI_S_PAGE_SET, put(source("logo.gif"), "/S", 0)),
    (Rule.SI_C, put(source(""), "/C", 1)),
    (Rule.SI_C_INDIRECT, direct_command_of_source),
    (Rule.SI_C_PAGE_SET, lambda pdf: put(source("logo.gif"), "/C", command(pdf))(pdf)),
    (Rule.SI_C_LISTED, unlisted_command),
    (Rule.ALIAS_DIRECT, indirect_alias),
    (Rule.ALIAS_CHAIN, append(lambda pdf: alias(pdf).C, lambda pdf: Array([]))),
    (Rule.ALIAS_CHAIN, append(lambda pdf: alias(pdf).C, lambda pdf: String(f"{SITE}/old"))),
    (Rule.ALIAS_CHAIN, append(lambda pdf: alias(pdf).C[0], lambda pdf: 1)),
    (Rule.COMMAND_URL, put(command, "/URL", None)),
    (Rule.COMMAND_URL, put(command, "/URL", String("http://\xe4/"))),
    (Rule.COMMAND_L, put(command, "/L", 0)),
    (Rule.COMMAND_L, put(command, "/L", Decimal("1.5"))),
    (Rule.COMMAND_F, put(command, "/F", String("1"))),
    (Rule.COMMAND_F_BITS, put(command, "/F", 8)),
    (Rule.COMMAND_F_BITS, put(command, "/F", -1)),
    (Rule.COMMAND_P, put(command, "/P", Name.Data)),
    (Rule.COMMAND_CT, put(lambda pdf: info(pdf).C[1], "/CT", String("json"))),
    (Rule.COMMAND_CT_POST, put(command, "/CT", String("text/plain"))),
    (Rule.COMMAND_H, put(command, "/H", Name.Referer)),
    (Rule.COMMAND_H_LINES, put(command, "/H", String("From: veeble@frotz.com"))),
    (Rule.COMMAND_H_LINES, put(command, "/H", String("From: veeble@frotz.com\n"))),
    (Rule.COMMAND_H_LINES, put(command, "/H", String("no header\r\n"))),
    (Rule.COMMAND_H_SECRET, put(command, "/H", String("Accept: */*\r\nCOOKIE: a=b\r\n"))),
    (Rule.COMMAND_H_SECRET, put(command, "/H", String("Proxy-Authorization:Basic eA==\r\n"))),
    (Rule.COMMAND_S, put(command, "/S", 1)),
    (Rule.SETTINGS_G, put(command_settings, "/G", 1)),
    (Rule.SETTINGS_C, put(command_settings, "/C", Array([]))),
    (Rule.SETTINGS_C_NAME, put(lambda pdf: command_settings(pdf).C, "/WCSP:x:1", Dictionary())),
    (Rule.SETTINGS_C_NAME, put(lambda pdf: command_settings(pdf).C, "/WCSP:x:1:HTML:4", Dictionary())),
    (Rule.SETTINGS_C_NAME, put(lambda pdf: command_settings(pdf).C, "/:x:1:HTML", Dictionary())),
    (Rule.SETTINGS_C_VALUE, put(lambda pdf: command_settings(pdf).C, "/WCSP::1:HTML", 1)),
    (Rule.SETTINGS_CLOSED, settings_referred_to),
    (Rule.SETTINGS_CLOSED, settings_root_referred_to),
    (Rule.SETTINGS_CLOSED, two_settings_share),
    (Rule.FIELD_NAME, fields("a", "b", "a")),
    (Rule.FIELD_PERIOD, fields("a.b")),
    (Rule.FIELD_IDENTIFIER, fields("a", original=b"a")),
    (Rule.DESTINATION, destination_outside_page_tree(in_dictionary=False)),
    (Rule.DESTINATION, destination_outside_page_tree(in_dictionary=True)),
    (Rule.WIDGET_PAGE, fields("a", shown=False)),
    (Rule.WIDGET_PAGE, fields("a", page=1)),
    (Rule.IN_IDS, not_in_ids),
    (Rule.MEMBER_ID, put(first_page, "/ID", String(OTHER))),
    (Rule.MEMBER_ID, put(first_page, "/ID", Name.Id)),
    (Rule.MEMBER_ID_ABSENT, put(first_page, "/ID", None)),
    (Rule.MEMBER_PARENT, uncaptured_page_with_id),
    (Rule.MEMBER_PARENT, unlisted_image_with_id),
    (Rule.MEMBER_POINTER, lambda pdf: put(first_page, "/Parents", Array([home(pdf)]))(pdf)),
    (Rule.PAGE_PZ, put(first_page, "/PZ", 0)),
    (Rule.PAGE_PZ, put(first_page, "/PZ", Name.Fit)),
    (Rule.PAGES_KIDS, page_listed_twice),
    (Rule.PAGES_KIDS, append(lambda pdf: page_tree_node(pdf).Kids, lambda pdf: 1)),
    (Rule.PAGES_COUNT, put(page_tree_node, "/Count", 3)),
    (Rule.PAGES_PARENT, lambda pdf: put(first_page, "/Parent", pdf.Root.Pages)(pdf)),
]

CONSEQUENCES: list[tuple[Rule, Mutation, set[Rule]]] = [
    # What cannot be read is not there, so other rules are broken with these.
    (Rule.INFO, lambda pdf: put(lambda pdf: pdf.Root, "/SpiderInfo", 1)(pdf), {Rule.SI_C_LISTED}),
    (Rule.INFO_C, put(info, "/C", 1), {Rule.SI_C_LISTED}),
    (
        Rule.TREE_EMPTY,
        put(names, "/URLS", Dictionary()),
        {Rule.IN_URLS},
    ),
    (Rule.TREE_VALUE_INDIRECT, direct_content_set, {Rule.SET_O_EMPTY}),
    (Rule.SET_SI, put(home, "/SI", None), set()),
    (Rule.SI_AU, put(source("paper.pdf"), "/AU", 7), set()),
    (Rule.ALIAS_U, put(alias, "/U", None), {Rule.URLS_OWN}),
    (Rule.ALIAS_C, put(alias, "/C", Array([])), {Rule.URLS_OWN}),
]


@pytest.mark.parametrize(
    ("rule", "mutate"),
    [pytest.param(rule, mutate, id=f"{rule.id}-{n}") for n, (rule, mutate) in enumerate(MUTATIONS)],
)
def test_mutation_breaks_its_rule_only(pdf: Pdf, rule: Rule, mutate: Mutation) -> None:
    mutate(pdf)
    assert rules(check(pdf)) == {rule.id}


@pytest.mark.parametrize(("rule", "mutate", "more"), [pytest.param(*row, id=row[0].id) for row in CONSEQUENCES])
def test_mutation_breaks_its_rule_and_what_hangs_on_it(pdf: Pdf, rule: Rule, mutate: Mutation, more: set[Rule]) -> None:
    mutate(pdf)
    assert rules(check(pdf)) == {rule.id} | {other.id for other in more}


def test_every_rule_is_broken_by_a_mutation() -> None:
    broken = {rule for rule, _ in MUTATIONS} | {rule for rule, _, _ in CONSEQUENCES}
    of_whole_files = {Rule.STRUCTURE, Rule.HEADER, Rule.EARLIER_STATES}  # test_checked_files.py
    assert set(Rule) - broken == of_whole_files
