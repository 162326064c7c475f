"""Train a capability in this process, without a worker."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Mapping
from typing import Any

from django.core.management.base import CommandError

from analytics.catalog import CAPABILITIES
from analytics.configuration import field_specs, named_values
from questionbank.bank.concept_selectors import hierarchies
from questionbank.core.capability_catalog import fixed_suite, trainable, training_of
from questionbank.core.capability_contract import TrainingOption
from questionbank.core.errors import KindredError
from questionbank.management.base import BankCommand
from questionbank.models import Run
from questionbank.registry.artifact_selectors import artifact_champion
from questionbank.registry.lifecycle_services import comparison_request, promotion_request
from questionbank.registry.model_selectors import model_get
from questionbank.training.services import training_request
from questionbank.training.start import completed_settings


class Command(BankCommand):
    """Trains one model for the bank, or one per hierarchy if the capability's models belong to one."""

    help = "Train a capability on the bank, here and now."
    needs_model = True

    def add_arguments(self, parser: ArgumentParser) -> None:
        words = trainable()
        parser.add_argument("capability", help=" or ".join(words))
        parser.add_argument("--hierarchy", action="append", help="by default every hierarchy of the bank")
        settings = "; ".join(
            f"{word}: {', '.join(spec.name for spec in field_specs(CAPABILITIES[word].config))}" for word in words
        )
        parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help=settings)
        for option in {option.flag: option for option in _options()}.values():
            if option.choices:
                parser.add_argument(option.flag, choices=tuple(option.choices), help=option.flag_help)
            else:
                parser.add_argument(option.flag, action="store_true", help=option.flag_help)
        parser.add_argument(
            "--promote",
            action="store_true",
            help="compare with the champion, promote if it passes (probes do this automatically)",
        )
        parser.add_argument("--reason", default="", help="why it is promoted; kept in the history")

    def handle(self, *_args: Any, capability: str, hierarchy: list[str] | None, **options: Any) -> None:
        training = training_of(capability)
        if training is None:
            raise CommandError(f"{capability!r} cannot be trained on the bank: choose one of {', '.join(trainable())}.")
        settings = named_values(options["set"])
        if training.promotes_itself and (options["promote"] or options["reason"]):
            raise CommandError(
                f"New {capability} are compared and serve by themselves if they pass: leave --promote and --reason out."
            )
        if options["promote"] and not options["reason"].strip():
            raise CommandError("A promotion needs a reason: add --reason.")
        for option in _options():
            if _given(option, options) and option.flag not in {allowed.flag for allowed in training.options}:
                raise CommandError(f"{option.flag} does not apply to {capability}. Remove it.")
        answers = {
            option.name: _given(option, options) or next(iter(option.choices))
            if option.choices
            else not _given(option, options)
            for option in training.options
        }
        if training.scope == "hierarchy":
            self._train_each(capability, hierarchy, settings, answers)
            return
        scope = str(answers.get("language", ""))
        completed = completed_settings(capability=capability, settings=settings, scope=scope)
        if completed != settings:
            self.stdout.write(
                "The model in use is trained further; --set backbone=NAME starts from an encoder instead."
            )
        run = training_request(
            capability=capability, settings=completed, hierarchies=hierarchy, send=False, answers=answers
        )
        self._train_candidate(run, options["reason"] if options["promote"] else "")

    def _train_candidate(self, run: Run, reason: str) -> None:
        from worker.catalog import worker_capability
        from worker.comparison import compare_run, promote_run
        from worker.reporting import run_here

        train = worker_capability(run.capability).train
        artifact = model_get(artifact_id=run_here(run, train, echo=self.stderr.write)["model"])
        self.stdout.write(f"{artifact.name}: trained as model {artifact.pk}.")
        if reason:
            champion = artifact_champion(capability=artifact.capability, scope=artifact.scope)
            if champion is not None and fixed_suite(artifact.capability) is not None:
                comparison = comparison_request(candidate=artifact, send=False)
                run_here(comparison, compare_run, echo=self.stderr.write)
            run_here(
                promotion_request(artifact=artifact, reason=reason, send=False), promote_run, echo=self.stderr.write
            )
            self.stdout.write(f"{artifact.name} is now in use.")

    def _train_each(
        self, capability: str, wanted: list[str] | None, settings: Mapping[str, str], answers: Mapping[str, bool | str]
    ) -> None:
        from worker.catalog import worker_capability
        from worker.reporting import run_here

        names = wanted or [hierarchy.name for hierarchy in hierarchies()]
        if not names:
            raise CommandError("The bank has no hierarchy yet: import tagged questions first.")
        failures = []
        for name in names:
            try:
                run = training_request(
                    capability=capability, settings=settings, hierarchies=[name], send=False, answers=answers
                )
                result = run_here(run, worker_capability(capability).train, echo=self.stderr.write)
            except KindredError as error:
                failures.append(f"{name}: {error}")
            else:
                use = "it is now in use" if result.get("serves") else "it stays a candidate"
                self.stdout.write(f"{name}: trained as model {result['model']}; {use}.")
        if failures:
            raise KindredError("; ".join(failures))


def _given(option: TrainingOption, options: Mapping[str, Any]) -> Any:
    """Return the value given for an option's flag: a choice or True, else None or False."""
    return options[option.flag.removeprefix("--").replace("-", "_")]


def _options() -> list[TrainingOption]:
    rows = [training_of(word) for word in trainable()]
    return [option for training in rows if training for option in training.options]
