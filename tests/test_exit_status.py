"""The exit status of commands, as docs/commands.md has it: 0 for help, 2 for wrong options, 1 for refused input."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from importlib import import_module
from pathlib import Path

import pytest
from django.core.management import execute_from_command_line, get_commands
from django.db import connection, connections

from analytics.__main__ import _parser as analytics_parser
from analytics.__main__ import main as analytics
from manage import main as manage_main
from questionbank import local as embedded
from questionbank.core.migrations import release
from questionbank.management.servers import start_servers_for
from questionbank.registry import artifact_services as artifacts
from questionbank.serve import main as serve

BASE_DIR = Path(__file__).resolve().parent.parent
FILES = ("--input", "missing.jsonl", "--output", "written")
MEASURED = ("--data", "missing.jsonl", "--output", "written")
COMMANDS: dict[str, tuple[str, ...] | None] = {  # -> arguments that are refused; None: it takes no input
    "api_key": ("create", "nobody", "Nightly export"),
    "backup": ("missing/bank.tar",),
    "embed": FILES,
    "embed_questions": ("--model", "0"),
    "evaluate": ("encoder", *MEASURED),
    "exemplars": (*FILES, "--corpus", "missing.jsonl"),
    "export_model": ("0", "written"),
    "export_questions": ("written.docx", "--format", "docx"),
    "export_reviews": ("missing/reviews.jsonl",),
    "health": None,
    "import_model": ("missing",),
    "import_questions": ("missing.jsonl",),
    "import_responses": ("missing.csv",),
    "import_vectors": ("missing",),
    "index_recall": (),
    "item_statistics": ("--set", "0"),
    "make_test_pairs": ("written.jsonl", "--questions", "0"),
    "metrics": (),
    "migrate": ("missing",),
    "openapi": ("missing/openapi.json",),
    "person": ("export", "nobody", "written.zip"),
    "predict": FILES,
    "prepare": None,
    "reproduce": ("encoder", *MEASURED, "--arms", "nothing"),
    "restore": ("missing.tar",),
    "retraining": ("set", "nothing", "--every-weeks", "4"),
    "rewrite_problems": FILES,
    "school": ("delete", "nowhere", "--to", "all"),
    "score_paraphrases": FILES,
    "send_test_mail": ("nobody",),
    "setup_bank": None,
    "similar": ("--text", " "),
    "solve": FILES,
    "train": ("probes",),
}
ANALYTICS: dict[str, tuple[str, ...] | None] = {
    "train": ("probes", *MEASURED),
    "evaluate": ("probes", *MEASURED),
    "export": ("encoder", "--backbone", "missing", "--output", "written"),
    "export-starters": ("encoder=missing", "--output", "written"),
    "prepare-language-model": None,
    "embed": FILES,
    "score": (*FILES, "--model", "missing"),
}
FORMULA = '<math><semantics><mn>3</mn><annotation encoding="application/x-tex">1+2</annotation></semantics></math>'
MODULES: dict[str, tuple[str, ...] | None] = {
    "worker.demo_results": None,
    "worker.reproduction.__main__": ("encoder", *MEASURED, "--arms", "nothing"),
    "worker.starters": ("encoder", "--data", "missing"),
    "worker.subject": ("--data", "missing"),
}


def ended(main: Callable[[list[str]], int | None], *arguments: str) -> object:
    """Return the exit status of a command line."""
    try:
        return main([*arguments]) or 0
    except SystemExit as end:
        return end.code or 0


def manage(arguments: list[str]) -> None:
    execute_from_command_line(["manage.py", *arguments])


def refused_by(commands: dict[str, tuple[str, ...] | None]) -> list[str]:
    return [name for name, refused in commands.items() if refused is not None]


@pytest.fixture(autouse=True)
def somewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def without_models(monkeypatch, settings):
    """A bank without models, port or mail, whose connection outlives the commands."""
    monkeypatch.setattr(artifacts, "artifact_install_default", lambda report=None: None)
    monkeypatch.setattr(connections, "close_all", lambda: None)
    settings.METRICS_PORT, settings.DEFAULT_FROM_EMAIL = 0, ""


def test_every_command_is_in_the_tables():
    own = {name for name, app in get_commands().items() if app in ("questionbank", "worker")}
    (subcommands,) = (
        action for action in analytics_parser()._actions if isinstance(action, argparse._SubParsersAction)
    )
    assert own == COMMANDS.keys()
    assert set(subcommands.choices) == ANALYTICS.keys()


@pytest.mark.parametrize("command", COMMANDS)
def test_help_ends_a_command_with_0_and_a_wrong_option_with_2(command):
    assert ended(manage, command, "--help") == 0
    assert ended(manage, command, *(COMMANDS[command] or ()), "--no-such-option") == 2


@pytest.mark.django_db
@pytest.mark.parametrize("command", refused_by(COMMANDS))
def test_refused_input_ends_a_command_with_1_and_writes_nothing(command, capsys, tmp_path, without_models):
    assert ended(manage, command, *COMMANDS[command]) == 1
    assert "CommandError: " in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("command", ANALYTICS)
def test_help_ends_a_command_of_the_library_with_0_and_a_wrong_option_with_2(command):
    assert ended(analytics, command, "--help") == 0
    assert ended(analytics, command, *(ANALYTICS[command] or ()), "--no-such-option") == 2


@pytest.mark.parametrize("command", refused_by(ANALYTICS))
def test_refused_input_ends_a_command_of_the_library_with_1_and_writes_nothing(command, capsys, tmp_path):
    assert ended(analytics, command, *ANALYTICS[command]) == 1
    assert "Traceback" not in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("module", MODULES)
def test_modules_that_are_commands_end_the_same_way(module, capsys):
    main = import_module(module).main
    assert ended(main, "--help") == 0
    assert ended(main, *(MODULES[module] or ()), "--no-such-option") == 2
    capsys.readouterr()
    if refused := MODULES[module]:
        assert ended(main, *refused) == 1
        assert "Traceback" not in capsys.readouterr().err


@pytest.mark.django_db
def test_a_process_whose_command_draws_formulas_ends_with_0(tmp_path):
    (tmp_path / "a.csv").write_text(f"text,answer\nWork out {FORMULA},3\n", encoding="utf-8")
    parameters = connection.get_connection_params()
    address = f"postgres://{parameters['user']}@/{parameters['host']}/{parameters['dbname']}"
    done = subprocess.run(
        [sys.executable, BASE_DIR / "manage.py", "import_questions", "a.csv", "--dry-run"],
        env={**os.environ, "DATABASE_URL": address},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "questions would be imported: 1" in done.stdout


def test_help_and_a_wrong_option_start_no_server(monkeypatch):
    monkeypatch.setattr(embedded, "ensure", None)
    monkeypatch.setenv("DATABASE_URL", "")
    assert ended(partial(start_servers_for, "embed"), "--help") == 0
    start_servers_for("embed", ["--no-such-option"])


def test_the_version_is_that_of_the_release(capsys, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["manage.py", "--version"])
    manage_main()
    assert capsys.readouterr().out == f"Kindred {release()}\n"


def test_serve_ends_the_same_way():
    assert ended(serve, "--help") == 0
    assert ended(serve, "--no-such-option") == 2
    assert ended(serve, "--only", "nothing") == 1
