"""Loss functions of contrastive and metric learning, on embeddings or their similarities; they never see a model."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn.functional import cosine_similarity, cross_entropy, normalize


class InfoNCELoss(nn.Module):
    r"""Cross-entropy of one positive among negatives (InfoNCE, van den Oord et al., 2018).

    .. math:: \ell = -\log \frac{\exp(h(q, k^+) / \tau)}{\exp(h(q, k^+) / \tau) + \sum_k \exp(h(q, k) / \tau)}

    Args:
        temperature: tau.

    Raises:
        ValueError: the temperature is not positive.

    >>> loss = InfoNCELoss(temperature=1.0)
    >>> query, key = torch.tensor([[1.0, 0.0]]), torch.tensor([[1.0, 0.0]])
    >>> round(loss(query, key, torch.tensor([[0.0, 1.0]])).item(), 4)  # log(1 + exp(-1))
    0.3133
    """

    def __init__(self, temperature: float = 0.05) -> None:
        super().__init__()
        if temperature <= 0:
            raise ValueError(f"temperature must be positive, not {temperature}")
        self.temperature = temperature

    def forward(self, queries: Tensor, keys: Tensor, negatives: Tensor, left_out: Tensor | None = None) -> Tensor:
        """Return the mean over the queries.

        Args:
            queries: (batch, dimension) unit vectors.
            keys: (batch, dimension), the positive of each query.
            negatives: (negatives, dimension), shared by all queries.
            left_out: (batch, negatives) bool, negatives to ignore for a query.

        Raises:
            ValueError: queries and keys differ in shape.
        """
        if queries.shape != keys.shape:
            raise ValueError(f"queries {tuple(queries.shape)} and keys {tuple(keys.shape)} differ in shape")
        queries = queries.float()
        positive = (queries * keys.float()).sum(dim=1, keepdim=True)  # (batch, 1)
        others = queries @ negatives.float().T  # (batch, negatives)
        if left_out is not None:
            others = others.masked_fill(left_out, torch.finfo(others.dtype).min)
        logits = torch.cat([positive, others], dim=1) / self.temperature
        return (torch.logsumexp(logits, dim=1) - logits[:, 0]).mean()


LEFT_OUT = -1
"""Rank of a pair that appears in neither numerator nor denominator."""


class RINCELoss(nn.Module):
    r"""Pull questions of a nearer rank closer than those of every farther one, each rank at its own temperature.

    Ranking InfoNCE of QuesCo (Ning et al., AAAI 2023), Eq. 4, after Hoffmann et al. (AAAI 2022).

    For an anchor :math:`q` and candidates :math:`Q^i` of rank :math:`i = 0 .. L + 1`,

    .. math:: \ell_i = -\log \frac{\sum_{p \in Q^i} \exp(h(q, p) / \tau_i)}
                                  {\sum_{j \ge i} \sum_{p \in Q^j} \exp(h(q, p) / \tau_j)},
              \qquad L_{rank} = \sum_{i=0}^{L} \ell_i

    with the positives summed inside the logarithm and every term of the denominator at its own rank's
    temperature. Rank L + 1 is only ever a negative. A rank without candidates adds nothing, nor does one
    without farther candidates to be distinguished from.

    Args:
        temperatures: tau of the ranks 0 .. L + 1.
        one_temperature: compute a whole term, denominator included, at the temperature of its positives, as
            the published code does. Compared to Eq. 4 this pushes harder on the negatives, which Eq. 4 has at
            the highest temperature.

    Raises:
        ValueError: fewer than two temperatures, or one that is not positive.

    >>> loss = RINCELoss((0.5, 1.0, 1.0))
    >>> similarities = torch.tensor([[0.5, 0.2, -0.3]])
    >>> round(loss(similarities, torch.tensor([[0, 1, 2]])).item(), 4)  # 0.5434 + 0.4741
    1.0175
    """

    temperatures: Tensor

    def __init__(self, temperatures: Sequence[float], *, one_temperature: bool = False) -> None:
        super().__init__()
        self.one_temperature = one_temperature
        if len(temperatures) < 2 or min(temperatures) <= 0:
            raise ValueError("RINCE needs a positive temperature for each of the ranks 0 .. L + 1")
        self.register_buffer("temperatures", torch.tensor(temperatures, dtype=torch.float32))

    def forward(self, similarities: Tensor, ranks: Tensor) -> Tensor:
        """Return the mean over the anchors of the sum over ranks.

        Args:
            similarities: (anchors, candidates) dot products h of unit vectors; any floating type.
            ranks: (anchors, candidates) integers 0 .. L + 1, or `LEFT_OUT`.
        """
        return self.by_rank(similarities, ranks).sum(dim=1).mean()

    def by_rank(self, similarities: Tensor, ranks: Tensor) -> Tensor:
        """Return the terms l_0 .. l_L of every anchor, (anchors, L + 1) in float32; 0 where a rank is absent.

        Raises:
            ValueError: the shapes differ. A rank without a temperature is not an error.
        """
        if similarities.shape != ranks.shape or similarities.dim() != 2:
            shapes = f"{tuple(similarities.shape)} and {tuple(ranks.shape)}"
            raise ValueError(f"expected two matrices of one shape, got {shapes}")
        if self.one_temperature:
            return self._at_one_temperature(similarities.float(), ranks)
        # In float32 even under autocast: exp(1 / 0.1) exceeds what half precision can sum exactly.
        values = similarities.float()
        nowhere = torch.finfo(values.dtype).min
        per_rank = torch.stack(  # log of the sum over each rank, (anchors, L + 2)
            [
                torch.logsumexp((values / temperature).masked_fill(ranks != rank, nowhere), dim=1)
                for rank, temperature in enumerate(self.temperatures)
            ],
            dim=1,
        )
        present = torch.stack([(ranks == rank).any(dim=1) for rank in range(len(self.temperatures))], dim=1)
        per_rank = per_rank.masked_fill(~present, nowhere)
        # log of the sum over ranks >= i, from the last rank backwards
        from_rank = torch.logcumsumexp(per_rank.flip(1), dim=1).flip(1)
        terms = from_rank[:, :-1] - per_rank[:, :-1]
        # Without farther candidates the term is log 1, whose gradient is rounding noise that Adam would
        # follow.
        farther = present.flip(1).cumsum(dim=1).flip(1)[:, 1:] > 0
        return torch.where(present[:, :-1] & farther, terms, torch.zeros_like(terms))

    def _at_one_temperature(self, similarities: Tensor, ranks: Tensor) -> Tensor:
        nowhere = torch.finfo(similarities.dtype).min
        terms = []
        for rank, temperature in enumerate(self.temperatures[:-1]):
            logits = similarities / temperature
            positives = ranks == rank
            above = torch.logsumexp(logits.masked_fill(~positives, nowhere), dim=1)
            below = torch.logsumexp(logits.masked_fill(ranks < rank, nowhere), dim=1)  # LEFT_OUT is below all
            terms.append(torch.where(positives.any(dim=1), below - above, torch.zeros_like(above)))
        return torch.stack(terms, dim=1)


class TripletLoss(nn.Module):
    r"""Require the negative to be farther from the anchor than the positive, by a margin.

    Triplet loss on cosine distances: ParaQD (Gupta et al., DASFAA 2022), section 3.4.

    .. math:: \ell = \max(0, \alpha - d(a, n) + d(a, p)), \qquad d(x, y) = 1 - \cos(x, y)

    The paper sums over the questions; the mean is taken here, so that the step does not grow with the batch.

    Args:
        margin: alpha; distances lie in 0..2, so a larger margin can never be met.

    Raises:
        ValueError: the margin lies outside 0..2.

    >>> loss = TripletLoss(margin=0.5)
    >>> anchor, positive = torch.tensor([[1.0, 0.0]]), torch.tensor([[0.6, 0.8]])
    >>> round(loss(anchor, positive, torch.tensor([[0.0, 1.0]])).item(), 4)  # 0.5 - 1 + 0.4 is below 0
    0.0
    >>> round(loss(anchor, positive, torch.tensor([[0.8, 0.6]])).item(), 4)  # 0.5 - 0.2 + 0.4
    0.7
    """

    def __init__(self, margin: float = 0.5) -> None:
        super().__init__()
        if not 0 <= margin <= 2:
            raise ValueError(f"margin must lie in 0..2, not {margin}")
        self.margin = margin

    def forward(self, anchors: Tensor, positives: Tensor, negatives: Tensor) -> Tensor:
        """Return the mean over the triplets.

        Args:
            anchors, positives, negatives: (batch, dimension) each, unnormalised.

        Raises:
            ValueError: the shapes differ.
        """
        if not anchors.shape == positives.shape == negatives.shape:
            raise ValueError(
                f"anchors {tuple(anchors.shape)}, positives {tuple(positives.shape)} and negatives"
                f" {tuple(negatives.shape)} differ in shape"
            )
        anchors = anchors.float()
        near = 1 - cosine_similarity(anchors, positives.float())
        far = 1 - cosine_similarity(anchors, negatives.float())
        return torch.relu(self.margin - far + near).mean()


class MultipleNegativesRankingLoss(nn.Module):
    r"""Cross-entropy of an anchor's own positive among all positives and negatives of the batch.

    Henderson et al. (2017); ParaQD, section 5.4, compares the triplet loss with it.

    .. math:: \ell_i = -\log \frac{\exp(s \cos(a_i, p_i))}{\sum_{c \in P \cup N} \exp(s \cos(a_i, c))}

    where P and N are the positives and the negatives of the whole batch.

    Args:
        scale: s, the inverse of a temperature.

    Raises:
        ValueError: the scale is not positive.

    >>> loss = MultipleNegativesRankingLoss(scale=1.0)
    >>> anchor, negative = torch.tensor([[1.0, 0.0]]), torch.tensor([[0.0, 1.0]])
    >>> round(loss(anchor, anchor, negative).item(), 4)  # log(1 + exp(-1))
    0.3133
    """

    def __init__(self, scale: float = 20.0) -> None:
        super().__init__()
        if scale <= 0:
            raise ValueError(f"scale must be positive, not {scale}")
        self.scale = scale

    def forward(self, anchors: Tensor, positives: Tensor, negatives: Tensor, same: Tensor | None = None) -> Tensor:
        """Return the mean over the anchors.

        Args:
            anchors, positives: (batch, dimension) each, unnormalised.
            negatives: (any number, dimension).
            same: (batch, batch) bool, True where two rows have the same anchor; their positives are not
                negatives of one another.

        Raises:
            ValueError: the shapes do not fit together.
        """
        if anchors.shape != positives.shape or anchors.shape[1:] != negatives.shape[1:]:
            raise ValueError(
                f"anchors {tuple(anchors.shape)}, positives {tuple(positives.shape)} and negatives"
                f" {tuple(negatives.shape)} do not fit together"
            )
        candidates = normalize(torch.cat([positives, negatives]).float(), dim=1)
        logits = self.scale * normalize(anchors.float(), dim=1) @ candidates.T  # (batch, candidates)
        targets = torch.arange(len(anchors), device=logits.device)
        if same is not None:
            others = same.to(logits.device) & ~torch.eye(len(anchors), dtype=torch.bool, device=logits.device)
            left_out = torch.zeros_like(logits, dtype=torch.bool)
            left_out[:, : len(anchors)] = others
            logits = logits.masked_fill(left_out, torch.finfo(logits.dtype).min)
        return cross_entropy(logits, targets)


class HierarchicalContrastLoss(nn.Module):
    r"""Pull each question towards all that share its concept, level by level.

    Khosla et al. (NeurIPS 2020), Eq. 2 (positives summed outside the logarithm), averaged over the levels as
    Zhang et al. (CVPR 2022), "Use All The Labels", Eq. 3. Not in QuesCo: its RINCE sums a rank's positives
    inside the logarithm, where the nearest one dominates.

    For an anchor :math:`q`, its positives :math:`P^i` of the ranks 1 .. i and all candidates :math:`A`,

    .. math:: L = \frac{1}{L} \sum_{i=1}^{L} \operatorname{mean}_q \frac{-1}{|P^i|} \sum_{p \in P^i}
                  \log \frac{\exp(h(q, p) / \tau)}{\sum_{a \in A} \exp(h(q, a) / \tau)}

    The mean of a level is over the anchors that have a positive there and a farther candidate.

    Args:
        levels: L, the depth of the hierarchy.
        temperature: tau.

    Raises:
        ValueError: levels below 1, or a temperature that is not positive.

    >>> loss = HierarchicalContrastLoss(1, temperature=1.0)
    >>> similarities = torch.tensor([[0.5, -0.5]])
    >>> round(loss(similarities, torch.tensor([[1, 2]])).item(), 4)  # log(1 + exp(-1))
    0.3133
    """

    def __init__(self, levels: int, temperature: float = 0.1) -> None:
        super().__init__()
        if levels < 1 or temperature <= 0:
            raise ValueError(f"levels and temperature must be positive, not {levels} and {temperature}")
        self.levels, self.temperature = levels, temperature

    def forward(self, similarities: Tensor, ranks: Tensor) -> Tensor:
        """Return the loss; 0, with zero gradients, if no anchor has anything to be distinguished from.

        Args:
            similarities: (anchors, candidates) dot products h of unit vectors; any floating type.
            ranks: (anchors, candidates) integers 1 .. levels + 1; pairs of other ranks are ignored.

        Raises:
            ValueError: shapes differ.
        """
        if similarities.shape != ranks.shape or similarities.dim() != 2:
            shapes = f"{tuple(similarities.shape)} and {tuple(ranks.shape)}"
            raise ValueError(f"expected two matrices of one shape, got {shapes}")
        logits = similarities.float() / self.temperature
        counted = (ranks >= 1) & (ranks <= self.levels + 1)
        logits = logits.masked_fill(~counted, torch.finfo(logits.dtype).min)
        log_shares = logits - torch.logsumexp(logits, dim=1, keepdim=True)
        total = 0.0 * similarities.float().sum()
        for bound in range(1, self.levels + 1):
            positives = counted & (ranks <= bound)
            usable = positives.any(dim=1) & (counted & ~positives).any(dim=1)
            # Mask instead of selecting: the host would have to wait for the size of a selection.
            means = log_shares.masked_fill(~positives, 0.0).sum(dim=1) / positives.sum(dim=1).clamp(min=1)
            total = total - (means * usable).sum() / usable.sum().clamp(min=1)
        return total / self.levels
