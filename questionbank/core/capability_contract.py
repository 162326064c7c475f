"""The contract between a capability and the bank: members of its class in `questionbank.capabilities`.

Any layer may import this module and `questionbank.core.capability_catalog`; the classes themselves are above services
and views, so that they can call both. Decisions 48 and 83.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from django import forms

from analytics.capability import LateTable

if TYPE_CHECKING:
    from django.urls import URLPattern, URLResolver

    from questionbank.core.capability_report import CachedReport, Report
    from questionbank.models import ModelArtifact, ModelComparison, User

QUESTION = "questions/<int:question_id>"
"""Start of the URLs of a question's pages."""

OPEN_GROUPS = ("What is learned", "How long")
SERVES_AFTER_PROMOTION = "A job trains a candidate. It is not used until it has been compared and promoted."


@dataclass(frozen=True, slots=True)
class QuickTraining:
    """A training run that takes minutes on any machine; offered if the capability has a model in use.

    Attributes:
        settings: initial values of the form.
        sentence: shown on the page in that case.
        help_texts: override the configuration's help; with ``%(word)s`` for ``backbone="in use"``.
        is_default: whether a form without a choice, and a command without a backbone, use it.
    """

    settings: Mapping[str, Any]
    sentence: str
    help_texts: Mapping[str, str] = field(default_factory=dict)
    is_default: bool = False


def backbone_help(model: str, note: str = "") -> dict[str, str]:
    """Return the help text of the backbone field, for a training run that may start from a `model` of the bank."""
    start = f"Package name, local folder or hub id of the encoder to start from; “in use”: the {model} in use now"
    return {"backbone": f"{start}{note}; “model 12”: the {model} with this number"}


@dataclass(frozen=True, slots=True)
class TrainingOption:
    """A form option outside the training configuration; a boolean that defaults to true.

    Attributes:
        name: name of the run's parameter and of the form's field.
        flag: flag of `manage.py train` that sets it to false.
        title: label on a job's page.
        yes: shown on a job's page if it is on.
        no: shown if it is off.
        form_field: creates the form's field, for a boolean.
        choices: for an option that is not a boolean: values and their labels, the default first. The flag then takes a
            value, and `yes`, `no` and `form_field` are not used.
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
        """The default value."""
        return next(iter(self.choices), True)

    def shown(self, answer: object) -> str:
        """Return an answer as shown on a job's page."""
        if self.choices:  # jobs of earlier versions have no answer
            first = next(iter(self.choices))
            return str(self.choices.get(str(answer or first), answer))
        return str(self.yes if answer else self.no)


