#!/usr/bin/env bash
# Long trainings whose figures docs/results.md collects. One after the other, at the lowest priority; each goes on where it stopped.
# Usage: docs/results/trainings.sh DATA OUTPUT     (DATA: the folder of the public sets; OUTPUT: kept between calls)
set -uo pipefail
data=$1 output=$2
python=$(dirname "$0")/../../.venv/bin/python
manage=$(dirname "$0")/../../manage.py

reproduce() { nice -n 19 "$python" "$manage" reproduce "$@"; }

# QuesCo with the paper's batch, momentum and queue on TAL-SCQ5K English, five passes (345 steps), three seeds.
for seed in 0 1 2; do
    reproduce encoder --data "$data" --output "$output/quesco-paper" --arms frozen scl quesco --seeds "$seed" --train-on tal \
        --measure-on tal --set batch_size=32 --set momentum=0.999 --set queue_size=1600 --set max_steps=1200 --set max_tokens=64
done

# Exact match of a language model with exemplars: the packaged model, without its chat template, in bfloat16. Some hours of one
# core a set, in an installation with the default models (solver 4: the English starter without a second opinion).
model=$output/SmolLM2-135M-Instruct
[ -d "$model" ] || "$python" - "$model" <<'PYTHON'
import sys, tempfile
from pathlib import Path
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer
from analytics.language_model.packaged import prepare_packaged_model
with tempfile.TemporaryDirectory() as folder:
    packaged = Path(folder) / "SmolLM2-135M-Instruct"
    prepare_packaged_model(packaged)
    AutoModelForCausalLM.from_pretrained(packaged, dtype=torch.bfloat16).save_pretrained(sys.argv[1])
    tokenizer = AutoTokenizer.from_pretrained(packaged)
    tokenizer.chat_template = None
    tokenizer.save_pretrained(sys.argv[1])
PYTHON
ask() { # SET QUESTIONS TOKENS SHOWN...
    [ -s "$output/ask-$1-$2.json" ] || LANGUAGE_MODEL=$model LANGUAGE_MODEL_SECONDS=3600 OMP_NUM_THREADS=1 nice -n 19 \
        "$python" "$manage" evaluate analogy --data "$data/$1" --k 8 --solver 4 --ask "$2" --answer-tokens "$3" --shown "${@:4}" \
        --answers "$output/ask-$1.jsonl" --output "$output/ask-$1-$2.json"
}
for questions in 50 100 150; do # three samples of 50
    ask asdiv_a "$questions" 24 0 1 2 4 8
    ask mawps "$questions" 24 0 1 2 4 8
done
for questions in 30 60 90; do ask gsm8k "$questions" 160 0 1 2 4; done
