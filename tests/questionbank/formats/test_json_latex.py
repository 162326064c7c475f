r"""LaTeX in JSON with single backslashes: read where that is certain, said, else refused or warned of."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from questionbank.core.errors import LineProblem, LineWarning
from questionbank.formats.catalog import read
from questionbank.formats.json_objects import repair_latex
from tests.questionbank.formats.files import saved

CERTAIN = [
    r"Compute $\frac{1}{2} \times 4$ when $x \neq 3$ and $\beta = \rho$.",
    r"$\nabla f$, $\theta$, $\tau$, $\rangle$, $\binom{5}{2}$, $\bar{x}$, $\forall x$",
    r"$\begin{pmatrix} 1 & 2 \\ 3 & 4 \end{pmatrix}$",
    r"$\text{if } x \to 3$ and $\tan x$, $\nu \ne \ni$",
    r"\sqrt{2} \cdot \alpha, \(x\), \[y\], \{1, 2\}, 5\%",
    r"$\underline{AB}$ and $\uparrow$ and $\upsilon$",
    r"$x \notin A$, $\not\subset$, $\neg p$, $\num{3}$",
    r"$\left\{\begin{array}{l} x \\ y \end{array}\right.$",
    r"$\triangle ABC$, $\therefore$, $\textbf{(A)}$, $\tfrac12$",
    r"$3 \rightarrow 4$, $\rfloor$, $\boxed{2}$, $\bullet$, $\frown$",
]


@pytest.mark.parametrize("text", CERTAIN)
def test_single_backslashes_are_read_as_latex_and_said(tmp_path, text):
    path = saved(tmp_path, f'{{"id": "a", "text": "{text}", "answer": "2"}}\n', "q.jsonl")
    (_, warning), (_, record) = read(path)
    assert record.text == text
    assert warning == LineWarning(
        1, "text has LaTeX with single backslashes; it is read as if they were doubled", "text"
    )


@pytest.mark.parametrize(
    "text", [*CERTAIN, "First line.\nthen the next one\n\nne\tcell", "$$\ne^x = 3\n$$", "\\[\ne+e\n\\]"]
)
def test_what_a_program_wrote_is_read_as_it_is(tmp_path, text):
    path = saved(tmp_path, json.dumps({"text": text}) + "\n", "q.jsonl")
    *warnings, (_, record) = read(path)
    assert record.text == text
    assert not any("single" in warning.reason for _, warning in warnings)


_COMMANDS = st.sampled_from(
    r"\frac \times \beta \rho \neq \sqrt \alpha \theta \left \right \nabla \binom \pi \cdot".split()
)


@given(st.lists(_COMMANDS, min_size=1, max_size=6), st.text("xyz 12+=", max_size=10))
def test_any_formula_with_a_certain_command_is_read_as_it_was_typed(commands, tail):
    text = "$" + " ".join(commands) + " " + tail + "$"
    line = f'{{"text": "{text}"}}'
    assert json.loads(repair_latex(line)[0])["text"] == text
    doubled = json.dumps({"text": text})
    assert repair_latex(doubled) == (doubled, [])


def test_every_field_that_is_mended_is_named(tmp_path):
    path = tmp_path / "q.jsonl"
    path.write_text(
        r'{"text": "2?", "options": {"A": "$\frac12$", "B": "1"}, "answer": "A", "solution": "$\beta$"}' + "\n"
    )
    fields = [entry.field for _, entry in read(path) if isinstance(entry, LineWarning)]
    assert fields == ["options", "solution"]


def test_a_control_character_that_is_no_known_command_refuses_the_line(tmp_path):
    path = saved(tmp_path, '{"text": "see \\bxyz now"}\n{"text": "fine"}\n', "q.jsonl")
    (_, problem), (_, fine) = read(path)
    assert isinstance(problem, LineProblem)
    assert "holds a backspace where LaTeX has lost a backslash, before 'xyz'; double the backslashes" in problem.reason
    assert fine.text == "fine"


def test_a_table_that_holds_lost_commands_is_mended_too(tmp_path):
    path = saved(tmp_path, "text,answer\n$\frac{1}{2}\times 3$,1\n", "q.csv")
    (_, warning), (_, record) = read(path)
    assert record.text == r"$\frac{1}{2}\times 3$"
    assert r"has lost the backslash of \frac" in warning.reason


def test_a_line_break_that_may_be_a_command_is_warned_of(tmp_path):
    path = saved(tmp_path, r'{"text": "The frequency \nu is given."}' + "\n", "q.jsonl")
    (_, warning), (_, record) = read(path)
    assert record.text == "The frequency \nu is given."
    assert r"meant as \nu" in warning.reason
