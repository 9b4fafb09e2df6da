# SPDX-License-Identifier: Apache-2.0
"""The table of cuBLAS's functions against cublas_api.h, where torch's packages bring that header."""

import pathlib
import re
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
TABLE = ROOT / "src" / "device" / "cuda" / "cublas.def"
CARDS = ROOT / "catalogue" / "operators" / "cublas"
ELEMENT = {"f16": "__half", "f32": "float", "f64": "double", "c64": "cuComplex", "c128": "cuDoubleComplex"}


def rows():
    """symbol -> (element type, kinds)."""
    text = re.sub(r"//[^\n]*", "", TABLE.read_text())
    return {words[0]: (words[1], words[2:]) for words in
            (re.split(r",\s*", row) for row in re.findall(r"KGB_CUBLAS\(([^)]*)\)", text))}


def header():
    found = [path for folder in map(pathlib.Path, sys.path) for inside in ("nvidia/cu13", "nvidia/cublas")
             if (path := folder / inside / "include" / "cublas_api.h").is_file()]
    if not found:
        pytest.skip("no cublas_api.h beside torch")
    return found[0].read_text()


def declared(text, symbol):
    """[(C type, name)] behind the handle."""
    found = re.search(rf"\b{symbol}\s*\(([^;{{]*)\)\s*;", text)
    assert found, f"{symbol} is not in the header"
    parameters = []
    for parameter in re.split(r",\s*", " ".join(found[1].split()))[1:]:
        kind, name, array = re.fullmatch(r"(.*?)\s*(\w+)(\[\])?", parameter).groups()
        parameters.append((kind + ("*" if array else ""), name))
    return parameters


def wanted(kind, element):
    """The C type of a kind of argument."""
    return {"Op": "cublasOperation_t", "Fill": "cublasFillMode_t", "Side": "cublasSideMode_t", "Diag": "cublasDiagType_t",
            "Int": "int", "Long": "int64_t", "Stride": "long long int", "Type": "cudaDataType",
            "Factor": f"const {element}*", "In": f"const {element}*", "Out": f"{element}*", "Answer": f"{element}*",
            "InAny": "const void*", "OutAny": "void*",
            "Ins": f"const {element}* const*", "Outs": f"{element}* const*"}[kind]


@pytest.mark.parametrize("symbol", rows())
def test_a_row_is_what_the_header_declares(symbol):
    element, kinds = rows()[symbol]
    parameters = declared(header(), symbol)
    assert [wanted(kind, ELEMENT[element]) for kind in kinds] == [kind for kind, _ in parameters]
    for kind, (_, name) in zip(kinds, parameters):
        assert (kind == "Factor") == (name in ("alpha", "beta")), name
        assert (kind == "Answer") == (name == "result"), name


def test_every_function_of_a_card_has_a_row_and_every_row_a_card():
    named = [name for card in CARDS.glob("*/card.toml") for name in re.findall(r'^vendor\s*=\s*"(\w+)"', card.read_text(), re.M)]
    assert len(named) == len(list(CARDS.iterdir()))
    assert sorted(named) == sorted(rows())
