"""The contract between a capability and the bank: what its class in `questionbank.capabilities` has or does.

Any layer may read this and `questionbank.capabilities.catalog`; the classes themselves are above services and pages, so
they call what they need. Decisions 48 and 83.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol

from django import forms

if TYPE_CHECKING:
    from django.urls import URLPattern, URLResolver

    from questionbank.models import ModelArtifact, ModelComparison, User

QUESTION = "questions/<int:question_id>"
"""The beginning of the addresses of what a question has."""

OPEN_GROUPS = ("What is learned", "How long")
SERVES_AFTER_PROMOTION = "A job trains a candidate. It is not used until it has been compared and promoted."


@dataclass(frozen=True, slots=True)
class QuickTraining:
    """A training that takes minutes on any machine; offered where a model of the capability serves.

    Attributes:
        settings: what the form begins with.
        sentence: what the page says then.
        help_texts: of fields, in place of the configuration's own; with ``%(word)s`` for ``backbone="in use"``.
        is_default: whether a form without a choice, and a command without a backbone, begin with it.
    """

    settings: Mapping[str, Any]
    sentence: str
    help_texts: Mapping[str, str] = field(default_factory=dict)
    is_default: bool = False


def backbone_help(model: str, note: str = "") -> dict[str, str]:
    """Return the help of the field for the backbone, where a training may go on from a `model` of the bank."""
    start = (
        f"Package name, local folder or hub id of the encoder to start from; “in use”: the {model} in use now"
    )
    return {"backbone": f"{start}{note}; “model 12”: the {model} with this number"}


@dataclass(frozen=True, slots=True)
class TrainingOption:
    """A question of the form that is no setting of the configuration: yes or no, and yes unless somebody says no.

    Attributes:
        name: of the run's parameter and of the form's field.
        flag: of `manage.py train`, to say no.
        title: what a job's page calls it.
        yes: what a job's page says where it is on.
        no: where it is off.
        form_field: makes the form's field, for yes or no.
        choices: of an option that is no yes or no: what may be chosen, the default first, and what pages call it. The
            flag then takes a value, and `yes`, `no` and `form_field` are not used.
    """

    name: str
    flag: str
    flag_help: str
    title: str
    form_field: Callable[[], forms.Field] | None = None
    yes: str = ""
    no: str = ""
    choices: Mapping[str, str] = field(default_factory=dict)
    help_text: str = ""

    @property
    def default(self) -> bool | str:
        """What holds where nobody was asked."""
        return next(iter(self.choices), True)

    def shown(self, answer: object) -> str:
        """Return an answer as a job's page says it."""
        if self.choices:  # jobs of an earlier version were not asked
            first = next(iter(self.choices))
            return str(self.choices.get(str(answer or first), answer))
        return str(self.yes if answer else self.no)


class Report(Protocol):
    """What a training would learn from; see `questionbank.training.data_report.KeptReport`."""

    def __call__(self, *, hierarchies: Sequence[str] | None = None) -> Any:
        """Return the report, counted where it is not kept."""

    def kept(self, *, hierarchies: Sequence[str] | None = None) -> Any:
        """Return the report if it is kept, else None."""


