"""A causal language model that writes a word problem's equation, and nothing else.

The prompt is the problem, optionally preceded by solved ones. The answer is generated character by character
under a grammar: numbers of the text, known constants, ``+ - * / ^`` and brackets. So every answer can be
parsed, and the probabilities are those among valid equations.
"""

from __future__ import annotations

import math
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass

from tokenizers import Tokenizer

from analytics.errors import DataError
from analytics.expression.evaluate import EvaluationError, constant_label, evaluate_float, is_slot, slot_index
from analytics.expression.tree import ExpressionTree, from_prefix, parse_expression, to_infix
from analytics.language_model.llama import Llama
from analytics.text.number_slots import NumberSlot, number_slots

CONSTANTS = ("0.01", "0.5", *"1 2 3 4 5 6 7 8 10 12 24 25 30 52 60 90 100 180 360 365 1000 3600".split())
"""Numbers that an equation may contain even if the text does not."""

_CHARACTERS = "0123456789.+-*/^()%"
_OPERATORS = frozenset("+-*/^")
_MOST_BRACKETS = 5
_MOST_CHARACTERS = 60  # of an equation
_END = "\n"
_LOOSE_MARK = re.compile(r" (?=[.,;:?!%'’)])")  # public data sets put a space before each punctuation mark
_WORTHLESS = 4.0  # nats below the most probable equation: unfinished equations below it no longer matter


@dataclass(frozen=True, slots=True)
class WrittenEquation:
    """A generated equation with the logarithm of its probability among all equations."""

    equation: str
    log_probability: float


def equation_prompt(text: str) -> str:
    r"""Return the prompt that the model continues.

    >>> equation_prompt("How much is 2 and 3?")
    'Problem: How much is 2 and 3?\nEquation: '
    """
    line = _LOOSE_MARK.sub("", " ".join(text.split()))
    return f"Problem: {line}\nEquation: "


def slot_spelling(slot: NumberSlot, slots: Sequence[NumberSlot]) -> str:
    """Spell a number of the text as equations do: ``25%`` for a per cent, ``(1/3)`` for a fraction."""
    if any(other.start == slot.start and other.value == 100 * slot.value for other in slots):
        return f"{constant_label(100 * slot.value)}%"
    label = constant_label(slot.value)
    return f"({label})" if "/" in label else label


def spelled_equation(tokens: Sequence[str], slots: Sequence[NumberSlot]) -> str:
    """Spell a solver's tokens, given in pre-order, as the model writes them.

    >>> spelled_equation(["*", "N2", "-", "1", "N0"], number_slots("25% off 80 dollars"))
    '80*(1-25%)'
    """
    tree = from_prefix(tokens)
    return to_infix(
        tree.with_leaves(
            lambda label: ExpressionTree(slot_spelling(slots[slot_index(label)], slots) if is_slot(label) else label)
        )
    )


def numbers_of(text: str) -> frozenset[str]:
    """Return the spellings of the numbers that a text's equation may contain."""
    slots = number_slots(text)
    spelled = {slot_spelling(slot, slots).strip("()") for slot in slots}
    parts = {part for spelling in spelled for part in spelling.split("/")}
    return frozenset(parts | set(CONSTANTS))


class EquationState:
    """A partially written equation and the characters that may follow.

    >>> state = EquationState(frozenset({"12", "5"}))
    >>> sorted(state.following())
    ['(', '1', '5']
    >>> sorted(state.after("1").following())
    ['2']
    """

    __slots__ = ("_depth", "_number", "_numbers", "text")

    def __init__(self, numbers: frozenset[str], text: str = "", number: str | None = "", depth: int = 0) -> None:
        self._numbers, self.text, self._number, self._depth = numbers, text, number, depth

    def after(self, character: str) -> EquationState:
        """Return the state after appending a character."""
        number, depth = self._number, self._depth
        if character == "(":
            depth += 1
        elif character == ")":
            number, depth = None, depth - 1
        elif character in _OPERATORS:
            number = ""
        else:
            number = f"{number}{character}"
        return EquationState(self._numbers, self.text + character, number, depth)

    def following(self) -> set[str]:
        """Return the characters that may follow; includes a newline if the equation may end."""
        number = self._number
        if number == "":
            return {spelling[0] for spelling in self._numbers} | ({"("} if self._depth < _MOST_BRACKETS else set())
        allowed = set()
        if number is not None:
            size = len(number)
            allowed = {
                spelling[size] for spelling in self._numbers if len(spelling) > size and spelling.startswith(number)
            }
        if number is None or number in self._numbers:
            allowed |= _OPERATORS | {")" if self._depth else _END}
        return allowed


