"""The features by which questions are compared: form, formulas, shared passages, equation, tags."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise

from analytics.languages import CHINESE
from analytics.paraphrase.words.entities import find_entities
from analytics.text.characters import replace_text_macros
from analytics.text.fingerprints import MASK, masked_formula, masked_text, without_credits
from analytics.text.formulas import has_formula_marks, segment_text
from analytics.text.notation import normalise_latex
from analytics.text.numbers import find_numbers, mask_numbers
from analytics.text.question_tasks import EMPTY_WORDS, MATHEMATICS, ONLY_IN_PHRASES, UNITS
from analytics.text.tokens import search_tokens
from questionbank.bank.question_selectors import TaggedPath
from questionbank.solving.computations import Computation

Passage = tuple[str, ...]

LONGEST = 12  # most words of a passage that are quoted
LEAST_WORTH = {2: 2.5, 3: 1.5}  # by number of words; 3 means 3 or more
MOST_WORDS = 400  # most words of a text that are read

_WRITTEN_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_CLAUSE_END = re.compile(r"[^\w\s'’-]+|\d+|\n|_+")
# Instructions on how to write the answer do not show what the question asks.
_ANSWER_FORMAT = re.compile(
    r"(?:^|(?<=[.?!:;()\n]))\s*(?:please )?"
    r"(?:(?:express|give|enter|write|round|leave|state|type|simplify|use|note|hint|if|make|when|separate|submit)\b"
    r"[^.?!\n]{0,120}?\banswers?\b|(?:do not|don['’]t|never) (?:use|round|include|enter|write|simplify)\b"
    r"|(?:if|when) (?:needed|necessary|there)\b)[^.?!\n]*[.?!]?",
    re.IGNORECASE,
)
_BOUNDARY = "\0"  # between clauses; no passage crosses it
_ENDS = frozenset(  # words that a quoted passage neither starts nor ends with
    str.split(
        "a an the of and or to in on at is are was were be been it its this that these those for with by from as if"
        " then than so but into has have had will can he she they his her their you your we s t one two three four"
        " five six seven eight nine ten"
        " 的 了 是 在 和 有 把 将 从 与 被 着 也 就 那么 这 个"
    )
)
_ASKING = frozenset(str.split("how what which who whose where why find calculate determine evaluate solve 求"))
_CHINESE_ASKING = frozenset(str.split("多少 几 怎样 哪个"))
_BEFORE_ASKING = frozenset(str.split("in by for at on to of about with"))
_SHORT_TERMS = frozenset(str.split("sum arc sin cos tan log set odd ray die age tax lcm gcd hcf net"))
_COUNTED = re.compile(r"[一两几每这那各某第].{1,2}")  # Chinese counting words: one, some, each of something


def passage_words(prose: str) -> list[str]:
    """Return the words of a text without formulas, in order, with a marker between clauses."""
    words: list[str] = []
    for clause in _CLAUSE_END.split(_ANSWER_FORMAT.sub("\n", prose)):
        for match in _WRITTEN_WORD.finditer(clause.casefold()):
            words += _cut(match[0]) if CHINESE.marks.search(match[0]) else [match[0]]
        words.append(_BOUNDARY)
        if len(words) > MOST_WORDS:
            break
    return words


def shared_passage(
    first: Sequence[str], second: Sequence[str], rarity: Callable[[str], float], *, of_task: bool = False
) -> Passage:
    """Return the most informative shared passage; empty if no passage is informative.

    Args:
        rarity: how rare a search token is in the bank.
        of_task: consider only passages that ask something or contain a mathematical term: story words set no task.
    """
    shared = {*pairwise(first)} & {*pairwise(second)}
    if not any(map(_may_say, shared)):  # much faster than searching for passages
        return ()
    matcher = SequenceMatcher(None, first, second, autojunk=False)
    best: tuple[float, Passage] = (0.0, ())
    for block in matcher.get_matching_blocks():
        for run in _runs(first[block.a : block.a + block.size]):
            worth = _worth(run, rarity) if not of_task or asks(run) or _has_mathematics(run) else 0.0
            if worth > best[0]:
                best = worth, run
    return best[1]


def _may_say(pair: tuple[str, str]) -> bool:
    """Return whether an informative passage may contain these two words side by side."""
    return _BOUNDARY not in pair and any(_tells(token) for word in pair for token in search_tokens(word)[:1])


def asks(passage: Passage) -> bool:
    """Return whether a passage begins with a question word, or contains a Chinese one."""
    first = passage[1] if passage[0] in _BEFORE_ASKING and len(passage) > 1 else passage[0]
    return first in _ASKING or not _CHINESE_ASKING.isdisjoint(passage)


def _has_mathematics(run: Passage) -> bool:
    return any(token in MATHEMATICS for word in run for token in search_tokens(word)[:1])


def _runs(words: Sequence[str]) -> list[Passage]:
    """Return the stretches of words between boundaries, without function words at their ends."""
    runs: list[Passage] = []
    run: list[str] = []
    for word in [*words, _BOUNDARY]:
        if word != _BOUNDARY:
            run.append(word)
            continue
        while run and _is_end(run[0]) and not asks(tuple(run[:2])):
            run.pop(0)
        run = run[:LONGEST]
        while run and _is_end(run[-1]):
            run.pop()
        if len(run) > 1:
            runs.append(tuple(run))
        run = []
    return runs


def _is_end(word: str) -> bool:
    return word in _ENDS or _COUNTED.fullmatch(word) is not None


def _worth(run: Passage, rarity: Callable[[str], float]) -> float:
    """Return how informative a passage is; 0 if too little to quote it."""
    tokens = [token for word in run for token in search_tokens(word)[:1]]
    if not any(map(_tells, tokens)) or not _is_term(run, tokens):
        return 0.0
    worth = sum(max(0.0, rarity(token) - 1) for token in tokens if token not in EMPTY_WORDS)
    worth += 0.2 * len(run)
    return worth if worth >= LEAST_WORTH[min(len(run), max(LEAST_WORTH))] else 0.0


def _is_term(run: Passage, tokens: Sequence[str]) -> bool:
    """Return whether a passage asks something or has two content words; "m wide" has only one."""
    if asks(run) or any(map(CHINESE.marks.search, tokens)):
        return True
    naming = {token for token in tokens if len(token) > 2 and token not in EMPTY_WORDS and token not in UNITS}
    return len(naming - _ENDS) > 1


def _tells(token: str) -> bool:
    if CHINESE.marks.search(token):
        return len(token) > 1 and token not in EMPTY_WORDS and not _COUNTED.fullmatch(token)
    is_long = len(token) > 3 or token in _SHORT_TERMS
    return is_long and token not in EMPTY_WORDS and token not in ONLY_IN_PHRASES


def _cut(run: str) -> list[str]:
    import rjieba  # loading its dictionary takes 0.25 s, and most commands never need it

    return list(rjieba.cut(run))


LONGEST_COMPARED = 2000  # characters; later text adds nothing to a reason
SHORTEST_FORM = 5  # tokens of a formula's form from which sharing it is informative
SHORTEST_WITHOUT_NUMBER = 8  # the same for a form without numbers: "y = f(x)" is not informative
_KEPT_TEXTS = 2_048  # texts with cached features: extracting them takes 0.4 ms, and a page compares about 60

# Formula features worth naming, the most informative first.
FORMULA_PARTS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"\\i*int(?![a-z])"), "an integral"),
    (re.compile(r"\\lim(?![a-z])"), "a limit"),
    (re.compile(r"\\sum(?![a-z])"), "a sum"),
    (re.compile(r"\\prod(?![a-z])"), "a product sign"),
    (re.compile(r"\{[vV]matrix\}"), "a determinant"),
    (re.compile(r"\{[pbB]?matrix\}"), "a matrix or column vector"),
    (re.compile(r"\{cases\}"), "a system or cases"),
    (re.compile(r"\\(?:arc)?(?:sin|cos|tan|cot|sec|csc)(?![a-z])"), "a trigonometric function"),
    (re.compile(r"\\(?:log|ln|lg)(?![a-z])"), "a logarithm"),
    (re.compile(r"\\binom|\\choose(?![a-z])"), "a binomial coefficient"),
    (re.compile(r"\\sqrt\["), "a higher root"),
    (re.compile(r"\\sqrt(?!\[)"), "a square root"),
    (
        re.compile(r"(?:^|[=+\-(,<>{]|\\[lg]eq)\|(?!\\(?:vec|overrightarrow|mathbf))[^|]*[a-z][^|]*\|"),
        "an absolute value",
    ),
    (re.compile(r"\d!|\)!|[a-z]!"), "a factorial"),
    (re.compile(r"(?:\\leq|\\geq|[<>]).*[a-z]|[a-z].*(?:\\leq|\\geq|[<>])"), "an inequality"),
)
_COLUMNS = re.compile(r"(\\begin\s*\{(?:array|tabular)\})\s*\{[^{}]*\}")  # a table's column specification
_DRAWING = re.compile(r"\[asy\].*?\[/asy\]|!\[[^\]]*\]\([^)]*\)", re.DOTALL)  # drawings and their alternative texts
_WORD = re.compile(r"[a-z]{2,}|[\u4e00-\u9fff]+")
_UNIT_TEXT = re.compile(
    r"\\(?:text|mathrm|operatorname|mbox|textrm)\s*\{[^{}]*\}|\^\s*\{?\s*(?:\\circ|[23])\s*\}?|\\[,;: ]"
)
_OPERATES = re.compile(  # a formula without a match is a name, a point or a number with its unit
    r"[=+<>*/÷×|!]|\^\s*\{?\s*[\w\\]|(?<=[\w)}])\s*[-−]\s*[\w(\\]"
    r"|\\(?:d?frac|sqrt|times|div|cdot|sum|int|lim|log|ln|sin|cos|tan|leq?|geq?|neq?|binom)(?![a-z])"
)
# Verbs that set an unambiguous task, with the name of each task.
TASK_VERBS: dict[str, str] = {
    "factorise": "factorise", "factorize": "factorise", "factor": "factorise",
    "expand": "expand", "simplify": "simplify", "differentiate": "differentiate", "integrate": "integrate",
    "rationalise": "rationalise the denominator", "rationalize": "rationalise the denominator",
    "add": "add", "subtract": "subtract", "multiply": "multiply", "divide": "divide",
}  # fmt: skip
_TASK = re.compile(rf"(?:^|[.;:!?\n])\s*(?:please )?({'|'.join(TASK_VERBS)})\b", re.IGNORECASE)
_NAMES = frozenset({"woman", "man", "place", "other"})  # categories; not "label", a point of a figure


@dataclass(frozen=True, slots=True)
class Evidence:
    """The features of a question that are compared.

    Attributes:
        text: the text that is compared, without pictures.
        form: the text with names, numbers, signs and variables masked.
        formula_forms: masked formulas that are long enough to be informative.
        formula_parts: indexes into `FORMULA_PARTS` of the features that its formulas contain.
        passages: its words in order, as returned by `passage_words`.
        tasks: the tasks set by verbs at the start of sentences: "expand", "factorise".
        computation: what it computes, by its own equation or else the solver's; None if not known.
    """

    text: str
    form: str
    formula_forms: frozenset[str]
    formula_parts: frozenset[int]
    all_words: frozenset[str]
    passages: tuple[str, ...]
    tasks: frozenset[str]
    computation: Computation | None
    tags: tuple[TaggedPath, ...]

    @property
    def numbers(self) -> tuple[Fraction, ...]:
        """The numbers of the text in order; computed lazily because few comparisons need them."""
        return tuple(mention.value for mention in find_numbers(self.text))

    @property
    def numbers_masked(self) -> str:
        """The text with normalised spaces and formulas, numbers replaced by ``#``."""
        return copy_key(self.text)


