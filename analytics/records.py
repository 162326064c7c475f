"""Frozen dataclasses that cross the seam between `analytics` and its callers.

They hold plain Python values only, so that a notebook, a Celery task and a test build them alike.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from analytics.question_content import EMPTY, Option, QuestionContent

ConceptPath = tuple[str, ...]
"""Concept names from coarse to fine, e.g. ``("Algebra", "Equations", "Linear equations")``."""


@dataclass(frozen=True, slots=True)
class Original:
    """An item as the file had it that a question was read from.

    Attributes:
        format: the name of the file's format.
        data: the item's bytes, in UTF-8; pictures that are attached to the question stand as their hashes.
        preamble: what stood in the file between the item before and this one.
        fields: SHA-256 of our fields as they were read, to see whether anybody has changed one since.
    """

    format: str
    data: bytes
    preamble: bytes = b""
    fields: bytes = b""


@dataclass(frozen=True, slots=True)
class PredictedLabels:
    """What models predict of a question, for files that take it along; never a label.

    Attributes:
        concepts: paths with their probabilities, falling.
        difficulty: in per cent, 0 easy to 100 hard; None where no model states one.
    """

    concepts: tuple[tuple[ConceptPath, float], ...] = ()
    difficulty: float | None = None


@dataclass(frozen=True, slots=True)
class QuestionRecord:
    r"""One question as it is exchanged between files, the bank and the capabilities.

    Attributes:
        id: the identifier its source gave it; unique within the source.
        text: the question, formulas in LaTeX between ``$ $``, ``$$ $$``, ``\( \)`` or ``\[ \]``.
        language: BCP 47 primary tag, ``"en"`` or ``"zh"`` for the two we know well.
        kind: a value of `Question.Kind`, such as ``"choice"``, ``"blanks"`` or ``"open"``.
        answer: the published answer; for a choice question the label of the right option, ``"A, C"`` where several
            are right.
        content: what else grading needs.
        original: what it was read from, where its file is one whose items are kept.
        predicted: what models predict, where a file is to take it along.
        equation: infix arithmetic without the unknown, e.g. ``"(11-1)*2"``.
        numbers: the numbers of the text in order of appearance.
        concepts: paths in the knowledge hierarchy, each from coarse to fine.
        difficulty: as published, on the scale named by ``difficulty_scale``.
        difficulty_scale: ``"0-4"``, ``"1-5"``, ``"1-9.5"``, ``"facility"`` or empty.
        responses: number of students' responses behind an observed difficulty, 0 if none.
        facility: observed share of correct responses in 0..1, ``None`` where ``responses`` is 0.
    """

    id: str
    text: str
    language: str = "en"
    kind: str = "open"
    options: tuple[Option, ...] = ()
    answer: str = ""
    solution: str = ""
    equation: str = ""
    numbers: tuple[str, ...] = ()
    concepts: tuple[ConceptPath, ...] = ()
    difficulty: float | None = None
    difficulty_scale: str = ""
    grade: str = ""
    stage: str = ""
    source: str = ""
    responses: int = 0
    facility: float | None = None
    content: QuestionContent = EMPTY
    original: Original | None = field(default=None, compare=False, repr=False)
    predicted: PredictedLabels | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class ParaphrasePair:
    """A question and what is said to be a paraphrase of it.

    Attributes:
        id: the identifier its source gave it.
        label: 1 valid, 0 not, None where nobody has said.
        operator: the name of the operator that made it; empty where people or models wrote it.
        source: the set that it belongs to, where several are measured side by side.
    """

    id: str
    original: str
    paraphrase: str
    label: int | None = None
    operator: str = ""
    source: str = ""

    @property
    def texts(self) -> tuple[str, str]:
        """Original and paraphrase."""
        return self.original, self.paraphrase


@dataclass(frozen=True, slots=True)
class ProblemRecord:
    """A word problem with its solution, where that is known.

    Attributes:
        id: the identifier its source gave it.
        language: BCP 47 primary tag, ``"en"`` or ``"zh"`` for the two we know well.
        equation: infix arithmetic without the unknown, e.g. ``"(11-1)*2"``; empty where unknown.
        answer: the published answer; empty where unknown.
        solution: a worked solution in words; empty where unknown.
        program: MathQA's operations, e.g. ``"add(n0,n1)|divide(#0,const_2)|"``; empty where unknown.
        calculations: the annotated steps of a worked solution in order, e.g. ``("48/2=24", "48+24=72")``.
        numbers: the numbers of the text in order of appearance, as its source lists them.
        fold: of a published cross-validation the fold that tests on it, None if there is none.
        pair: problems that name the same pair compute the same, though what they compute need not be known.
    """

    id: str
    text: str
    language: str = "en"
    equation: str = ""
    answer: str = ""
    solution: str = ""
    program: str = ""
    calculations: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()
    fold: int | None = None
    pair: str = ""