class Training(ABC):
    """Mixin for a capability that is trained from a form or by a command.

    Attributes:
        then: states when the trained model is used.
        alone: parameters in which two unfinished training runs must differ.
        scope: what each model serves: one hierarchy, one language, or nothing in particular. With ``one language or
            all``, the model without a scope serves every language without a model of its own.
        promotes_itself: whether the job also compares and promotes the model.
        groups: setting names, separated by spaces, by title of their group in the form. `OPEN_GROUPS` are shown
            expanded; settings without a group follow at the end.
        first_time: duration of a step on two cores; shown before the first training.
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
    def report(self) -> CachedReport:
        """The report on what a training run would learn from."""

    def job_parameters(
        self, settings: Mapping[str, str], hierarchies: Sequence[str] | None, answers: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Return parameters of the training's run that supplement or replace ``set`` and ``hierarchies``.

        Args:
            settings: values by the configuration's field names, already validated.
            hierarchies: names; None for all questions.
            answers: values of the options.

        Raises:
            ValidationFailed: the training is impossible; `fields` holds the problems by field.
        """
        return dict(answers)

    def title_of(self, parameters: Mapping[str, Any]) -> str:
        """Return the title of a job with these parameters."""
        return self.job_title

    def settings_like(self, manifest: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return settings for a training run like that of a model; None to use those it was trained with."""
        return None

    def first_seconds(self, report: Report, settings: Mapping[str, str], parameters: Mapping[str, Any]) -> float | None:
        """Return an estimate for the first training on two cores, in seconds; None if unknown."""
        return None

    def loss_note(self, settings: Mapping[str, str]) -> str:
        """Return a note on the loss curve, or an empty string."""
        return ""


class FixedSuite:
    """Mixin for a capability whose candidates are compared with the champion on fixed questions.

    The templates ``suite.html`` and ``changed.html`` show the measurements and the largest changes.

    Attributes:
        no_figures: the gate's reason if nothing could be measured.
        too_few: shown on the comparison's page in that case.
        queue: queue of the comparison job; ``"light"`` if it computes no vectors and needs no PyTorch.
        measures: titles of the tables of metrics, by their ``measure``.
    """

    no_figures: ClassVar[str]
    too_few: ClassVar[str]
    queue: ClassVar[str] = "default"
    measures: ClassVar[Mapping[str, str]] = {}

    def problems(self, figures: Any) -> list[str]:
        """Return sentences on what disqualifies a candidate apart from its metrics.

        Args:
            figures: the capability's own figures (`questionbank.core.capability_figures`).
        """
        return []

    def shown(self, comparison: ModelComparison) -> dict[str, Any]:
        """Return additional context for the two templates."""
        return {}


@dataclass(frozen=True, slots=True)
class KinshipRow:
    """A kind of similar questions: the last part of its URL, and its texts.

    Attributes:
        slug: last part of the URL.
        lens: the lens of the search.
        kind: a key of `questionbank.similar.kinship.Kin.kinds`; empty for all questions that the lens finds.
        place: sort key; rows without a kind come first.
    """

    slug: str
    lens: str
    kind: str
    name: str
    explanation: str
    place: int = 0


@dataclass(frozen=True, slots=True)
class LensTexts:
    """The texts about a lens.

    Attributes:
        explanation: what being similar means under it.
    """

    name: str
    explanation: str
    kinships: tuple[KinshipRow, ...] = ()


@dataclass(frozen=True, slots=True)
class Headline:
    """The headline metric of each model in a list of models.

    Every training run measures its model on its own held-out questions, so the figures of two runs cannot be compared.
    A candidate that has been compared with the champion shows both results on the bank's held-out questions instead.

    Attributes:
        path: path of the metric in a manifest's ``metrics``.
        text: description of the metric and its questions; empty if the list mixes models of several languages, each
            measured on its own problems: then it is only shown on the model's page.
        compared: name of the same metric in a comparison; empty if there is none.
    """

    path: tuple[str, ...]
    text: str = ""
    compared: str = ""
    compared_text: str = ""


@dataclass(frozen=True, slots=True)
class JobKind:
    """A kind of background job that belongs to one capability, whose class in `worker` executes it.

    Attributes:
        word: the run's ``kind``, at most ten characters.
        alone: parameters in which two unfinished jobs must differ; None for no limit on their number.
        template: included in a job's page, if its result links somewhere.
        is_bulk: whether the job may take long and gives way to jobs that people wait for; it saves its work as it goes,
            or is restarted.
        is_background: whether it is a bulk job that nobody requests; it also gives way to other bulk jobs.
    """

    word: str
    name: str
    alone: tuple[str, ...] | None = None
    template: str = ""
    is_bulk: bool = False
    is_background: bool = False


class BankCapability:
    """A capability in the bank: subclass this, and `Training` and `FixedSuite` as needed.

    Attributes:
        templates: folder below ``templates/``.
        promotion_note: consequences of a promotion, shown on its confirmation page.
        headline: the metric shown in lists of models; None to show none.
        facts: keys of a manifest's ``extra`` that are worth showing to everybody.
        lens: texts about the lens of the capability's class in `analytics`.
        jobs: kinds of jobs other than training, comparing and promoting.
    """

    templates: ClassVar[str]
    promotion_note: ClassVar[str] = ""
    roll_back_note: ClassVar[str] = ""
    headline: ClassVar[Headline | None] = None
    facts: ClassVar[tuple[str, ...]] = ()
    lens: ClassVar[LensTexts | None] = None
    jobs: ClassVar[tuple[JobKind, ...]] = ()

    def pages(self) -> Sequence[URLPattern | URLResolver]:
        """Return its URL patterns; imports the views here, so that only processes that serve pages load them."""
        return ()

    def after_promotion(self, *, user: User | None) -> str:
        """Request the jobs that follow a change of the model in use, and announce them; runs in the swap's transaction.

        Returns an empty string if there are none.
        """
        return ""

    def after_roll_back(self) -> None:
        """Request further jobs for when a former model serves again; runs in the transaction that restores it."""

    def serving_problem(self, artifact: ModelArtifact) -> str:
        """Return why a model cannot be used now; empty if it can."""
        return ""

    @property
    def training(self) -> Training | None:
        """The capability itself, if it can be trained on the bank."""
        return self if isinstance(self, Training) else None

    @property
    def suite(self) -> FixedSuite | None:
        """The capability itself, if its candidates are compared; otherwise it has no gate."""
        return self if isinstance(self, FixedSuite) else None

    def template(self, name: str) -> str:
        """Return the path of one of its templates."""
        return f"{self.templates}/{name}.html"

    @property
    def template_paths(self) -> list[str]:
        names = ["suite", "changed"] if self.suite else []
        return [*map(self.template, names), *(job.template for job in self.jobs if job.template)]


BANK_CAPABILITIES: LateTable[BankCapability] = LateTable()
"""The rows of `questionbank.capabilities.table`, set by `questionbank.apps`; imported on first use."""
