"""Models: which ones serve, their figures, comparing, promoting, rolling back.

Everybody with read access sees them; only admins change them. Anything slow is a job with its own page.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from analytics.catalog import CAPABILITIES
from analytics.configuration import field_specs
from analytics.metrics import named_metric
from questionbank.core.capability_catalog import bank_capability, fixed_suite, scope_name, training_of
from questionbank.core.errors import Conflict, NotFound, ValidationFailed
from questionbank.core.forms import ServiceForm
from questionbank.core.storage import last_backup
from questionbank.core.views import button_for, check_permission, form_for, page_for, paginated, posted, warning_of
from questionbank.core.wording import percent_text, readable
from questionbank.jobs.run_selectors import model_jobs, run_metric_series
from questionbank.models import ModelArtifact, ModelComparison, Run
from questionbank.registry.artifact_selectors import (
    artifact_champion,
    artifact_champions,
    came_with_program,
    general_champion,
)
from questionbank.registry.artifact_services import artifact_delete
from questionbank.registry.curve_views import compared_charts, figure_rows, loss_note, training_charts
from questionbank.registry.lifecycle_services import (
    comparison_request,
    gate_verdict,
    model_roll_back,
    old_models_request,
    promotion_request,
    retention_set,
)
from questionbank.registry.model_selectors import (
    CapabilityModels,
    champion_comparisons,
    comparison_shown,
    gate,
    model_bytes,
    model_events,
    model_get,
    model_retentions,
    models_by_capability,
    models_bytes,
    old_models,
    rejected_candidates,
    roll_back_target,
    training_run,
)

EVENTS_SHOWN = 8  # on the list; the history page shows all
PAGE_SIZE = 50
LONGEST = 500  # longer values (in characters) are not shown


class ReasonForm(ServiceForm):
    """The reason for promoting or deleting a model, or for rolling back."""

    main_field = "reason"

    reason = forms.CharField(
        label="Reason",
        max_length=2000,
        error_messages={"required": "Give a reason."},
        widget=forms.Textarea(attrs={"rows": 3, "class": "short"}),
        help_text="A sentence for anyone who reads the history later.",
    )
    override = forms.BooleanField(label="Promote it even if it does not pass the gate", required=False)

    def __init__(self, *args: Any, optional: bool = False, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["reason"].required = not optional


MOST_KEPT = 1000


class RetentionForm(ServiceForm):
    """One number per capability; an empty field keeps all."""

    def __init__(self, *args: Any, keep: Mapping[str, int], **kwargs: Any) -> None:
        super().__init__(*args, initial=dict(keep), **kwargs)
        for word, capability in CAPABILITIES.items():
            self.fields[word] = forms.IntegerField(
                label=capability.title, required=False, min_value=0, max_value=MOST_KEPT
            )

    @property
    def keep(self) -> dict[str, int]:
        """The numbers of a valid form, without empty ones."""
        return {word: number for word, number in self.cleaned_data.items() if number is not None}


@page_for("read")
def model_list(request: HttpRequest) -> HttpResponse:
    """Show every capability with its champion, candidates and archived models."""
    compared = champion_comparisons()
    groups = [
        {
            "models": models,
            "in_use": [_with_headline(artifact, compared) for artifact in (*models.champions, *models.candidates)],
            "archived": [_with_headline(artifact, compared) for artifact in models.archived],
            "trainable": training_of(models.capability) is not None,
            "roll_backs": _can_be_rolled_back(models),
            "events": model_events(capability=models.capability)[:EVENTS_SHOWN],
        }
        for models in models_by_capability()
    ]
    context = {"groups": groups, "jobs": model_jobs(), "bytes": models_bytes(ModelArtifact.objects.all())}
    return render(request, "registry/models/list.html", context)


def _can_be_rolled_back(models: CapabilityModels) -> list[tuple[ModelArtifact, ModelArtifact]]:
    """Return the champions that can be rolled back, each with the model that takes over.

    A hierarchy's probes are rolled back on their own page.
    """
    training = training_of(models.capability)
    if fixed_suite(models.capability) is None or (training is not None and training.scope == "hierarchy"):
        return []
    return _with_successor(models.champions)


def _with_successor(champions: Sequence[ModelArtifact]) -> list[tuple[ModelArtifact, ModelArtifact]]:
    targets = [(artifact, roll_back_target(artifact.capability, artifact.scope)) for artifact in champions]
    return [(artifact, target) for artifact, target in targets if target is not None]


def _in_percent(figures: dict[str, Any], path: Sequence[str]) -> dict[str, Any]:
    """Return the figures with the share at `path` in per cent, as lists of models show it."""
    if not path:
        return figures
    name, *rest = path
    value = figures.get(name)
    if rest and isinstance(value, dict):
        return {**figures, name: _in_percent(value, rest)}
    return {**figures, name: percent_text(value)} if isinstance(value, float) and not rest else figures


def _with_headline(artifact: ModelArtifact, compared: Mapping[int, Sequence[Mapping[str, Any]]]) -> dict[str, Any]:
    """Return a model's list entry with its main figure, if any, next to the champion's if both are known."""
    headline = bank_capability(artifact.capability).headline
    entry = {"artifact": artifact, "bytes": model_bytes(artifact)}
    if headline is None:
        return entry
    for metric in compared.get(artifact.pk, ()):
        if metric["name"] == headline.compared:
            return {
                **entry,
                "figure": metric["candidate"],
                "champion_figure": metric["champion"],
                "figure_name": headline.compared_text,
            }
    if not headline.text:
        return entry
    value: Any = artifact.manifest.get("metrics", {})
    for name in headline.path:
        value = value.get(name) if isinstance(value, dict) else None
    return {**entry, "figure": value, "figure_name": headline.text}


@page_for("read")
def model_history(request: HttpRequest, capability: str) -> HttpResponse:
    """Show the full history of a capability's models."""
    _check_capability(capability)
    page = paginated(request, model_events(capability=capability), PAGE_SIZE)
    context = {"page": page, "title": CAPABILITIES[capability].title}
    return render(request, "registry/models/history.html", context)


