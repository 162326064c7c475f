"""A tiny random sequence-to-sequence model."""

from __future__ import annotations

from pathlib import Path

__all__ = ["tiny_sequence_model"]


def tiny_sequence_model(place: Path) -> Path:
    """Save a tiny random BART over single characters as transformers saves it."""
    import torch
    from transformers import BartConfig, BartForConditionalGeneration, PreTrainedTokenizerFast

    from analytics.backbone.tiny import tiny_backbone

    backbone = tiny_backbone()
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=backbone.tokenizer,
        pad_token="[PAD]",
        unk_token="[UNK]",
        bos_token="[CLS]",
        eos_token="[SEP]",
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
