"""The calibration study that dagsearch brings along: its table, sums, and what is said of it."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import numpy as np
import pytest

from dagsearch.confidence import calibration_study
from dagsearch.confidence.calibration import N_BINS, SYSTEMS, pooled
from dagsearch.confidence.calibration_words import N_VARIABLES
from dagsearch.errors import InputError, UnknownNameError

ROOT = Path(__file__).parents[1]
BUNDLED = ROOT / "src" / "dagsearch" / "confidence" / "calibration.csv"
RECORDS = ROOT / "results" / "calibration"
sys.path.insert(0, str(ROOT / "benchmarks"))

needs_records = pytest.mark.skipif(not (RECORDS / "records.jsonl").is_file(), reason="the study's records are not here")


@pytest.fixture(scope="module")
def study():
    return calibration_study()


@pytest.mark.parametrize("kind", ["edges", "adjacencies"])
def test_no_bin_claims_more_or_has_more_true_pairs_than_it_may(study, kind):
    for row in study.rows:
        counts, claimed, true = (np.array(row.sums[kind, name]) for name in ("counts", "claimed", "true"))
        assert counts.shape == claimed.shape == true.shape == (N_BINS,)
        assert (true <= counts).all()
        upper = np.arange(1, N_BINS + 1) / N_BINS
        assert (claimed <= upper * counts + 0.01 * counts.clip(1)).all()
        assert (claimed >= (upper - 0.1) * counts - 0.01 * counts.clip(1)).all()


def test_there_are_twice_as_many_ordered_pairs_as_unordered_ones(study):
    for row in study.rows:
        assert sum(row.sums["edges", "counts"]) == 2 * sum(row.sums["adjacencies", "counts"])
        assert sum(row.sums["edges", "true"]) == sum(row.sums["adjacencies", "true"])


def test_the_table_is_small():
    assert BUNDLED.stat().st_size < 20_000


def test_sums_over_families_are_means_weighted_by_their_pairs(study):
    whole = study.reliability("exact", "edges", n_rows=100)
    parts = [study.reliability("exact", "edges", 100, family) for family in {r.family for r in study.rows if r.holds}]
    assert whole.count.sum() == sum(part.count.sum() for part in parts)
    assert whole.claimed @ whole.count == pytest.approx(sum(part.claimed @ part.count for part in parts))
    assert whole.observed @ whole.count == pytest.approx(sum(part.observed @ part.count for part in parts))
    assert (np.diff(whole.claimed) > 0).all()


def test_without_a_family_only_tables_count_whose_assumptions_hold(study):
    chosen = study.select("exact")
    assert {row.trouble for row in chosen} == {""}
    assert study.select("exact", family="gaussian-hidden")[0].trouble == "a hidden common cause"
    assert {row.n_rows for row in chosen} == {100, 500}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"system": "exakt"}, "unknown system 'exakt'.*Did you mean 'exact'"),
        ({"system": "exact", "kind": "edge"}, "unknown kind 'edge'"),
        ({"system": "exact", "family": "gausian"}, "unknown family 'gausian'"),
        ({"system": "exact", "n_rows": 200}, "n_rows must be one of 100, 500, or None, got 200"),
        ({"system": "bootstrap", "family": "gp"}, "no tables for system='bootstrap' with family='gp'"),
    ],
)
def test_wrong_arguments_are_named(study, arguments, message):
    with pytest.raises(InputError, match=message):
        study.reliability(**arguments)


def test_the_sentence_has_the_numbers_of_the_table(study):
    text = study.in_words("posterior, exact", 853, "bic-linear", {"penalty": "extended"})
    for kind in ("edges", "adjacencies"):
        found = study.reliability("exact", kind, 500, "gaussian-extended")
        assert f"{100 * found.observed[-1]:.1f}%" in text
        assert f"n = {found.count[-1]:,}" in text
    fails = pooled(
        [*study.select("exact", 500, "gaussian-error"), *study.select("exact", 500, "gaussian-hidden")], "edges"
    )
    assert "measurement error or a hidden common cause (bic-linear with other settings than here): " in text
    assert f"{100 * fails.observed[-1]:.1f}% of edges (n = {fails.count[-1]:,})" in text
    assert "Real data break assumptions" in text


def test_the_nearer_number_of_rows_is_spoken_of_first_and_a_far_one_is_told_of(study):
    few, many, very_many = (study.in_words("posterior, exact", n, "bdeu") for n in (150, 400, 5000))
    assert "100 rows, 8 to 12 variables" in few
    assert "500 rows, 8 to 12 variables" in many
    assert "This table has 5,000 rows; the study has none like it." in very_many
    assert "This table" not in few + many


def test_bad_news_is_told(study):
    text = study.in_words("posterior, exact", 100, "bdeu")
    assert "of the edges given more than 0.9, 37.4% were there with their direction (n = 548)" in text


def test_settings_choose_the_part_of_the_study(study):
    usual, strong = (study.in_words("posterior, exact", 100, "bdeu", {"sample_size": size}) for size in (1.0, 10.0))
    assert usual != strong
    assert "prior as good as 10 rows" in strong
    assert "linear Gaussian, extended penalty" in study.in_words("posterior, exact", 100, "bic-linear")
    linear = study.in_words("exact", 100, "evidence", {"models": ["linear"], "noise": "gaussian"})
    assert "(linear Gaussian; 100 rows" in linear
    assert "evidence with other settings" in study.in_words("exact", 100, "evidence", {"models": ["linear"]})


@pytest.mark.parametrize(("method", "score"), [("bootstrap", "evidence"), ("posterior, exact", "mixed")])
def test_what_the_study_does_not_cover_has_no_numbers(study, method, score):
    text = study.in_words(method, 300, score)
    assert f"not of {score}" in text
    assert not re.search(r"\d", text)


def test_few_tables_are_told_of_and_all_is_said_only_of_all(study):
    text = study.in_words("bootstrap", 90, "bic-discrete")
    assert "only 7 tables" in text
    assert "no edges were given more than 0.9" in text
    for row in study.rows:
        for part in re.findall(r"100%[^(]*\(n = ([\d,]+)\)", study.in_words(row.system, row.n_rows, row.score)):
            assert int(part.replace(",", "")) > 0


def test_averages_over_specifications_are_told_of(study):
    assert "single specifications" in study.in_words("posterior, exact, 3 specifications", 100, "evidence")


def test_another_method_is_refused(study):
    with pytest.raises(UnknownNameError, match="unknown method 'guess'"):
        study.in_words("guess", 100)
    with pytest.raises(InputError, match="n_rows must be a whole number of at least 1, got 0"):
        study.in_words("bootstrap", 0)


# ---------------------------------------------------------------- against the study itself


def test_systems_and_variables_are_those_of_the_study():
    from calibration_study import families, systems

    assert tuple(systems.SYSTEMS) == SYSTEMS
    assert families.NODES == N_VARIABLES


@needs_records
def test_the_bundled_table_is_what_the_command_writes(tmp_path, capsys):
    import calibration

    path = tmp_path / "calibration.csv"
    assert calibration.main(["--out", str(RECORDS), "--bundle", str(path)]) == 0
    assert str(path) in capsys.readouterr().out
    assert path.read_bytes() == BUNDLED.read_bytes()


@needs_records
def test_shares_above_90_percent_are_those_of_the_report(study):
    import pandas as pd

    report = pd.read_csv(RECORDS / "calibration.csv")
    for line in report.itertuples():
        for kind in ("edges", "adjacencies"):
            n_sure = getattr(line, f"{kind}_n_sure")
            found = study.reliability(line.system, kind, line.n_rows, line.family)
            assert found.count.sum() == getattr(line, f"{kind}_pairs")
            if n_sure:
                assert found.count[-1] == n_sure
                assert found.observed[-1] == pytest.approx(getattr(line, f"{kind}_right_of_sure"), abs=6e-5)
                assert found.claimed[-1] == pytest.approx(getattr(line, f"{kind}_claimed_of_sure"), abs=6e-5)