@page_for("read")
def model_detail(request: HttpRequest, artifact_id: int) -> HttpResponse:
    """Show one model: its origin, settings, figures and curves, and the actions available."""
    artifact = model_get(artifact_id=artifact_id)
    trained = training_run(artifact=artifact)
    manifest = artifact.manifest
    is_champion = artifact.state == ModelArtifact.State.CHAMPION
    headline = bank_capability(artifact.capability).headline
    context = {
        "artifact": artifact,
        "bytes": model_bytes(artifact),
        "title": CAPABILITIES[artifact.capability].title if artifact.capability in CAPABILITIES else "",
        "manifest": manifest,
        "settings": _settings(artifact),
        "measures": figure_rows(_in_percent(manifest.get("metrics", {}), headline.path if headline else ())),
        "about": _about(artifact, shown=True),
        "technical": _about(artifact, shown=False),
        "command": manifest.get("extra", {}).get("command", ""),
        "came_with_program": came_with_program(artifact),
        "run": trained,
        "charts": training_charts(run_metric_series(run=trained)) if trained else [],
        "loss_note": loss_note(trained) if trained else "",
        "jobs": model_jobs(artifact=artifact),
        "comparable": fixed_suite(artifact.capability) is not None
        and not is_champion
        and artifact_champion(capability=artifact.capability, scope=artifact.scope) is not None,
        "comparison": comparison_shown(artifact=artifact),
        "roll_back": roll_back_target(artifact.capability, artifact.scope) if is_champion else None,
        "events": artifact.events.select_related("former", "person")[:EVENTS_SHOWN],
    }
    return render(request, "registry/models/detail.html", context)


