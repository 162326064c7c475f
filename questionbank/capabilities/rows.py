"""What the pages, services and jobs of the bank must know about a capability: the columns of its row.

A row imports nothing of the bank. Functions are named (``module:function``) and imported when they are called, so that
any layer can read the table; `questionbank.checks` looks at start whether each of them exists.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

SERVES_AFTER_PROMOTION = _(
    "A job trains a candidate. It is not used until it has been compared and promoted."
)


@dataclass(frozen=True, slots=True)
class FormGroup:
    """Settings that stand together in the form of a training; `is_open` where they are not folded away."""

    title: Promise
    fields: tuple[str, ...]
    is_open: bool = False


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
    sentence: Promise
    help_texts: Mapping[str, Promise] = field(default_factory=dict)
    is_default: bool = False


@dataclass(frozen=True, slots=True)
class TrainingOption:
    """A question of the form that is no setting of the configuration: yes or no, and yes unless somebody says no.

    Attributes:
        name: of the run's parameter and of the form's field.
        flag: of `manage.py train`, to say no.
        flag_help: what the command says of it.
        title: what a job's page calls it.
        yes: what a job's page says where it is on.
        no: where it is off.
        form_field: ``() -> django.forms.Field``, for yes or no.
        choices: of an option that is no yes or no: what may be chosen, the default first, and what pages call it. The
            flag then takes a value, and `yes`, `no` and `form_field` are not used.
        help_text: of a choice.
    """

    name: str
    flag: str
    flag_help: str
    title: Promise
    form_field: str = ""
    yes: Promise | str = ""
    no: Promise | str = ""
    choices: Mapping[str, Promise] = field(default_factory=dict)
    help_text: Promise | str = ""

    def shown(self, answer: object) -> str:
        """Return an answer as a job's page says it."""
        if self.choices:  # jobs of an earlier version were not asked
            first = next(iter(self.choices))
            return str(self.choices.get(str(answer or first), answer))
        return str(self.yes if answer else self.no)


@dataclass(frozen=True, slots=True)
class Training:
    """How a capability is trained from a form or by a command.

    Attributes:
        request: ``(*, settings, hierarchies, user, send, **options) -> Run``; raises what the form shows.
        report: the `KeptReport` of what a training would learn from, shown by the template ``report.html``.
        then: says when the trained model serves.
        alone: parameters that two unfinished trainings must not have in common.
        scope: what each model serves: one hierarchy, one language, or nothing in particular. With ``one language or
            all``, the model without a scope serves every language that has none of its own.
        promotes_itself: whether the job compares and promotes the model too.
        groups: how the settings stand in the form; those in no group fold away at its end.
        options: what the form asks besides.
        quick: settings of a training that takes minutes.
        settings_like: ``(manifest) -> settings`` of another training like that of a model; by default its own.
        first_time: how long a step takes on two cores, for whoever has trained none yet.
        first_seconds: ``(report, settings, parameters) -> seconds or None`` of a whole training on two cores, likewise.
        loss_note: ``(settings) -> sentence``, shown at the curve of the loss; empty where it needs none.
    """

    request: str
    report: str
    then: Promise = SERVES_AFTER_PROMOTION
    alone: tuple[str, ...] = ()
    scope: Literal["", "hierarchy", "language", "one language or all"] = ""
    promotes_itself: bool = False
    groups: tuple[FormGroup, ...] = ()
    options: tuple[TrainingOption, ...] = ()
    quick: QuickTraining | None = None
    settings_like: str = ""
    first_time: Promise | str = ""
    first_seconds: str = ""
    loss_note: str = ""


