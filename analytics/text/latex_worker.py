"""The child process in which LaTeX is parsed: one request a line in, one reply a line out, both JSON.

Only this module imports latex2sympy2_extended. The parser keeps mutable global state, recurses, and can be
made to work for hours; so it runs here, alone, under limits on memory and time that the operating system
keeps, and whoever asked may kill it at any moment. Started by :mod:`analytics.text.latex_pool` as ``python
-m analytics.text.latex_worker``.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import signal
import sys
import warnings
from decimal import Decimal
from typing import TYPE_CHECKING, Any, TextIO

from analytics.errors import LatexError
from analytics.text.latex_structure import FormulaReader
from analytics.text.latex_tree import Tree, nest
from analytics.text.notation import formula_tokens, normalise_for_reading

if TYPE_CHECKING:
    import sympy

_MEMORY_LIMIT = 2 << 30
_IDLE_SECONDS = 900
_BUSY_SECONDS = 60
_NODE_LIMIT = 20_000
_DIGIT_LIMIT = 400
_NAMES = {"Add": "+", "Mul": "*", "Pow": "^", "Abs": "abs", "factorial": "!", "Mod": "mod"}
_LEAVES = {"Pi": "pi", "Exp1": "e", "ImaginaryUnit": "i", "Infinity": "infinity", "EulerGamma": "gamma"}


def read_formula(latex: str) -> Tree:
    """Read a formula into a tree, in this process. Never call it where the input is not trusted.

    Raises:
        LatexError: the formula cannot be read.
    """
    items = nest(formula_tokens(normalise_for_reading(latex)))
    if not items:
        raise LatexError("an empty formula")
    return FormulaReader(_read_expression).formula(items)


def _read_expression(latex: str) -> Tree:
    """Read one arithmetic expression with latex2sympy2_extended."""
    import sympy
    from latex2sympy2_extended.latex2sympy2 import ConversionConfig, _Latex2Sympy

    config = ConversionConfig(
        interpret_contains_as_eq=False, interpret_simple_eq_as_assignment=False, lowercase_symbols=False
    )
    converter = _Latex2Sympy(config=config)  # a new one each time: it remembers assignments
    try:
        with sympy.evaluate(False):
            return _tree(converter.parse(latex))
    except LatexError:
        raise
    except RecursionError:
        raise LatexError("nested too deeply") from None
    except Exception as error:  # noqa: BLE001 - the library raises bare Exception and whatever sympy raises
        raise LatexError(_reason(error)) from None


def _reason(error: Exception) -> str:
    if type(error) is Exception:
        return "not an expression: " + str(error).split("\n", 1)[0][:60]
    return f"not an expression ({type(error).__name__})"


def _tree(expression: sympy.Basic | Any) -> Tree:
    """Turn a SymPy expression into plain tuples, without evaluating it."""
    count = [0]
    return _node(expression, count)


def _node(expression: Any, count: list[int]) -> Tree:
    count[0] += 1
    if count[0] > _NODE_LIMIT:
        raise LatexError("too many parts")
    name = type(expression).__name__
    if expression.is_Symbol:
        return str(expression.name)
    if expression.is_Integer:
        return str(expression)
    if expression.is_Rational:
        return f"{expression.p}/{expression.q}"
    if expression.is_Float:
        return format(Decimal(str(expression)).normalize(), "f")
    if name in _LEAVES:
        return _LEAVES[name]
    children = tuple(_node(child, count) for child in expression.args)
    if name == "UnevaluatedExpr":
        return children[0]
    if name == "exp":
        return ("^", "e", *children)
    if not children:
        return name.lower()
    return (_NAMES.get(name, name.lower()), *children)


def main(requests: TextIO, replies: TextIO) -> None:
    """Answer requests until the input ends."""
    import latex2sympy2_extended  # noqa: F401 - seconds of imports, before the first request is timed

    replies.write('{"ready": true}\n')
    replies.flush()
    while True:
        signal.alarm(_IDLE_SECONDS)
        line = requests.readline()
        if not line:
            return
        signal.alarm(_BUSY_SECONDS)
        reply: dict[str, Any]
        try:
            reply = {"tree": read_formula(json.loads(line))}
        except LatexError as error:
            reply = {"error": str(error)}
        except (RecursionError, MemoryError):
            reply = {"error": "nested too deeply"}
        replies.write(json.dumps(reply) + "\n")
        replies.flush()


def _limit_this_process() -> None:
    for kind, limit in ((resource.RLIMIT_AS, _MEMORY_LIMIT), (resource.RLIMIT_CORE, 0)):
        with contextlib.suppress(ValueError, OSError):  # not every system has or lets us lower it
            resource.setrlimit(kind, (limit, limit))
    sys.setrecursionlimit(3000)
    sys.set_int_max_str_digits(max(_DIGIT_LIMIT, sys.int_info.str_digits_check_threshold))


if __name__ == "__main__":
    _limit_this_process()
    warnings.simplefilter("ignore")
    # Whatever the library prints must not end up among the replies.
    channel = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    main(sys.stdin, channel)
