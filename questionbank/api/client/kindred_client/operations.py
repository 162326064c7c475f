"""The operations of Kindred's API, and the types of their values.

Written by `manage.py openapi` from the API's schema: do not edit it.
"""

# ruff: noqa
# fmt: off
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
    key: KeyItem | None


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
    needs_figure: bool
    draws_numbers: bool
    author: str | None
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
    needs_figure: bool
    draws_numbers: bool
    author: str | None
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

    id: int
    name: str
    is_shared: bool
    owner: str
    updated_at: str


class ListSummaryPage(TypedDict):
    items: list[ListSummary]
    next: str | None


class ListItem(TypedDict):
    """A list; `questions` are numbers in the list's order, without other people's drafts."""

    id: int
    name: str
    instructions: str
    is_shared: bool
    owner: str
    questions: list[int]
    updated_at: str


class ListBody(TypedDict):
    """A new list."""

    name: str


class ListPatch(TypedDict):
    """What to change about a list."""

    name: NotRequired[str | None]
    is_shared: NotRequired[bool | None]  # Whether everybody in the school may read it.


class AddBody(TypedDict):
    """Questions to append; those that are on the list already stay where they are."""

    questions: list[int]


class PlaceBody(TypedDict):
    """A place on a list, counted from 1; beyond the end means the last one."""

    position: int


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
    """Why a model shall be used."""

    reason: str  # It is kept in the history.
    override: NotRequired[bool]  # Promote it although it is not better than the one in use.


class RollBackBody(TypedDict):
    """Which capability shall use its former model again, and why."""

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


class Problem(TypedDict):
    """What went wrong."""

    code: str
    message: str
    fields: dict[str, list[str]]
    request_id: str


class Failure(TypedDict):
    """Every response with a status of 400 or above."""

    error: Problem


class ListQuestionsQuery(TypedDict, total=False):
    """Parameters of `list_questions`."""

    limit: int  # Items per page.
    cursor: str  # The `next` of the previous page.
    concept: int | None
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


class SearchQuery(TypedDict, total=False):
    """Parameters of `search`."""

    limit: int  # Items per page.
    cursor: str  # The `next` of the previous page.
    concept: int | None
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
    exact: bool  # Neither correct the spelling nor read filters from the query.


class FindSimilarToQuestionQuery(TypedDict, total=False):
    """Parameters of `find_similar_to_question`."""

    lens: str  # `purpose`, `structure` or `wording`.
    k: int
    difficulty: Literal["easier", "harder"] | None  # Return only those that are `easier` or `harder`, certainly or probably.


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
    hierarchy: str  # Where its concepts belong.
    scale: str  # Difficulty scale of lines without one.
    status: Literal["ready", "draft"] | None  # Who sees the new questions.
    skip_invalid: bool  # Import the other lines if some are refused.
    update: bool  # Update questions that came from this file before.


class ExportQuestionsQuery(TypedDict, total=False):
    """Parameters of `export_questions`."""

    concept: int | None
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

    concept: int | None
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

    def search(self, **query: Unpack[SearchQuery]) -> SearchResult:
        """Search the bank."""
        return self.call("GET", "/search", query=query)

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

    def score_paraphrases(self, body: PairsBody) -> PairScores:
        """Score pairs of a question and another wording of it."""
        return self.call("POST", "/paraphrases/score", body=body)

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
