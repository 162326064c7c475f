"""The arrows between packages, and that the web process stays free of PyTorch."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import grimp
import pytest

from analytics.catalog import CAPABILITIES
from questionbank.api.python_client import WRITTEN_TO
from tests.conftest import SLOW_FILES

BASE_DIR = Path(__file__).resolve().parent.parent
LONGEST_MODULE = 450  # lines
MOST_COMPLEX = 25
ROOMS = """
    management capabilities operations protection demo templatetags assistants training worksheets questions papers
    imports similar review problem_writing search solving registry responses hooks bank local api people rendering
    formats jobs core models formulas
""".split()
"""The rooms of `questionbank`, each above the rooms that it may import."""

WALK_THE_SITE = """
import importlib, json, pkgutil, sys
import django
django.setup()
from django.urls import URLPattern, get_resolver

def views(patterns):
    for pattern in patterns:
        if isinstance(pattern, URLPattern):
            yield pattern.callback
        else:
            yield from views(pattern.url_patterns)

count = sum(callable(view) for view in views(get_resolver().url_patterns))
import questionbank
for module in pkgutil.walk_packages(questionbank.__path__, "questionbank."):
    if ".migrations." not in module.name and not module.name.endswith("__main__"):
        importlib.import_module(module.name)
loaded = {name.partition(".")[0] for name in sys.modules}
heavy = sorted(loaded & {"torch", "transformers", "peft", "sklearn", "worker"})
print(json.dumps({"views": count, "heavy": heavy}))
"""


def fresh_interpreter(program: str) -> str:
    """Run a program in a new interpreter and give what it printed."""
    finished = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        cwd=BASE_DIR,
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "tests.settings"},
        check=False,
    )
    assert finished.returncode == 0, finished.stderr
    return finished.stdout


def test_the_web_process_never_imports_torch_nor_the_workers_modules() -> None:
    """Every view, form, service and command of `questionbank`; `worker.apps` itself is allowed."""
    seen = json.loads(fresh_interpreter(WALK_THE_SITE).splitlines()[-1])
    assert seen["views"] > 10
    assert set(seen["heavy"]) <= {"worker"}


def test_starting_django_imports_no_capability() -> None:
    """Most commands need none, and the classes take longer to import than all the rest."""
    program = "import django, sys; django.setup(); print(*sys.modules)"
    modules = fresh_interpreter(program).split()
    assert "questionbank.core.capability_contract" in modules
    assert {"analytics.catalog", "questionbank.capabilities.table", "worker.table"}.isdisjoint(modules)


def test_the_pages_import_no_library_that_only_trainings_need() -> None:
    """A process of the site starts faster and is smaller without them: SciPy alone takes 39 MB."""
    program = "import django, sys; django.setup(); import questionbank.urls; print(*sys.modules)"
    assert {"scipy", "torch", "transformers", "sympy", "docx"}.isdisjoint(fresh_interpreter(program).split())


def test_installing_worker_as_an_app_imports_its_classes_and_nothing_that_works() -> None:
    program = (
        "import django, sys; django.setup(); from worker.catalog import WORKER_CAPABILITIES; WORKER_CAPABILITIES.data; "
        "print(*sorted(name for name in sys.modules if name.startswith('worker.')), 'torch' in sys.modules)"
    )
    *modules, has_torch = fresh_interpreter(program).split()
    known = {f"worker.{name}" for name in ("apps", "catalog", "contract", "table")}
    of_words = {f"worker.{word}{end}" for word in CAPABILITIES for end in ("", ".capability")}
    assert set(modules) <= known | of_words
    assert has_torch == "False"


def written_modules() -> list[Path]:
    modules = [path for part in ("analytics", "questionbank", "worker") for path in (BASE_DIR / part).rglob("*.py")]
    return [path for path in modules if path.parent.name != "migrations" and path != WRITTEN_TO]


def test_no_module_is_too_long_to_be_read_at_once() -> None:
    lengths = {str(path): len(path.read_text(encoding="utf-8").splitlines()) for path in written_modules()}
    assert {path: length for path, length in lengths.items() if length > LONGEST_MODULE} == {}


def test_package_roots_of_analytics_are_empty() -> None:
    """An empty root keeps an import of one torch-free module from pulling in its neighbours."""
    for root in [BASE_DIR / "analytics" / "__init__.py", *(BASE_DIR / "analytics").glob("*/__init__.py")]:
        assert root.read_text(encoding="utf-8").strip() == "", root


def test_in_every_room_what_shows_is_above_what_writes_above_what_reads() -> None:
    """A module's last word tells its layer: `list_views`, `list_forms`, `list_services`, `list_selectors`.

    Resources of the API (`list_api`) are beside pages.
    """
    graph = grimp.build_graph("questionbank")
    no_rooms = ("questionbank.core.", "questionbank.models.")
    rooms = [module for module in graph.modules - {"questionbank.api"} if not module.startswith(no_rooms)]
    layers = [
        grimp.Layer(*(module for module in rooms if re.search(rf"[._]({layer})$", module)), independent=False)
        for layer in ("views|api", "forms", "services", "selectors")
    ]
    assert all(layer.module_tails for layer in layers)
    assert graph.find_illegal_dependencies_for_layers(layers=layers) == set()


def test_rooms_import_only_lower_rooms() -> None:
    graph = grimp.build_graph("questionbank")
    rooms = {room for room in graph.find_children("questionbank") if graph.find_children(room)}
    assert {room.removeprefix("questionbank.") for room in rooms} == {*ROOMS, "migrations"}
    order = ["management", "", *ROOMS[1:]]
    imports = {
        (room_of(module), room_of(imported))
        for module in graph.modules
        for imported in graph.find_modules_directly_imported_by(module)
    }
    assert not {f"{room} -> {other}" for room, other in imports if order.index(room) > order.index(other)}


def room_of(module: str) -> str:
    """Return a module's room; an empty string for those above all rooms, such as `urls` and `settings`."""
    room = module.split(".")[1:2]
    return room[0] if {*room} & {*ROOMS} and module != "questionbank.api.v1" else ""


