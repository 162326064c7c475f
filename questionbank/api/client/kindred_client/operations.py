"""The operations of Kindred's API, and the types of their values.

Written by `manage.py openapi` from the API's schema: do not edit it.
"""

# ruff: noqa
# fmt: off
# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from pathlib import Path
from typing import Any, Literal, NotRequired, Required, TypedDict, Unpack
from urllib.parse import quote

File = str | Path | tuple[str, bytes]
"""A path, or a name and the content."""


class KeyItem(TypedDict):
    """The key through which a program calls."""

    name: str
    scopes: list[str]
    rate_limit: int  # Requests per minute.
    expires_at: str | None


class MeItem(TypedDict):
    """The person in whose name the request is made; `key` is null in a browser."""

    id: int
    username: str
    name: str
    roles: list[str]
    is_admin: bool
    schools: list[str]  # Short names of the schools that can be shown something.
    key: KeyItem | None


class OwnKey(TypedDict):
    """A key that is not revoked."""

    id: int
    name: str
    beginning: str  # Its first characters.
    scopes: list[str]
    rate_limit: int  # Requests per minute.
    created_at: str
    expires_at: str | None
    last_used_at: str | None
    made_with: int | None  # The key that made it, and which it ends with; null if a person made it.


class OwnKeyPage(TypedDict):
    items: list[OwnKey]
    next: str | None


class NewKey(TypedDict):
    """A key at the only time at which it can be read."""

    id: int
    name: str
    beginning: str  # Its first characters.
    scopes: list[str]
    rate_limit: int  # Requests per minute.
    created_at: str
    expires_at: str | None
    last_used_at: str | None
    made_with: int | None  # The key that made it, and which it ends with; null if a person made it.
    key: str


class NewKeyBody(TypedDict):
    """A new key; it allows no more than the key that makes it."""

    name: str
    scopes: list[Scope]
    expires_at: NotRequired[str | None]  # By default never.
    rate_limit: NotRequired[int]  # Requests per minute.


Scope = Literal["read", "write", "review", "train", "admin"]


Kind = Literal["open", "choice", "true_false", "number", "short", "matching", "ordering", "blanks", "parts", "description", "opaque"]


class ConceptItem(TypedDict):
    """A concept that a question requires."""

    id: int
    hierarchy: str
    path: list[str]  # Names from the root of the hierarchy to the concept.
    set_by: str  # Who set it: `import`, `person` or `model`.


class OptionItem(TypedDict):
    """An option of a question."""

    label: str
    text: str
    misconception: NotRequired[str]
    weight: NotRequired[float | None]
    feedback: NotRequired[str]


class QuestionItemPage(TypedDict):
    items: list[QuestionItem]
    next: str | None


class QuestionItem(TypedDict):
    """A question; formulas are LaTeX."""

    id: int
    text: str
    language: str
    kind: str
    options: list[OptionItem]
    answer: str
    solution: str
    equation: str
    content: dict[str, Any]  # Data for grading, as the export format `jsonl` has it.
    grade: str
    stage: str
    status: str
    source: str
    source_id: str
    difficulty: float | None  # The published difficulty, on `difficulty_scale`.
    difficulty_scale: str
    difficulty_percent: float | None
    facility: float | None  # Share of correct responses.
    responses: int
    concepts: list[ConceptItem]
    paraphrase_of: int | None
    merged_into: int | None  # The question that replaced it as a duplicate.
    needs_figure: bool
    draws_numbers: bool
    author: str | None
    visibility: str  # Who sees it: `all`, `school` (that of `school`) or `private` (its author).
    school: str | None  # Short name of the school that sees it.
    version: int
    created_at: str
    updated_at: str


class CreatedQuestion(TypedDict):
    """A new question, with what the page would have said before saving it."""

    id: int
    text: str
    language: str
    kind: str
    options: list[OptionItem]
    answer: str
    solution: str
    equation: str
    content: dict[str, Any]  # Data for grading, as the export format `jsonl` has it.
    grade: str
    stage: str
    status: str
    source: str
    source_id: str
    difficulty: float | None  # The published difficulty, on `difficulty_scale`.
    difficulty_scale: str
    difficulty_percent: float | None
    facility: float | None  # Share of correct responses.
    responses: int
    concepts: list[ConceptItem]
    paraphrase_of: int | None
    merged_into: int | None  # The question that replaced it as a duplicate.
    needs_figure: bool
    draws_numbers: bool
    author: str | None
    visibility: str  # Who sees it: `all`, `school` (that of `school`) or `private` (its author).
    school: str | None  # Short name of the school that sees it.
    version: int
    created_at: str
    updated_at: str
    warnings: list[str]  # What looks wrong in its formulas.
    near_copies: list[SimilarItem]  # Questions that read almost the same.


class SimilarItem(TypedDict):
    """A similar question; `copies` are ids of questions with the same text but for numbers."""

    id: int
    text: str
    concepts: list[list[str]]
    score: float
    reason: str
    copies: list[int]


class OptionBody(TypedDict):
    """An option of a question."""

    label: str
    text: str
    misconception: NotRequired[str]
    weight: NotRequired[float | None]
    feedback: NotRequired[str]


class QuestionBody(TypedDict):
    """A question to write; what is left out is empty."""

    text: str
    language: NotRequired[str]
    kind: NotRequired[Kind]
    options: NotRequired[list[OptionBody]]
    answer: NotRequired[str]
    solution: NotRequired[str]
    equation: NotRequired[str]
    grade: NotRequired[str]
    status: NotRequired[Status]
    concepts: NotRequired[list[int]]  # Numbers of concepts.
    content: NotRequired[dict[str, Any]]  # Data for grading, as the export format `jsonl` has it.
    visible_to: NotRequired[str]  # Who sees it: `all`, `private` (its author) or the short name of a school. If it is left out, a new question is seen by your school, or by everybody if you have none or several; another one stays as it is.


Status = Literal["draft", "ready", "retired"]


class QuestionPatch(TypedDict):
    """Fields of a question to change; the others stay."""

    text: NotRequired[str]
    language: NotRequired[str]
    kind: NotRequired[Kind]
    options: NotRequired[list[OptionBody]]
    answer: NotRequired[str]
    solution: NotRequired[str]
    equation: NotRequired[str]
    grade: NotRequired[str]
    status: NotRequired[Status]
    concepts: NotRequired[list[int]]  # Numbers of concepts.
    content: NotRequired[dict[str, Any]]  # Data for grading, as the export format `jsonl` has it.
    visible_to: NotRequired[str]  # Who sees it: `all`, `private` (its author) or the short name of a school. If it is left out, a new question is seen by your school, or by everybody if you have none or several; another one stays as it is.


class ChangedField(TypedDict):
    """A field before and after a change."""

    field: str  # The field's name as pages show it.
    before: str
    after: str


class VersionItem(TypedDict):
    """A change of a question; `event` brings back what was before it, null if nothing can be brought back."""

    at: str
    who: str
    event: int | None
    changes: list[ChangedField]


class RevertBody(TypedDict):
    """The change before which a question's earlier version is."""

    event: int


class TagsBody(TypedDict):
    """All concepts of a question."""

    concepts: list[int]


class AttachmentItem(TypedDict):
    """A picture of a question."""

    name: str
    sha256: str
    media_type: str
    size: int  # Bytes.
    width: int
    height: int
    is_named: bool  # Whether a text of the question shows it.


class BulkPreview(TypedDict):
    """What a change would do."""

    selected: int
    changing: int
    unchanged: int  # Questions that the change would leave as they are.
    refused: dict[str, int]  # How many are left out, by reason.
    fingerprint: str


class BulkChangeBody(TypedDict):
    """A change of many questions: of those numbered, or of all that pass the filters of `/questions`."""

    kind: Literal["publish", "retire", "restore", "delete_drafts", "concepts", "grade", "source", "difficulty", "visibility"]
    values: NotRequired[BulkValues]
    questions: NotRequired[list[int] | None]
    filters: NotRequired[QuestionFilters | None]


class BulkValues(TypedDict):
    """What to set; each kind of change takes its own."""

    add: NotRequired[int | None]  # For `concepts`: the concept to add.
    remove: NotRequired[int | None]  # For `concepts`: the concept to remove.
    grade: NotRequired[str | None]
    source: NotRequired[str | None]
    difficulty: NotRequired[float | None]
    difficulty_scale: NotRequired[str | None]
    visible_to: NotRequired[str | None]  # For `visibility`: `all`, `private`, or the short name of a school.


class QuestionFilters(TypedDict):
    """The filters of the search page."""

    concept: NotRequired[int | None]  # Number of a concept; those below it count as well.
    concepts_all: NotRequired[list[int]]  # Each of these concepts.
    concepts_any: NotRequired[list[int]]  # At least one of these concepts.
    concepts_none: NotRequired[list[int]]  # None of these concepts.
    difficulty_min: NotRequired[float | None]
    difficulty_max: NotRequired[float | None]
    grade: NotRequired[str]
    kind: NotRequired[Kind | None]
    language: NotRequired[str]
    source: NotRequired[str]
    status: NotRequired[Literal["draft", "ready", "retired", "any"]]
    owner: NotRequired[int | None]  # Number of the person who wrote them.
    figure: NotRequired[Literal["needed", "none"] | None]
    task: NotRequired[Literal["word_problem", "true_false"] | None]
    numbers: NotRequired[Literal["drawn", "given"] | None]
    used: NotRequired[Literal["not_year", "never", "year"] | None]


class BulkChangeItem(TypedDict):
    """A change of many questions."""

    id: int
    kind: str
    description: str
    values: dict[str, Any]
    changed: int
    refused: dict[str, int]  # How many were left out, by reason.
    kept: list[int]  # Questions that undoing left alone, because they were changed since.
    run: int | None  # The job that makes or undoes it, if there are many questions.
    created_at: str
    applied_at: str | None
    undone_at: str | None


