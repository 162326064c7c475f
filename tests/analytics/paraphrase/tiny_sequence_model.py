"""A tiny random sequence-to-sequence model."""

from __future__ import annotations

from pathlib import Path


def tiny_sequence_model(place: Path) -> Path:
    """Save a tiny random BART over single characters as transformers saves it."""
    import torch
    from transformers import BartConfig, BartForConditionalGeneration, PreTrainedTokenizerFast

    from tests.tiny_backbone import tiny_backbone

    backbone = tiny_backbone()
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=backbone.tokenizer, pad_token="[PAD]", unk_token="[UNK]", bos_token="[CLS]", eos_token="[SEP]"
    )
    torch.manual_seed(3)
    model = BartForConditionalGeneration(
        BartConfig(
            vocab_size=backbone.tokenizer.get_vocab_size(),
            d_model=16,
            encoder_layers=1,
            decoder_layers=1,
            encoder_attention_heads=2,
            decoder_attention_heads=2,
            encoder_ffn_dim=32,
            decoder_ffn_dim=32,
            max_position_embeddings=96,
            pad_token_id=0,
            bos_token_id=2,
            eos_token_id=3,
            decoder_start_token_id=2,
            forced_eos_token_id=3,
            init_std=0.5,
        )
    )
    model.save_pretrained(place)
    tokenizer.save_pretrained(place)
    return place


def tiny_published_models(place: Path, texts: list[str]) -> dict[str, Path]:
    """Save tiny random models of the kinds that ParaQD names, each with tokenizer files as its publishers save them.

    MarianMT has a SentencePiece model of each language and one vocabulary; Pegasus and T5 have one model each.
    """
    import json

    import sentencepiece
    import torch
    from transformers import (
        MarianConfig,
        MarianMTModel,
        MarianTokenizer,
        PegasusConfig,
        PegasusForConditionalGeneration,
        PegasusTokenizer,
        T5Config,
        T5ForConditionalGeneration,
        T5Tokenizer,
    )

    torch.manual_seed(3)
    place.mkdir()
    for name in ("source", "target"):
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(texts),
            model_prefix=str(place / name),
            vocab_size=120,
            character_coverage=1.0,
            minloglevel=5,
        )
    pieces = sentencepiece.SentencePieceProcessor(model_file=str(place / "source.model"))
    words = ["</s>", "<unk>", *(pieces.id_to_piece(row) for row in range(3, len(pieces))), "<pad>"]
    (place / "vocab.json").write_text(json.dumps({word: row for row, word in enumerate(words)}))
    vocabulary = [(pieces.id_to_piece(row), pieces.get_score(row)) for row in range(3, len(pieces))]
    small = {"d_model": 16, "encoder_layers": 1, "decoder_layers": 1, "encoder_ffn_dim": 32, "decoder_ffn_dim": 32}
    small |= {
        "encoder_attention_heads": 2,
        "decoder_attention_heads": 2,
        "max_position_embeddings": 96,
        "init_std": 0.5,
    }
    made = {
        "marian": (
            MarianMTModel(
                MarianConfig(
                    vocab_size=len(words),
                    pad_token_id=len(words) - 1,
                    eos_token_id=0,
                    decoder_start_token_id=len(words) - 1,
                    **small,
                )
            ),
            MarianTokenizer(
                source_spm=str(place / "source.model"),
                target_spm=str(place / "target.model"),
                vocab=str(place / "vocab.json"),
                source_lang="en",
                target_lang="de",
            ),
        ),
        "pegasus": (
            PegasusForConditionalGeneration(PegasusConfig(vocab_size=400, **small)),
            PegasusTokenizer(vocab=[("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0), *vocabulary], offset=2),
        ),
        "t5": (
            T5ForConditionalGeneration(
                T5Config(
                    vocab_size=300, d_model=16, d_kv=8, d_ff=32, num_layers=1, num_heads=2, decoder_start_token_id=0
                )
            ),
            T5Tokenizer(vocab=[("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0), *vocabulary]),
        ),
    }
    made["t5"][0].config.decoder_start_token_id = made["t5"][0].generation_config.decoder_start_token_id = 0
    folders = {}
    for kind, (model, tokenizer) in made.items():
        folders[kind] = place / kind
        model.save_pretrained(folders[kind])
        tokenizer.save_pretrained(folders[kind])
    return folders
