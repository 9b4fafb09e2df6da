# SPDX-License-Identifier: Apache-2.0
"""The statistics in C++ against scipy on simulated data."""
import json
import math
import os
import pathlib
import random
import subprocess

import pytest
from scipy import stats

PROBE = pathlib.Path(os.environ["KGBENCH_BINARY"]).parents[1] / "tests" / "stats_probe"
SEEDS = range(40)


def asked(calls):
    """The results of [name, arguments...] calls, made in one process."""
    done = subprocess.run([PROBE], input="".join(json.dumps(call) + "\n" for call in calls), capture_output=True,
                          text=True, check=True, timeout=120)
    results = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(results) == len(calls)
    return results


def ask(*call):
    return asked([call])[0]


def integers(draw, n, spread):
    """Whole numbers, so that ties are frequent."""
    return [float(draw.randint(-spread, spread)) for _ in range(n)]


def test_the_normal_distribution():
    points = [draw / 8 for draw in range(-64, 65)]
    for z, p, back in zip(points, asked([["normal_cdf", z] for z in points]),
                          asked([["normal_quantile", stats.norm.cdf(z)] for z in points])):
        assert p == pytest.approx(stats.norm.cdf(z), rel=1e-12)
        assert back == pytest.approx(stats.norm.ppf(stats.norm.cdf(z)), abs=1e-9)


def test_wilson_intervals():
    draw = random.Random(1)
    cases = [(draw.randint(0, n), n, draw.choice([0.9, 0.95, 0.99])) for n in range(1, 211)]
    for (k, n, confidence), (share, low, high) in zip(cases, asked([["wilson", *case] for case in cases])):
        expected = stats.binomtest(k, n).proportion_ci(confidence, method="wilson")
        assert share == k / n
        assert (low, high) == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_pass_at_k_is_the_hypergeometric_chance_of_any_pass():
    draw = random.Random(2)
    cases = [(n, draw.randint(0, n), draw.randint(1, n)) for n in range(1, 120)]
    for (n, c, k), value in zip(cases, asked([["pass_at_k", *case] for case in cases])):
        assert value == pytest.approx(1 - stats.hypergeom.pmf(0, n, c, k), abs=1e-12)


def test_pass_at_k_has_no_bias():
    """Over many runs its mean is the true chance, which the share of runs with a pass among n samples is not."""
    draw = random.Random(3)
    chance, n, k = 0.2, 10, 3
    counts = [sum(draw.random() < chance for _ in range(n)) for _ in range(4000)]
    values = asked([["pass_at_k", n, c, k] for c in counts])
    assert sum(values) / len(values) == pytest.approx(1 - (1 - chance) ** k, abs=0.02)


def test_mcnemar_is_the_binomial_test_of_the_pairs_that_differ():
    draw = random.Random(4)
    cases = [(draw.randint(0, 100), draw.randint(0, 100)) for _ in range(200)]
    for (a, b), p in zip(cases, asked([["mcnemar", a, b] for a, b in cases])):
        assert p == pytest.approx(stats.binomtest(a, a + b).pvalue if a + b else 1, rel=1e-9)


@pytest.mark.parametrize("seed", SEEDS)
def test_signed_ranks_without_ties(seed):
    draw = random.Random(seed)
    differences = [draw.gauss(0.3, 1) for _ in range(draw.randint(3, 120))]
    assert ask("signed_rank", differences) == pytest.approx(stats.wilcoxon(differences, method="exact").pvalue,
                                                            rel=1e-9)


@pytest.mark.parametrize("seed", range(12))
def test_signed_ranks_with_ties_and_zeros(seed):
    """scipy has exact values for ties only by going through all signs."""
    draw = random.Random(seed)
    differences = [x for x in integers(draw, 11, 4)] + [3.0]
    kept = [x for x in differences if x]
    every_sign = stats.PermutationMethod(n_resamples=math.inf)
    assert ask("signed_rank", differences) == pytest.approx(stats.wilcoxon(kept, method=every_sign).pvalue, rel=1e-9)


@pytest.mark.parametrize("seed", range(8))
def test_holm_holds_the_chance_of_any_false_alarm(seed):
    """Definition by steps: the smallest p times n, the next times n - 1, never falling, at most 1."""
    draw = random.Random(seed)
    p = [draw.random() ** 3 for _ in range(draw.randint(1, 30))]
    order = sorted(range(len(p)), key=p.__getitem__)
    expected, largest = [0.0] * len(p), 0.0
    for step, i in enumerate(order):
        largest = max(largest, min(1.0, (len(p) - step) * p[i]))
        expected[i] = largest
    assert ask("holm", p) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_rank_correlations_with_ties(seed):
    draw = random.Random(seed)
    n = draw.randint(3, 60)
    x, y = integers(draw, n, 5), integers(draw, n, 5)
    x[:2], y[:2] = [9.0, -9.0], [9.0, -9.0]
    assert ask("spearman", x, y) == pytest.approx(stats.spearmanr(x, y).statistic, abs=1e-12)
    assert ask("kendall", x, y) == pytest.approx(stats.kendalltau(x, y).statistic, abs=1e-12)


@pytest.mark.parametrize("seed", range(8))
def test_the_chance_of_a_rank_correlation_among_few(seed):
    draw = random.Random(seed)
    n = draw.randint(3, 7)
    x, y = [draw.random() for _ in range(n)], [draw.random() for _ in range(n)]
    expected = stats.permutation_test((x,), lambda sample: stats.spearmanr(sample, y).statistic,
                                      permutation_type="pairings", n_resamples=math.inf)
    assert ask("spearman_p", x, y) == pytest.approx(expected.pvalue, rel=1e-9)


@pytest.mark.parametrize("seed", range(6))
def test_bootstrap_intervals_are_those_of_scipy_but_for_the_draws(seed):
    draw = random.Random(seed)
    values = [draw.expovariate(1) for _ in range(30 + 20 * seed)]
    estimate, low, high = ask("bootstrap_mean", values, 40_000)
    expected = stats.bootstrap((values,), lambda x, axis: x.mean(axis=axis), method="BCa", n_resamples=40_000,
                               rng=seed).confidence_interval
    assert estimate == pytest.approx(sum(values) / len(values))
    # Both ends are themselves drawn: about 1 % of the interval's length each.
    assert (low, high) == pytest.approx((expected.low, expected.high), abs=0.05 * (expected.high - expected.low))