class NewBulkChangeBody(TypedDict):
    """A change of many questions to make."""

    kind: Literal["publish", "retire", "restore", "delete_drafts", "concepts", "grade", "source", "difficulty", "visibility"]
    values: NotRequired[BulkValues]
    questions: NotRequired[list[int] | None]
    filters: NotRequired[QuestionFilters | None]
    fingerprint: NotRequired[str]  # From a preview: the change is refused if it would change different questions.


class BulkChangeItemPage(TypedDict):
    items: list[BulkChangeItem]
    next: str | None


class ComparedField(TypedDict):
    """A field as pages show it; `differs` if the first question has another value."""

    name: str
    value: str
    differs: bool


class ComparedItem(TypedDict):
    """A question beside others."""

    question: QuestionItem
    wording: list[TextPiece]
    fields: list[ComparedField]
    lists: int  # Number of lists that it is on.
    worksheets: int
    sets: int  # Number of sets of responses with figures of it.


class TextPiece(TypedDict):
    """A part of a text; `differs` if the first question has something else in its place."""

    text: str
    differs: bool


class NearCopyItem(TypedDict):
    """A question and an earlier one that reads almost the same, as `/questions/merge` takes them."""

    merged: int
    kept: int
    merged_version: int
    kept_version: int
    score: float
    differs: list[str]  # `numbers` and `answer`, if they differ: these may be two questions.
    refusal: str  # Why you cannot merge this pair; empty if you can.


class NearCopyItemPage(TypedDict):
    items: list[NearCopyItem]
    next: str | None


class MergePairBody(TypedDict):
    """A duplicate and the question to keep, with the versions that were compared."""

    merged: int
    kept: int
    merged_version: NotRequired[int | None]  # Refused (409) if the question has another by now.
    kept_version: NotRequired[int | None]


class QuestionMergeBody(TypedDict):
    """Pairs to merge; several duplicates may be merged into one question."""

    pairs: list[MergePairBody]


class HitItem(TypedDict):
    """A question that was found, and by what."""

    question: QuestionItem
    score: float  # Comparable within one search only.
    found_by: list[str]


class SearchResult(TypedDict):
    """A page of matches, followed by questions that are close in meaning."""

    total: int  # Matches; a lower bound if `total_is_capped`.
    total_is_capped: bool
    corrected: str
    notice: str
    items: list[HitItem]
    closest: list[HitItem]
    next: str | None


class SavedSearchSummaryPage(TypedDict):
    items: list[SavedSearchSummary]
    next: str | None


class SavedSearchSummary(TypedDict):
    """A saved search without its counts; `parameters` are those of the search page's address, with the query as `q`."""

    id: int
    name: str
    parameters: dict[str, str]
    visible_to: str  # Who can open it: `private` (its owner), `all` or a school's short name.
    owner: str
    updated_at: str


class SavedSearchItem(TypedDict):
    """A saved search with what it finds for you."""

    id: int
    name: str
    parameters: dict[str, str]
    visible_to: str  # Who can open it: `private` (its owner), `all` or a school's short name.
    owner: str
    updated_at: str
    total: int  # Matches; a lower bound if `total_is_capped`.
    total_is_capped: bool
    new: int | None  # Matches since you last opened it on its page; null if you never did.
    new_is_capped: bool
    problems: list[str]  # What the search asks for that no longer exists, or that no question can match.


class SavedSearchBody(TypedDict):
    """A new saved search."""

    name: str
    search: NotRequired[SearchBody]
    visible_to: NotRequired[str]  # Who can open it: `private` (its owner), `all` or a school's short name.


class SearchBody(TypedDict):
    """What a search asks for, as `/search` takes it."""

    concept: NotRequired[int | None]  # Number of a concept; those below it count as well.
    concepts_all: NotRequired[list[int]]  # Each of these concepts.
    concepts_any: NotRequired[list[int]]  # At least one of these concepts.
    concepts_none: NotRequired[list[int]]  # None of these concepts.
    difficulty_min: NotRequired[float | None]
    difficulty_max: NotRequired[float | None]
    grade: NotRequired[str]
    kind: NotRequired[Kind | None]
    language: NotRequired[str]
    source: NotRequired[str]
    status: NotRequired[Literal["draft", "ready", "retired", "any"]]
    owner: NotRequired[int | None]  # Number of the person who wrote them.
    figure: NotRequired[Literal["needed", "none"] | None]
    task: NotRequired[Literal["word_problem", "true_false"] | None]
    numbers: NotRequired[Literal["drawn", "given"] | None]
    used: NotRequired[Literal["not_year", "never", "year"] | None]
    query: NotRequired[str]
    order: NotRequired[Literal["newest", "easiest", "hardest", "answered"] | None]
    exact: NotRequired[bool]


class SavedSearchPatch(TypedDict):
    """What to change about a saved search."""

    name: NotRequired[str | None]
    search: NotRequired[SearchBody | None]  # Replaces the whole search.
    visible_to: NotRequired[str | None]


class LikelyConcept(TypedDict):
    """A concept and the probability that the question requires it."""

    path: list[str]
    probability: float


class LikelyDifficulty(TypedDict):
    """A difficulty with its interval, on a scale."""

    value: float
    low: float
    high: float
    scale: str


class PredictionItem(TypedDict):
    """What is predicted of a text, most probable concepts first; nothing for a text that is not mathematics."""

    concepts: list[LikelyConcept]
    difficulty: LikelyDifficulty | None
    notice: NotRequired[str]


class Predictions(TypedDict):
    """Predictions in the order of the texts."""

    items: list[PredictionItem]
    notices: list[str]


class PredictBody(TypedDict):
    """Texts to predict concepts and difficulty of."""

    texts: list[TextBody]
    hierarchy: NotRequired[str | None]  # By default the bank's.


class TextBody(TypedDict):
    """A question's text; formulas are LaTeX."""

    text: str
    language: NotRequired[str]  # A language tag such as `en`; by default detected.


class SimilarItems(TypedDict):
    """Similar questions, nearest first; `lens` is another one if the wanted lens does not know such a text."""

    lens: str
    notice: str
    items: list[SimilarItem]


class SimilarBody(TypedDict):
    """Texts to find similar questions of."""

    lens: NotRequired[str]  # `purpose`, `structure` or `wording`.
    k: NotRequired[int]
    difficulty: NotRequired[Literal["easier", "harder"] | None]  # Return only those that are `easier` or `harder`, certainly or probably.
    texts: list[TextBody]


class ExemplarItem(TypedDict):
    """A solved problem that helps to solve a text."""

    id: int
    text: str
    equation: str
    answer: str
    similarity: float
    has_same_graph: bool
    reason: str


class ExemplarItems(TypedDict):
    """Worked exemplars, the most helpful first; `shape` is what the text computes, in letters, if that is known."""

    lens: str
    notice: str
    shape: str
    items: list[ExemplarItem]


class TextsBody(TypedDict):
    """Up to 256 texts; results come in the same order."""

    texts: list[TextBody]


class OtherEquation(TypedDict):
    """A less likely equation."""

    equation: str
    prototype: str
    answer: float | None
    probability: float


class SolutionItem(TypedDict):
    """The likeliest equation of a problem and its value; `reason` says why there is no answer."""

    equation: str | None
    prototype: str | None
    answer: float | None
    exact: str | None
    written: str | None
    steps: list[str]
    probability: float | None
    alternatives: list[OtherEquation]
    reason: NotRequired[str]


class EquationItem(TypedDict):
    """An equation with its value and its operations."""

    equation: str
    answer: str
    value: float | None
    probability: float
    steps: list[str]


class QuestionSolutionItem(TypedDict):
    """How a question is solved: `known` comes from its source or a person, `found` from the solver."""

    known: EquationItem | None
    found: list[EquationItem]
    agrees: bool | None
    published: str
    reason: str
    solver: str


class PairFileReport(TypedDict):
    """What a file of pairs would add."""

    token: str  # For `/paraphrases/files/confirm`, within a day.
    name: str
    usable: int
    labelled: int  # Usable pairs with a label.
    refused: int
    problems: list[RefusedPair]  # The first 100.


class RefusedPair(TypedDict):
    """A line that cannot be used."""

    line: int
    reason: str


class AddedPairs(TypedDict):
    """The pairs of a file."""

    waiting: int  # For reviewers.
    decided: int  # By their labels.


class PairFileBody(TypedDict):
    """Which pairs of a checked file to add."""

    token: str
    skip_refused: NotRequired[bool]  # Add the others if some lines cannot be used.
    labels_decide: NotRequired[bool]  # Labels count as decisions; otherwise they are dropped.


Reason = Literal["number", "unit", "entity", "information", "target", "meaning", "language", "same", "labelled"]


class ParaphraseItemPage(TypedDict):
    items: list[ParaphraseItem]
    next: str | None


class ParaphraseItem(TypedDict):
    """A question's text and another wording of it; `outcome` is empty until the reviewers have decided."""

    id: int
    question: int | None  # The question, if the text comes from the bank.
    original: str
    paraphrase: str
    language: str
    state: str
    outcome: str
    wording: str  # The paraphrase as accepted, or else as proposed.
    source: str  # Who wrote it: `rules`, `model`, `typed` or `upload`.
    batch: str
    probability: float | None  # Probability that it is valid; null while unknown or hidden.


class RunDetail(TypedDict):
    """A job with what it did; empty for somebody else's import or change."""

    id: int
    kind: str
    capability: str
    title: str
    state: str
    done: int
    total: int
    message: str
    created_at: str
    started_at: str | None
    finished_at: str | None
    requested_by: str | None
    error: str
    result: dict[str, Any]
    log: list[str]


class ProposalsBody(TypedDict):
    """Which questions to reword; for more than one you must be a reviewer."""

    questions: list[int]
    each: NotRequired[int]  # Paraphrases of each question.
    paraphraser: NotRequired[str]  # `rules`, or a model of this installation: `sequence` or `language`.


class ParaphraseBody(TypedDict):
    """Another wording of a question."""

    paraphrase: str
    opinions: NotRequired[int | None]  # How many reviewers decide on it.


