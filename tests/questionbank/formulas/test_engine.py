"""The engine of a process: its own after a fork, replaced when it is given up, done without where it cannot run."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from questionbank.formulas import FormulaRefused, draw_formula, engine
from questionbank.operations.health import State, _formulas
from questionbank.rendering import render_question

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def own_engine(monkeypatch):
    fresh = engine._Engine()
    monkeypatch.setattr(engine, "_ENGINE", fresh)
    yield fresh
    fresh._close()


def test_a_forked_process_has_an_engine_of_its_own(own_engine):
    engine.call("draw", "x", False)
    child = os.fork()
    if child == 0:
        drawn = engine.call("draw", "y", False)
        own_engine._close()
        os._exit(0 if "<mi>y</mi>" in drawn else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert "<mi>z</mi>" in engine.call("draw", "z", False)


def test_a_call_without_end_is_given_up_and_the_next_gets_a_new_isolate(own_engine):
    engine.call("draw", "x", False)
    with pytest.raises(engine.Refused):
        engine.call("(function () { for (;;); })")
    with pytest.raises(engine.Refused):
        engine.call("(function () { const all = []; for (;;) all.push(new Array(1000).fill(1)); })")
    assert "<mi>x</mi>" in engine.call("draw", "x", False)


_USES = {
    "a formula": "engine.call('draw', 'x', False)",
    "a formula drawn by a thread that has ended": """
thread = threading.Thread(target=engine.call, args=('draw', 'x', False))
thread.start()
thread.join()
""",
    "calls beyond their memory": """
for _ in range(3):
    try:
        engine.call('(function () { const all = []; for (;;) all.push(new Array(1000).fill(1)); })')
    except engine.Refused:
        pass
    engine.call('draw', 'x', False)
""",
}


@pytest.mark.parametrize("use", _USES)
def test_a_process_that_drew_formulas_ends_with_status_0(use):
    code = f"import threading\nfrom questionbank.formulas import engine\n{_USES[use]}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0
    assert "Traceback" not in done.stderr


def test_threads_take_turns(own_engine):
    with ThreadPoolExecutor(4) as pool:
        drawn = list(pool.map(lambda number: engine.call("draw", f"x_{{{number}}}", False), range(40)))
    assert all(f"<mn>{number}</mn>" in html for number, html in enumerate(drawn))


def test_a_definition_does_not_outlive_its_call(own_engine):
    engine.call("draw", r"\gdef\mine{y}\global\def\ours{z}\mine", False)
    for name in (r"\mine", r"\ours"):
        with pytest.raises(engine.Refused):
            engine.call("draw", name, False)


def test_without_the_engine_formulas_are_shown_as_their_source_and_health_says_so(own_engine, monkeypatch):
    monkeypatch.setitem(sys.modules, "py_mini_racer", None)
    with pytest.raises(FormulaRefused):
        draw_formula("x+never_drawn_before")
    html = render_question.__wrapped__("Find $x+never_{drawn}before$.")
    assert '<code class="formula-source">$x+never_{drawn}before$</code>' in html
    assert _formulas()[0] == State.WARNING


def test_with_the_engine_health_is_content(own_engine):
    assert _formulas()[0] == State.OK