@pytest.mark.parametrize("package", ["analytics", "questionbank", "worker"])
def test_no_modules_import_one_another_in_a_circle(package: str) -> None:
    """Imports inside functions and for type checking count too; a package's own imports of its modules do not."""
    graph = grimp.build_graph(package)
    waiting = {
        module: {
            other for other in graph.find_modules_directly_imported_by(module) if not other.startswith(f"{module}.")
        }
        for module in graph.modules
    }
    while ready := {module for module, imported in waiting.items() if not imported & waiting.keys()}:
        waiting = {module: imported for module, imported in waiting.items() if module not in ready}
    assert sorted(waiting) == []


def test_no_function_is_too_complex_to_be_read_at_once() -> None:
    hard = {
        f"{path.relative_to(BASE_DIR)}:{function.name}": complexity
        for path in written_modules()
        for function in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        and (complexity := complexity_of(function)) > MOST_COMPLEX
    }
    assert hard == {}


def complexity_of(function: ast.AST) -> int:
    """Return McCabe's complexity, with boolean operators, conditions of comprehensions and conditional expressions."""
    branches = (ast.If, ast.For, ast.AsyncFor, ast.While, ast.ExceptHandler, ast.IfExp, ast.Assert, ast.match_case)
    total = 1
    for node in ast.walk(function):
        if isinstance(node, ast.BoolOp):
            total += len(node.values) - 1
        elif isinstance(node, ast.comprehension):
            total += 1 + len(node.ifs)
        else:
            total += isinstance(node, branches)
    return total


def test_the_test_files_that_begin_first_are_there() -> None:
    assert [str(path) for path in SLOW_FILES if not path.is_file()] == []
