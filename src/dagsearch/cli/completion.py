"""Completion by the shell: names of methods, scores, data sets, and files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import click
from click.shell_completion import CompletionItem, get_completion_class

SHELLS = ("bash", "zsh", "fish")
_VARIABLE = "_DAGSEARCH_COMPLETE"

Completer = Callable[[click.Context, click.Parameter, str], list[Any]]


def completing(names: Sequence[str]) -> Completer:
    """Complete one of some names."""
    return lambda _context, _parameter, begun: [name for name in names if name.startswith(begun)]


def tables(_: click.Context, __: click.Parameter, begun: str) -> list[Any]:
    """Complete a file, or the name of a data set once a letter of it is there."""
    files = CompletionItem(begun, type="file")
    if not begun:
        return [files]
    from dagsearch import datasets  # noqa: PLC0415

    return [files, *(CompletionItem(name) for name in datasets.names() if name.startswith(begun))]


@click.command("completion")
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def completion_command(context: click.Context, shell: str) -> None:
    """Print what makes a SHELL complete the names of commands, options, methods and scores.

    For bash: dagsearch completion bash > ~/.dagsearch-completion, and in ~/.bashrc: . ~/.dagsearch-completion
    """
    kind = get_completion_class(shell)
    if kind is None:
        raise click.UsageError(f"no completion is known for {shell}")
    click.echo(kind(context.find_root().command, {}, "dagsearch", _VARIABLE).source())
