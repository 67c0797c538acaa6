"""Each parameter is declared once: the arguments of estimators, their docstrings and the options of the command."""

from __future__ import annotations

import dataclasses
import inspect
import re
import subprocess
import sys
from typing import get_args

import click
import pytest
from common import run, succeed
from sklearn.base import clone

import dagsearch as ds
from dagsearch import parameters
from dagsearch.baselines.pc import TESTS
from dagsearch.baselines.rl_bic import RLBICSettings
from dagsearch.cli import discover
from dagsearch.cli.options import OPTION_OF, arguments, spellings
from dagsearch.estimators import METHODS, searches
from dagsearch.parameters import HEADINGS, declared, described, every_parameter, methods_that_take, with_parameters
from dagsearch.pruning import METHODS as PRUNING_METHODS
from dagsearch.scores.evidence import DEFAULT_MIN_EFFECT
from dagsearch.search import cd_uct
from dagsearch.search.exact import SOLVERS
from dagsearch.search.ges import PHASES

every_method = pytest.mark.parametrize("method", METHODS)

COMMON = {
    "prune": "auto",
    "alpha": 0.001,
    "confidence": "none",
    "n_replicates": 100,
    "kinds": None,
    "missing": "local",
    "fix": False,
    "interventions": None,
    "random_state": None,
    "n_jobs": 1,
    "progress": False,
    "trace": False,
}
BY_SCORE = {"score": "auto", "levels": "seen"}
BY_ANY_SCORE = {
    **BY_SCORE,
    "variances": "different",
    "penalty": "auto",
    "models": None,
    "noise": None,
    "min_effect": None,
}
SEARCH = {
    **BY_ANY_SCORE,
    "edge_budget": None,
    "max_parents": None,
    "knowledge": None,
    "start": None,
    "time_limit": None,
    "checkpoint": None,
    **COMMON,
}
ARGUMENTS = {
    "cd-uct": {
        **SEARCH,
        "sims_per_node": None,
        "horizon": None,
        "horizon_ends": "simulations",
        "keep": "budget-size",
        "exploration": 0.05,
        "exploration_scale": "root-mean",
        "calibration": "greedy",
        "final_move": "most-visits",
        "n_restarts": None,
        "refine": "auto",
        "rollout": "auto",
        "tree_policy": "auto",
        "temperature": 0.1,
        "cycle_tracking": "incremental",
    },
    "greedy": SEARCH,
    "random-search": {**SEARCH, "sims_per_node": None},
    "random-sampling": SEARCH,
    "order": {
        "n_kicks": None,
        "n_restarts": None,
        **BY_ANY_SCORE,
        "max_parents": None,
        "knowledge": None,
        "time_limit": None,
        "checkpoint": None,
        **COMMON,
    },
    "cam": {"neighbour_selection": True, "max_parents": None, "knowledge": None, "time_limit": None, **COMMON},
    "notears": {
        "l1": 0.1,
        "threshold": 0.3,
        "repair": False,
        **BY_ANY_SCORE,
        "knowledge": None,
        "time_limit": None,
        **COMMON,
    },
    "lingam": {
        "variant": "ica",
        "max_iter": 1000,
        **BY_ANY_SCORE,
        "knowledge": None,
        "time_limit": None,
        **COMMON,
    },
    "ges": {
        "phases": ("forward", "backward", "turning"),
        **BY_SCORE,
        "knowledge": None,
        "time_limit": None,
        **COMMON,
    },
    "pc": {"ci_test": "auto", "ci_level": 0.05, **BY_SCORE, "knowledge": None, "time_limit": None, **COMMON},
    "exact": {
        "budget": "exactly",
        "n_best": 1,
        "solver": "auto",
        **BY_ANY_SCORE,
        "edge_budget": None,
        "max_parents": None,
        "knowledge": None,
        "time_limit": None,
        **COMMON,
    },
    "rl-bic": {
        "n_iterations": 20_000,
        "batch_size": 64,
        "input_dimension": 64,
        "learning_rate": 0.001,
        "initial_bias": -10.0,
        **BY_ANY_SCORE,
        "knowledge": None,
        "time_limit": None,
        **COMMON,
    },
}
"""What each method takes, and the defaults."""

NO_PARAMETERS = {"--method", "--certify", "--truth", "--out", "--json", "--na"}
NO_PARAMETERS |= {"--report", "--focus", "--focus-distance"}
OF_WHAT_IS_NO_TEXT = {"--knowledge", "--tiers", "--require", "--forbid"}
OF_WHAT_IS_NO_TEXT |= {"--discrete", "--continuous", "--interventions", "--ordered"}
FLAGS = {"neighbour_selection": "--no-selection", "repair": "--repair", "fix": "--fix", "trace": "--trace"}


