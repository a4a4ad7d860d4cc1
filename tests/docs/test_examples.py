"""Every documented example runs, and prints what its page says."""

import re

import pytest

from tests.docs.examples import PAGES, ROOT, Reader, agrees, examples

ROUNDED_OTHERWISE = ["evolution.md"]  # sums of payoffs, of which the last digit shown depends on the order of addition


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_examples(page, tmp_path, request):
    if page.name in ROUNDED_OTHERWISE:
        request.getfixturevalue("optimised")
    reader = Reader(tmp_path)
    for example in examples(page):
        if example.slow:
            continue
        printed = reader.run(example)
        assert not example.output or agrees(example.expected, printed), f"{example} prints:\n{printed}"


SLOW = [example for page in PAGES for example in examples(page) if example.slow]


@pytest.mark.slow
@pytest.mark.parametrize("example", SLOW, ids=str)
def test_slow_examples(example, tmp_path):
    printed = Reader(tmp_path).run(example)
    assert not example.output or agrees(example.expected, printed), f"{example} prints:\n{printed}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text(encoding="utf-8")):
        assert "://" in target or (page.parent / target).exists(), f"{page.name} links to {target}, which is not there"


def test_dots_stand_for_any_lines():
    assert agrees("a\n...\nc\n", "a\nb\nb\nc\n\n")
    assert agrees("a\n...\n", "a  \n")
    assert not agrees("a\n...\nc\n", "a\nb\n")
    assert not agrees("a\n", "a\nb\n")
