"""Training tasks of a solver: writing equations, Pattern-CL's triples, and Textual-CL's contrast.

A triple of Pattern-CL (Li et al., Findings of ACL 2022, section 4.1) is a problem, one with the same structure, and one
easily confused with it. Two equations have the same structure if their shape and operators are equal; all leaves count
as equal, and operands are not reordered. The positive's equation, or a part of it, has the structure of the anchor's
whole equation; the negative's has the same number of nodes but different operators. In the multilingual setting the
positive is in another language, the negative in the anchor's.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from analytics.errors import DataError
from analytics.expression.keys import structure_key
from analytics.expression.tree import ExpressionTree
from analytics.languages import primary_language
from analytics.losses import MultipleNegativesRankingLoss, TripletLoss
from analytics.solver.config import SolverConfig
from analytics.solver.decoder import DecodedTrees
from analytics.solver.model import SolverModel
from analytics.solver.targets import OPERATORS, ReadProblem, SolverExample
from analytics.solver.textual_pairs import TextualTriple
from analytics.training.device import inference_dtype, sent
from analytics.training.stages import Step, Task, decay_groups, length_grouped_batches

_FEW = 32  # indices drawn before a full permutation is computed


@dataclass(frozen=True, slots=True)
class PatternTriple:
    """Rows of three problems.

    Attributes:
        anchor, positive, negative: their rows.
        node: index, in the positive's pre-order, of the node whose subtree is built like the anchor.
    """

    anchor: int
    positive: int
    negative: int
    node: int = 0


def subtree_structures(tree: ExpressionTree) -> list[tuple[int, str]]:
    """Return the index and the structure of every operator of a tree, in pre-order.

    >>> from analytics.expression.tree import parse_expression
    >>> subtree_structures(parse_expression("(11-1)*2"))
    [(0, '* - n n n'), (1, '- n n')]
    """
    structures: list[tuple[int, str]] = []

    def visit(node: ExpressionTree, place: int) -> int:
        if node.is_number:
            return place + 1
        structures.append((place, structure_key(node)))
        place += 1
        for child in node.children:
            place = visit(child, place)
        return place

    visit(tree, 0)
    return structures


def mine_triples(
    examples: Sequence[SolverExample],
    *,
    pairs_per_problem: int = 4,
    positives: str = "structure",
    negatives: str = "operators",
    seed: int = 0,
) -> list[PatternTriple]:
    """Draw triples, at most `pairs_per_problem` for each anchor; anchors without a positive or a negative have none.

    Args:
        examples: problems with equations.
        pairs_per_problem: positives drawn for each anchor, without repeats.
        positives: ``structure`` allows parts of equations, ``same`` only whole equations; ``foreign`` allows parts of
            equations from problems in another language, and takes negatives in the anchor's language.
        negatives: ``operators`` takes problems with the same number of nodes but different operators, ``random`` any
            problem with another structure.
        seed: random seed.
    """
    is_foreign = positives == "foreign"
    languages = [primary_language(example.problem.language) if is_foreign else "" for example in examples]
    whole: list[str] = []
    homes = _Homes()
    for row, example in enumerate(examples):
        structures = [] if example.tree is None else subtree_structures(example.tree)
        whole.append(structures[0][1] if structures else "")
        for place, structure in structures[:1] if positives == "same" else structures:
            homes.add(structure, languages[row], (row, place))
    rng = np.random.default_rng(seed)
    confusable = {
        language: _Negatives(
            [structure if spoken == language else "" for structure, spoken in zip(whole, languages, strict=True)],
            negatives,
            rng,
        )
        for language in sorted(set(languages))
    }
    triples: list[PatternTriple] = []
    for anchor, (structure, language) in enumerate(zip(whole, languages, strict=True)):
        if not structure:
            continue
        places = homes.foreign(structure, language) if is_foreign else homes.of(structure, language)
        chosen = _draw_rows(places, anchor, pairs_per_problem, rng)
        drawn = confusable[language].draw(structure, len(chosen))
        triples += [
            PatternTriple(anchor, row, int(negative), place)
            for (row, place), negative in zip(chosen.items(), drawn, strict=False)  # none drawn: no triple
        ]
    return triples


class _Homes:
    """The occurrences of each structure: rows, and indices in their pre-orders."""

    def __init__(self) -> None:
        self._by_language: defaultdict[str, defaultdict[str, list[tuple[int, int]]]] = defaultdict(
            lambda: defaultdict(list)
        )
        self._foreign: dict[tuple[str, str], list[tuple[int, int]]] = {}

    def add(self, structure: str, language: str, home: tuple[int, int]) -> None:
        self._by_language[structure][language].append(home)

    def of(self, structure: str, language: str) -> Sequence[tuple[int, int]]:
        """Return the occurrences in a language."""
        return self._by_language[structure][language]

    def foreign(self, structure: str, language: str) -> Sequence[tuple[int, int]]:
        """Return the occurrences in other languages."""
        key = structure, language
        if key not in self._foreign:
            groups = self._by_language[structure].items()
            self._foreign[key] = [home for spoken, homes in groups if spoken != language for home in homes]
        return self._foreign[key]


def _draw_rows(places: Sequence[tuple[int, int]], anchor: int, count: int, rng: np.random.Generator) -> dict[int, int]:
    """Draw up to `count` different rows other than the anchor's, each with one of its indices."""
    chosen: dict[int, int] = {}
    for number in _random_order(len(places), rng):
        row, place = places[number]
        if row != anchor and row not in chosen:
            chosen[row] = place
        if len(chosen) == count:
            break
    return chosen


