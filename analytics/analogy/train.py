"""From word problems to a retriever: graphs, positives, the stage of training, figures, the artifact."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np

from analytics.analogy.config import AnalogyConfig
from analytics.analogy.datastore import Datastore, kept_examples, save_datastore
from analytics.analogy.examples import AnalogyExample, read_graphs, retriever_text, with_positive
from analytics.analogy.measures import shared_keys_at_k
from analytics.analogy.retrieval_task import RetrievalTask
from analytics.artifacts import Manifest, data_sha256
from analytics.backbone.adapters import finish_adapters
from analytics.backbone.backbone import Backbone
from analytics.backbone.bert import encode_bulk, load_trainable
from analytics.backbone.export import export_trained
from analytics.backbone.head import Head
from analytics.backbone.languages import refuse_unknown_language
from analytics.errors import DataError
from analytics.problem_files import Problems, set_apart
from analytics.training.context import DEFAULT_CONTEXT, TrainingContext
from analytics.training.distributed import broadcast_from_main
from analytics.training.loop import train_configured
from analytics.training.manifest import with_provenance
from analytics.training.seeding import seed_everything
from analytics.training.stages import LoopSettings, Stage, TrainingResult

_MEASURED_CORPUS = 2_000  # problems
_K = 8
_MAIN_METRIC = "validation_same_graph"


def train_retriever(
    problems: Problems,
    config: AnalogyConfig,
    output: Path,
    context: TrainingContext = DEFAULT_CONTEXT,
    *,
    start: str = "",
) -> Manifest:
    """Train a retriever and write its artifact; `analytics.analogy.retriever.load_retriever` loads it.

    Args:
        problems: to learn from, to validate with, and to test with at the end. Without any to validate with, some of
            the first are held out.
        config: the settings; its backbone is loaded.
        output: the artifact's folder, written whole or not at all.
        context: name, provenance, checkpoint, progress and cancellation.
        start: folder of an encoder or a retriever to begin with, in place of the configuration's backbone.

    Raises:
        DataError: too few problems share a graph, or the encoder does not know their language.
        BackboneError: the backbone cannot be loaded.
        Cancelled: the context said so; the checkpoint is usable.
        ArtifactError: the folder cannot be written.
    """
    learned, validation = _divide(problems, config, context)
    backbone, result = fit_retriever(learned, config, validation=validation, context=context, start=start)
    metrics = result.as_metrics()
    test = _labelled(read_graphs(problems.test)[0])
    corpus = _labelled(learned)
    if test and corpus:
        context.say(f"Looking for {len(test):,} test problems among those learned from")
        figures = broadcast_from_main(lambda: _shares(backbone, test, corpus, config, "test_"))
        metrics["test"] = {name: round(value, 4) for name, value in figures.items()} | {"problems": len(test)}
    about = Manifest(
        "analogy",
        f"{backbone.name}-analogy",
        metrics=metrics,
        data_hash=_data_hash(learned),
        extra={"slot_text": config.slot_text, "problems": len(learned)},
    )
    about = with_provenance(about, config, context, backbone, start=start)
    kept = kept_examples(example.problem for example in learned)
    context.say(f"Keeping {len(kept):,} solved problems with their vectors")
    write_more = partial(_write_datastore, backbone, kept, config)
    return broadcast_from_main(lambda: export_trained(backbone, output, about, write_more=write_more))


def _write_datastore(
    backbone: Backbone, examples: Sequence[AnalogyExample], config: AnalogyConfig, folder: Path
) -> None:
    if examples:
        texts = [example.problem.text for example in examples]
        save_datastore(Datastore.of(examples, encode_problems(backbone, texts, config)), folder)


def fit_retriever(
    examples: Sequence[AnalogyExample],
    config: AnalogyConfig,
    *,
    validation: Sequence[AnalogyExample] = (),
    context: TrainingContext = DEFAULT_CONTEXT,
    start: str = "",
) -> tuple[Backbone, TrainingResult]:
    """Train an encoder and the pooler after it on exactly these problems; those without a positive are dropped.

    Returns:
        The trained backbone, adapters merged, and how training ended.

    Raises:
        DataError: too few problems, the encoder does not know their language, or the checkpoint is of another
            training.
        BackboneError: the backbone cannot be loaded.
        Cancelled: the context said so; the checkpoint is usable.
    """
    learned = with_positive(examples)
    if len(learned) < len(examples):
        context.say(f"{len(examples) - len(learned):,} problems dropped: no other one has their graph.")
    seed_everything(config.seed)
    backbone = load_trainable(
        start or config.backbone,
        rank=config.adapter_rank,
        max_tokens=config.max_tokens,
        device=config.device,
    )
    refuse_unknown_language(backbone, [example.problem.text for example in examples])
    # The encoder's own head, or a new one that begins as no change at all, is trained.
    head = Head.two_layer(backbone.dimension) if backbone.head is None else Head.of(backbone.head.tensors())
    backbone.head = head.to(backbone.device)
    held_out = None
    corpus = _measured_corpus(_labelled(examples), config)
    if validation and corpus:
        held_out = partial(_shares, backbone, validation, corpus, config, "validation_")
    settings = LoopSettings.of(config, best_metric=_MAIN_METRIC if config.patience and held_out else "")
    task = partial(RetrievalTask, backbone, learned, config, held_out)
    stage = Stage("retriever", task, settings, finish=lambda _task: finish_adapters(backbone))
    result = train_configured([stage], config, _data_hash(examples), context)
    return backbone, result


def encode_problems(backbone: Backbone, texts: Sequence[str], config: AnalogyConfig) -> np.ndarray:
    """Return unit vectors (texts, dimension) by a retriever in training."""
    return encode_bulk(backbone, [retriever_text(text, slots=config.slot_text) for text in texts])


def _shares(
    backbone: Backbone,
    questions: Sequence[AnalogyExample],
    corpus: Sequence[AnalogyExample],
    config: AnalogyConfig,
    prefix: str,
) -> dict[str, float]:
    """Return the share of the 8 nearest that have the same graph, and the same equation."""
    texts = [example.problem.text for example in (*questions, *corpus)]
    vectors = encode_problems(backbone, texts, config)
    graphs = [(example.graph.graph, example.graph.prototype) for example in (*questions, *corpus)]
    count = len(questions)
    return {
        f"{prefix}same_{same}": shared_keys_at_k(
            vectors[:count], vectors[count:], keys[:count], keys[count:], _K
        )
        for same, keys in zip(("graph", "equation"), zip(*graphs, strict=True), strict=True)
    }


def _labelled(examples: Sequence[AnalogyExample]) -> list[AnalogyExample]:
    """Return the examples whose computation is known: only they can be measured with."""
    return [example for example in examples if example.is_labelled]


def _measured_corpus(examples: Sequence[AnalogyExample], config: AnalogyConfig) -> list[AnalogyExample]:
    """Return a fixed sample of problems to search while training; encoding all takes longer than many steps."""
    if len(examples) <= _MEASURED_CORPUS:
        return list(examples)
    drawn = np.random.default_rng(config.seed).choice(len(examples), _MEASURED_CORPUS, replace=False)
    return [examples[row] for row in sorted(drawn.tolist())]


def _divide(
    problems: Problems, config: AnalogyConfig, context: TrainingContext
) -> tuple[list[AnalogyExample], list[AnalogyExample]]:
    """Return what is learned from, and what is measured with while training."""
    learned, without = read_graphs(problems.learned)
    validation = _labelled(read_graphs(problems.validation)[0])
    if not learned:
        raise DataError("No problem has an equation, a program or calculations that can be read.")
    rng = np.random.default_rng(config.seed)
    # the two problems of a pair stay together, so the split below does not see them
    pairs = [example for example in learned if not example.is_labelled]
    learned = _labelled(learned)
    if config.share < 1 and learned:
        rows = rng.permutation(len(learned))[: max(1, round(len(learned) * config.share))]
        learned = [learned[row] for row in sorted(rows.tolist())]
    learned, validation = set_apart(learned, validation, measured=config.measured, rng=rng)
    learned += pairs
    context.say(f"{len(learned):,} problems to learn from, {len(validation):,} to measure with meanwhile.")
    if without:
        context.say(f"Left out, because they have no graph: {without:,}.")
    return learned, validation


def _data_hash(examples: Sequence[AnalogyExample]) -> str:
    return data_sha256((example.problem.text, example.graph.prototype) for example in examples)