def options_of_discover():
    return {name: each for each in discover.params if isinstance(each, click.Option) for name in each.opts}


def read(*given):
    """The arguments of estimators that options are turned into."""
    # A command keeps the names of its help option from its first context.
    context = discover.make_context("discover", ["table.csv", *given], help_option_names=["-h", "--help"])
    return arguments(context.params)


# ---------------------------------------------------------------- arguments


@every_method
def test_every_method_takes_these_arguments_with_these_defaults_by_name_only(method):
    taken = inspect.signature(METHODS[method]).parameters
    assert {name: each.default for name, each in taken.items()} == ARGUMENTS[method]
    assert {each.kind for each in taken.values()} == {inspect.Parameter.KEYWORD_ONLY}
    with pytest.raises(TypeError, match="positional"):
        METHODS[method]("bic-linear")
    with pytest.raises(TypeError, match="unexpected keyword argument 'nosuch'"):
        METHODS[method](nosuch=1)


def test_the_light_list_of_methods_is_that_of_the_estimators():
    assert list(parameters.METHODS) == list(METHODS) == list(ARGUMENTS)
    for method, kind in METHODS.items():
        assert issubclass(kind, parameters.METHODS[method])
        assert declared(kind) == declared(parameters.METHODS[method])
        assert declared(kind).keys() == ARGUMENTS[method].keys()


@every_method
def test_parameters_survive_reading_setting_and_cloning(method):
    kind = METHODS[method]
    values = {name: f"value of {name}" for name in ARGUMENTS[method]}
    model = kind(**values)
    assert model.get_params() == values
    twin = clone(model)
    assert twin.get_params() == values
    assert clone(kind()).get_params() == ARGUMENTS[method]
    assert kind().set_params(**values).get_params() == values
    assert model.set_params(alpha=0.5).alpha == 0.5
    assert twin.alpha == "value of alpha"
    assert repr(kind(alpha=0.5)).startswith(f"{kind.__name__}(")
    assert "alpha=0.5" in repr(kind(alpha=0.5))
    assert kind() != kind()


@every_method
def test_what_a_method_does_not_take_it_has_as_an_attribute_of_its_class(method):
    kind = METHODS[method]
    for name in ("score", "levels", "variances", "penalty", "models", "noise", "min_effect", "time_limit"):
        if name not in ARGUMENTS[method]:
            assert getattr(kind(), name) is getattr(kind, name)
            assert name not in vars(kind())


def test_a_parameter_is_declared_once_whoever_takes_it():
    for name, known in every_parameter().items():
        for method in methods_that_take(name):
            assert declared(METHODS[method])[name] is known


def test_a_name_that_is_not_among_the_choices_is_refused_by_every_method_that_has_them():
    n_refused = 0
    for method, kind in METHODS.items():
        for name, known in declared(kind).items():
            if known.choices:
                assert known.default in known.choices
                with pytest.raises(ds.UnknownNameError, match=rf"'nosuch': choose from {', '.join(known.choices)}\."):
                    kind(**{name: "nosuch"}).check()
                n_refused += 1
        kind(**ARGUMENTS[method]).check()
    assert n_refused > len(METHODS)


# ---------------------------------------------------------------- what is said elsewhere, too


def test_choices_and_defaults_agree_with_the_code_that_they_are_for():
    known = every_parameter()
    assert tuple(ds.scores.names()) == parameters.SCORES
    assert known["prune"].choices == ("auto", *PRUNING_METHODS)
    assert known["solver"].choices == SOLVERS
    assert known["ci_test"].choices == ("auto", *TESTS)
    assert known["final_move"].choices == get_args(cd_uct.FinalMove)
    assert known["exploration_scale"].choices == get_args(cd_uct.ExplorationScale)
    assert known["phases"].default == PHASES
    for name, default in dataclasses.asdict(RLBICSettings()).items():
        assert known[name].default == default
    assert known["rollout"].choices == ("auto", *get_args(cd_uct.Rollout))
    assert known["tree_policy"].choices == ("auto", *get_args(cd_uct.TreePolicy))
    few, many = searches.GUIDED_SIMULATIONS
    assert f"by default {searches.DEFAULT_SIMS_PER_NODE} with an edge budget" in known["sims_per_node"].text
    assert f"{few} to {many} guided, or up to {searches.OPEN_SIMULATIONS:,} uniform" in known["sims_per_node"].text
    assert f"{searches.GUIDED_HORIZON} if rollouts are guided and {searches.OPEN_HORIZON}" in known["horizon"].text
    assert f"up to {searches.MOST_GUIDED_RESTARTS}," in known["n_restarts"].text
    assert all(f"``{model}``" in known["models"].text for model in ds.scores.MODELS)
    assert all(f'``"{noise}"``' in known["noise"].text for noise in ds.scores.NOISES)
    assert f"(by default {DEFAULT_MIN_EFFECT})" in known["min_effect"].text