@form_for("read")
def model_compare(request: HttpRequest, artifact_id: int) -> HttpResponse:
    """Compare a model with the champion; a POST requests the measurement."""
    artifact = model_get(artifact_id=artifact_id)
    if request.method == "POST":
        check_permission(request, "models_manage")
        with warning_of(request, ValidationFailed):
            run = comparison_request(candidate=artifact, user=request.user)
            return redirect("run_detail", run_id=run.pk)
        return redirect("model_compare", artifact_id=artifact.pk)
    comparison = comparison_shown(artifact=artifact)
    champion = artifact_champion(capability=artifact.capability, scope=artifact.scope)
    row = bank_capability(artifact.capability)
    context: dict[str, Any] = {
        "artifact": artifact,
        "champion": champion,
        "general": general_champion(artifact),
        "scope_name": scope_name(artifact),
        "comparison": comparison,
        "jobs": model_jobs(artifact=artifact),
        "may_measure": row.suite is not None and champion is not None and champion.pk != artifact.pk,
    }
    if comparison is not None and row.suite is not None:
        rival = comparison.champion
        context |= {
            "other": rival,
            "is_current": champion is not None and rival.pk == champion.pk,
            "gate": gate(comparison),
            "suite": comparison.figures["suite"],
            "tables": _tables(_metric_rows(comparison), row.suite.measures),
            "too_few": row.suite.too_few,
            "suite_template": row.template("suite"),
            "changed_template": row.template("changed"),
            "bound": _bound(comparison),
            "charts": compared_charts(
                _curves(artifact), _curves(rival), names=(artifact.numbered_name, rival.numbered_name)
            ),
            **row.suite.shown(comparison),
        }
    else:
        context["comparison"] = None
    return render(request, "registry/models/compare.html", context)


@form_for("models_manage")
def model_promote(request: HttpRequest, artifact_id: int) -> HttpResponse:
    """Promote a model: show the gate's verdict, take a reason, and start a job that builds what it needs."""
    artifact = model_get(artifact_id=artifact_id)
    form = ReasonForm(posted(request))
    if form.is_valid():
        with form.takes_problems(Conflict):
            run = promotion_request(artifact=artifact, user=request.user, **form.cleaned_data)
            return redirect("run_detail", run_id=run.pk)
    verdict = gate_verdict(artifact=artifact, override=True)
    context = {
        "artifact": artifact,
        "champion": artifact_champion(capability=artifact.capability, scope=artifact.scope),
        "general": general_champion(artifact),
        "scope_name": scope_name(artifact),
        "note": bank_capability(artifact.capability).promotion_note,
        "verdict": verdict,
        "is_uncompared": bool(verdict) and verdict["passes"] and verdict["comparison"] is None,
        "jobs": model_jobs(kind=Run.Kind.PROMOTE),
        "form": form,
        "problem": form.refusal,
    }
    return render(request, "registry/models/promote.html", context, status=form.status)


@form_for("models_manage")
def model_roll_back_page(request: HttpRequest, capability: str) -> HttpResponse:
    """Restore the former champion at once; `?scope=` is the hierarchy or language of the model.

    A language's first model has no predecessor: it is taken out of use, and the general one serves the language.
    """
    _check_capability(capability)
    scope = request.POST.get("scope", request.GET.get("scope", "")).replace("\0", "")
    form = ReasonForm(posted(request))
    champion = artifact_champion(capability=capability, scope=scope)
    if form.is_valid():
        reason = form.cleaned_data["reason"]
        with form.takes_problems(Conflict):
            back = model_roll_back(capability=capability, reason=reason, user=request.user, scope=scope)
            messages.success(request, _rolled_back(champion, back))
            return redirect("model_detail", artifact_id=back.pk)
    target = roll_back_target(capability, scope)
    context = {
        "capability": capability,
        "scope": scope,
        "consequence": bank_capability(capability).roll_back_note,
        "champion": champion,
        "target": target,
        "is_general": target is not None and target.scope != scope,
        "choices": []
        if target
        else [champion for champion, _back in _with_successor(artifact_champions(capability=capability))],
        "form": form,
        "problem": form.refusal,
    }
    return render(request, "registry/models/roll_back.html", context, status=form.status)


def _rolled_back(champion: ModelArtifact | None, back: ModelArtifact) -> str:
    if champion is None or champion.scope == back.scope:
        return f"“{back.name}” is in use again."
    return f"“{champion.name}” is out of use. “{back.name}” is now in use for {scope_name(champion)}."


@form_for("models_manage")
def model_delete(request: HttpRequest, artifact_id: int) -> HttpResponse:
    """Delete a candidate or an archived model; its history stays."""
    artifact = model_get(artifact_id=artifact_id)
    form = ReasonForm(posted(request), optional=True)
    if form.is_valid():
        with form.takes_problems(Conflict):
            artifact_delete(artifact=artifact, reason=form.cleaned_data["reason"], user=request.user)
            messages.success(request, f"“{artifact.name}” is deleted.")
            return redirect("model_list")
    context = {"artifact": artifact, "form": form, "problem": form.refusal}
    return render(request, "registry/models/delete.html", context, status=form.status)