def evidence_of(
    text: str, *, language: str, computation: Computation | None = None, tags: Iterable[TaggedPath] = ()
) -> Evidence:
    """Extract the comparable features of a question; pictures and source credits are ignored."""
    return replace(_text_evidence(text, language), computation=computation, tags=tuple(tags))


@lru_cache(maxsize=_KEPT_TEXTS)
def _text_evidence(text: str, language: str) -> Evidence:
    """Return the features that come from the text alone."""
    text = without_credits(_DRAWING.sub(" ", text))[:LONGEST_COMPARED]
    nameless = text if language == "zh" else _without_names(text)  # the lists of names are English
    segments = segment_text(nameless)
    formulas = [segment.body for segment in segments if segment.kind == "formula"]
    spellings = [_COLUMNS.sub(r"\1", normalise_latex(formula)) for formula in formulas]
    prose = " ; ".join(segment.source for segment in segments if segment.kind == "text")
    forms = (masked_formula(formula) for formula in formulas if _OPERATES.search(_UNIT_TEXT.sub(" ", formula)))
    return Evidence(
        text=text,
        form=masked_text(nameless),
        formula_forms=frozenset(
            form for form in forms if len(form.split()) >= (SHORTEST_FORM if MASK in form else SHORTEST_WITHOUT_NUMBER)
        ),
        formula_parts=frozenset(
            index
            for index, (pattern, _name) in enumerate(FORMULA_PARTS)
            if any(pattern.search(spelling) for spelling in spellings)
        ),
        all_words=frozenset(token for token in search_tokens(prose, language) if _WORD.fullmatch(token)),
        passages=tuple(passage_words(prose)),
        tasks=frozenset(TASK_VERBS[match[1].casefold()] for match in _TASK.finditer(prose)),
        computation=None,
        tags=(),
    )