def _random_order(count: int, rng: np.random.Generator) -> Iterator[int]:
    """Yield the numbers below `count` in random order; if there are many, a few are drawn first and the rest lazily."""
    if count > _FEW:
        yield from rng.integers(count, size=_FEW).tolist()
    yield from rng.permutation(count).tolist()


class _Negatives:
    """Draws rows with a structure other than the anchor's, caching pools of confusable rows by structure."""

    def __init__(self, whole: Sequence[str], kind: str, rng: np.random.Generator) -> None:
        self.kind, self.rng = kind, rng
        rows: defaultdict[str, list[int]] = defaultdict(list)
        alike: defaultdict[int, defaultdict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
        for row, structure in enumerate(whole):
            if structure:
                rows[structure].append(row)
                alike[_nodes(structure)][_operators(structure)].append(row)
        self.rows = {structure: np.array(structure_rows) for structure, structure_rows in rows.items()}
        self.alike = alike  # number of nodes -> operators -> rows
        self.everything = np.array([row for row, structure in enumerate(whole) if structure], dtype=np.int64)
        self.structures = np.array(whole)
        self.pools: dict[tuple[int, str], np.ndarray] = {}

    def draw(self, structure: str, count: int) -> np.ndarray:
        """Return rows, with repeats; empty if there is no negative."""
        if self.kind == "random":
            if len(self.rows) < 2:
                return np.zeros(0, dtype=np.int64)
            drawn = self.rng.choice(self.everything, size=count)
            while (alike := self.structures[drawn] == structure).any():
                drawn[alike] = self.rng.choice(self.everything, size=int(alike.sum()))
            return drawn
        nodes, operators = _nodes(structure), _operators(structure)
        if (nodes, operators) not in self.pools:
            others = (rows for key, rows in self.alike[nodes].items() if key != operators)
            self.pools[nodes, operators] = np.fromiter(chain.from_iterable(others), dtype=np.int64)
        pool = self.pools[nodes, operators]
        return self.rng.choice(pool, size=count) if len(pool) else pool


def _nodes(structure: str) -> int:
    """Return the number of nodes of a structure."""
    return structure.count(" ") + 1


def _operators(structure: str) -> str:
    """Return the operators of a structure, regardless of order."""
    return " ".join(sorted(node for node in structure.split() if node in OPERATORS))


_RAMP = 0.05, 0.3  # shares of the steps on triples, between which the contrast ramps up to full weight


class SolvingTask(Task):
    """Learns to write the equations of all problems.

    Args:
        model: trained in place.
        examples: problems with equations that the model's vocabulary can express.
        config: the configuration.
        held_out: computes accuracy on held-out problems.

    Raises:
        DataError: there are fewer problems than a batch.
    """

    def __init__(
        self,
        model: SolverModel,
        examples: Sequence[SolverExample],
        config: SolverConfig,
        held_out: Callable[[], Mapping[str, float]] | None = None,
    ) -> None:
        if len(examples) < config.batch_size:
            raise DataError(
                f"Training needs at least {config.batch_size} problems with an equation, there are {len(examples)}."
            )
        self.model, self.examples, self.config, self.held_out = model, examples, config, held_out
        self.read = model.reader.read(examples)
        self.lengths = [len(problem.ids) for problem in self.read]
        self.cached: list[Tensor] | None = None
        if config.freeze_encoder:
            dtype = inference_dtype(model.device) if config.mixed_precision else torch.float32
            self.cached = _states(model, self.read, dtype)

    def modules(self) -> Mapping[str, nn.Module]:
        return self.model.modules()

    def parameter_groups(self) -> Sequence[Mapping[str, Any]]:
        """Return the encoder's parameters at their own learning rate, unless frozen, and the decoder's at another."""
        encoder = [] if self.config.freeze_encoder else decay_groups(self.model.backbone.model.parameters())
        decoder = decay_groups(self.model.decoder.parameters())
        return [*encoder, *(group | {"lr": self.config.decoder_learning_rate} for group in decoder)]

    def decoded(self, rows: Sequence[int]) -> DecodedTrees:
        """Decode the targets of some of the problems."""
        batch = self.model.batch([self.read[row] for row in rows])
        if self.cached is None:
            states = self.model.states(batch)
        else:
            states = nn.utils.rnn.pad_sequence([self.cached[row] for row in rows], batch_first=True).float()
        return self.model.decode(self.model.memory(states, batch), [self.examples[row] for row in rows])

    def losses(self, batch: np.ndarray, _step: Step) -> Mapping[str, Tensor]:
        """Return the negative mean log-probability per node (Pattern-CL, Eq. 3)."""
        decoded = self.decoded(batch.tolist())
        return {"loss": -decoded.log_probabilities.mean()}


class PatternTask(SolvingTask):
    """Pattern-CL's first stage, on triples.

    The goals of the anchor's root, of the positive's node with the same structure, and of the negative's root are
    compared by cosine (Eq. 1), while the equations of all three are learned (Eq. 4).

    Args:
        model, examples, config, held_out: as for `SolvingTask`.
        triples: rows of the problems.

    Raises:
        DataError: there are fewer triples than a batch.
    """

    def __init__(
        self,
        model: SolverModel,
        examples: Sequence[SolverExample],
        triples: Sequence[PatternTriple],
        config: SolverConfig,
        held_out: Callable[[], Mapping[str, float]] | None = None,
    ) -> None:
        super().__init__(model, examples, config, held_out)
        if len(triples) < config.batch_size:
            raise DataError(
                f"The contrast needs at least {config.batch_size} triples of problems, there are {len(triples)}."
            )
        self.triples = triples
        self.lengths = [self.lengths[triple.anchor] for triple in triples]
        self.contrast = TripletLoss(config.margin)

    def batches(self, epoch: int) -> Iterator[np.ndarray]:
        """Yield the numbers of triples, batched by the length of their anchors."""
        rng = np.random.default_rng((self.config.seed, 1, epoch))
        return length_grouped_batches(self.lengths, self.config.batch_size, rng)

    def losses(self, batch: np.ndarray, step: Step) -> Mapping[str, Tensor]:
        """Return the losses of writing the equations, and of the contrast with this step's weight."""
        triples = [self.triples[number] for number in batch]
        rows = list(
            dict.fromkeys(row for triple in triples for row in (triple.anchor, triple.positive, triple.negative))
        )
        decoded = self.decoded(rows)
        first = np.cumsum([0, *(len(self.examples[row].tokens) for row in rows)])
        root = {row: int(first[place]) for place, row in enumerate(rows)}

        def goals(places: list[int]) -> Tensor:
            return decoded.goals[sent(np.array(places), decoded.goals.device)]

        contrast = self.contrast(
            goals([root[triple.anchor] for triple in triples]),
            goals([root[triple.positive] + triple.node for triple in triples]),
            goals([root[triple.negative] for triple in triples]),
        )
        writing = -decoded.log_probabilities.mean()
        weight = self.config.contrast_weight * ramp(step, *_RAMP)
        return {"loss": writing + weight * contrast, "loss_equation": writing, "loss_contrast": contrast}


def ramp(step: Step, begins: float, ends: float) -> float:
    """Return 0 until a share of the steps, then rise linearly to 1 at another share.

    >>> [ramp(Step(number, 100), 0.1, 0.3) for number in (0, 10, 20, 30, 99)]
    [0.0, 0.0, 0.5, 1.0, 1.0]
    """
    done = step.number / step.total
    if done >= ends:
        return 1.0
    if done <= begins:
        return 0.0
    return round((done - begins) / (ends - begins), 12)


def _states(model: SolverModel, read: Sequence[ReadProblem], dtype: torch.dtype) -> list[Tensor]:
    """Return half-precision states (tokens, width) of each problem, from a frozen encoder in evaluation mode."""
    model.backbone.model.eval().requires_grad_(False)
    states: list[Tensor] = [torch.empty(0)] * len(read)
    for rows, _batch, encoded in model.encoded(read, dtype):
        for row, problem_states in zip(rows, encoded.half(), strict=True):
            states[row] = problem_states[: len(read[row].ids)].clone()
    return states


class TextualTask(SolvingTask):
    """Textual-CL's joint loss (section 3.3).

    An anchor's [CLS] must be nearer to its positive's than to the positives and negatives of the whole batch.
    Positives and negatives are encoded separately, so that an anchor that is its own positive differs from it
    by dropout.

    Args:
        model, config, held_out: as for `SolvingTask`.
        pool: problems; those to be solved come first.
        solved: number of problems to be solved.
        triples: rows of the pool, at most one per solved problem.

    Raises:
        DataError: there are fewer problems than a batch, or no triples.
    """

    def __init__(
        self,
        model: SolverModel,
        pool: Sequence[SolverExample],
        solved: int,
        triples: Sequence[TextualTriple],
        config: SolverConfig,
        held_out: Callable[[], Mapping[str, float]] | None = None,
    ) -> None:
        super().__init__(model, pool[:solved], config, held_out)
        if not triples:
            raise DataError("The contrast needs problems with different equations.")
        self.pool_read: list[ReadProblem] = [*self.read, *model.reader.read(pool[solved:])]
        self.triples = {triple.anchor: triple for triple in triples}
        self.contrast = MultipleNegativesRankingLoss(1 / config.temperature)

    def losses(self, batch: np.ndarray, _step: Step) -> Mapping[str, Tensor]:
        """Return L_solver + alpha L_cl.

        The paper's L_solver is a sum over the nodes of an equation and ours is their mean, so alpha is
        divided by the mean number of nodes, which restores the paper's proportion.
        """
        rows = batch.tolist()
        read = self.model.batch([self.read[row] for row in rows])
        states = self.model.states(read)
        decoded = self.model.decode(self.model.memory(states, read), [self.examples[row] for row in rows])
        writing = -decoded.log_probabilities.mean()
        anchors = [place for place, row in enumerate(rows) if row in self.triples]
        if not anchors:
            return {"loss": writing, "loss_equation": writing, "loss_contrast": writing.detach() * 0}
        triples = [self.triples[rows[place]] for place in anchors]
        pairs = self._summaries([triple.positive for triple in triples] + [triple.negative for triple in triples])
        contrast = self.contrast(
            states[sent(np.array(anchors), states.device), 0], pairs[: len(triples)], pairs[len(triples) :]
        )
        nodes = len(decoded.log_probabilities) / len(rows)
        loss = writing + self.config.textual_weight / nodes * contrast
        return {"loss": loss, "loss_equation": writing, "loss_contrast": contrast}

    def _summaries(self, rows: Sequence[int]) -> Tensor:
        """Return the states (rows, width) of [CLS]."""
        batch = self.model.batch([self.pool_read[row] for row in rows])
        return self.model.states(batch)[:, 0]
