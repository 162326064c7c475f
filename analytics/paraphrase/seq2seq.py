"""Any Hugging Face sequence-to-sequence model, by folder or hub id, for the operators that need one.

MarianMT (f1), Pegasus (f9), T5 (f_a, f_b, f_e) and any other supported by `load_generator`. It uses plain
beam search: the paper's diverse beam search was removed from transformers in version 5.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from analytics.backbone.bert import load_generator
from analytics.paraphrase.config import ParaphraseConfig
from analytics.paraphrase.operators.catalog import Apply
from analytics.paraphrase.operators.stand_ins import BackTranslation, PassiveByModels, Reconstruction, WeakParaphraser

_BATCH = 16


class TransformersSequenceModel:
    """A sequence-to-sequence model with its tokenizer.

    Args:
        name: display name.
        max_tokens: longer inputs and outputs are truncated.
    """

    def __init__(
        self, name: str, model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase, *, max_tokens: int = 256
    ) -> None:
        self.name, self.model, self.tokenizer = name, model.eval(), tokenizer
        positions = getattr(model.config, "max_position_embeddings", None) or max_tokens
        self.max_tokens = min(max_tokens, positions - 1)

    def generate(self, texts: Sequence[str], *, beams: int = 1, outputs: int = 1) -> list[list[str]]:
        """Return the best outputs for each text, best first.

        Raises:
            ValueError: more outputs than beams.
        """
        if outputs > beams:
            raise ValueError(f"{beams} beams cannot give {outputs} outputs.")
        written: list[list[str]] = []
        for start in range(0, len(texts), _BATCH):
            batch = self.tokenizer(
                list(texts[start : start + _BATCH]),
                return_tensors="pt",
                padding=True,
                truncation=True,
                max_length=self.max_tokens,
                return_token_type_ids=False,
            ).to(self.model.device)
            with torch.inference_mode():
                ids = self.model.generate(
                    **batch,
                    num_beams=beams,
                    num_return_sequences=outputs,
                    do_sample=False,
                    max_new_tokens=self.max_tokens,
                )
            decoded = self.tokenizer.batch_decode(ids, skip_special_tokens=True)
            written += [decoded[at : at + outputs] for at in range(0, len(decoded), outputs)]
        return written


def load_sequence_model(name_or_path: str, *, device: str = "auto", max_tokens: int = 256) -> TransformersSequenceModel:
    """Load a model from a folder, or by its hub id if there is no such folder.

    Raises:
        BackboneError: the folder is missing or contains no such model, or the hub does not provide it.
    """
    generator = load_generator(name_or_path, "sequence-to-sequence", device=device)
    return TransformersSequenceModel(generator.name, generator.model, generator.tokenizer, max_tokens=max_tokens)


def training_functions(config: ParaphraseConfig) -> dict[str, Apply]:
    """Load the models that a configuration names for f1 and f9, as a mapping from operator name to function.

    Raises:
        BackboneError: a model cannot be loaded.
    """
    functions: dict[str, Apply] = {}
    if config.translator_there and config.translator_back:
        forward = load_sequence_model(config.translator_there, device=config.device)
        back = load_sequence_model(config.translator_back, device=config.device)
        functions["back_translation"] = BackTranslation(forward, back).apply
    if config.weak_paraphraser:
        model = load_sequence_model(config.weak_paraphraser, device=config.device)
        functions["weak_paraphraser"] = WeakParaphraser(model, prefix=config.weak_prefix).apply
    return functions


def functions_for_test_sets(
    *, passive: str = "", grammar: str = "", reconstruction: str = "", weak_question: str = "", device: str = "auto"
) -> dict[str, Apply]:
    """Load the named models of the test operators f_a, f_b and f_e; the others keep their stand-ins.

    Raises:
        BackboneError: a model cannot be loaded.
    """
    functions: dict[str, Apply] = {}
    if passive:
        corrector = load_sequence_model(grammar, device=device) if grammar else None
        functions["passive_voice"] = PassiveByModels(load_sequence_model(passive, device=device), corrector).apply
    if reconstruction:
        functions["reconstruction"] = Reconstruction(load_sequence_model(reconstruction, device=device)).apply
    if weak_question:
        model = load_sequence_model(weak_question, device=device)
        functions["weak_question"] = WeakParaphraser(model, prefix="paraphrase: ", shortest=0.2).apply
    return functions