@lru_cache(maxsize=8_192)
def copy_key(text: str) -> str:
    """Return the text with formulas, case and spaces normalised and numbers replaced by ``#``.

    >>> copy_key(r"Find $x^{2}$ for $x = 3$.") == copy_key(r"Find $x^2$  for $x=14$.")
    True
    """
    return " ".join(mask_numbers(same_spelling(text)).casefold().split())


@lru_cache(maxsize=256)  # one page needs both the n-grams and the key
def same_spelling(text: str) -> str:
    r"""Return the text with its formulas normalised and without their delimiters.

    >>> same_spelling(r"Add $\dfrac12$ to $x^{2}$") == same_spelling(r"Add $\frac{1}{2}$ to $x ^ 2$")
    True
    """
    if not has_formula_marks(text):
        return replace_text_macros(text)
    return "".join(
        normalise_latex(segment.body) if segment.kind == "formula" else replace_text_macros(segment.source)
        for segment in segment_text(text)
    )


def _without_names(text: str) -> str:
    """Return the text with each name of a person or place replaced by ``@``."""
    pieces: list[str] = []
    done = 0
    for mention in find_entities(text):
        if mention.category in _NAMES:
            pieces += [text[done : mention.start], "@"]
            done = mention.end
    return "".join(pieces) + text[done:]
