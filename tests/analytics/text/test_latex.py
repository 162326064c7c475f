"""The adapter of the LaTeX parser: what it reads, what it refuses, and that nothing can hang or harm it."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analytics.errors import LatexError, LatexLimitError
from analytics.text import latex_pool
from analytics.text.latex import (
    LatexLimits,
    ParsedFormula,
    check_limits,
    formula_signature,
    parse_latex,
    parse_latex_many,
)
from analytics.text.latex_measure import main, parse_sample, sample_formulas
from analytics.text.latex_pool import ParserPool

SLOW = r"\log(" * 39 + "x" + ")" * 39  # half a minute for the grammar, and within all limits
MARKED = "/tmp/kindred-latex-was-evaluated"


@pytest.fixture
def pool() -> Iterator[ParserPool]:
    """A pool of its own, whose child the test may kill."""
    pool = ParserPool()
    yield pool
    pool.close()


@pytest.mark.parametrize(
    ("latex", "canonical"),
    [
        (r"\frac{1}{2}x^2+3", "(+ (* (^ x 2) 1/2) 3)"),
        ("2x = 4", "(= (* 2 x) 4)"),
        (r"0 < x \leq 1,000", "(chain 0 < x ≤ 1000)"),
        (r"x=2 \text{ or } x>5", "(list (= 2 x) (> x 5))"),
        (r"x \in [0, 1)", "(∈ x (interval [ 0 1 )))"),
        (r"A \cup B = \{1, 2\}", "(= (set 1 2) (∪ A B))"),
        (r"\{x \mid |x|<1\}", "(set (given x (< (abs x) 1)))"),
        ("3:4:5", "(: 3 4 5)"),
        (r"\csc(\theta) =", "(= (csc theta) blank)"),
        ("(2, -3)", "(tuple 2 -3)"),
        (r"90^{\circ}", "(* 90 degree)"),
        (r"20\%", "(* 20 percent)"),
        (r"\$5.00", "(* 5 dollar)"),
        (r"3\text{ cm}", "(* 3 cm)"),
        ("已知x=3或y=4", "(list (= (* x 已知) 3) (= 4 y))"),
        (r"2\frac12", "(+ 1/2 2)"),
        (r"0.\dot{3}", "0.(3)"),
        ("1011_2", "(base 1011 2)"),
        (r"\sin^2 x + \cos^2 x", "(+ (^ (cos x) 2) (^ (sin x) 2))"),
        (r"\log_2 8", "(log 8 2)"),
        (r"\sqrt[3]{x}", "(^ x (^ 3 -1))"),
        ("f^{-1}(x)", "(apply (^ f -1) x)"),
        ("f'(x)=3", "(= (apply f' x) 3)"),
        (r"\int_0^1 x^2 dx", "(integral 0 1 (d (^ x 2) x))"),
        (r"\sum_{k=1}^{n} k^2 + 1", "(+ (sum (= 1 k) n (^ k 2)) 1)"),
        (r"\lim_{x \to 0} \frac{\sin x}{x}", "(limit (→ x 0) blank (* (^ x -1) (sin x)))"),
        (r"\frac{dy}{dx} = y", "(= (derivative y x) y)"),
        (r"\binom{n}{2}", "(binomial n 2)"),
        (r"{n \choose 2}", "(binomial n 2)"),
        (r"\begin{pmatrix}1&2\\3&4\end{pmatrix}", "(matrix (row 1 2) (row 3 4))"),
        (r"\begin{cases}x+y=1\\x-y=2\end{cases}", "(cases (= (+ x y) 1) (= (+ (* -1 y) x) 2))"),
        (r"\left\{\begin{array}{l}x=1\\y=2\end{array}\right.", "(matrix (= 1 x) (= 2 y))"),
        (r"a \equiv b \pmod{7}", "(pmod (≡ a b) 7)"),
        ("P(A|B)", "(apply P (given A B))"),
        (r"\triangle ABC \cong \triangle DEF", "(≅ (* A B C triangle) (* D E F triangle))"),
        (r"\overline{AB} \parallel \vec{c}", "(∥ AB.overline c.vec)"),
        (r"x \pm 3", "(+ (* 3 plus_minus) x)"),
        (r"\lfloor x \rfloor!", "(! (floor x))"),
        ("a_{n+1} = 2a_n", "(= (* 2 a_n) a_n+1)"),
        (r"1+2+\cdots+n", "(+ 1 2 dots n)"),
        ("____ + 3 = 5", "(= (+ 3 square) 5)"),
        (r"+", "(operator +)"),
        (r"a \textless{} b", "(< a b)"),
        ("e^{2x}+E+I+d", "(+ (^ e (* 2 x)) E I d)"),
    ],
)
def test_the_formulas_of_schools_are_read(latex: str, canonical: str) -> None:
    assert parse_latex(latex).canonical == canonical


def test_a_parsed_formula_keeps_order_in_its_tree_and_names_its_symbols() -> None:
    parsed = parse_latex(r"b + a_1 \pi = \sin x")
    assert parsed.tree == ("=", ("+", "b", ("*", "a_1", "pi")), ("sin", "x"))
    assert parsed.symbols == {"b", "a_1", "x"}
    assert parsed.canonical == parse_latex(r"\sin x = \pi a_1 + b").canonical


@pytest.mark.parametrize(
    ("latex", "canonical"),
    [
        ("9^{9^{9}}", "(^ 9 (^ 9 9))"),
        ("100!!!!", "(! (! (! (! 100))))"),
        (r"\binom{10^9}{10^8}", "(binomial (^ 10 9) (^ 10 8))"),
        (r"\frac{2}{3}+\frac{1}{3}", "(+ 1/3 2/3)"),
        (r"2 \times 3", "(* 2 3)"),
        (r"\gcd(12, 18)", "(apply gcd 12 18)"),
        (r"\begin{vmatrix}1&2\\3&4\end{vmatrix}", "(determinant (row 1 2) (row 3 4))"),
        (r"\prod_{k=1}^{99999} k", "(product (= 1 k) 99999 k)"),
        ("|-3|", "(abs -3)"),
        ("0^0", "(^ 0 0)"),
    ],
)
def test_nothing_is_evaluated(latex: str, canonical: str) -> None:
    assert parse_latex(latex).canonical == canonical


@pytest.mark.parametrize(
    "latex",
    [
        "",
        "   ",
        r"\foo{x}",
        "(x",
        "x)",
        r"\begin{cases}x",
        "x^2^3",
        r"\begin{tabular}{c}a\end{tabular}",
        "x\x00y",
    ],
)
def test_what_cannot_be_read_is_a_latex_error(latex: str) -> None:
    with pytest.raises(LatexError):
        parse_latex(latex)


@pytest.mark.parametrize(
    "bomb",
    [
        "{" * 10_000 + "}" * 10_000,
        "(" * 10_000 + "x" + ")" * 10_000,
        r"\frac{1}{" * 41 + "x" + "}" * 41,
        r"\begin{cases}" * 41 + r"\end{cases}" * 41,
        "x" * 3_001,
        "9" * 121,
        "1," + "000," * 50 + "000",
    ],
)
def test_bombs_are_refused_before_they_are_read(bomb: str, no_hang: None) -> None:
    with pytest.raises(LatexLimitError):
        parse_latex(bomb)


@pytest.mark.parametrize(
    "bomb",
    [
        "5" + "!" * 2_900,
        "-" * 2_900 + "1",
        r"\sqrt" * 500 + "x",
        "|" * 1_000,
        r"\text{__import__('os').system('touch " + MARKED + r"')}",
        r"__import__(\"os\").system(\"touch " + MARKED + r"\")",
        r"\operatorname{exec}(x)",
        "x_" * 1_000,
        "9" * 110 + "^{" + "9" * 110 + "}",
        r"\operatorname{rank}(\begin{pmatrix}1\end{pmatrix})",
    ],
)
def test_bombs_within_the_limits_do_no_harm(bomb: str, no_hang: None) -> None:
    (result,) = parse_latex_many([bomb], timeout=3)
    assert isinstance(result, ParsedFormula | LatexError)
    assert not Path(MARKED).exists()


def test_limits_can_be_narrowed() -> None:
    check_limits("((x))", LatexLimits(depth=2))
    with pytest.raises(LatexLimitError, match="deeper than 1"):
        check_limits("((x))", LatexLimits(depth=1))
    with pytest.raises(LatexLimitError, match="5 characters is longer than 4"):
        parse_latex("x+y+z", limits=LatexLimits(length=4))


def test_a_formula_that_takes_too_long_is_given_up_and_the_next_one_is_read(pool: ParserPool) -> None:
    began = time.perf_counter()
    results = parse_latex_many([SLOW, "x+1"], timeout=0.5, pool=pool)
    assert str(results[0]) == "the parser took too long"
    assert isinstance(results[1], ParsedFormula)
    assert time.perf_counter() - began < 20


def test_a_child_that_dies_between_two_formulas_is_replaced(pool: ParserPool) -> None:
    assert isinstance(parse_latex_many(["x"], pool=pool)[0], ParsedFormula)
    process = pool._children[0]._process
    assert process is not None
    process.kill()
    process.wait()
    assert isinstance(parse_latex_many(["x+2"], pool=pool)[0], ParsedFormula)


def test_a_child_that_dies_over_a_formula_is_an_error(pool: ParserPool) -> None:
    parse_latex_many(["x"], pool=pool)
    process = pool._children[0]._process
    assert process is not None
    threading.Timer(0.3, process.kill).start()
    (result,) = parse_latex_many([SLOW], timeout=20, pool=pool)
    assert isinstance(result, LatexError)


def test_a_parser_that_cannot_start_is_an_error(pool: ParserPool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/bin/false")
    (result,) = parse_latex_many(["x"], pool=pool)
    assert isinstance(result, LatexError)


def test_many_threads_may_ask_at_once() -> None:
    results: dict[int, str] = {}

    def ask(number: int) -> None:
        results[number] = parse_latex(f"x+{number}").canonical

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == {number: f"(+ {number} x)" for number in range(20)}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_process_asks_a_child_of_its_own() -> None:
    script = (
        "import os\n"
        "from analytics.text.latex import parse_latex\n"
        "parse_latex('x')\n"
        "pid = os.fork()\n"
        "answers = [parse_latex(f'x+{n}').canonical for n in range(50)]\n"
        "assert answers == [f'(+ {n} x)' for n in range(50)], answers\n"
        "if pid:\n"
        "    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0\n"
    )
    subprocess.run([sys.executable, "-W", "ignore", "-c", script], check=True, timeout=120, cwd=Path.cwd())


def test_many_formulas_come_back_in_order_with_their_errors_in_place() -> None:
    results = parse_latex_many(["x", r"\foo", "{" * 50 + "}" * 50, "x", "y"])
    assert [type(result).__name__ for result in results] == [
        "ParsedFormula",
        "LatexError",
        "LatexLimitError",
        "ParsedFormula",
        "ParsedFormula",
    ]
    assert results[0] is results[3]


def test_a_signature_falls_back_to_tokens() -> None:
    assert formula_signature("x+1") == ("tree", "(", "+", "1", "x", ")")
    assert formula_signature("1 + x") == formula_signature("x+1")
    assert formula_signature(r"\foo{\dfrac12}") == formula_signature(r"\foo {\frac{1}{2}}")
    assert formula_signature(r"\foo")[0] == "tokens"
    assert formula_signature("{" * 10_000)[0] == "tokens"


@given(st.text(alphabet="\\{}()[]^_|,;:=<>+-*/!'.& abxdeEIfn123$%#?中√\u0300", max_size=30))
@settings(max_examples=150, deadline=None)
def test_any_text_is_parsed_or_a_latex_error(latex: str) -> None:
    (result,) = parse_latex_many([latex], timeout=3)
    assert isinstance(result, ParsedFormula | LatexError)


def test_the_library_is_not_imported_where_formulas_are_asked_for() -> None:
    script = (
        "import sys, analytics.text.latex as latex\n"
        "latex.parse_latex('x+1')\n"
        "assert not {'sympy', 'antlr4', 'latex2sympy2_extended'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True, timeout=60, cwd=Path.cwd())


def test_the_shared_pool_is_one_a_process() -> None:
    assert latex_pool.shared_pool() is latex_pool.shared_pool()


@pytest.mark.shared_data
def test_most_real_formulas_parse(shared_data: Path) -> None:
    shares = parse_sample(sample_formulas(shared_data, 1_500, seed=20))
    assert shares.drawn.total() == 1_500
    assert shares.share >= 0.95  # 98 % when written; the goal of the issue is 70 %


@pytest.mark.shared_data
def test_the_measure_is_a_command(shared_data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main([str(shared_data), "--sample", "40"])
    assert "seed 20" in capsys.readouterr().out
