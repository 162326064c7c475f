"""Word problems from stories with interdependent quantities, told in part, with one of them asked for.

A story (`stories.toml`) names quantities, drawn from a range or computed from others, and how each is told and asked
for. A problem tells those needed to compute the asked one, and at times an irrelevant one: only reading shows which
numbers count. The same story asks for its result, for a part, or for a difference, so that no keyword gives the
operation away. All texts are our own.

`synthetic_problems` draws from all stories, as training data for solvers; `stories` draws problems with one
computational graph, for teachers and for pairs of problems with the same computation.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from functools import cache, cached_property
from pathlib import Path
from random import Random
from typing import Any

from analytics.expression.evaluate import evaluate, solve_for
from analytics.expression.keys import graph_key
from analytics.expression.tree import ExpressionTree, to_infix
from analytics.solver.targets import problem_graph_key
from analytics.text.fingerprints import story_key
from questionbank.problem_writing.problem import RetoldProblem, measures_alike, written_like

_MOST_OPERATIONS = 3
_SHARES = {1: 0.5, 2: 0.42, 3: 0.08}  # share of problems by number of operations
_DISTRACTED = 0.6  # share of problems that tell an irrelevant quantity, if the story has one
_WITHOUT_NUMBER = 0.6  # share of problems that tell the asked quantity as "some", if the story can
_IN_ONE_SENTENCE = 0.2  # share of problems that ask as "If ..., how many ...?"
_DRAWS = 400  # attempts to draw a story's numbers
_TRIES = 40  # attempts for each way to ask for a graph
_CHOICE = re.compile(r"\[([^\[\]]*)\]")
_WORD_LISTS = {"w": "ingredients", "u": "lengths", "m": "travel", "l": "liquids"}
_PRONOUNS = {"he": ("he", "his"), "she": ("she", "her")}


@dataclass(frozen=True)
class SyntheticProblem:
    """A problem's text, its equation over the text's numbers, and its answer."""

    text: str
    equation: str
    answer: str


@dataclass(frozen=True)
class _Story:
    """Quantities, and the ways to tell each and to ask for it.

    Attributes:
        ranges: ranges of the quantities that are drawn.
        definitions: expressions over other quantities and numbers, for the quantities that are computed.
        facts: phrasings that tell a quantity.
        questions: phrasings that ask for one.
        always: quantities that every problem tells.
        sometimes: quantities that may be told without their number.
        prices: for each kind of thing, the quantity that is its unit price.
    """

    ranges: Mapping[str, tuple[int, int]]
    definitions: Mapping[str, ExpressionTree]
    facts: Mapping[str, Sequence[str]]
    questions: Mapping[str, Sequence[str]]
    always: frozenset[str]
    sometimes: frozenset[str]
    prices: Mapping[str, str]

    @cached_property
    def rules(self) -> list[tuple[str, str, ExpressionTree]]:
        """For each definition and each quantity it determines: its name, that quantity, and the expression for it."""
        return [
            (name, quantity, tree if quantity == name else solve_for(tree, quantity, ExpressionTree(name)))
            for name, tree in self.definitions.items()
            for quantity in (name, *_quantities(tree))
        ]

    def derivations(
        self, quantity: str, most: int, used: frozenset[str] = frozenset()
    ) -> Iterator[tuple[ExpressionTree, int]]:
        """Yield expressions of at most `most` operations that compute a quantity, using each definition once."""
        yield ExpressionTree(quantity), 0
        if not most or quantity.isdigit():
            return
        for name, result, tree in self.rules:
            if result != quantity or name in used:
                continue
            left, right = (child.label for child in tree.children)
            for left_tree, left_count in self.derivations(left, most - 1, used | {name}):
                for right_tree, right_count in self.derivations(right, most - 1 - left_count, used | {name}):
                    yield ExpressionTree(tree.label, (left_tree, right_tree)), 1 + left_count + right_count

    @cached_property
    def numbers(self) -> frozenset[str]:
        """The quantities that are told with their number."""
        return frozenset(name for name, facts in self.facts.items() if f"{{{name}}}" in facts[0])

    def computations(self, asked: str) -> list[tuple[ExpressionTree, int]]:
        """Return expressions that compute a quantity from told numbers, each used once, with their operation counts."""
        return [
            (tree, count)
            for tree, count in self.derivations(asked, _MOST_OPERATIONS)
            if count and self.numbers.issuperset(names := _quantities(tree)) and len(names) == len(set(names))
        ]

    def values(self, rng: Random) -> dict[str, Fraction] | None:
        """Draw all quantities as whole numbers above 1; None if no draw succeeds."""
        for _draw in range(_DRAWS):
            values = {name: Fraction(rng.randint(*bounds)) for name, bounds in self.ranges.items()}
            for name, tree in self.definitions.items():
                values[name] = evaluate(tree, values)
                if values[name] < 2 or values[name].denominator != 1:
                    break
            else:
                return values
        return None


def _quantities(tree: ExpressionTree) -> list[str]:
    """Return the names of the leaves that are not numbers."""
    return [label for label in tree.leaves() if not label.isdigit()]


def _filled(tree: ExpressionTree, values: Mapping[str, Fraction]) -> ExpressionTree:
    """Return the expression with the quantities replaced by numbers."""
    return tree.with_leaves(lambda label: ExpressionTree(str(values.get(label, label))))


def synthetic_problems(count: int, seed: int) -> list[SyntheticProblem]:
    """Draw `count` problems that differ in more than their numbers; the same seed gives the same problems."""
    rng = Random(seed)
    stories, _words = _material()
    problems: dict[str, SyntheticProblem] = {}
    operations = 0
    while len(problems) < count:
        operations = operations or rng.choices(list(_SHARES), list(_SHARES.values()))[0]
        problem = _problem(rng.choice(stories), operations, rng)
        if problem is not None:
            problems.setdefault(story_key(problem.text), problem)
            operations = 0
    return list(problems.values())


def _problem(story: _Story, operations: int, rng: Random) -> SyntheticProblem | None:
    asked = rng.choice(list(story.questions))
    candidates = [tree for tree, count in story.computations(asked) if count == operations]
    return _told(story, asked, rng.choice(candidates), rng, for_people=False) if candidates else None


def _told(story: _Story, asked: str, tree: ExpressionTree, rng: Random, *, for_people: bool) -> SyntheticProblem | None:
    """Draw a problem that asks for a quantity; None if another way to compute it is equally short.

    Args:
        for_people: tell no irrelevant quantity, and put things only into suitable containers.
    """
    numbers = story.numbers
    stated = {*_quantities(tree), *story.always}
    if not (story.always or for_people) and rng.random() < _DISTRACTED:
        distractors = sorted(set(story.facts) - stated - _computed(story, tree, asked))
        stated |= set(rng.sample(distractors, min(len(distractors), rng.choice((1, 1, 1, 2)))))
    operations = len(tree.leaves()) - 1
    if any(
        rival != tree and count <= operations and stated.issuperset(_quantities(rival))
        for rival, count in story.computations(asked)
    ):
        return None
    values = story.values(rng)
    if values is None or len({values[name] for name in stated & numbers}) < len(stated & numbers):
        return None
    order = [name for name in story.facts if name in stated]
    equation = to_infix(_filled(_in_text_order(tree, order), values))
    if asked in story.sometimes and rng.random() < _WITHOUT_NUMBER:
        order = [name for name in story.facts if name in stated | {asked}]
    words = drawn_words(rng, for_people=for_people)
    if for_people and not _sets_prices(words, story, values, rng):
        return None
    text = _problem_text(story, order, asked, values, words, rng)
    return SyntheticProblem(text, equation, str(values[asked]))


@cache
def graphs_with_stories() -> Mapping[str, Sequence[tuple[_Story, str, ExpressionTree]]]:
    """Return, by computational graph, the stories that have it: story, asked quantity and its expression."""
    ways: dict[str, list[tuple[_Story, str, ExpressionTree]]] = {}
    for story in _material()[0]:
        for asked in story.questions:
            for tree, _count in story.computations(asked):
                ways.setdefault(graph_key(_over_slots(tree)), []).append((story, asked, tree))
    return ways


def stories(key: str, seed: str, *, like: str = "") -> Iterator[RetoldProblem]:
    """Yield problems with a graph, each story in turn; the same seed gives the same problems.

    Args:
        like: a text whose currency, units and notation the problems adopt.
    """
    ways = list(graphs_with_stories().get(key, ()))
    rng = Random(seed)
    rng.shuffle(ways)
    for _turn in range(_TRIES):
        for story, asked, tree in ways:
            problem = _told(story, asked, tree, rng, for_people=True)
            if problem is None:
                continue
            # training data for solvers is written in the style of the public data sets
            text = written_like(problem.text.replace("$ ", "$"), like)
            # a number word such as "twice" may be taken for one of the text's numbers
            if measures_alike(text, like) and problem_graph_key(text, problem.equation) == key:
                yield RetoldProblem(text, problem.equation, problem.answer, "another story")


def _over_slots(tree: ExpressionTree) -> ExpressionTree:
    """Return the expression with the quantities replaced by number slots."""
    slots = {name: f"N{index}" for index, name in enumerate(_quantities(tree))}
    return tree.with_leaves(lambda label: ExpressionTree(slots.get(label, label)))


def _computed(story: _Story, tree: ExpressionTree, name: str) -> set[str]:
    """Return the quantity that an expression computes, and its intermediate quantities."""
    if tree.is_number:
        return set()
    computed = {name}
    for _definition, result, rule in story.rules:
        if result == name and rule.label == tree.label:
            for part, child in zip(rule.children, tree.children, strict=True):
                computed |= _computed(story, child, part.label)
    return computed


def _in_text_order(tree: ExpressionTree, order: Sequence[str]) -> ExpressionTree:
    """Put the operands of sums and products of two told quantities in the order in which they are told."""
    if tree.is_number:
        return tree
    parts = [_in_text_order(child, order) for child in tree.children]
    if tree.label in "+*" and all(part.label in order for part in parts):
        parts.sort(key=lambda part: order.index(part.label))
    return ExpressionTree(tree.label, tuple(parts))


def _problem_text(
    story: _Story,
    order: Sequence[str],
    asked: str,
    values: Mapping[str, Fraction],
    words: Mapping[str, str],
    rng: Random,
) -> str:
    fields = {**words, **{name: str(value) for name, value in values.items()}, asked: "some"}

    def phrase(phrasings: Sequence[str]) -> str:
        return with_choices(rng.choice(phrasings), rng).format(**fields)

    facts = [phrase(story.facts[name]) for name in order]
    question = phrase(story.questions[asked])
    if rng.random() < _IN_ONE_SENTENCE and not question.startswith("If") and re.match(r"[A-Z0-9].*[.]$", facts[-1]):
        last = facts.pop().removesuffix(".")
        question = f"If {_lowered(last, words)}, {_lowered(question, words)}"
    text = re.sub(r" (?=[,.?])", "", " ".join(" ".join([*facts, question]).split()))
    return re.sub(r"(?:^|(?<=[.?] ))[a-z]", lambda match: match[0].upper(), text)


def with_choices(template: str, rng: Random) -> str:
    """Return a phrasing with one option chosen from each ``[this|that]``, inner ones first."""
    while _CHOICE.search(template):
        template = _CHOICE.sub(lambda match: rng.choice(match[1].split("|")), template, count=1)
    return template


def _lowered(sentence: str, words: Mapping[str, str]) -> str:
    """Return the sentence without its initial capital, unless it begins with a name or an abbreviation."""
    if sentence.startswith((words["A"], words["B"])) or sentence[1:2].isupper():
        return sentence
    return sentence[0].lower() + sentence[1:]


def drawn_words(rng: Random, *, for_people: bool = False) -> dict[str, str]:
    """Draw words for the fields of a phrasing: people, things, places, units."""
    words = _material()[1]
    (first, first_is), (second, second_is) = rng.sample(words["people"], 2)
    if for_people:
        group, containers = rng.choice(
            [pair for pair in zip(words["things"], words["holders"], strict=True) if pair[1]]
        )
    else:
        group, containers = rng.choice(words["things"]), words["containers"]
    things = rng.sample(group, 3)
    container = rng.choice(containers)
    days = rng.sample(words["days"], 2)
    drawn = {"A": first, "B": second, "p": rng.choice(words["places"]), "d1": days[0], "d2": days[1]}
    drawn |= {name: rng.choice(words[list_name]) for name, list_name in _WORD_LISTS.items()}
    drawn["a"], drawn["as"] = _PRONOUNS[first_is]
    drawn["b"], drawn["bs"] = _PRONOUNS[second_is]
    for name, (singular, plural) in zip("xyzv", [*things, container], strict=True):
        _set_thing(drawn, name, singular, plural)
    return drawn


def _set_thing(words: dict[str, str], name: str, singular: str, plural: str) -> None:
    words[name], words[f"{name}1"] = plural, singular
    words[f"a{name}1"] = f"{'an' if singular[0] in 'aeio' else 'a'} {singular}"


def _sets_prices(words: dict[str, str], story: _Story, values: Mapping[str, Fraction], rng: Random) -> bool:
    """Replace things that have a price in a story by some of similar price; return whether there are any."""
    taken: set[str] = set()
    for name, quantity in story.prices.items():
        fitting = [
            noun
            for low, high, nouns in _material()[1]["priced"]
            for noun in nouns
            if low <= values[quantity] <= high and noun[0] not in taken
        ]
        if not fitting:
            return False
        singular, plural = rng.choice(fitting)
        taken.add(singular)
        _set_thing(words, name, singular, plural)
    return True


@cache
def _material() -> tuple[list[_Story], dict[str, list[Any]]]:
    with Path(__file__).with_suffix(".toml").open("rb") as file:
        content = tomllib.load(file)
    stories = [_story(table) for table in content.pop("story")]
    words = content.pop("words")
    nouns = {
        "things": [_nouns(group) for group in words["things"]],
        "holders": [_nouns(group) for group in words["holders"]],
        "containers": _nouns(words["containers"]),
        "priced": [(low, high, _nouns(nouns)) for low, high, nouns in words["priced"]],
        "people": [(name, pronoun) for pronoun in _PRONOUNS for name in words[pronoun].split(", ")],
        **{name: words[name].split(", ") for name in ("places", "days", *_WORD_LISTS.values())},
    }
    return stories, nouns


def _nouns(text: str) -> list[tuple[str, ...]]:
    """Return the singular and plural of each noun."""
    return [tuple(noun.split("/")) for noun in text.split(", ") if noun]


def _story(table: Mapping[str, Any]) -> _Story:
    ranges, definitions = {}, {}
    for name, text in table["quantities"].items():
        low, is_range, high = text.partition("..")
        if is_range:
            ranges[name] = (int(low), int(high))
        else:
            left, operator, right = text.split()
            definitions[name] = ExpressionTree(operator, (ExpressionTree(left), ExpressionTree(right)))
    always, sometimes = (frozenset(table.get(name, ())) for name in ("always", "some"))
    return _Story(ranges, definitions, table["facts"], table["questions"], always, sometimes, table.get("prices", {}))


def synthetic_rows(count: int, seed: int) -> Iterator[dict[str, str]]:
    """Yield the problems as rows of a file."""
    for number, problem in enumerate(synthetic_problems(count, seed)):
        yield {"id": str(number), "language": "en", **asdict(problem)}
