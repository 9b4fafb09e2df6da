# SPDX-License-Identifier: Apache-2.0
"""Triton's front end made quicker: what it sees of `warnings` and `inspect` behaves as the modules do."""
import inspect
import warnings

import pytest

from kgbench.author import front_end


def test_filters_of_the_outermost_visit_hold_for_all_and_end_with_it():
    filters = front_end._Filters()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        before = list(warnings.filters)
        with filters():
            filters.simplefilter("ignore", DeprecationWarning)
            with filters():
                filters.simplefilter("ignore", DeprecationWarning)
                warnings.warn("old", DeprecationWarning, stacklevel=1)
            warnings.warn("old", DeprecationWarning, stacklevel=1)
            with pytest.raises(UserWarning):
                warnings.warn("not ignored", UserWarning, stacklevel=1)
        assert list(warnings.filters) == before
        with pytest.raises(DeprecationWarning):
            warnings.warn("old", DeprecationWarning, stacklevel=1)


def test_filters_end_when_a_visit_fails():
    filters = front_end._Filters()
    before = list(warnings.filters)
    with pytest.raises(ValueError), filters(), filters():
        filters.simplefilter("ignore", DeprecationWarning)
        raise ValueError
    assert list(warnings.filters) == before


class Adder:
    def add(self, x, _semantic=None):
        return x

    def __call__(self, y):
        return y


def plain(a, *, b=1):
    return a


@pytest.mark.parametrize("callee", [plain, Adder.add, Adder().add, Adder(), Adder().__call__, len, "x".join, Adder])
def test_signatures_are_those_of_inspect(callee):
    signatures = front_end._Signatures()
    for _ in range(2):
        assert signatures(callee) == inspect.signature(callee)


def test_a_method_and_its_function_are_told_apart():
    signatures = front_end._Signatures()
    assert "self" in signatures(Adder.add).parameters
    assert "self" not in signatures(Adder().add).parameters


def test_the_rest_of_a_borrowed_module_is_the_module():
    borrowed = front_end._Borrowed(inspect, signature=None)
    assert borrowed.signature is None and borrowed.getsource is inspect.getsource
