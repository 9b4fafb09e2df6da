# SPDX-License-Identifier: Apache-2.0
"""The generated pages: one for every operator, each with what its card, reference and expert say."""
import importlib
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tools"))
operator_pages = importlib.import_module("operator_pages")

PAGES = operator_pages.pages()
CARDS = sorted((ROOT / "catalogue" / "operators").glob("*/*/card.toml"))


def test_the_index_names_every_operator_once():
    index = PAGES["operators/index.md"]
    for path in CARDS:
        assert index.count(f"]({path.parent.parent.name}/{path.parent.name}.md)") == 1
    assert len(PAGES) == len(CARDS) + 1


@pytest.mark.parametrize("path", CARDS, ids=lambda p: f"{p.parent.parent.name}::{p.parent.name}")
def test_a_page_holds_what_the_operators_folder_says(path):
    card, folder = tomllib.loads(path.read_text()), path.parent
    text = PAGES[f"operators/{folder.parent.name}/{folder.name}.md"]
    assert text.startswith(f"# {card['name']}\n\n")
    first = text.splitlines()[2]
    assert first and not first.startswith(("#", "|", "SPDX"))  # a sentence that says what it computes
    for entry in card["entry"]:
        assert f"\n{entry['name']}{entry['schema']}\n" in text
    assert f"Class `{card['error']['class']}`: " in text
    for file in ("reference.py", "expert.py"):
        assert (folder / file).read_text().strip() in text
    assert text.count("```") % 2 == 0
    for heading in ("Entries", "Error bound", "Workloads", "Reference", "Expert"):
        assert text.count(f"\n## {heading}\n") == 1
    if card.get("no_kernel"):
        assert operator_pages.cell(card["no_kernel"]) in text


def test_measured_results_are_shown_where_there_are_any():
    text = operator_pages.results({"dtypes": {"f32": [0.25, 1e-06, None]}, "mutants": 20, "found": 19,
                                   "found_published": 12, "equivalent": 3, "holes": 0})
    assert "| f32 | 0.25 | 1e-06 | - |" in text
    assert "Of 20 mutants of the expert 19 are found (12 by the published tolerance); 3 more compute the same." in text
    assert "Fixture screen: no holes." in text
    assert operator_pages.results({}) == ""


def test_moved_inputs_are_told_by_a_share_or_by_being_out_of_the_bound():
    assert "by 0.67 of the bound at most." in operator_pages.results({"moves": 0.667})
    text = operator_pages.results({"moves": 0.667, "moves_sensitive": "inf"})
    assert "moves a right value out of its bound; the card says why." in text and "at most" not in text
    assert "the card says why" not in operator_pages.results({"moves": "inf", "moves_sensitive": 2.0})