class Training(ABC):
    """The part of a capability that is trained from a form or by a command.

    Attributes:
        then: says when the trained model serves.
        alone: parameters that two unfinished trainings must not have in common.
        scope: what each model serves: one hierarchy, one language, or nothing in particular. With ``one language or
            all``, the model without a scope serves every language that has none of its own.
        promotes_itself: whether the job compares and promotes the model too.
        groups: of settings in the form: their names, with spaces in between, by title. `OPEN_GROUPS` are not folded
            away; what is in no group follows at the end.
        first_time: how long a step takes on two cores; shown before the first training.
    """

    job_title: ClassVar[str]
    then: ClassVar[str] = SERVES_AFTER_PROMOTION
    alone: ClassVar[tuple[str, ...]] = ()
    scope: ClassVar[Literal["", "hierarchy", "language", "one language or all"]] = ""
    promotes_itself: ClassVar[bool] = False
    groups: ClassVar[Mapping[str, str]] = {}
    options: ClassVar[tuple[TrainingOption, ...]] = ()
    quick: ClassVar[QuickTraining | None] = None
    first_time: ClassVar[str] = ""

    @property
    @abstractmethod
    def report(self) -> Report:
        """What a training would learn from, shown by the template ``report.html``."""

    def job_parameters(
        self, settings: Mapping[str, str], hierarchies: Sequence[str] | None, answers: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Return what the training's run says besides ``set`` and ``hierarchies``, or in their place.

        Args:
            settings: values by the names of the configuration's fields, which are checked already.
            hierarchies: names; None for all questions.
            answers: to the options.

        Raises:
            ValidationFailed: the training cannot be done; `fields` has the problems by field.
        """
        return dict(answers)

    def title_of(self, parameters: Mapping[str, Any]) -> str:
        """Return the title of the job that has these parameters."""
        return self.job_title

    def settings_like(self, manifest: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return the settings of a training like that of a model; None: those that it was trained with."""
        return None

    def first_seconds(
        self, report: Any, settings: Mapping[str, str], parameters: Mapping[str, Any]
    ) -> float | None:
        """Return how long a training takes on two cores, before one was done here; None where nobody knows."""
        return None

    def loss_note(self, settings: Mapping[str, str]) -> str:
        """Return what has to be said at the curve of the loss; empty where nothing has."""
        return ""


class FixedSuite:
    """The part of a capability whose candidates are compared with the champion, on fixed questions.

    The templates ``suite.html`` and ``changed.html`` show what was measured, and what changes most.

    Attributes:
        no_figures: the gate's reason where nothing could be measured.
        too_few: what the comparison's page says then.
        queue: of the job that compares; ``"light"`` where it computes no vectors and needs no PyTorch.
        measures: titles of the tables of figures, by their ``measure``.
    """

    no_figures: ClassVar[str]
    too_few: ClassVar[str]
    queue: ClassVar[str] = "default"
    measures: ClassVar[Mapping[str, str]] = {}

    def problems(self, figures: Any) -> list[str]:
        """Return sentences on what keeps a candidate out besides its metrics.

        Args:
            figures: the capability's own (`questionbank.capabilities.figures`).
        """
        return []

    def shown(self, comparison: ModelComparison) -> dict[str, Any]:
        """Return the context of the two templates."""
        return {}


@dataclass(frozen=True, slots=True)
class KinshipRow:
    """A kind of similar questions: the last part of an address, and what the page says about it.

    Attributes:
        slug: last part of the address.
        lens: under which it is looked for.
        kind: of `questionbank.similar.kinship.Kin.kinds`; empty: every question that the lens finds.
        place: among the others; those without a kind come first.
    """

    slug: str
    lens: str
    kind: str
    name: str
    explanation: str
    place: int = 0


@dataclass(frozen=True, slots=True)
class LensTexts:
    """What pages say of a lens.

    Attributes:
        explanation: what being similar means under it.
    """

    name: str
    explanation: str
    kinships: tuple[KinshipRow, ...] = ()


@dataclass(frozen=True, slots=True)
class Headline:
    """The figure of each model in a list of models.

    Every training measures its model on questions of its own, so the figures of two trainings cannot be compared. A
    candidate that has been compared with the champion shows what both reach on the held-out questions instead.

    Attributes:
        path: of the figure in a manifest's ``metrics``.
        text: what it is, with the questions that it was measured on; empty if models of several languages are in
            one list, each measured on problems of its own: then it is on a model's own page alone.
        compared: name of the same figure in a comparison; empty: there is none.
    """

    path: tuple[str, ...]
    text: str = ""
    compared: str = ""
    compared_text: str = ""


@dataclass(frozen=True, slots=True)
class JobKind:
    """A kind of background job that one capability has; its class in `worker` does it.

    Attributes:
        word: the run's ``kind``, at most ten characters.
        alone: parameters that two unfinished jobs must not have in common; None: there may be any number of them.
        template: included in the page of a job, where its result leads somewhere.
        is_bulk: the job may take long, and gives way to jobs that people wait for; it saves its work as it goes, or is
            begun again.
        is_background: a bulk job that nobody asks for; it gives way to other bulk jobs, too.
    """

    word: str
    name: str
    alone: tuple[str, ...] | None = None
    template: str = ""
    is_bulk: bool = False
    is_background: bool = False


class BankCapability:
    """A capability as the bank knows it: subclass this, and `Training` and `FixedSuite` where it has these parts.

    Attributes:
        templates: folder below ``templates/``.
        promotion_note: what a promotion entails, for the page that asks for it.
        headline: the figure that lists of models show; None: they show none.
        facts: names of a manifest's ``extra`` that everybody understands.
        lens: what pages say of the lens that the capability's class in `analytics` has.
        jobs: kinds of jobs besides training, comparing and promoting.
    """

    templates: ClassVar[str]
    promotion_note: ClassVar[str] = ""
    roll_back_note: ClassVar[str] = ""
    headline: ClassVar[Headline | None] = None
    facts: ClassVar[tuple[str, ...]] = ()
    lens: ClassVar[LensTexts | None] = None
    jobs: ClassVar[tuple[JobKind, ...]] = ()

    def pages(self) -> Sequence[URLPattern | URLResolver]:
        """Return the addresses of pages of its own; imports the views, so that only what serves pages loads them."""
        return ()

    def after_promotion(self, *, user: User | None) -> str:
        """Ask for the jobs that follow when another model serves, and say so; inside the swap's transaction.

        Empty where there are none.
        """
        return ""

    def serving_problem(self, artifact: ModelArtifact) -> str:
        """Return why a model cannot serve now; empty where it can."""
        return ""

    @property
    def training(self) -> Training | None:
        """The capability itself, if it is trained on the bank."""
        return self if isinstance(self, Training) else None

    @property
    def suite(self) -> FixedSuite | None:
        """The capability itself, if its candidates are compared; else it has no gate."""
        return self if isinstance(self, FixedSuite) else None

    def template(self, name: str) -> str:
        """Return the path of one of its templates."""
        return f"{self.templates}/{name}.html"

    @property
    def template_paths(self) -> list[str]:
        names = [*(["report"] if self.training else []), *(["suite", "changed"] if self.suite else [])]
        return [*map(self.template, names), *(job.template for job in self.jobs if job.template)]