@every_method
def test_texts_name_every_choice(method):
    for name, known in described(METHODS[method]).items():
        for choice in known.choices:
            assert f'``"{choice}"``' in known.documentation, name


# ---------------------------------------------------------------- documentation


@every_method
def test_a_docstring_documents_every_parameter_once(method):
    lines = inspect.getdoc(METHODS[method]).splitlines()
    assert lines.count("Parameters") == 1
    start = lines.index("Parameters")
    assert lines[start + 1] == "----------"
    section = lines[start + 2 :]
    section = section[: section.index("")] if "" in section else section
    names = [line for line in section if not line.startswith(" ")]
    assert sorted(names) == sorted(ARGUMENTS[method])
    assert all(section[section.index(name) + 1].startswith("    ") for name in names)
    assert max(map(len, lines)) <= 120


def test_a_method_may_have_its_own_words_which_others_do_not_get():
    own = "effective parameters are hundreds"
    assert own in inspect.getdoc(ds.ExactSearch)
    assert own not in inspect.getdoc(ds.CDUCT)
    assert own not in every_parameter()["penalty"].text
    assert "makes no random choice" in described(ds.PC)["random_state"].documentation
    assert "``local(node, parents)``" in described(ds.CDUCT)["score"].documentation
    assert "``local(node, parents)``" not in described(ds.PC)["score"].documentation


@every_method
def test_own_words_are_for_parameters_that_the_method_takes(method):
    words = getattr(METHODS[method], "in_other_words", {})
    assert words.keys() <= ARGUMENTS[method].keys()


def test_the_section_comes_before_other_sections_and_is_never_there_twice():
    text = with_parameters(
        "First.\n\n    Second.\n\n    Attributes\n    ----------\n    x\n        Of it.\n    ", ds.PC
    )
    assert re.findall(r"^(\w+)\n---", text, re.MULTILINE) == ["Parameters", "Attributes"]
    assert text.startswith("First.\n\nSecond.\n\nParameters\n")
    assert text.endswith("\n\nAttributes\n----------\nx\n    Of it.")
    assert with_parameters(text, ds.PC) == text
    assert with_parameters("First.", ds.PC).startswith("First.\n\nParameters\n")


def test_a_class_of_a_user_that_adds_an_attribute_keeps_what_it_inherits():
    class Mine(ds.GreedySearch):
        """Mine."""

    assert clone(Mine(edge_budget=3)).get_params() == {**ARGUMENTS["greedy"], "edge_budget": 3}
    assert inspect.getdoc(Mine).startswith("Mine.\n\nParameters\n")


# ---------------------------------------------------------------- options


def test_every_parameter_with_an_option_is_an_option_of_discover_and_no_other():
    declared_options = {
        spelling for name, known in every_parameter().items() if known.option for spelling in spellings(name, known)
    }
    assert declared_options == options_of_discover().keys() - NO_PARAMETERS - OF_WHAT_IS_NO_TEXT
    assert {
        **{name: known.option for name, known in every_parameter().items() if known.option},
        "knowledge": "--knowledge, --tiers, --require, --forbid",
    } == OPTION_OF


def test_options_are_called_as_the_arguments_of_python_and_keep_their_shorter_names():
    options = options_of_discover()
    for name, known in every_parameter().items():
        if known.option:
            in_python = f"--{'no-' if known.default is True else ''}{name.replace('_', '-')}"
            assert options[in_python] is options[known.option]
    for short, name in {"--edges": "edge_budget", "--seed": "random_state", "--jobs": "n_jobs"}.items():
        assert read(short, "3")[name] == read(f"--{name.replace('_', '-')}", "3")[name] == 3


def test_options_are_of_the_type_of_their_parameter():
    names = {int: "integer", float: "float", str: "text", bool: "boolean"}
    for name, known in every_parameter().items():
        if known.option:
            option = options_of_discover()[known.option]
            assert option.name == name
            assert option.is_flag is (name in FLAGS)
            assert option.type.name == names[known.value_type]


def test_without_options_only_the_seed_the_threads_and_confidence_are_set():
    assert read() == {"random_state": 0, "n_jobs": -1, "confidence": "auto"}


def test_replicates_are_of_the_bootstrap_alone():
    given = read("--confidence", "bootstrap", "--replicates", "30")
    assert (given["confidence"], given["n_replicates"]) == ("bootstrap", 30)
    for others in ([], ["--confidence", "posterior"], ["--confidence", "none"]):
        with pytest.raises(ds.InputError, match="--replicates is for --confidence bootstrap, got --confidence"):
            read("--replicates", "30", *others)