def _check_capability(capability: str) -> None:
    if capability not in CAPABILITIES:
        raise NotFound("There are no models of this kind.")


def _settings(artifact: ModelArtifact) -> list[dict[str, Any]]:
    """Return the model's settings, each with whether it differs from today's default."""
    capability = CAPABILITIES.get(artifact.capability)
    specs = {spec.name: spec for spec in (field_specs(capability.config) if capability else ())}
    return [
        {
            "name": name,
            "value": value,
            "help": specs[name].help if name in specs else "",
            "differs": name in specs and specs[name].default != value,
        }
        for name, value in artifact.manifest.get("config", {}).items()
    ]


def _about(artifact: ModelArtifact, *, shown: bool) -> list[tuple[str, Any]]:
    """Return a manifest's extra entries: the generally understood ones if `shown`, else the technical rest."""
    facts = bank_capability(artifact.capability).facts
    return [
        (readable(name), value)
        for name, value in artifact.manifest.get("extra", {}).items()
        if name != "command" and (name in facts) is shown and len(str(value)) < LONGEST
    ]


def _curves(artifact: ModelArtifact) -> dict[str, list[tuple[int, float]]]:
    run = training_run(artifact=artifact)
    return run_metric_series(run=run) if run else {}


def _metric_rows(comparison: ModelComparison) -> list[dict[str, Any]]:
    """Return a row per figure, its difference oriented so that more is better, with the verdict in a word."""
    rows = []
    for metric in comparison.figures["metrics"]:
        sign = 1 if metric["higher_is_better"] else -1
        low, high = sorted((sign * metric["low"], sign * metric["high"]))
        if metric["worse"]:
            word, look = "worse", "badge-danger"
        elif low > 0:
            word, look = "better", "badge-accent"
        else:
            word, look = "no clear difference", ""
        turned = {"gain": sign * metric["difference"], "gain_low": low, "gain_high": high}
        rows.append(metric | turned | {"title": named_metric(metric["name"]).full_label, "word": word, "look": look})
    return rows


def _tables(rows: list[dict[str, Any]], titles: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return tables of figures grouped by measure; the first is expanded, the others fold away."""
    measures = dict.fromkeys(row.get("measure", "") for row in rows)
    return [
        {"title": titles.get(measure, ""), "rows": [row for row in rows if row.get("measure", "") == measure]}
        for measure in measures
    ]


def _bound(comparison: ModelComparison) -> float:
    """Return half the width of the interval plots, which all share and which cuts no interval off."""
    ends = [abs(metric[end]) for metric in comparison.figures["metrics"] for end in ("low", "high", "difference")]
    return max([*ends, 0.01])


@form_for("models_manage")
def old_models_page(request: HttpRequest) -> HttpResponse:
    """Show which models the rule deletes, or would delete with the form's numbers; a POST saves them."""
    saved = model_retentions()
    data = request.POST if request.method == "POST" else request.GET if "preview" in request.GET else None
    form = RetentionForm(data, keep=saved)
    if request.method == "POST" and form.is_valid():
        retention_set(user=request.user, keep=form.cleaned_data)
        messages.success(request, "The rule is saved.")
        return redirect("old_models")
    is_wrong = form.is_bound and not form.is_valid()
    keep = form.keep if form.is_bound and not is_wrong else saved
    old = old_models(keep=keep)
    rejected = rejected_candidates()
    context = {
        "form": form,
        "old": [(artifact, model_bytes(artifact)) for artifact in old],
        "old_bytes": models_bytes(old),
        "all_bytes": models_bytes(ModelArtifact.objects.all()),
        "rejected": len(rejected),
        "rejected_bytes": models_bytes(rejected),
        "is_preview": keep != saved,
        "has_rule": bool(keep),
        "backup": last_backup(),
    }
    return render(request, "registry/models/old.html", context, status=422 if is_wrong else 200)


@button_for("models_manage", back="old_models")
def old_models_delete_view(request: HttpRequest) -> HttpResponse:
    """Delete the models that are old by the saved rule now."""
    old_models_request(user=request.user)
    messages.success(request, "A job deletes the old models now. Each has its line in the history.")
    return redirect("old_models")