class PairScore(TypedDict):
    """Whether a paraphrase is valid: `valid`, `invalid` or `unsure`, and what it changed."""

    score: float | None
    verdict: str | None
    probability: float | None
    findings: list[dict[str, Any]]


class PairScores(TypedDict):
    """Scores in the order of the pairs."""

    items: list[PairScore]
    notices: list[str]


class PairBody(TypedDict):
    """A question and another wording of it."""

    original: str
    paraphrase: str


class PairsBody(TypedDict):
    """Up to 256 pairs; results come in the same order."""

    pairs: list[PairBody]


class DecisionItem(TypedDict):
    """A decision of yours; `undone_at` is null while it counts."""

    id: int
    pair: int
    verdict: str
    reason: str
    text: str
    comment: str
    settles: bool  # Whether it settles a disagreement.
    seconds: float  # Time taken.
    created_at: str
    undone_at: str | None


class DecisionItemPage(TypedDict):
    items: list[DecisionItem]
    next: str | None


class QueuedPair(TypedDict):
    """The next pair of the queue."""

    id: int
    original: str
    paraphrase: str
    language: str
    question: int | None  # The original's number in the bank.
    score: float | None  # The scorer's score, from -1 to 1.
    probability: float | None  # Probability that the paraphrase is valid.
    findings: list[dict[str, Any]]
    solved: dict[str, Any] | None  # What the solver makes of both texts.
    guideline: int  # Version of the guidelines.
    guidelines: str
    expires_at: str
    was_skipped: bool


class UndoBody(TypedDict):
    """Which decision to undo."""

    decision: NotRequired[int | None]  # By default your latest decision.


class DisputedPair(TypedDict):
    """A pair on which reviewers disagree, with their opinions."""

    id: int
    original: str
    paraphrase: str
    language: str
    question: int | None  # The original's number in the bank.
    score: float | None  # The scorer's score, from -1 to 1.
    probability: float | None  # Probability that the paraphrase is valid.
    findings: list[dict[str, Any]]
    solved: dict[str, Any] | None  # What the solver makes of both texts.
    guideline: int  # Version of the guidelines.
    guidelines: str
    expires_at: str
    opinions: list[Opinion]


class Opinion(TypedDict):
    """What a reviewer thinks of a pair."""

    reviewer: str
    verdict: str
    reason: str
    text: str
    comment: str


class DecisionBody(TypedDict):
    """A decision on a pair."""

    verdict: Verdict
    reason: NotRequired[Reason | None]  # Required to `reject`.
    text: NotRequired[str]  # Your wording; required to `edit`.
    comment: NotRequired[str]
    insists: NotRequired[bool]  # Accept your wording although something speaks against it.


Verdict = Literal["accept", "reject", "edit", "unsure", "skip"]


class HierarchyItem(TypedDict):
    """A hierarchy of concepts."""

    id: int
    name: str
    concepts: int


class NameBody(TypedDict):
    """A name."""

    name: str


class ConceptDetail(TypedDict):
    """A concept."""

    id: int
    name: str
    hierarchy: int
    path: list[str]  # Names from the root of the hierarchy to the concept.


class ConceptDetailPage(TypedDict):
    items: list[ConceptDetail]
    next: str | None


class ConceptBody(TypedDict):
    """A new concept."""

    name: str
    hierarchy: int
    parent: NotRequired[int | None]  # The concept becomes a root if it is left out.


class ConceptPatch(TypedDict):
    """A new name, a new place, or both; a null `parent` makes the concept a root."""

    name: NotRequired[str | None]
    parent: NotRequired[int | None]


class MergeBody(TypedDict):
    """The concept that another one becomes part of."""

    into: int


class ListSummary(TypedDict):
    """A list without its questions."""

    is_shared: bool  # Whether people other than its owner may read it.
    visibility: str  # Who sees it: `all`, `school` (that of `school`) or `private` (its owner).
    school: str | None  # Short name of the school that sees it.
    id: int
    name: str
    owner: str
    updated_at: str


class ListSummaryPage(TypedDict):
    items: list[ListSummary]
    next: str | None


class ListItem(TypedDict):
    """A list; `questions` are numbers in the list's order, without those that you may not see."""

    is_shared: bool  # Whether people other than its owner may read it.
    visibility: str  # Who sees it: `all`, `school` (that of `school`) or `private` (its owner).
    school: str | None  # Short name of the school that sees it.
    id: int
    name: str
    owner: str
    updated_at: str
    instructions: str
    questions: list[int]


class ListBody(TypedDict):
    """A new list."""

    name: str


class ListPatch(TypedDict):
    """What to change about a list."""

    visible_to: NotRequired[str | None]  # `all`, `private` (its owner) or the short name of one of your schools.
    is_shared: NotRequired[bool | None]  # True shows it to your school if you have exactly one, else to everybody; false only to its owner.
    name: NotRequired[str | None]


class AddBody(TypedDict):
    """Questions to append; those that are on the list already stay where they are."""

    questions: list[int]


class PlaceBody(TypedDict):
    """A place on a list, counted from 1; beyond the end means the last one."""

    position: int


class WorksheetSummaryPage(TypedDict):
    items: list[WorksheetSummary]
    next: str | None


class WorksheetSummary(TypedDict):
    """A worksheet without its entries."""

    is_shared: bool  # Whether people other than its owner may read it.
    visibility: str  # Who sees it: `all`, `school` (that of `school`) or `private` (its owner).
    school: str | None  # Short name of the school that sees it.
    id: int
    name: str
    owner: str
    updated_at: str


class ChangedWorksheet(TypedDict):
    """A worksheet after questions were added."""

    is_shared: bool  # Whether people other than its owner may read it.
    visibility: str  # Who sees it: `all`, `school` (that of `school`) or `private` (its owner).
    school: str | None  # Short name of the school that sees it.
    id: int
    name: str
    owner: str
    updated_at: str
    title: str
    instructions: str
    columns: int
    paper: str
    has_name_field: bool
    versions: int
    mixes_questions: bool
    mixes_options: bool
    changes_numbers: bool
    entries: list[EntryItem]
    used_on: list[str]  # Days on which it was handed out, the latest first.
    added: int
    notices: list[str]  # Why questions were not added.


class EntryItem(TypedDict):
    """A question or the start of a section; `left_out` says why a question is not printed."""

    question: int | None
    number: int | None  # As printed in version A.
    points: float | None
    part_points: str  # Of its parts, such as `2 + 1`, as far as they are printed.
    answer_lines: int
    heading: str
    instructions: str
    left_out: str


Paper = Literal["a4", "us-letter"]


class WorksheetBody(TypedDict):
    """A new worksheet."""

    questions: NotRequired[list[int]]
    list: NotRequired[int | None]  # A list that you can read.
    visible_to: NotRequired[str | None]  # `all`, `private` (its owner) or the short name of one of your schools.
    is_shared: NotRequired[bool | None]  # True shows it to your school if you have exactly one, else to everybody; false only to its owner.
    name: NotRequired[str]  # May be left out if it is made from a list, whose name it then takes.
    title: NotRequired[str | None]  # At the top of the paper; if empty, the name.
    instructions: NotRequired[str | None]
    columns: NotRequired[Literal[1, 2] | None]
    paper: NotRequired[Paper | None]
    has_name_field: NotRequired[bool | None]
    versions: NotRequired[int | None]
    mixes_questions: NotRequired[bool | None]
    mixes_options: NotRequired[bool | None]
    changes_numbers: NotRequired[bool | None]


class WorksheetDetail(TypedDict):
    """A worksheet; other people's drafts are left out when it is printed."""

    is_shared: bool  # Whether people other than its owner may read it.
    visibility: str  # Who sees it: `all`, `school` (that of `school`) or `private` (its owner).
    school: str | None  # Short name of the school that sees it.
    id: int
    name: str
    owner: str
    updated_at: str
    title: str
    instructions: str
    columns: int
    paper: str
    has_name_field: bool
    versions: int
    mixes_questions: bool
    mixes_options: bool
    changes_numbers: bool
    entries: list[EntryItem]
    used_on: list[str]  # Days on which it was handed out, the latest first.


class WorksheetPatch(TypedDict):
    """What to change about a worksheet; versions B to D differ from A as `mixes_...` and `changes_numbers` say."""

    visible_to: NotRequired[str | None]  # `all`, `private` (its owner) or the short name of one of your schools.
    is_shared: NotRequired[bool | None]  # True shows it to your school if you have exactly one, else to everybody; false only to its owner.
    name: NotRequired[str | None]
    title: NotRequired[str | None]  # At the top of the paper; if empty, the name.
    instructions: NotRequired[str | None]
    columns: NotRequired[Literal[1, 2] | None]
    paper: NotRequired[Paper | None]
    has_name_field: NotRequired[bool | None]
    versions: NotRequired[int | None]
    mixes_questions: NotRequired[bool | None]
    mixes_options: NotRequired[bool | None]
    changes_numbers: NotRequired[bool | None]


class EntriesBody(TypedDict):
    """All entries of a worksheet in order."""

    entries: list[EntryBody]


class EntryBody(TypedDict):
    """A question, or the start of a section that reaches to the next one."""

    question: NotRequired[int | None]
    points: NotRequired[float | None]
    answer_lines: NotRequired[int]
    heading: NotRequired[str]
    instructions: NotRequired[str]


class AddQuestionsBody(TypedDict):
    """Questions to append, by number or from a list; points, lines and sections come from their source."""

    questions: NotRequired[list[int]]
    list: NotRequired[int | None]  # A list that you can read.


class FillUpBody(TypedDict):
    """How many questions to add, and which; they are taken in turn from each concept and what is below it."""

    number: int
    concepts: NotRequired[list[int]]
    difficulty_min: NotRequired[float | None]
    difficulty_max: NotRequired[float | None]
    kind: NotRequired[Kind | None]
    language: NotRequired[str]
    used: NotRequired[Literal["", "not_year", "never", "year"]]


class VersionSheet(TypedDict):
    """A version of a worksheet: its questions in printed order."""

    version: str
    questions: list[int]
    changed: list[int]  # Those whose numbers differ from version A.
    kept: dict[str, str]  # Why the others have the numbers of version A, although numbers change.