def may_be_written(equation: str, text: str) -> bool:
    """Return whether the grammar accepts an equation for a text.

    >>> may_be_written("3+4", "3 pens and 4 more"), may_be_written("3+41", "3 pens and 4 more")
    (True, False)
    """
    state = EquationState(numbers_of(text))
    for character in equation + _END:
        if character not in state.following():
            return False
        state = state.after(character)
    return True


@dataclass(slots=True)
class _Hypothesis:
    state: EquationState
    score: float


class EquationWriter:
    """Writes equations with a causal model; thread-safe.

    Args:
        tokenizer: tokenizer of the model; it must have a token for each character of an equation.
    """

    def __init__(self, model: Llama, tokenizer: Tokenizer) -> None:
        self.model, self.tokenizer = model, tokenizer
        self.ids = character_ids(tokenizer)
        self._places = {character: place for place, character in enumerate(self.ids)}

    def write(
        self, prompts: Sequence[str], texts: Sequence[str], *, beam: int = 4, seconds: float = math.inf
    ) -> list[list[WrittenEquation]]:
        """Return up to `beam` equations for each problem, most probable first.

        Args:
            prompts: prompts from `equation_prompt`.
            texts: the problems; their numbers may be used.
            beam: beam width.
            seconds: limit on processor time; equations unfinished by then are dropped.

        Raises:
            DataError: a prompt exceeds the model's context length.
        """
        began = time.thread_time()  # processor time, so that a busy machine does not change answers
        encoded = [self.tokenizer.encode(prompt, add_special_tokens=False).ids for prompt in prompts]
        longest = max(map(len, encoded))
        most = self.model.window - _MOST_CHARACTERS
        if longest > most:
            raise DataError(f"The prompt has {longest:,} tokens; the language model reads {most:,} at most.")
        alive = [[_Hypothesis(EquationState(numbers_of(text)), 0.0)] for text in texts]
        done: list[list[_Hypothesis]] = [[] for _text in texts]
        states, memory = self.model.read(encoded)
        for _place in range(_MOST_CHARACTERS):
            scores = self.model.logits(states, list(self.ids.values())).tolist()
            parents: list[int] = []
            characters: list[str] = []
            row = 0
            for problem, hypotheses in enumerate(alive):
                grown: list[tuple[float, int, str, _Hypothesis]] = []
                for hypothesis in hypotheses:
                    allowed = hypothesis.state.following()
                    values = {character: scores[row][self._places[character]] for character in allowed}
                    total = _log_sum(list(values.values()))
                    for character, value in values.items():
                        score = hypothesis.score + value - total
                        if character == _END:
                            done[problem].append(_Hypothesis(hypothesis.state, score))
                        else:
                            grown.append((score, row, character, hypothesis))
                    row += 1
                grown.sort(key=lambda each: -each[0])
                done[problem] = sorted(done[problem], key=lambda each: -each.score)[:beam]
                worst = done[problem][-1].score if len(done[problem]) == beam else -math.inf
                if done[problem]:
                    worst = max(worst, done[problem][0].score - _WORTHLESS)
                kept = [each for each in grown[:beam] if each[0] > worst]
                alive[problem] = [_Hypothesis(parent.state.after(c), score) for score, _row, c, parent in kept]
                parents += [each[1] for each in kept]
                characters += [each[2] for each in kept]
            if not parents or time.thread_time() - began > seconds:
                break
            states, memory = self.model.read_on(memory.of(parents), [self.ids[character] for character in characters])
        return [
            [WrittenEquation(each.state.text, each.score) for each in sorted(found, key=lambda each: -each.score)]
            for found in done
        ]


def character_ids(tokenizer: Tokenizer) -> dict[str, int]:
    """Return the token id of each character of an equation, and of the newline that marks its end.

    Raises:
        DataError: the tokenizer has no separate token for a character.
    """
    ids = {}
    for character in _CHARACTERS + _END:
        found = tokenizer.encode(character, add_special_tokens=False).ids
        if len(found) != 1:
            raise DataError(f"The language model has no token for {character!r}, so it cannot write equations.")
        ids[character] = found[0]
    return ids


def equation_value(equation: str) -> float | None:
    """Return the value of a written equation, if it has one."""
    try:
        return evaluate_float(parse_expression(equation))
    except (DataError, EvaluationError):
        return None


def _log_sum(values: Sequence[float]) -> float:
    highest = max(values)
    return highest + math.log(sum(math.exp(value - highest) for value in values))
