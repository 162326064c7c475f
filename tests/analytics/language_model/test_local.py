"""A causal model on this machine, tiny and random."""

from __future__ import annotations

from pathlib import Path

import pytest

from analytics.errors import BackboneError, DataError
from analytics.language_model.protocol import AskOptions, Message, conversation

TEMPLATE = "{% for message in messages %}{{ message.role }} {{ message.content }} {% endfor %}"


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """A tiny random GPT-2 over single characters as transformers saves it."""
    import torch
    from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast

    from tests.tiny_backbone import tiny_backbone

    backbone = tiny_backbone()
    place = tmp_path_factory.mktemp("models") / "tiny-gpt"
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=backbone.tokenizer, pad_token="[PAD]", unk_token="[UNK]", eos_token="[SEP]"
    )
    torch.manual_seed(5)
    config = GPT2Config(
        vocab_size=backbone.tokenizer.get_vocab_size(), n_positions=64, n_embd=16, n_layer=1, n_head=2,
        pad_token_id=0, bos_token_id=2, eos_token_id=3, initializer_range=0.5,
    )  # fmt: skip
    GPT2LMHeadModel(config).save_pretrained(place)
    tokenizer.save_pretrained(place)
    return place


@pytest.fixture(scope="module")
def model(folder: Path):
    from analytics.language_model.local import load_local_model

    return load_local_model(str(folder), device="cpu")


def test_it_writes_and_counts_and_greedily_always_the_same(model) -> None:
    options = AskOptions(temperature=0.0, max_tokens=8)
    answer = model.ask(conversation("2 + 3"), options)
    assert answer == model.ask(conversation("2 + 3"), options)
    assert 1 <= answer.answer_tokens <= 8
    assert answer.prompt_tokens > 0
    assert (model.name, model.host) == ("tiny-gpt", "")


def test_several_are_answered_at_once_as_each_alone_and_one_too_long_is_empty(model) -> None:
    options = AskOptions(temperature=0.0, max_tokens=6)
    asked = [conversation(text) for text in ("2 + 3", "14 + 3 - 2 is", "2 " * 80)]
    alone = [model.ask(messages, options).text for messages in asked[:2]]
    assert model.ask_all(asked, options) == [*alone, ""]
    assert model.ask_all([]) == []


def test_a_processor_computes_in_single_precision_what_is_kept_in_half(folder, tmp_path) -> None:
    import shutil

    from transformers import GPT2LMHeadModel

    from analytics.backbone.bert import load_generator

    shutil.copytree(folder, tmp_path / "half")
    GPT2LMHeadModel.from_pretrained(folder).half().save_pretrained(tmp_path / "half")
    assert str(load_generator(str(tmp_path / "half"), "causal", device="cpu").model.dtype) == "torch.float32"


def test_a_seed_gives_the_same_draw(model) -> None:
    first, second, third = (
        model.ask(conversation("2 + 3"), AskOptions(temperature=2.0, seed=seed, max_tokens=12)).text
        for seed in (1, 1, 2)
    )
    assert first == second
    assert first != third


def test_pieces_are_handed_on_and_make_the_answer(model) -> None:
    pieces: list[str] = []
    answer = model.ask(conversation("2 + 3"), AskOptions(max_tokens=8), on_text=pieces.append)
    assert "".join("".join(pieces).split()) == "".join(answer.text.split())


def test_a_chat_template_writes_the_conversation(model, monkeypatch) -> None:
    plain = model.ask([Message("user", "2")], AskOptions(max_tokens=1)).prompt_tokens
    monkeypatch.setattr(model._tokenizer, "chat_template", TEMPLATE)
    assert model.ask([Message("user", "2")], AskOptions(max_tokens=1)).prompt_tokens > plain


def test_a_prompt_beyond_its_positions_is_one_sentence(model) -> None:
    with pytest.raises(DataError, match="reads 64 at most"):
        model.ask(conversation("2 " * 100))


def test_a_folder_without_a_causal_model_is_one_sentence(tmp_path) -> None:
    from analytics.language_model.local import load_local_model

    with pytest.raises(BackboneError, match="no causal model"):
        load_local_model(str(tmp_path))
    with pytest.raises(BackboneError, match="There is no folder"):
        load_local_model("/nowhere/model")