def test_flags_set_the_opposite_of_the_default():
    for name, option in FLAGS.items():
        assert read(option)[name] is (not every_parameter()[name].default)


@pytest.mark.parametrize(
    ("text", "levels"),
    [("seen", "seen"), ("declared", "declared"), ("a=3, b=2", {"a": 3, "b": 2}), ("a=b=3", {"a=b": 3})],
)
def test_levels_are_read_as_words_or_as_numbers_by_column(text, levels):
    assert read("--levels", text)["levels"] == levels


@pytest.mark.parametrize(
    ("text", "models"),
    [("linear", ("linear",)), ("linear,joint", ("linear", "joint")), (" additive , ", ("additive",))],
)
def test_models_are_read_as_a_list_with_commas(text, models):
    assert read("--models", text)["models"] == models


@pytest.mark.parametrize(("text", "message"), [("sen", "write 'seen'"), ("a=1,a=2", "'a' is there twice")])
def test_levels_that_cannot_be_read_are_refused_by_the_name_of_the_option(text, message):
    result = run("discover", "table.csv", "--levels", text)
    assert result.exit_code == 2
    assert "Invalid value for '--levels': " in result.stderr
    assert message in result.stderr


# ---------------------------------------------------------------- help


def help_by_heading():
    """What the help of discover says, in one line for each heading."""
    sections = re.split(r"^(\S[^\n]*):$", succeed("discover", "--help"), flags=re.MULTILINE)
    return {title: " ".join(text.split()) for title, text in zip(sections[1::2], sections[2::2], strict=True)}


def test_help_has_every_option_once_under_the_heading_of_its_purpose():
    by_heading = help_by_heading()
    of_methods = [heading for heading in by_heading if heading.startswith("Only for ")]
    purposes = [heading for heading in HEADINGS.values() if heading != HEADINGS["method"]]
    assert [heading for heading in by_heading if heading not in of_methods] == purposes
    for name, known in every_parameter().items():
        if known.option:
            of_method = f"Only for {', '.join(methods_that_take(name))}"
            heading = of_method if known.group == "method" else HEADINGS[known.group]
            assert re.search(rf"{known.option} ", by_heading[heading])
    lines = succeed("discover", "--help").splitlines()
    names = [re.split(r"\s{2,}", line.strip())[0] for line in lines if line.startswith("  --")]
    shown = [name for each in names for name in re.findall(r"--[\w-]+", each)]
    assert sorted(shown) == sorted(options_of_discover())
    assert lines[-1].startswith("  -h, --help ")


def test_help_names_scores_methods_and_choices():
    # Lines are broken after hyphens.
    text = " ".join(help_by_heading().values()).replace("- ", "-")
    assert f"{', '.join(METHODS)}, or all of them: all; auto: exact where that takes seconds" in text
    assert ", ".join(ds.scores.names()) in text
    for known in every_parameter().values():
        if known.option:
            option_help = options_of_discover()[known.option].help
            assert all(choice in option_help for choice in known.choices)


def test_help_speaks_of_options_and_not_of_python():
    for option in options_of_discover().values():
        assert "`" not in option.help
        assert '"' not in option.help
        assert "None" not in option.help
        assert not re.search(r"\b[a-z]+_[a-z_]*\b", option.help)
    assert options_of_discover()["--alpha"].help == "Significance level of --prune cam."


def test_help_says_which_methods_an_option_is_for_if_they_are_few():
    options = options_of_discover()
    assert "--l1 FLOAT Weight of the L1 penalty." in help_by_heading()["Only for notears"]
    assert options["--sims-per-node"].help.startswith("cd-uct, random-search: simulations ")
    assert options["--budget"].help.startswith("exact: --edges means exactly ")
    no_variable = "No variable gets more causes; by default as many as the score can tell apart."
    assert options["--max-parents"].help == no_variable


def test_help_shows_the_defaults_of_python_or_those_of_the_command():
    text = " ".join(help_by_heading().values())
    assert "Weight of the L1 penalty. [default: (0.1)]" in text
    assert "same graph. [default: 0]" in text
    assert "[default: -1]" in text


@pytest.mark.parametrize("module", ["dagsearch.parameters", "dagsearch.cli.options"])
def test_declarations_and_options_load_no_heavy_package(module):
    program = f"import sys, {module}\nprint(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout.split()
    assert module in loaded
    assert not {"numpy", "numba", "sklearn", "pandas", "scipy", "dagsearch.scores", "dagsearch.graph"} & set(loaded)
    assert ("click" in loaded) is (module == "dagsearch.cli.options")
