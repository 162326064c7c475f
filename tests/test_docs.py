"""Documentation that cannot drift: every command, setting and decision is where a reader looks for it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from questionbank.core.migrations import release
from tests.releases import releases

BASE_DIR = Path(__file__).resolve().parent.parent
COMMANDS = sorted(
    path.stem
    for package in ("questionbank", "worker")
    for path in (BASE_DIR / package / "management" / "commands").glob("[a-z]*.py")
)
PAGES = [BASE_DIR / "README.md", BASE_DIR / "CONTRIBUTING.md", *sorted((BASE_DIR / "docs").rglob("*.md"))]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_is_documented(command):
    assert re.search(rf"`{command}\b", (BASE_DIR / "docs" / "commands.md").read_text(encoding="utf-8"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(BASE_DIR)))
def test_links_lead_somewhere(page):
    text = page.read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#\s]+)", text):
        if "://" not in target:
            assert (page.parent / target).exists(), target


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(BASE_DIR)))
def test_files_that_pages_name_exist(page):
    """Paths in backquotes, relative to the repository or to the page."""
    text = page.read_text(encoding="utf-8")
    for name in re.findall(r"`((?:analytics|questionbank|worker|tests|docs|templates|static)/[\w./-]+)`", text):
        assert (BASE_DIR / name).exists(), name


def test_decisions_are_numbered_once():
    numbers = [path.name[:4] for path in (BASE_DIR / "docs" / "decisions").glob("*.md")]
    assert len(numbers) == len(set(numbers))
    assert all(number.isdigit() for number in numbers)


def test_the_readmes_commands_are_targets_of_make():
    makefile = (BASE_DIR / "Makefile").read_text(encoding="utf-8")
    used = set(re.findall(r"^make (\w+)", (BASE_DIR / "README.md").read_text(encoding="utf-8"), re.MULTILINE))
    assert {"run", "test"} <= used
    for target in used:
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target


def test_releases_have_a_section_a_row_and_the_version():
    changelog = (BASE_DIR / "CHANGELOG.md").read_text(encoding="utf-8")
    sections = re.findall(r"^## (\S+) \(.+?\)$(.*?)(?=^## |\Z)", changelog, re.MULTILINE | re.DOTALL)
    listed = [each.number for each in reversed(releases())]
    assert [number for number, _text in sections][-len(listed) :] == listed
    assert [number for number, text in sections[:-1] if "\n### Upgrading\n" not in text] == []
    newest = sections[0][0]
    _, minor, _ = map(int, newest.split("."))
    assert release() in (newest, f"0.{minor + 1}.0.dev0")
    for path in sorted((BASE_DIR / "docker").glob("*.yaml")):
        for version in re.findall(r"image: .*kindred-\w+:(\S+)", path.read_text(encoding="utf-8")):
            assert version == release(), path