class MarkItem(TypedDict):
    """The expected mark with its 90 % interval, from the questions whose difficulty is known."""

    mark: float
    low: float
    high: float
    points: float
    known: int
    unknown: int


class RunItemPage(TypedDict):
    items: list[RunItem]
    next: str | None


class RunItem(TypedDict):
    """A job; `total` is 0 if the amount of work is unknown. Other people's files and changes are not named."""

    id: int
    kind: str
    capability: str
    title: str
    state: str
    done: int
    total: int
    message: str
    created_at: str
    started_at: str | None
    finished_at: str | None
    requested_by: str | None


State = Literal["candidate", "champion", "archived"]


class ModelItem(TypedDict):
    """A model."""

    id: int
    capability: str
    scope: str
    name: str
    state: str
    created_at: str


class ModelItemPage(TypedDict):
    items: list[ModelItem]
    next: str | None


class PromotionBody(TypedDict):
    """The reason for using a model."""

    reason: str  # It is kept in the history.
    override: NotRequired[bool]  # Promote it even if it is not better than the one in use.


class RollBackBody(TypedDict):
    """A capability that goes back to its former model, and the reason."""

    capability: str
    scope: NotRequired[str]  # A hierarchy for probes, a language for solvers.
    reason: str  # It is kept in the history.


class ConfirmBody(TypedDict):
    """How to import a file that was checked."""

    skip_invalid: NotRequired[bool]
    update: NotRequired[bool | None]  # By default as in the check.
    without: NotRequired[list[str]]  # Fields to leave out.


class Loss(TypedDict):
    """Something that a format cannot hold: of how many questions, and the first of them."""

    what: str
    questions: int
    first: list[int]


class LossReport(TypedDict):
    """What a format cannot hold of the first 2,000 questions; refused ones are left out of the file."""

    questions: int
    refused: list[Loss]
    lost: list[Loss]


class DoubtItem(TypedDict):
    """Something that a person should check."""

    code: str
    sentence: str


class PaperDetail(TypedDict):
    """A test paper after the corrections; lines and questions are there while it is ready to review."""

    is_shared: bool  # Whether people other than its owner may read it.
    visibility: str  # Who sees it: `all`, `school` (that of `school`) or `private` (its owner).
    school: str | None  # Short name of the school that sees it.
    id: int
    name: str
    owner: str
    state: str  # `reading`, `ready`, `refused` or `imported`.
    reason: str  # Why it was refused.
    run: int | None  # The job that reads or imports it.
    may_be_sent: bool  # Whether the school's language model may read it.
    model_run: int | None  # The job in which the language model reads it.
    created_at: str
    updated_at: str
    notices: list[str]  # What could not be read.
    instructions: str
    corrections: int
    can_redo: bool
    questions: list[PaperQuestion]
    lines: list[PaperLine]
    imported: list[int]  # Questions in the bank that it added or matched.


class PaperLine(TypedDict):
    """A line of a paper; `is_corrected` says that a person decided on its role."""

    key: str
    number: str
    text: str
    role: Role
    is_corrected: bool


class PaperQuestion(TypedDict):
    """A question found in a paper; one with a `refusal` cannot be imported as it is."""

    key: str
    place: int
    number: str  # As printed.
    is_left_out: bool
    refusal: str
    doubts: list[DoubtItem]
    kind: str
    text: str
    options: list[dict[str, Any]]
    answer: str
    solution: str
    points: list[float | None]  # Of the question, then of each part.
    content: dict[str, Any]  # As in `/questions`.


Role = Literal["question", "more", "below", "part", "option", "right option", "answer", "solution", "key", "heading", "stimulus", "nothing"]


class PaperSummaryPage(TypedDict):
    items: list[PaperSummary]
    next: str | None


class PaperSummary(TypedDict):
    """A test paper; it is deleted a week after its last change."""

    is_shared: bool  # Whether people other than its owner may read it.
    visibility: str  # Who sees it: `all`, `school` (that of `school`) or `private` (its owner).
    school: str | None  # Short name of the school that sees it.
    id: int
    name: str
    owner: str
    state: str  # `reading`, `ready`, `refused` or `imported`.
    reason: str  # Why it was refused.
    run: int | None  # The job that reads or imports it.
    may_be_sent: bool  # Whether the school's language model may read it.
    model_run: int | None  # The job in which the language model reads it.
    created_at: str
    updated_at: str


class PaperTextBody(TypedDict):
    """A test paper as text; formulas are LaTeX."""

    may_be_sent: NotRequired[bool]  # Whether the school's language model, if it is on, reads it too. The text of its lines is sent there, without pictures and without lines that hold a pupil's name.
    text: str


class PaperPatch(TypedDict):
    """What to change about a test paper."""

    visible_to: NotRequired[str | None]  # `all`, `private` (its owner) or the short name of one of your schools.
    is_shared: NotRequired[bool | None]  # True shows it to your school if you have exactly one, else to everybody; false only to its owner.


class PaperOutlook(TypedDict):
    """What the bank knows about a question of a paper; nothing while it has no vectors."""

    same: list[int]  # Questions in the bank that are the same.
    near_copies: list[SimilarItem]  # Questions that read almost the same.
    prediction: PredictionItem | None


class CorrectionBody(TypedDict):
    """One change, as on the review page.

    A line gets a role or another text, of which each row that begins with a mark becomes a line of its own. A
    question gets points (its own, then those of each part) or is left out of the import.
    """

    line: NotRequired[str | None]
    role: NotRequired[Role | None]
    text: NotRequired[str | None]
    question: NotRequired[str | None]
    points: NotRequired[list[float | None] | None]
    is_left_out: NotRequired[bool | None]


class CorrectionsBody(TypedDict):
    """Changes in order; the keys of lines and questions are those of the paper before the first of them."""

    corrections: list[CorrectionBody]


class PaperImportBody(TypedDict):
    """How to import a paper."""

    source: NotRequired[str]  # Name of the set; by default the paper's.
    hierarchy: NotRequired[str]  # Hierarchy in which headings are looked up as concepts.
    with_headings: NotRequired[bool]
    status: NotRequired[Status]  # Who sees the questions; drafts for those who may not publish.


class MadeList(TypedDict):
    """A new list."""

    id: int
    name: str


class PaperListBody(TypedDict):
    """The name of a new list."""

    name: str


class MatchItem(TypedDict):
    """A question of the file, and the question of the bank that matches it."""

    index: int
    name: str
    question: int | None
    how: str  # How it was found, or why it was not.


class ResponsesPreview(TypedDict):
    """What an import of a file would bring."""

    layout: str
    responses: int
    pupils: int
    questions: list[MatchItem]
    unused: int
    unused_lines: list[UnusedLine]  # The first 100.
    notes: list[str]


class UnusedLine(TypedDict):
    """A line that is not used."""

    line: int
    reason: str


class ResponseSetItem(TypedDict):
    """The responses of one file; figures are missing for fewer than five pupils."""

    is_shared: bool  # Whether people other than its owner may read it.
    visibility: str  # Who sees it: `all`, `school` (that of `school`) or `private` (its owner).
    school: str | None  # Short name of the school that sees it.
    id: int
    title: str
    class_label: str
    day: str | None
    owner: str | None
    layout: str
    pupils: int
    counts_unreached: bool
    figures: dict[str, Any]  # Of the test, such as `mean`, `sd` and `consistency` (alpha).
    created_at: str


class ResponseSetItemPage(TypedDict):
    items: list[ResponseSetItem]
    next: str | None


class ResponseSetPatch(TypedDict):
    """What to change about a set."""

    visible_to: NotRequired[str | None]  # `all`, `private` (its owner) or the short name of one of your schools.
    is_shared: NotRequired[bool | None]  # True shows it to your school if you have exactly one, else to everybody; false only to its owner.


class FlagItem(TypedDict):
    """Something conspicuous."""

    code: str
    sentence: str


class OptionStatistics(TypedDict):
    """How many of the weakest, middle and strongest third chose an option; the empty label is for no answer."""

    label: str
    weight: float
    thirds: list[int]


class QuestionStatistics(TypedDict):
    """Figures of a question in a set of responses, or in all sets together (`set` is null)."""

    question: int
    set: int | None
    version: int  # Of the question, as the pupils saw it.
    pupils: int
    figures: dict[str, Any]  # Such as `facility`, `discrimination` and `difficulty`.
    options: list[OptionStatistics]
    flags: list[FlagItem]  # The most important first.


class StatisticsOfQuestion(TypedDict):
    """Figures of a question in each set, the latest first, and over all sets; a job computes these, null until then.

    Among the sets are those in which pupils saw a question that was merged into it; `question` tells.
    """

    overall: QuestionStatistics | None
    sets: list[QuestionStatistics]


class HookItem(TypedDict):
    """A web hook."""

    id: int
    address: str
    events: list[str]
    is_active: bool
    failing_since: str | None  # When the first attempt since the last delivery failed.
    disabled_because: str  # Why Kindred disabled it; empty otherwise.
    created_at: str
    made_with: int | None  # The key that made it, and which it ends with; null if a person made it.


class HookItemPage(TypedDict):
    items: list[HookItem]
    next: str | None


class NewHook(TypedDict):
    """A new web hook with its secret, which is never shown again."""

    id: int
    address: str
    events: list[str]
    is_active: bool
    failing_since: str | None  # When the first attempt since the last delivery failed.
    disabled_because: str  # Why Kindred disabled it; empty otherwise.
    created_at: str
    made_with: int | None  # The key that made it, and which it ends with; null if a person made it.
    secret: str


Event = Literal["import.finished", "question.changed", "review.settled", "model.promoted", "statistics.updated"]


class HookBody(TypedDict):
    """A new web hook."""

    address: str  # It begins with `https://` or `http://` and leads to a public address.
    events: list[Event]


class HookPatch(TypedDict):
    """What to change about a web hook."""

    is_active: bool