@dataclass(frozen=True, slots=True)
class FixedSuite:
    """The questions on which a candidate is compared with the champion, and what is said of them.

    The templates ``suite.html`` and ``changed.html`` show what was measured, and what changes most.

    Attributes:
        no_figures: the gate's reason where nothing could be measured.
        too_few: what the comparison's page says then.
        queue: of the job that compares; ``"light"`` where it computes no vectors and needs no PyTorch.
        problems: ``(figures) -> list of sentences`` for what else keeps a candidate out.
        shown: ``(comparison) -> context`` for the two templates.
        measures: titles of the tables of figures, by their ``measure``.
    """

    no_figures: Promise
    too_few: Promise
    queue: str = "default"
    problems: str = ""
    shown: str = ""
    measures: Mapping[str, Promise] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class KinshipRow:
    """A kind of similar questions: the last part of an address, and what the page says about it.

    Attributes:
        slug: last part of the address.
        lens: under which it is looked for.
        kind: of `questionbank.selectors.similar.kinship.Kin.kinds`; empty: every question that the lens finds.
        place: among the others; those without a kind come first.
    """

    slug: str
    lens: str
    kind: str
    name: Promise
    explanation: Promise
    place: int = 0


@dataclass(frozen=True, slots=True)
class LensTexts:
    """What pages say of a lens.

    Attributes:
        name: as the heading of a list.
        explanation: what being similar means under it.
        kinships: kinds of similar questions that it finds.
    """

    name: Promise
    explanation: Promise
    kinships: tuple[KinshipRow, ...] = ()


@dataclass(frozen=True, slots=True)
class Headline:
    """The figure of each model in a list of models.

    Every training measures its model on questions of its own, so the figures of two trainings cannot be compared. A
    candidate that has been compared with the champion shows what both reach on the held-out questions instead.

    Attributes:
        path: of the figure in a manifest's ``metrics``.
        text: what it is, with the questions that it was measured on; empty where models of several languages stand in
            one list, each measured on problems of its own: then it is on a model's own page alone.
        compared: name of the same figure in a comparison; empty: there is none.
        compared_text: what that is.
    """

    path: tuple[str, ...]
    text: Promise | str = ""
    compared: str = ""
    compared_text: Promise | str = ""


@dataclass(frozen=True, slots=True)
class BankCapability:
    """A capability as the bank knows it.

    Attributes:
        templates: folder below ``templates/``.
        training: None where it is not trained on the bank.
        suite: None where there is nothing to compare on; then there is no gate.
        promotion_note: what a promotion entails, for the page that asks for it.
        roll_back_note: what a roll back entails.
        after_promotion: ``(*, user) -> sentence``, inside the transaction that lets another model serve: asks for the
            jobs that follow and says so in the log; empty where there are none.
        serving_problem: ``(artifact) -> sentence`` on why a model cannot serve now; empty where it can.
        headline: the figure that lists of models show; None: they show none.
        facts: names of a manifest's ``extra`` that everybody understands.
        lens: what pages say of the lens in `analytics.catalog`, where the capability has one.
    """

    templates: str
    training: Training | None = None
    suite: FixedSuite | None = None
    promotion_note: Promise | str = ""
    roll_back_note: Promise | str = ""
    after_promotion: str = ""
    serving_problem: str = ""
    headline: Headline | None = None
    facts: tuple[str, ...] = ()
    lens: LensTexts | None = None

    def template(self, name: str) -> str:
        """Return the path of one of its templates."""
        return f"{self.templates}/{name}.html"

    @property
    def template_paths(self) -> list[str]:
        """Paths of the templates that it must have."""
        names = ["report"] if self.training else []
        return [self.template(name) for name in (*names, *(("suite", "changed") if self.suite else ()))]

    @property
    def hooks(self) -> dict[str, str]:
        """Every function that the row names, by what it is for."""
        training, suite = self.training, self.suite
        named = {"after_promotion": self.after_promotion, "serving_problem": self.serving_problem}
        if training is not None:
            named |= {"training.request": training.request, "training.report": training.report}
            named |= {"training.settings_like": training.settings_like}
            named |= {f"training.options.{option.name}": option.form_field for option in training.options}
        if suite is not None:
            named |= {"suite.problems": suite.problems, "suite.shown": suite.shown}
        required = {"training.request", "training.report"}
        return {name: dotted for name, dotted in named.items() if dotted or name in required}
