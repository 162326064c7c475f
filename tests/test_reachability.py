"""Every module is used by a page, a command, a job or a program, and not by tests alone.

The graph is read from the sources: an import anywhere in a module is an arrow, within a function too, and so is a
string that names one of our modules (``"worker.tasks"``, ``"analytics.solver.train:train_solver"``).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

BASE_DIR = Path(__file__).resolve().parent.parent
PACKAGES = ("analytics", "questionbank", "worker")

# What manage.py, Django, Celery, the web server and programs of others load by its name or its place.
LOADED_BY_PLACE = re.compile(
    r"questionbank\.(?:urls|settings|apps|admin|models|management\.servers|serve)|worker\.(?:apps|celery|tasks)"
    r"|analytics\.library|questionbank\.api\.client\.kindred_client\.\w+"
    r"|(?:questionbank|worker)\.management\.commands\.\w+|questionbank\.migrations\.\w+"
)
LOAD_TAG = re.compile(r"{%-?\s*load\s+([\w\s]+?)\s*-?%}")


def module_sources(base: Path) -> dict[str, tuple[Path, ast.Module]]:
    """Return the path and the syntax tree of each module by its name."""
    modules = {}
    for package in PACKAGES:
        for path in (base / package).rglob("*.py"):
            parts = path.relative_to(base).with_suffix("").parts
            name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
            modules[name] = (path, ast.parse(path.read_text(encoding="utf-8")))
    return modules


def named_modules(module: str, path: Path, tree: ast.Module) -> Iterator[str]:
    """Return the dotted names that a module imports or holds as a string; some name a function in a module."""
    package = module.split(".") if path.name == "__init__.py" else module.split(".")[:-1]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            start = package[: len(package) - node.level + 1] if node.level else []
            origin = ".".join([*start, *filter(None, [node.module])])
            yield from (f"{origin}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and "." in node.value:
            yield node.value.removeprefix("python:").partition(":")[0]  # gunicorn's way to name its settings


def is_program(path: Path, tree: ast.Module) -> bool:
    """Return whether ``python -m`` runs the module."""
    guards = (node.test for node in tree.body if isinstance(node, ast.If))
    return path.name == "__main__.py" or any("__name__" in ast.unparse(test) for test in guards)


def unreachable_modules(base: Path, tag_libraries: set[str]) -> list[str]:
    """Return the modules that no root leads to; an empty ``__init__.py`` is a folder and no module."""
    modules = module_sources(base)
    pending = [
        name
        for name, (path, tree) in modules.items()
        if LOADED_BY_PLACE.fullmatch(name)
        or is_program(path, tree)
        or (".templatetags." in name and name.rpartition(".")[2] in tag_libraries)
    ]
    reached: set[str] = set()
    while pending:
        name = pending.pop()
        while name and name not in modules:  # a function in a module, or another's package
            name = name.rpartition(".")[0]
        if not name or name in reached:
            continue
        reached.add(name)
        pending.append(name.rpartition(".")[0])
        pending.extend(named_modules(name, *modules[name]))
    return sorted(name for name, (_, tree) in modules.items() if tree.body and name not in reached)


def test_every_module_is_reached_from_a_page_a_command_a_job_or_a_program() -> None:
    templates = [*BASE_DIR.glob("templates/**/*.html"), *BASE_DIR.glob("templates/**/*.txt")]
    loaded = {
        library
        for template in templates
        for libraries in LOAD_TAG.findall(template.read_text(encoding="utf-8"))
        for library in libraries.split()
    }
    assert unreachable_modules(BASE_DIR, loaded) == []


def test_a_module_without_a_user_is_named(tmp_path: Path) -> None:
    files = {
        "worker/__init__.py": "",
        "worker/tasks.py": "def task():\n    from worker.late import work\n",
        "worker/late.py": "JOB = 'worker.by_name:function'\n",
        "worker/by_name.py": "from . import sibling\n",
        "worker/sibling.py": "import os\n",
        "worker/orphan.py": "from worker.friend import value\n",
        "worker/friend.py": "value = 'worker.orphan'\n",
        "worker/program.py": "if __name__ == '__main__':\n    print(1)\n",
        "questionbank/templatetags/used.py": "x = 1\n",
        "questionbank/templatetags/unused.py": "x = 1\n",
    }
    for name, source in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source, encoding="utf-8")
    assert unreachable_modules(tmp_path, {"used"}) == [
        "questionbank.templatetags.unused", "worker.friend", "worker.orphan",
    ]  # fmt: skip
