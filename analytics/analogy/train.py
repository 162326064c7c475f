"""Train a retriever from word problems: graphs, positives, the training stage, metrics, the artifact."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.nn.functional import normalize

from analytics.analogy.examples import (
    AnalogyConfig,
    AnalogyExample,
    Positives,
    read_graphs,
    retriever_text,
    with_positive,
)
from analytics.analogy.graphs import shared_keys_at_k
from analytics.analogy.retriever import Datastore, kept_examples, save_datastore
from analytics.artifacts import Manifest, data_sha256
from analytics.backbone.adapters import finish_adapters
from analytics.backbone.backbone import Backbone, Head
from analytics.backbone.bert import encode_bulk, load_trainable
from analytics.backbone.export import export_trained
from analytics.errors import DataError
from analytics.losses import HierarchicalContrastLoss, InfoNCELoss
from analytics.question_files import Problems, set_apart
from analytics.training.context import DEFAULT_CONTEXT, TrainingContext
from analytics.training.device import seed_everything
from analytics.training.distributed import broadcast_from_main, gather_objects, gather_rows
from analytics.training.loop import train_configured
from analytics.training.stages import (
    LoopSettings,
    Stage,
    Step,
    Task,
    TrainingResult,
    length_grouped_batches,
    with_provenance,
)

_LEFT_OUT = 0  # rank of a pair to ignore


class RetrievalTask(Task):
    """Pulls questions together that compute the same.

    Args:
        backbone: trained in place with its head, on the training device.
        examples: each shares its key with another.
        config: the configuration.
        held_out: computes metrics on held-out problems.

    Raises:
        DataError: there are fewer examples than a batch.
    """

    def __init__(
        self,
        backbone: Backbone,
        examples: Sequence[AnalogyExample],
        config: AnalogyConfig,
        held_out: Callable[[], Mapping[str, float]] | None = None,
    ) -> None:
        if len(examples) < config.batch_size:
            raise DataError(
                f"Training needs at least {config.batch_size} problems that share their graph with another;"
                f" there are {len(examples)}: {config.batch_size - len(examples)} more are needed."
            )
        self.backbone, self.config, self.held_out = backbone, config, held_out
        self.texts = [retriever_text(example.problem.text, slots=config.slot_text) for example in examples]
        self.lengths = [len(row.ids) for row in backbone.tokenizer.encode_batch_fast(self.texts)]
        self.positives = Positives([example.graph.graph for example in examples])
        self.info_nce = InfoNCELoss(config.temperature)
        self.contrast = HierarchicalContrastLoss(1, config.temperature)
        if config.freeze_embeddings:
            backbone.model.get_input_embeddings().requires_grad_(False)

    def modules(self) -> Mapping[str, nn.Module]:
        head = {} if self.backbone.head is None else {"head": self.backbone.head}
        return {"encoder": self.backbone.model, **head}

    def batches(self, epoch: int) -> Iterator[tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]]:
        """Yield rows and their positives, drawn from (seed, epoch) alone, so it can resume."""
        rng = np.random.default_rng((self.config.seed, epoch))
        positives = self.positives.draw(rng)
        for rows in length_grouped_batches(self.lengths, self.config.batch_size, rng):
            yield rows, positives[rows]

    def losses(self, batch: tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]], _step: Step) -> Mapping[str, Tensor]:
        """Return the loss of Eq. 1, or the contrast with all positives of the batch."""
        embedded = self.backbone.embed_texts([self.texts[row] for row in np.concatenate(batch)])
        unit = normalize(embedded.float(), dim=1)
        queries, keys = map(gather_rows, unit.split(len(batch[0])))  # of the whole batch, as is the rest
        anchors, positives = map(np.concatenate, zip(*gather_objects(batch), strict=True))
        vectors = torch.cat([queries, keys])  # (2 * batch, dimension)
        rows = np.concatenate([anchors, positives])
        if self.config.all_positives:
            ranks = torch.from_numpy(self._ranks(rows)).to(vectors.device)
            return {"loss": self.contrast(vectors @ vectors.T, ranks)}
        codes = self.positives.codes
        left_out = torch.from_numpy(codes[anchors][:, None] == codes[rows][None, :]).to(vectors.device)
        return {"loss": self.info_nce(queries, keys, vectors, left_out)}

    def _ranks(self, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Return ranks: 1 for a positive, 2 for a negative."""
        codes = self.positives.codes[rows]
        ranks = np.where(codes[:, None] == codes[None, :], 1, 2)
        ranks[rows[:, None] == rows[None, :]] = _LEFT_OUT  # a question with itself or its second copy
        return ranks.astype(np.int64)


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
        problems: training, validation and test sets. If there are no validation problems, some training
            problems are held out.
        config: the settings; its backbone is loaded.
        output: the artifact's folder, written atomically.
        context: name, provenance, checkpoint, progress and cancellation.
        start: folder of an encoder or a retriever to start from, instead of the configuration's backbone.

    Raises:
        DataError: too few problems share a graph, or the encoder does not know their language.
        BackboneError: the backbone cannot be loaded.
        Cancelled: the context requested it; the checkpoint is usable.
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
        The trained backbone, adapters merged, and the training result.

    Raises:
        DataError: too few problems, the encoder does not know their language, or the checkpoint belongs to
            another training.
        BackboneError: the backbone cannot be loaded.
        Cancelled: the context requested it; the checkpoint is usable.
    """
    learned = with_positive(examples)
    if len(learned) < len(examples):
        context.say(f"{len(examples) - len(learned):,} problems dropped: no other one has their graph.")
    seed_everything(config.seed)
    backbone = load_trainable(
        start or config.backbone, rank=config.adapter_rank, max_tokens=config.max_tokens, device=config.device
    )
    backbone.refuse_unknown_language([example.problem.text for example in examples])
    # Trains the encoder's own head, or a new one that is initialised to the identity.
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
    """Return unit vectors (texts, dimension) from a retriever in training."""
    return encode_bulk(backbone, [retriever_text(text, slots=config.slot_text) for text in texts])


def _shares(
    backbone: Backbone,
    questions: Sequence[AnalogyExample],
    corpus: Sequence[AnalogyExample],
    config: AnalogyConfig,
    prefix: str,
) -> dict[str, float]:
    """Return the shares of the 8 nearest with the same graph and with the same equation."""
    texts = [example.problem.text for example in (*questions, *corpus)]
    vectors = encode_problems(backbone, texts, config)
    graphs = [(example.graph.graph, example.graph.prototype) for example in (*questions, *corpus)]
    count = len(questions)
    return {
        f"{prefix}same_{same}": shared_keys_at_k(vectors[:count], vectors[count:], keys[:count], keys[count:], _K)
        for same, keys in zip(("graph", "equation"), zip(*graphs, strict=True), strict=True)
    }


def _labelled(examples: Sequence[AnalogyExample]) -> list[AnalogyExample]:
    """Return the examples with a known computation: only they can be evaluated on."""
    return [example for example in examples if example.is_labelled]


def _measured_corpus(examples: Sequence[AnalogyExample], config: AnalogyConfig) -> list[AnalogyExample]:
    """Return a fixed sample of problems to search during training; encoding all takes longer than many steps."""
    if len(examples) <= _MEASURED_CORPUS:
        return list(examples)
    drawn = np.random.default_rng(config.seed).choice(len(examples), _MEASURED_CORPUS, replace=False)
    return [examples[row] for row in sorted(drawn.tolist())]


def _divide(
    problems: Problems, config: AnalogyConfig, context: TrainingContext
) -> tuple[list[AnalogyExample], list[AnalogyExample]]:
    """Split problems into training examples and examples to evaluate on during training."""
    learned, without = read_graphs(problems.learned)
    validation = _labelled(read_graphs(problems.validation)[0])
    if not learned:
        raise DataError("No problem has an equation, a program or calculations that can be read.")
    rng = np.random.default_rng(config.seed)
    # the two problems of a pair stay together, so they bypass the split below
    pairs = [example for example in learned if not example.is_labelled]
    learned = _labelled(learned)
    if config.share < 1 and learned:
        rows = rng.permutation(len(learned))[: max(1, round(len(learned) * config.share))]
        learned = [learned[row] for row in sorted(rows.tolist())]
    learned, validation = set_apart(learned, validation, measured=config.measured, rng=rng)
    learned += pairs
    context.say(f"{len(learned):,} problems to learn from, {len(validation):,} to measure with during training.")
    if without:
        context.say(f"Left out, because they have no graph: {without:,}.")
    return learned, validation


def _data_hash(examples: Sequence[AnalogyExample]) -> str:
    return data_sha256((example.problem.text, example.graph.prototype) for example in examples)
