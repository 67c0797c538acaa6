"""The audit of a table: what it finds, what it leaves alone, and tables that nobody would want to look at."""

from __future__ import annotations

import datetime
import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import dagsearch as ds
from dagsearch.auditing import KINDS, SEVERITIES
from dagsearch.data.formats import written_dates, written_numbers

N = 300


def table(**columns):
    rng = np.random.default_rng(0)
    return pd.DataFrame({"a": rng.normal(size=N), "b": rng.normal(size=N), **columns})


def noise(seed=1):
    return np.random.default_rng(seed).normal(size=N)


def kinds_of(data):
    return {finding.kind for finding in ds.audit(data).findings}


def with_changes(values, changes):
    changed = list(values)
    for row, value in changes.items():
        changed[row] = value
    return changed


CASES = {
    "identifiers": {"number": range(N)},
    "constants": {"site": "Rome"},
    "all-missing": {"nothing": np.nan},
    "written-numbers": {"price": [f"${value:,.2f}" for value in 2000 + 500 * noise()]},
    "dates": {"day": [f"{d}.01.2020" for d in np.random.default_rng(0).integers(1, 31, N)]},
    "numbers-as-text": {"text": [f"{value:.3f}" for value in noise()]},
    "text-among-numbers": {"mixed": with_changes([f"{value:.3f}" for value in noise()], {7: "n.d."})},
    "infinite": {"ratio": with_changes(noise(), {3: np.inf})},
    "other-entries": {"lists": [[1, 2]] * N},
    "missing": {"gaps": np.where(np.arange(N) % 7 == 0, np.nan, noise())},
    "missing-codes": {"age": with_changes(np.abs(noise()) * 20, {5: -999, 9: -999})},
    "near-constants": {"rare": with_changes(["no"] * N, {4: "yes"})},
    "many-levels": {"town": [f"town {k % 40}" for k in np.random.default_rng(0).permutation(N)]},
    "rare-levels": {"level": with_changes(np.random.default_rng(0).choice(list("xyz"), N), {4: "w"})},
    "outliers": {"far": with_changes(noise(), {4: 1e5})},
    "skewed": {"income": np.exp(1.5 * noise())},
    "dependent-rows": {"walk": np.cumsum(noise(1)), "walk2": np.cumsum(noise(2))},
    "repeated-ids": {"patient_id": np.random.default_rng(0).integers(100, 160, N)},
    "scales": {"tiny": noise() * 1e-7},
}


@pytest.mark.parametrize("kind", CASES)
def test_each_kind_of_trouble_is_found_where_it_is_and_nothing_else(kind):
    audit = ds.audit(table(**CASES[kind]))
    assert [finding.kind for finding in audit.findings] == [kind]
    assert set(audit.findings[0].columns) >= set(CASES[kind]) or kind == "dependent-rows"


def test_relations_between_columns_are_found_and_named():
    clean = table(c=noise())
    data = clean.assign(
        copy=clean.a,
        inches=2.54 * clean.b,
        total=clean.a + clean.b + clean.c,
        rounded=clean.c.round(2) + 0.001 * noise(9),
    )
    said = {finding.kind: finding.message for finding in ds.audit(data).findings if finding.kind != "twins"}
    twins = [finding.message for finding in ds.audit(data).findings if finding.kind == "twins"]
    assert twins == ["'copy' and 'a' hold the same values", "'inches' is 2.54 times 'b'"]
    assert said["linear-relations"] == "'total' is 'a' + 'b' + 'c'"
    assert said["near-collinear"].startswith("'c' and 'rounded' are nearly the same")


def test_a_total_is_named_as_such_wherever_it_stands():
    clean = table()
    data = pd.DataFrame({"total": clean.a + clean.b, "a": clean.a, "b": clean.b})
    assert [finding.message for finding in ds.audit(data).findings] == ["'total' is 'a' + 'b'"]


def test_what_follows_from_another_column_is_found():
    town = np.random.default_rng(0).choice(["Rome", "Bari", "Lyon", "Nice"], N)
    land = np.where(np.isin(town, ["Rome", "Bari"]), "Italy", "France")
    group = np.where(table().a > 0.3, "old", "young")
    found = ds.audit(table(town=town, land=land, group=group)).findings
    assert [finding.columns for finding in found] == [("land", "town"), ("group", "a")]


def test_rows_that_are_there_twice_are_counted():
    data = pd.concat([table(), table().iloc[:5]])
    assert [finding.message for finding in ds.audit(data).findings] == ["5 rows are copies of another one"]


def test_few_rows_and_small_tables_are_found():
    assert kinds_of(table().iloc[:20]) == {"few-rows"}
    assert "size" in kinds_of(table().iloc[:2])


def test_missing_cells_are_counted_with_their_patterns():
    data = table(c=noise())
    data.loc[:29, ["a", "b"]] = np.nan
    (finding,) = ds.audit(data).findings
    assert "60 cells (6.7%) are missing" in finding.message
    assert "270 of 300 rows are complete" in finding.message
    assert "'a' and 'b' in 30 rows" in finding.message


# ---------------------------------------------------------------- no false alarm


@pytest.mark.parametrize("mechanism", ["linear", "additive", "saturating", "mixed", "gp"])
def test_clean_simulated_tables_have_no_findings(mechanism):
    for seed in range(3):
        assert ds.audit(ds.datasets.simulate(10, 500, mechanism=mechanism, random_state=seed)).findings == ()


