"""Train a capability here and now, without a worker."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Mapping
from typing import Any

from django.core.management.base import CommandError

from analytics.configuration import field_specs
from analytics.encoder.config import EncoderConfig
from analytics.paraphrase.config import ParaphraseConfig
from analytics.probes.config import ProbesConfig
from questionbank.errors import KindredError
from questionbank.management.base import BankCommand
from questionbank.models import Run
from questionbank.selectors.artifacts import artifact_champion
from questionbank.selectors.concepts import hierarchies
from questionbank.selectors.models import model_get
from questionbank.services.promotion import comparison_request, promotion_request
from questionbank.services.runs import run_create
from questionbank.services.training import encoder_request, scorer_request

CONFIGS = {"encoder": EncoderConfig, "paraphrase": ParaphraseConfig, "probes": ProbesConfig}


class Command(BankCommand):
    """One encoder or one scorer of paraphrases for the bank, or probes for each hierarchy."""

    help = "Train a capability on the bank, here and now."
    needs_model = True

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("capability", help=" or ".join(CONFIGS))
        parser.add_argument("--hierarchy", action="append", help="by default every hierarchy of the bank")
        settings = "; ".join(
            f"{word}: {', '.join(spec.name for spec in field_specs(config))}"
            for word, config in CONFIGS.items()
        )
        parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help=settings)
        parser.add_argument(
            "--without-decisions", action="store_true", help="paraphrase: learn from no reviewers' decisions"
        )
        parser.add_argument(
            "--promote",
            action="store_true",
            help="compare with the champion, promote if it passes (probes do so by themselves)",
        )
        parser.add_argument("--reason", default="", help="why it is promoted; kept in the history")

    def handle(self, *args: Any, capability: str, hierarchy: list[str] | None, **options: Any) -> None:
        if capability not in CONFIGS:
            raise CommandError(
                f"{capability!r} cannot be trained on the bank: choose one of {', '.join(CONFIGS)}."
            )
        settings = dict(one.partition("=")[::2] for one in options["set"])
        if capability == "probes":
            if options["promote"] or options["reason"]:
                raise CommandError(
                    "New probes are compared and serve by themselves if they pass: leave --promote and --reason out."
                )
            self._train_probes(hierarchy, settings)
            return
        if options["promote"] and not options["reason"].strip():
            raise CommandError("A promotion needs a reason: add --reason.")
        self._train_candidate(
            encoder_request(settings=settings, hierarchies=hierarchy, send=False)
            if capability == "encoder"
            else scorer_request(
                settings=settings,
                hierarchies=hierarchy,
                decisions=not options["without_decisions"],
                send=False,
            ),
            options["reason"] if options["promote"] else "",
        )

    def _train_candidate(self, run: Run, reason: str) -> None:
        from worker.comparison import compare_run
        from worker.promotion import promote_run
        from worker.running import run_here
        from worker.training import train_run

        artifact = model_get(artifact_id=run_here(run, train_run, echo=self.stderr.write)["model"])
        self.stdout.write(f"{artifact.name}: trained as model {artifact.pk}.")
        if reason:
            if artifact_champion(capability=artifact.capability) is not None:
                comparison = comparison_request(candidate=artifact, send=False)
                run_here(comparison, compare_run, echo=self.stderr.write)
            run_here(
                promotion_request(artifact=artifact, reason=reason, send=False),
                promote_run,
                echo=self.stderr.write,
            )
            self.stdout.write(f"{artifact.name} serves now.")

    def _train_probes(self, wanted: list[str] | None, settings: Mapping[str, str]) -> None:
        from worker.running import run_here
        from worker.training import train_run

        names = wanted or [one.name for one in hierarchies()]
        if not names:
            raise CommandError("The bank has no hierarchy yet: import tagged questions first.")
        failures = []
        for name in names:
            run = run_create(
                kind=Run.Kind.TRAIN,
                capability="probes",
                title=f"Train probes: {name}"[:200],
                parameters={"hierarchy": name, "set": dict(settings)},
                queue="train",  # where the reconciler puts it if we are killed
                send=False,
            )
            try:
                result = run_here(run, train_run, echo=self.stderr.write)
            except KindredError as error:
                failures.append(f"{name}: {error}")
            else:
                use = "it serves now" if result["serves"] else "it stays a candidate"
                self.stdout.write(f"{name}: trained as model {result['model']}; {use}.")
        if failures:
            raise KindredError("; ".join(failures))
