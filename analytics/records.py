"""Frozen dataclasses passed between `analytics` and its callers.

They hold only plain Python values, so that notebooks, Celery tasks and tests can all build them.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from analytics.question_content import EMPTY, Option, QuestionContent

ConceptPath = tuple[str, ...]
"""Concept names from coarse to fine, e.g. ``("Algebra", "Equations", "Linear equations")``."""


@dataclass(frozen=True, slots=True)
class Original:
    """The original file item that a question was read from.

    Attributes:
        format: the name of the file's format.
        data: the item's bytes, in UTF-8; pictures attached to the question are replaced by their hashes.
        preamble: the file's text between the previous item and this one.
        fields: SHA-256 of our fields as they were read, to detect later changes.
    """

    format: str
    data: bytes
    preamble: bytes = b""
    fields: bytes = b""


@dataclass(frozen=True, slots=True)
class PredictedLabels:
    """Model predictions for a question, for files that include them; never a label.

    Attributes:
        concepts: paths with their probabilities, in descending order.
        difficulty: in per cent, 0 easy to 100 hard; None if no model predicts one.
    """

    concepts: tuple[tuple[ConceptPath, float], ...] = ()
    difficulty: float | None = None


@dataclass(frozen=True, slots=True)
class ObservedFigures:
    """How the pupils of a bank did with a question, for files that leave it; nothing reads them back.

    Attributes:
        responses: number of pupils.
        facility: mean share of the mark.
        discrimination: correlation of the score with the rest of the total.
        b: difficulty on the scale of abilities.
        b_low: lower end of its 95 % interval.
        b_high: upper end of it.
    """

    responses: int
    facility: float | None = None
    discrimination: float | None = None
    b: float | None = None
    b_low: float | None = None
    b_high: float | None = None


@dataclass(frozen=True, slots=True)
class QuestionRecord:
    r"""One question as exchanged between files, the bank and the capabilities.

    Attributes:
        id: the identifier its source gave it; unique within the source.
        text: the question, formulas in LaTeX between ``$ $``, ``$$ $$``, ``\( \)`` or ``\[ \]``.
        language: BCP 47 primary tag, ``"en"`` or ``"zh"`` for the two we know well.
        kind: a value of `Question.Kind`, such as ``"choice"``, ``"blanks"`` or ``"open"``.
        answer: the published answer; for a choice question the label of the correct option, ``"A, C"`` if
            several are correct.
        content: whatever else grading needs.
        original: the item it was read from, for file formats whose items are kept.
        predicted: model predictions, if the file should include them.
        observed: how the pupils of the bank did, if the file should include it.
        equation: infix arithmetic without the unknown, e.g. ``"(11-1)*2"``.
        numbers: the numbers of the text in order of appearance.
        concepts: paths in the knowledge hierarchy, each from coarse to fine.
        difficulty: as published, on the scale named by ``difficulty_scale``.
        difficulty_scale: ``"0-4"``, ``"1-5"``, ``"1-9.5"``, ``"facility"`` or empty.
        responses: number of students' responses behind an observed difficulty, 0 if none.
        facility: observed share of correct responses in 0..1, ``None`` if ``responses`` is 0.
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
    observed: ObservedFigures | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class ParaphrasePair:
    """A question and a candidate paraphrase of it.

    Attributes:
        id: the identifier its source gave it.
        label: 1 if valid, 0 if not, None if unlabelled.
        operator: the name of the operator that made it; empty if a person or a model wrote it.
        source: the set that it belongs to, if several are evaluated side by side.
    """

    id: str
    original: str
    paraphrase: str
    label: int | None = None
    operator: str = ""
    source: str = ""

    @property
    def texts(self) -> tuple[str, str]:
        """Return the original and the paraphrase."""
        return self.original, self.paraphrase


@dataclass(frozen=True, slots=True)
class ProblemRecord:
    """A word problem with its solution, if known.

    Attributes:
        id: the identifier its source gave it.
        language: BCP 47 primary tag, ``"en"`` or ``"zh"`` for the two we know well.
        equation: infix arithmetic without the unknown, e.g. ``"(11-1)*2"``; empty if not known.
        answer: the published answer; empty if not known.
        solution: a worked solution in words; empty if not known.
        program: MathQA's operations, e.g. ``"add(n0,n1)|divide(#0,const_2)|"``; empty if not known.
        calculations: the annotated steps of a worked solution in order, e.g. ``("48/2=24", "48+24=72")``.
        numbers: the numbers of the text in order of appearance, as its source lists them.
        fold: the fold of a published cross-validation that tests on it, or None.
        pair: pair identifier; problems with the same one compute the same thing, even if what they compute is
            not known.
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