class DeliveryItem(TypedDict):
    """A message to a web hook, and every attempt to deliver it."""

    id: int
    message_id: str  # Sent as `webhook-id`.
    type: str
    state: str  # `waiting`, `delivered` or `failed`.
    body: dict[str, Any]
    attempts: list[dict[str, Any]]
    due_at: str | None
    created_at: str


class DeliveryItemPage(TypedDict):
    items: list[DeliveryItem]
    next: str | None


class Problem(TypedDict):
    """What went wrong."""

    code: str
    message: str
    fields: dict[str, list[str]]
    request_id: str


class Failure(TypedDict):
    """Every response with a status of 400 or above."""

    error: Problem


class ListKeysQuery(TypedDict, total=False):
    """Parameters of `list_keys`."""

    limit: int  # Items per page.
    cursor: str  # The `next` of the previous page.


class ListQuestionsQuery(TypedDict, total=False):
    """Parameters of `list_questions`."""

    limit: int  # Items per page.
    cursor: str  # The `next` of the previous page.
    concept: int | None  # Number of a concept; those below it count as well.
    concepts_all: list[int]  # Each of these concepts.
    concepts_any: list[int]  # At least one of these concepts.
    concepts_none: list[int]  # None of these concepts.
    difficulty_min: float | None
    difficulty_max: float | None
    grade: str
    kind: Kind | None
    language: str
    source: str
    status: Literal["draft", "ready", "retired", "any"]
    owner: int | None  # Number of the person who wrote them.
    figure: Literal["needed", "none"] | None
    task: Literal["word_problem", "true_false"] | None
    numbers: Literal["drawn", "given"] | None
    used: Literal["not_year", "never", "year"] | None


class GetQuestionQuery(TypedDict, total=False):
    """Parameters of `get_question`."""

    as_: str  # An export format such as `gift`; by default JSON.


class ListBulkChangesQuery(TypedDict, total=False):
    """Parameters of `list_bulk_changes`."""

    limit: int  # Items per page.
    cursor: str  # The `next` of the previous page.


class CompareQuestionsQuery(TypedDict, total=False):
    """Parameters of `compare_questions`."""

    question: Required[list[int]]


class ListNearCopiesQuery(TypedDict, total=False):
    """Parameters of `list_near_copies`."""

    limit: int  # Items per page.
    cursor: str  # The `next` of the previous page.
    import_run: Required[int]  # The import whose questions are compared with the bank.


class SearchQuery(TypedDict, total=False):
    """Parameters of `search`."""

    limit: int  # Items per page.
    cursor: str  # The `next` of the previous page.
    concept: int | None  # Number of a concept; those below it count as well.
    concepts_all: list[int]  # Each of these concepts.
    concepts_any: list[int]  # At least one of these concepts.
    concepts_none: list[int]  # None of these concepts.
    difficulty_min: float | None
    difficulty_max: float | None
    grade: str
    kind: Kind | None
    language: str
    source: str
    status: Literal["draft", "ready", "retired", "any"]
    owner: int | None  # Number of the person who wrote them.
    figure: Literal["needed", "none"] | None
    task: Literal["word_problem", "true_false"] | None
    numbers: Literal["drawn", "given"] | None
    used: Literal["not_year", "never", "year"] | None
    query: str
    order: Literal["relevance", "newest", "easiest", "hardest", "answered"] | None
    exact: bool  # Do not correct the spelling or read filters from the query.


class ListSavedSearchesQuery(TypedDict, total=False):
    """Parameters of `list_saved_searches`."""

    limit: int  # Items per page.
    cursor: str  # The `next` of the previous page.


class ListSavedSearchQuestionsQuery(TypedDict, total=False):
    """Parameters of `list_saved_search_questions`."""

    limit: int  # Items per page.
    cursor: str  # The `next` of the previous page.


class FindSimilarToQuestionQuery(TypedDict, total=False):
    """Parameters of `find_similar_to_question`."""

    lens: str  # `purpose`, `structure` or `wording`.
    k: int
    difficulty: Literal["easier", "harder"] | None  # Return only those that are `easier` or `harder`, certainly or probably.


class CheckParaphraseFileQuery(TypedDict, total=False):
    """Parameters of `check_paraphrase_file`."""

    opinions: int | None
    hides_machine: bool  # Hide what the model says of a pair until reviewers have decided on it.


class ListParaphrasesQuery(TypedDict, total=False):
    """Parameters of `list_paraphrases`."""

    limit: int  # Items per page.
    cursor: str  # The `next` of the previous page.
    state: Literal["open", "adjudication", "decided", "accept", "reject", "edit"] | None  # A state, or an outcome.
    batch: str
    least: float | None  # Lowest probability that the paraphrase is valid.
    most: float | None
    reviewer: int | None  # Who decided.
    reason: Reason | None  # Why it was rejected.
    text: str  # Part of either text.


class ListQuestionParaphrasesQuery(TypedDict, total=False):
    """Parameters of `list_question_paraphrases`."""

    limit: int  # Items per page.
    cursor: str  # The `next` of the previous page.


class ListReviewsQuery(TypedDict, total=False):
    """Parameters of `list_reviews`."""

    limit: int  # Items per page.
    cursor: str  # The `next` of the previous page.


class ListConceptsQuery(TypedDict, total=False):
    """Parameters of `list_concepts`."""

    limit: int  # Items per page.
    cursor: str  # The `next` of the previous page.
    hierarchy: int | None
    name: str  # Part of the name.


class ListListsQuery(TypedDict, total=False):
    """Parameters of `list_lists`."""

    limit: int  # Items per page.
    cursor: str  # The `next` of the previous page.


class ListWorksheetsQuery(TypedDict, total=False):
    """Parameters of `list_worksheets`."""

    limit: int  # Items per page.
    cursor: str  # The `next` of the previous page.


class GetWorksheetFileQuery(TypedDict, total=False):
    """Parameters of `get_worksheet_file`."""

    as_: Required[Literal["pdf", "word", "latex", "html"]]
    contents: Literal["students", "key", "solutions"]
    version: Literal["A", "B", "C", "D", "all", ""]  # A letter or `all`; by default the first one.


class ListRunsQuery(TypedDict, total=False):
    """Parameters of `list_runs`."""

    limit: int  # Items per page.
    cursor: str  # The `next` of the previous page.
    state: Literal["queued", "running", "succeeded", "failed", "cancelled"] | None
    kind: str


class ListModelsQuery(TypedDict, total=False):
    """Parameters of `list_models`."""

    limit: int  # Items per page.
    cursor: str  # The `next` of the previous page.
    capability: str
    state: State | None


class CreateImportQuery(TypedDict, total=False):
    """Parameters of `create_import`."""

    dry_run: bool  # Check the file and write nothing.
    format: str  # By default recognised from the file.
    source: str  # Name of the set; by default the file's.
    hierarchy: str  # Name of the hierarchy for its concepts.
    scale: str  # Difficulty scale of lines without one.
    status: Literal["ready", "draft"] | None  # Ready questions, or your own drafts; by default ready for admins, drafts for others.
    visible_to: str  # Who sees the new questions: `all`, `private` (you) or the short name of one of your schools. By default your school, or everybody if you have none or several.
    skip_invalid: bool  # Import the other lines if some are refused.
    update: bool  # Update questions that came from this file before.


class ExportQuestionsQuery(TypedDict, total=False):
    """Parameters of `export_questions`."""

    concept: int | None  # Number of a concept; those below it count as well.
    concepts_all: list[int]  # Each of these concepts.
    concepts_any: list[int]  # At least one of these concepts.
    concepts_none: list[int]  # None of these concepts.
    difficulty_min: float | None
    difficulty_max: float | None
    grade: str
    kind: Kind | None
    language: str
    source: str
    status: Literal["draft", "ready", "retired", "any"]
    owner: int | None  # Number of the person who wrote them.
    figure: Literal["needed", "none"] | None
    task: Literal["word_problem", "true_false"] | None
    numbers: Literal["drawn", "given"] | None
    used: Literal["not_year", "never", "year"] | None
    as_: Required[str]  # An export format such as `gift`.


class ListExportLossesQuery(TypedDict, total=False):
    """Parameters of `list_export_losses`."""

    concept: int | None  # Number of a concept; those below it count as well.
    concepts_all: list[int]  # Each of these concepts.
    concepts_any: list[int]  # At least one of these concepts.
    concepts_none: list[int]  # None of these concepts.
    difficulty_min: float | None
    difficulty_max: float | None
    grade: str
    kind: Kind | None
    language: str
    source: str
    status: Literal["draft", "ready", "retired", "any"]
    owner: int | None  # Number of the person who wrote them.
    figure: Literal["needed", "none"] | None
    task: Literal["word_problem", "true_false"] | None
    numbers: Literal["drawn", "given"] | None
    used: Literal["not_year", "never", "year"] | None
    as_: Required[str]  # An export format such as `gift`.


class CreatePaperQuery(TypedDict, total=False):
    """Parameters of `create_paper`."""

    may_be_sent: bool  # Whether the school's language model, if it is on, reads it too. The text of its lines is sent there, without pictures and without lines that hold a pupil's name.


class ListPapersQuery(TypedDict, total=False):
    """Parameters of `list_papers`."""

    limit: int  # Items per page.
    cursor: str  # The `next` of the previous page.


class CreateResponseSetQuery(TypedDict, total=False):
    """Parameters of `create_response_set`."""

    dry_run: bool  # Say what the file would bring; write and keep nothing.
    title: str  # By default the file's name.
    class_label: str  # For example `7b, 2026`.
    day: str | None  # When the test was written; the questions are those of that day.
    list: int | None  # Your list, if the file's numbers are its places.
    worksheet: int | None  # Your worksheet, if the file's numbers are its places.
    counts_unreached: bool | None  # Whether a question without a response counts as 0 marks; by default if most cells are filled.
    choose: list[str]  # `INDEX:QUESTION` matches a question of the file (from 0) with one of the bank; 0 leaves it out.


class ListResponseSetsQuery(TypedDict, total=False):
    """Parameters of `list_response_sets`."""

    limit: int  # Items per page.
    cursor: str  # The `next` of the previous page.