@pytest.mark.parametrize("noise_of", ["uniform", "laplace", "exponential", "gumbel"])
def test_noise_of_another_shape_is_no_finding(noise_of):
    assert ds.audit(ds.datasets.simulate(10, 500, noise=noise_of, random_state=0)).findings == ()


@pytest.mark.usefixtures("data_folder")
@pytest.mark.parametrize("name", ["asia", "child"])
def test_samples_of_networks_have_no_findings_worth_saying(name):
    assert all(finding.severity == "low" for finding in ds.audit(ds.datasets.load(name)).findings)


def test_a_single_column_that_goes_on_from_row_to_row_is_no_finding():
    assert ds.audit(table(walk=np.cumsum(noise()))).findings == ()
    assert ds.audit(table(heap=np.sort(noise()))).findings == ()


# ---------------------------------------------------------------- hostile tables


@pytest.mark.parametrize(
    "data",
    [
        pd.DataFrame(),
        pd.DataFrame({"a": []}),
        pd.DataFrame({"a": [], "b": []}, dtype=object),
        pd.DataFrame({"a": [1.0]}),
        pd.DataFrame({"a": [np.nan] * 5, "b": [None] * 5}),
        pd.DataFrame([[1, 2, 3]] * 4, columns=["x", "x", ""]),
        pd.DataFrame({"a": [1, "x", 2.5, None, True, datetime.date(2020, 1, 1)], "b": range(6)}),
        pd.DataFrame({"a": [10**400, 10**30, 5] * 5, "b": [2**63 - k for k in range(15)]}),
        pd.DataFrame({"[red]<b>\n\x1b[2J": ["$1", "$2", "$3"] * 5, "b": range(15)}),
        pd.DataFrame({"a": pd.to_timedelta(range(9), unit="D"), "c": [1j] * 9, "d": pd.date_range("2020", periods=9)}),
        pd.DataFrame({"a": pd.Categorical(["x", None, "y"] * 5), "b": pd.array([1, None, 3] * 5, dtype="Int64")}),
        np.zeros((12, 3)),
        np.full((20, 2), 1e308) * np.array([[1, -1]]) * np.linspace(0.1, 1, 20)[:, None],
    ],
)
def test_an_audit_never_fails_and_can_always_be_printed_written_and_applied(data):
    audit = ds.audit(data)
    json.dumps(audit.to_dict())
    assert "\x1b" not in str(audit)
    frame, done = audit.fixed(data)
    assert isinstance(frame, pd.DataFrame)
    assert all(isinstance(sentence, str) for sentence in done)


@pytest.mark.parametrize("width", [40, 80])
def test_findings_are_readable_in_narrow_terminals(width):
    audit = ds.audit(table(**{name: column for case in CASES.values() for name, column in case.items()}))
    lines = audit.to_text(width).splitlines()
    assert max(map(len, lines)) <= width
    assert all(any(finding.kind in line for line in lines) for finding in audit.findings)
    assert len(repr(audit)) < 400
    order = [SEVERITIES.index(finding.severity) for finding in audit.findings]
    assert order == sorted(order)


def test_a_dataset_and_a_polars_table_are_audited_as_the_pandas_table_is():
    polars = pytest.importorskip("polars")
    data = table(price=CASES["written-numbers"]["price"], site="Rome")
    assert kinds_of(data) == kinds_of(polars.from_pandas(data)) == kinds_of(ds.as_dataset(data))


# ---------------------------------------------------------------- numbers and dates as people write them


@pytest.mark.parametrize(
    ("texts", "values"),
    [
        (["$1,234.50", "$3"], [1234.5, 3]),
        (["12%", "3.5 %"], [12, 3.5]),
        (["1 234,5 €", "2,5 €"], [1234.5, 2.5]),
        (["(12.5)", "$3"], [-12.5, 3]),
        (["1.234,5", "2"], [1234.5, 2]),
        (["-$5", "USD 6"], None),
        (["12%", "3"], None),
        (["$1", "€2"], None),
    ],
)
def test_numbers_are_read_as_people_write_them_unless_scales_differ(texts, values):
    read = written_numbers(texts)
    assert read.n_read == 0 if values is None else read.values.tolist() == values


def test_dates_agree_with_pythons_own_and_day_and_month_are_told_apart():
    days = [datetime.date(2020, 1, 31), datetime.date(2021, 3, 1)]
    for way in ("%Y-%m-%d", "%d.%m.%Y", "%m/%d/%Y", "%d %b %Y", "%Y%m%d"):
        read = written_dates([day.strftime(way) for day in days])
        assert read.is_certain
        assert read.values.tolist() == [0, (days[1] - days[0]).days]
    assert not written_dates(["01/02/2020", "03/04/2020"]).is_certain
    assert written_dates(["Rome", "Bari"]) is None


def test_the_page_tells_of_every_kind():
    page = Path(__file__).parents[1] / "docs" / "audit.md"
    if not page.exists():
        pytest.skip("the documentation is not at hand")
    rows = re.findall(r"^\| `([\w-]+)` \| (\w+) \| (.+?) \| (.+?) \| (yes|no) \|$", page.read_text(), re.MULTILINE)
    expected = [(k.name, k.severity, k.what, k.remedy, "yes" if k.mended_by_fix else "no") for k in KINDS]
    assert rows == expected