class ListHooksQuery(TypedDict, total=False):
    """Parameters of `list_hooks`."""

    limit: int  # Items per page.
    cursor: str  # The `next` of the previous page.


class ListHookDeliveriesQuery(TypedDict, total=False):
    """Parameters of `list_hook_deliveries`."""

    limit: int  # Items per page.
    cursor: str  # The `next` of the previous page.


class Operations:
    """One method for each operation; bodies and results are dictionaries, as the types above describe them."""

    def call(
        self, method: str, path: str, *, query: Any = None, body: Any = None, files: Any = None, if_match: str = ""
    ) -> Any:
        """Send a request and return the result."""
        raise NotImplementedError

    def get_me(self) -> MeItem:
        """Return who calls, and what their key may do."""
        return self.call("GET", "/me")

    def list_keys(self, **query: Unpack[ListKeysQuery]) -> OwnKeyPage:
        """List one's own keys, newest first, without those that are revoked."""
        return self.call("GET", "/keys", query=query)

    def create_key(self, body: NewKeyBody) -> NewKey:
        """Make a key. This response is the only one that contains it, so none is kept for an `Idempotency-Key`."""
        return self.call("POST", "/keys", body=body)

    def revoke_key(self, key_id: int, *, if_match: str = "") -> None:
        """Revoke a key at once and for good, with the keys that were made with it; web hooks made with any are
        disabled.
        """
        return self.call("DELETE", f"/keys/{key_id}", if_match=if_match)

    def list_questions(self, **query: Unpack[ListQuestionsQuery]) -> QuestionItemPage:
        """List questions, newest first, with the filters of the search page. Others' drafts are for admins only."""
        return self.call("GET", "/questions", query=query)

    def create_question(self, body: QuestionBody) -> CreatedQuestion:
        """Add a question. It is added even if the bank has a near copy: look at `near_copies`, and retire it if need
        be.
        """
        return self.call("POST", "/questions", body=body)

    def get_question(self, question_id: int, **query: Unpack[GetQuestionQuery]) -> QuestionItem:
        """Return a question, as JSON or as a file in one of the export formats."""
        return self.call("GET", f"/questions/{question_id}", query=query)

    def replace_question(self, question_id: int, body: QuestionBody, *, if_match: str = "") -> QuestionItem:
        """Replace a question; fields that are left out become empty."""
        return self.call("PUT", f"/questions/{question_id}", body=body, if_match=if_match)

    def change_question(self, question_id: int, body: QuestionPatch, *, if_match: str = "") -> QuestionItem:
        """Change some fields of a question."""
        return self.call("PATCH", f"/questions/{question_id}", body=body, if_match=if_match)

    def retire_question(self, question_id: int, *, if_match: str = "") -> QuestionItem:
        """Take a question out of searches; it stays in the bank."""
        return self.call("POST", f"/questions/{question_id}/retire", if_match=if_match)

    def restore_question(self, question_id: int, *, if_match: str = "") -> QuestionItem:
        """Bring a retired question back into searches."""
        return self.call("POST", f"/questions/{question_id}/restore", if_match=if_match)

    def list_question_versions(self, question_id: int) -> list[VersionItem]:
        """List the latest changes of a question, newest first."""
        return self.call("GET", f"/questions/{question_id}/versions")

    def revert_question(self, question_id: int, body: RevertBody, *, if_match: str = "") -> QuestionItem:
        """Bring back a question's wording, grading and grade from before a change."""
        return self.call("POST", f"/questions/{question_id}/revert", body=body, if_match=if_match)

    def list_question_tags(self, question_id: int) -> list[ConceptItem]:
        """List the concepts of a question."""
        return self.call("GET", f"/questions/{question_id}/tags")

    def replace_question_tags(self, question_id: int, body: TagsBody, *, if_match: str = "") -> QuestionItem:
        """Tag a question with exactly these concepts. Everybody who writes questions may tag any question."""
        return self.call("PUT", f"/questions/{question_id}/tags", body=body, if_match=if_match)

    def create_attachment(self, question_id: int, file: File, *, if_match: str = "") -> QuestionItem:
        """Add a picture (PNG, JPEG, GIF, WebP), or replace the one of the same name.

        The question's text shows it at its end, unless a text of the question names it already.
        """
        return self.call("POST", f"/questions/{question_id}/attachments", files={"file": file}, if_match=if_match)

    def list_attachments(self, question_id: int) -> list[AttachmentItem]:
        """List the pictures of a question."""
        return self.call("GET", f"/questions/{question_id}/attachments")

    def get_attachment(self, question_id: int, name: str) -> bytes:
        """Return a picture of a question."""
        return self.call("GET", f"/questions/{question_id}/attachments/{quote(name, safe='')}")

    def delete_attachment(self, question_id: int, name: str, *, if_match: str = "") -> QuestionItem:
        """Take a picture from a question, once none of its texts names it."""
        return self.call("DELETE", f"/questions/{question_id}/attachments/{quote(name, safe='')}", if_match=if_match)

    def preview_bulk_change(self, body: BulkChangeBody) -> BulkPreview:
        """Say what a change of many questions would do."""
        return self.call("POST", "/changes/preview", body=body)

    def create_bulk_change(self, body: NewBulkChangeBody) -> BulkChangeItem:
        """Change many questions at once, in one transaction; a job does so if there are more than 2,000."""
        return self.call("POST", "/changes", body=body)

    def list_bulk_changes(self, **query: Unpack[ListBulkChangesQuery]) -> BulkChangeItemPage:
        """List the changes that you may undo, newest first."""
        return self.call("GET", "/changes", query=query)

    def get_bulk_change(self, change_id: int) -> BulkChangeItem:
        """Return a change of many questions."""
        return self.call("GET", f"/changes/{change_id}")

    def undo_bulk_change(self, change_id: int, *, if_match: str = "") -> BulkChangeItem:
        """Undo a whole change, except for questions that were changed since."""
        return self.call("POST", f"/changes/{change_id}/undo", if_match=if_match)

    def compare_questions(self, **query: Unpack[CompareQuestionsQuery]) -> list[ComparedItem]:
        """Compare questions with the first of them."""
        return self.call("GET", "/questions/compare", query=query)

    def list_near_copies(self, **query: Unpack[ListNearCopiesQuery]) -> NearCopyItemPage:
        """List near copies of an import's questions. `limit` counts questions; each may have several copies, or none."""
        return self.call("GET", "/questions/near-copies", query=query)

    def merge_questions(self, body: QuestionMergeBody) -> BulkChangeItem:
        """Merge duplicates into the questions to keep; a job does so if there are many.

        `/changes/{change_id}/undo` undoes it.

        A question that is kept gets the others' concepts, places on lists and worksheets, paraphrases and exclusion
        from language models. The others are retired, name it in `merged_into`, and keep their responses.
        """
        return self.call("POST", "/questions/merge", body=body)

    def search(self, **query: Unpack[SearchQuery]) -> SearchResult:
        """Search the bank."""
        return self.call("GET", "/search", query=query)

    def list_saved_searches(self, **query: Unpack[ListSavedSearchesQuery]) -> SavedSearchSummaryPage:
        """List one's own saved searches and those that others share, newest first."""
        return self.call("GET", "/saved-searches", query=query)

    def create_saved_search(self, body: SavedSearchBody) -> SavedSearchItem:
        """Save a search."""
        return self.call("POST", "/saved-searches", body=body)

    def get_saved_search(self, search_id: int) -> SavedSearchItem:
        """Return a saved search and how many questions it finds."""
        return self.call("GET", f"/saved-searches/{search_id}")

    def change_saved_search(self, search_id: int, body: SavedSearchPatch, *, if_match: str = "") -> SavedSearchItem:
        """Rename a saved search, replace its search, share it, or stop sharing it."""
        return self.call("PATCH", f"/saved-searches/{search_id}", body=body, if_match=if_match)

    def delete_saved_search(self, search_id: int, *, if_match: str = "") -> None:
        """Delete a saved search."""
        return self.call("DELETE", f"/saved-searches/{search_id}", if_match=if_match)

    def list_saved_search_questions(self, search_id: int, **query: Unpack[ListSavedSearchQuestionsQuery]) -> SearchResult:
        """Return what a saved search finds. Its page alone counts as opening it."""
        return self.call("GET", f"/saved-searches/{search_id}/questions", query=query)

    def predict_texts(self, body: PredictBody) -> Predictions:
        """Predict the concepts and the difficulty of texts."""
        return self.call("POST", "/predict", body=body)

    def find_similar_to_texts(self, body: SimilarBody) -> list[SimilarItems]:
        """Find the questions of the bank that are most similar to each text."""
        return self.call("POST", "/similar", body=body)

    def find_similar_to_question(self, question_id: int, **query: Unpack[FindSimilarToQuestionQuery]) -> SimilarItems:
        """Find the questions of the bank that are most similar to one of them."""
        return self.call("GET", f"/questions/{question_id}/similar", query=query)

    def find_exemplars_for_texts(self, body: TextsBody) -> list[ExemplarItems]:
        """Find solved problems of the bank that help to solve each text."""
        return self.call("POST", "/exemplars", body=body)

    def find_exemplars_for_question(self, question_id: int) -> ExemplarItems:
        """Find solved problems that help to solve a question of the bank."""
        return self.call("GET", f"/questions/{question_id}/exemplars")

    def solve_texts(self, body: TextsBody) -> list[SolutionItem]:
        """Solve word problems."""
        return self.call("POST", "/solve", body=body)

    def get_question_solution(self, question_id: int) -> QuestionSolutionItem | None:
        """Return how a question is solved; null if it is not a word problem and has no equation."""
        return self.call("GET", f"/questions/{question_id}/solution")

    def check_paraphrase_file(self, file: File, **query: Unpack[CheckParaphraseFileQuery]) -> PairFileReport:
        """Check a file of pairs; `/paraphrases/files/confirm` adds them."""
        return self.call("POST", "/paraphrases/files", files={"file": file}, query=query)

    def add_paraphrase_file(self, body: PairFileBody) -> AddedPairs:
        """Add the pairs of a file that was checked, once; a job scores them."""
        return self.call("POST", "/paraphrases/files/confirm", body=body)

    def list_paraphrases(self, **query: Unpack[ListParaphrasesQuery]) -> ParaphraseItemPage:
        """List paraphrases, newest first, with the filters of the page."""
        return self.call("GET", "/paraphrases", query=query)

    def propose_paraphrases(self, body: ProposalsBody) -> RunDetail:
        """Have a job propose paraphrases of questions; they wait for reviewers."""
        return self.call("POST", "/paraphrases/propose", body=body)

    def list_question_paraphrases(self, question_id: int, **query: Unpack[ListQuestionParaphrasesQuery]) -> ParaphraseItemPage:
        """List the paraphrases of a question, newest first."""
        return self.call("GET", f"/questions/{question_id}/paraphrases", query=query)

    def create_question_paraphrase(self, question_id: int, body: ParaphraseBody, *, if_match: str = "") -> ParaphraseItem:
        """Propose a paraphrase of your own for a question; it waits for reviewers."""
        return self.call("POST", f"/questions/{question_id}/paraphrases", body=body, if_match=if_match)

    def get_paraphrase(self, pair_id: int) -> ParaphraseItem:
        """Return a paraphrase with what the reviewers decided."""
        return self.call("GET", f"/paraphrases/{pair_id}")

    def score_paraphrases(self, body: PairsBody) -> PairScores:
        """Score pairs of a question and another wording of it."""
        return self.call("POST", "/paraphrases/score", body=body)

    def list_reviews(self, **query: Unpack[ListReviewsQuery]) -> DecisionItemPage:
        """List your own decisions, newest first, including undone ones."""
        return self.call("GET", "/reviews", query=query)

    def take_next_review(self) -> QueuedPair | None:
        """Take the next pair: the one that you have already, else the most uncertain free one; null if none is free."""
        return self.call("POST", "/reviews/next")

    def undo_review(self, body: UndoBody) -> DecisionItem:
        """Undo a decision of your own; its pair comes back to you. A question that it brought into the bank is
        retired.
        """
        return self.call("POST", "/reviews/undo", body=body)

    def take_next_dispute(self) -> DisputedPair | None:
        """Take the oldest pair on which reviewers disagree and that you may settle; null if there is none."""
        return self.call("POST", "/reviews/disputes/next")

    def decide_review(self, pair_id: int, body: DecisionBody, *, if_match: str = "") -> DecisionItem:
        """Decide on the pair that you took from the queue."""
        return self.call("POST", f"/reviews/{pair_id}/decide", body=body, if_match=if_match)

    def settle_dispute(self, pair_id: int, body: DecisionBody, *, if_match: str = "") -> DecisionItem:
        """Settle the disagreement that you took, as an admin or a reviewer without an opinion on the pair."""
        return self.call("POST", f"/reviews/{pair_id}/settle", body=body, if_match=if_match)

    def list_hierarchies(self) -> list[HierarchyItem]:
        """List the hierarchies, by name."""
        return self.call("GET", "/hierarchies")

    def create_hierarchy(self, body: NameBody) -> HierarchyItem:
        """Add an empty hierarchy."""
        return self.call("POST", "/hierarchies", body=body)

    def get_hierarchy(self, hierarchy_id: int) -> HierarchyItem:
        """Return a hierarchy."""
        return self.call("GET", f"/hierarchies/{hierarchy_id}")

    def rename_hierarchy(self, hierarchy_id: int, body: NameBody, *, if_match: str = "") -> HierarchyItem:
        """Rename a hierarchy."""
        return self.call("PATCH", f"/hierarchies/{hierarchy_id}", body=body, if_match=if_match)

    def delete_hierarchy(self, hierarchy_id: int, *, if_match: str = "") -> None:
        """Delete a hierarchy; refused if questions are tagged with its concepts."""
        return self.call("DELETE", f"/hierarchies/{hierarchy_id}", if_match=if_match)

    def list_concepts(self, **query: Unpack[ListConceptsQuery]) -> ConceptDetailPage:
        """List concepts, newest first."""
        return self.call("GET", "/concepts", query=query)

    def create_concept(self, body: ConceptBody) -> ConceptDetail:
        """Add a concept."""
        return self.call("POST", "/concepts", body=body)

    def get_concept(self, concept_id: int) -> ConceptDetail:
        """Return a concept."""
        return self.call("GET", f"/concepts/{concept_id}")

    def change_concept(self, concept_id: int, body: ConceptPatch, *, if_match: str = "") -> ConceptDetail:
        """Rename a concept, or move it with what is below it."""
        return self.call("PATCH", f"/concepts/{concept_id}", body=body, if_match=if_match)

    def delete_concept(self, concept_id: int, *, if_match: str = "") -> None:
        """Delete a concept with what is below it; refused if questions are tagged with any of it."""
        return self.call("DELETE", f"/concepts/{concept_id}", if_match=if_match)

    def merge_concept(self, concept_id: int, body: MergeBody, *, if_match: str = "") -> ConceptDetail:
        """Merge a concept into another one, which gets its tags and what is below it."""
        return self.call("POST", f"/concepts/{concept_id}/merge", body=body, if_match=if_match)

    def list_lists(self, **query: Unpack[ListListsQuery]) -> ListSummaryPage:
        """List one's own lists and those that others share, newest first."""
        return self.call("GET", "/lists", query=query)

    def create_list(self, body: ListBody) -> ListItem:
        """Add an empty list."""
        return self.call("POST", "/lists", body=body)

    def get_list(self, list_id: int) -> ListItem:
        """Return a list."""
        return self.call("GET", f"/lists/{list_id}")

    def change_list(self, list_id: int, body: ListPatch, *, if_match: str = "") -> ListItem:
        """Rename a list, share it, or stop sharing it."""
        return self.call("PATCH", f"/lists/{list_id}", body=body, if_match=if_match)

    def delete_list(self, list_id: int, *, if_match: str = "") -> None:
        """Delete a list; its questions stay in the bank."""
        return self.call("DELETE", f"/lists/{list_id}", if_match=if_match)

    def add_to_list(self, list_id: int, body: AddBody, *, if_match: str = "") -> ListItem:
        """Append questions to a list."""
        return self.call("POST", f"/lists/{list_id}/questions", body=body, if_match=if_match)

    def move_in_list(self, list_id: int, question_id: int, body: PlaceBody, *, if_match: str = "") -> ListItem:
        """Move a question to another place on its list."""
        return self.call("PUT", f"/lists/{list_id}/questions/{question_id}", body=body, if_match=if_match)

    def remove_from_list(self, list_id: int, question_id: int, *, if_match: str = "") -> ListItem:
        """Take a question off a list."""
        return self.call("DELETE", f"/lists/{list_id}/questions/{question_id}", if_match=if_match)

    def list_worksheets(self, **query: Unpack[ListWorksheetsQuery]) -> WorksheetSummaryPage:
        """List your own worksheets and those that others share, newest first."""
        return self.call("GET", "/worksheets", query=query)

    def create_worksheet(self, body: WorksheetBody) -> ChangedWorksheet:
        """Make a worksheet: empty, from a list, from questions, or from a list and questions."""
        return self.call("POST", "/worksheets", body=body)

    def get_worksheet(self, worksheet_id: int) -> WorksheetDetail:
        """Return a worksheet."""
        return self.call("GET", f"/worksheets/{worksheet_id}")

    def change_worksheet(self, worksheet_id: int, body: WorksheetPatch, *, if_match: str = "") -> WorksheetDetail:
        """Change the appearance of a worksheet, how its versions differ, and who sees it."""
        return self.call("PATCH", f"/worksheets/{worksheet_id}", body=body, if_match=if_match)

    def delete_worksheet(self, worksheet_id: int, *, if_match: str = "") -> None:
        """Delete a worksheet; its questions, and the days on which they were used, stay in the bank."""
        return self.call("DELETE", f"/worksheets/{worksheet_id}", if_match=if_match)

    def replace_worksheet_entries(self, worksheet_id: int, body: EntriesBody, *, if_match: str = "") -> WorksheetDetail:
        """Replace all questions and sections of a worksheet, with their order, points and lines."""
        return self.call("PUT", f"/worksheets/{worksheet_id}/entries", body=body, if_match=if_match)

    def add_to_worksheet(self, worksheet_id: int, body: AddQuestionsBody, *, if_match: str = "") -> ChangedWorksheet:
        """Append questions to a worksheet, except those that it has already or that cannot be printed."""
        return self.call("POST", f"/worksheets/{worksheet_id}/questions", body=body, if_match=if_match)

    def fill_worksheet(self, worksheet_id: int, body: FillUpBody, *, if_match: str = "") -> ChangedWorksheet:
        """Append questions with given concepts and difficulty, all unlike each other."""
        return self.call("POST", f"/worksheets/{worksheet_id}/fill", body=body, if_match=if_match)

    def sort_worksheet(self, worksheet_id: int, *, if_match: str = "") -> WorksheetDetail:
        """Sort the questions of each section by difficulty, the easiest first."""
        return self.call("POST", f"/worksheets/{worksheet_id}/sort", if_match=if_match)

    def draw_worksheet(self, worksheet_id: int, *, if_match: str = "") -> list[VersionSheet]:
        """Draw the versions after A again; their keys change with them."""
        return self.call("POST", f"/worksheets/{worksheet_id}/draw", if_match=if_match)

    def list_worksheet_versions(self, worksheet_id: int) -> list[VersionSheet]:
        """List the versions of a worksheet; the same worksheet always gives the same ones."""
        return self.call("GET", f"/worksheets/{worksheet_id}/versions")

    def get_worksheet_file(self, worksheet_id: int, **query: Unpack[GetWorksheetFileQuery]) -> bytes:
        """Return a worksheet as a file to print; this alone does not count as a use, which `/uses` records."""
        return self.call("GET", f"/worksheets/{worksheet_id}/file", query=query)

    def get_worksheet_mark(self, worksheet_id: int) -> MarkItem | None:
        """Return the expected mark; null if no question's difficulty is known."""
        return self.call("GET", f"/worksheets/{worksheet_id}/mark")

    def use_worksheet(self, worksheet_id: int, *, if_match: str = "") -> WorksheetDetail:
        """Record that a worksheet is handed out today, as a download for students on its page does."""
        return self.call("POST", f"/worksheets/{worksheet_id}/uses", if_match=if_match)

    def forget_worksheet_use(self, worksheet_id: int, day: str, *, if_match: str = "") -> None:
        """Forget that a worksheet was handed out on a day."""
        return self.call("DELETE", f"/worksheets/{worksheet_id}/uses/{quote(day, safe='')}", if_match=if_match)

    def list_runs(self, **query: Unpack[ListRunsQuery]) -> RunItemPage:
        """List jobs, newest first."""
        return self.call("GET", "/runs", query=query)

    def get_run(self, run_id: int) -> RunDetail:
        """Return a job, with its result and log."""
        return self.call("GET", f"/runs/{run_id}")

    def cancel_run(self, run_id: int, *, if_match: str = "") -> RunDetail:
        """Ask a job to stop; one that waits is cancelled at once."""
        return self.call("POST", f"/runs/{run_id}/cancel", if_match=if_match)

    def retry_run(self, run_id: int, *, if_match: str = "") -> RunDetail:
        """Queue a failed or cancelled job again."""
        return self.call("POST", f"/runs/{run_id}/retry", if_match=if_match)

    def list_models(self, **query: Unpack[ListModelsQuery]) -> ModelItemPage:
        """List models, newest first; those in use are champions."""
        return self.call("GET", "/models", query=query)

    def get_model(self, model_id: int) -> ModelItem:
        """Return a model."""
        return self.call("GET", f"/models/{model_id}")

    def compare_model(self, model_id: int, *, if_match: str = "") -> RunDetail:
        """Compare a candidate with the model in use; the job's result has the figures."""
        return self.call("POST", f"/models/{model_id}/compare", if_match=if_match)

    def promote_model(self, model_id: int, body: PromotionBody, *, if_match: str = "") -> RunDetail:
        """Put a model into use."""
        return self.call("POST", f"/models/{model_id}/promote", body=body, if_match=if_match)

    def roll_back_model(self, body: RollBackBody) -> ModelItem:
        """Use the former model of a capability again."""
        return self.call("POST", "/models/roll-back", body=body)

    def create_import(self, file: File, **query: Unpack[CreateImportQuery]) -> RunDetail:
        """Check or import a file. The job in the response does the work; its result lists the refused lines.

        After a check, `/imports/{run_id}/confirm` imports the file without sending it again.
        """
        return self.call("POST", "/imports", files={"file": file}, query=query)

    def confirm_import(self, run_id: int, body: ConfirmBody, *, if_match: str = "") -> RunDetail:
        """Import a file that was checked; a file is imported once, however often this is called."""
        return self.call("POST", f"/imports/{run_id}/confirm", body=body, if_match=if_match)

    def undo_import(self, run_id: int, *, if_match: str = "") -> RunDetail:
        """Remove what an import created, except what people have changed or used since."""
        return self.call("POST", f"/imports/{run_id}/undo", if_match=if_match)

    def export_questions(self, **query: Unpack[ExportQuestionsQuery]) -> bytes:
        """Return the questions that pass the filters as a file."""
        return self.call("GET", "/exports", query=query)

    def list_export_losses(self, **query: Unpack[ListExportLossesQuery]) -> LossReport:
        """Say what a format cannot hold of the questions that pass the filters."""
        return self.call("GET", "/exports/losses", query=query)

    def create_paper(self, file: File, **query: Unpack[CreatePaperQuery]) -> PaperDetail:
        """Upload a document (Word, OpenDocument, PDF, RTF, HTML, Markdown, LaTeX, text), which a job reads.

        Ask for the paper until its state is no longer `reading`. Files of questions, such as Moodle XML, go to
        `/imports`.
        """
        return self.call("POST", "/papers", files={"file": file}, query=query)

    def list_papers(self, **query: Unpack[ListPapersQuery]) -> PaperSummaryPage:
        """List one's own test papers and those that others share, newest first."""
        return self.call("GET", "/papers", query=query)

    def create_paper_from_text(self, body: PaperTextBody) -> PaperDetail:
        """Read a test paper from text, at once."""
        return self.call("POST", "/papers/text", body=body)

    def get_paper(self, paper_id: int) -> PaperDetail:
        """Return a test paper with its lines and questions, and what is doubtful about each."""
        return self.call("GET", f"/papers/{paper_id}")

    def change_paper(self, paper_id: int, body: PaperPatch, *, if_match: str = "") -> PaperDetail:
        """Choose who sees a test paper; only its owner changes it otherwise."""
        return self.call("PATCH", f"/papers/{paper_id}", body=body, if_match=if_match)

    def delete_paper(self, paper_id: int, *, if_match: str = "") -> None:
        """Delete a test paper; questions imported from it stay in the bank."""
        return self.call("DELETE", f"/papers/{paper_id}", if_match=if_match)

    def get_paper_outlook(self, paper_id: int, key: str) -> PaperOutlook:
        """Say what the bank knows about a question of a paper: copies, likely concepts and difficulty."""
        return self.call("GET", f"/papers/{paper_id}/questions/{quote(key, safe='')}/known")

    def correct_paper(self, paper_id: int, body: CorrectionsBody, *, if_match: str = "") -> PaperDetail:
        """Correct a test paper; each correction can be undone."""
        return self.call("POST", f"/papers/{paper_id}/corrections", body=body, if_match=if_match)

    def undo_paper_correction(self, paper_id: int, *, if_match: str = "") -> PaperDetail:
        """Undo the last correction."""
        return self.call("POST", f"/papers/{paper_id}/undo", if_match=if_match)

    def redo_paper_correction(self, paper_id: int, *, if_match: str = "") -> PaperDetail:
        """Apply the correction that was undone last again."""
        return self.call("POST", f"/papers/{paper_id}/redo", if_match=if_match)

    def import_paper(self, paper_id: int, body: PaperImportBody, *, if_match: str = "") -> RunDetail:
        """Import the questions of a test paper, except those left out or refused; it is imported once."""
        return self.call("POST", f"/papers/{paper_id}/import", body=body, if_match=if_match)

    def create_list_of_paper(self, paper_id: int, body: PaperListBody, *, if_match: str = "") -> MadeList:
        """Make a list of the questions that an imported paper brought, in its order."""
        return self.call("POST", f"/papers/{paper_id}/list", body=body, if_match=if_match)

    def create_response_set(self, file: File, **query: Unpack[CreateResponseSetQuery]) -> ResponsesPreview:
        """Check a file of responses (200), or import it with `dry_run=false` (201).

        Pupils become keyed hashes as the file is read, and neither it nor a name in it is kept.
        """
        return self.call("POST", "/responses", files={"file": file}, query=query)

    def list_response_sets(self, **query: Unpack[ListResponseSetsQuery]) -> ResponseSetItemPage:
        """List the sets of responses, newest first."""
        return self.call("GET", "/responses", query=query)

    def get_response_set(self, set_id: int) -> ResponseSetItem:
        """Return a set of responses with the figures of the test."""
        return self.call("GET", f"/responses/{set_id}")

    def change_response_set(self, set_id: int, body: ResponseSetPatch, *, if_match: str = "") -> ResponseSetItem:
        """Choose who sees a set; its owner and admins may."""
        return self.call("PATCH", f"/responses/{set_id}", body=body, if_match=if_match)

    def delete_response_set(self, set_id: int, *, if_match: str = "") -> None:
        """Delete a set with its responses and figures."""
        return self.call("DELETE", f"/responses/{set_id}", if_match=if_match)

    def list_set_statistics(self, set_id: int) -> list[QuestionStatistics]:
        """List the figures of a set's questions, flagged ones first."""
        return self.call("GET", f"/responses/{set_id}/statistics")

    def get_question_statistics(self, question_id: int) -> StatisticsOfQuestion:
        """Return the figures of a question."""
        return self.call("GET", f"/questions/{question_id}/statistics")

    def list_hooks(self, **query: Unpack[ListHooksQuery]) -> HookItemPage:
        """List one's own web hooks, newest first."""
        return self.call("GET", "/hooks", query=query)

    def create_hook(self, body: HookBody) -> NewHook:
        """Make a web hook. This response alone contains its secret, so none is kept for an `Idempotency-Key`."""
        return self.call("POST", "/hooks", body=body)

    def get_hook(self, hook_id: int) -> HookItem:
        """Return a web hook."""
        return self.call("GET", f"/hooks/{hook_id}")

    def change_hook(self, hook_id: int, body: HookPatch, *, if_match: str = "") -> HookItem:
        """Disable a web hook, or enable it again."""
        return self.call("PATCH", f"/hooks/{hook_id}", body=body, if_match=if_match)

    def delete_hook(self, hook_id: int, *, if_match: str = "") -> None:
        """Delete a web hook with its deliveries."""
        return self.call("DELETE", f"/hooks/{hook_id}", if_match=if_match)

    def test_hook(self, hook_id: int, *, if_match: str = "") -> DeliveryItem:
        """Send a message of the type `hook.test`, once; its delivery shows the response."""
        return self.call("POST", f"/hooks/{hook_id}/test", if_match=if_match)

    def list_hook_deliveries(self, hook_id: int, **query: Unpack[ListHookDeliveriesQuery]) -> DeliveryItemPage:
        """List the messages to a web hook, newest first, with what the receiver answered."""
        return self.call("GET", f"/hooks/{hook_id}/deliveries", query=query)

    def replay_hook_delivery(self, hook_id: int, delivery_id: int, *, if_match: str = "") -> DeliveryItem:
        """Send a message again, with the same id and body."""
        return self.call("POST", f"/hooks/{hook_id}/deliveries/{delivery_id}/replay", if_match=if_match)
