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

# The encoder's starter, trained further on grids of tasks and stories (decision 140): its adapter, then a last layer. An hour of two
# cores. "first" is what the second step of the recipe `encoder` in worker/starters.toml writes; questions are those of its first step.
starter=$output/starter/encoder
[ -d "$starter/first" ] || nice -n 19 "$python" -m worker.starters encoder --data "$data" --work "$output/starter" --output "$output/starter/copy"
train() { nice -n 19 "$python" -m analytics train encoder --data "$starter/starter-data" --language en "$@"; }
[ -d "$output/tasks" ] || train --output "$output/tasks" --set backbone="$starter/first" --set adapter_rank=64 --set one_temperature=1 \
    --set solution_view=0.3 --set concept_weight=1 --set difficulty_weight=0.5 --set task_weight=2 --set momentum=0.99 \
    --set learning_rate=1e-3 --set warmup_share=0.05 --set epochs=10 --set max_steps=700 --set batch_size=8 --set max_tokens=64 --set evaluate_every=700
[ -d "$output/tasks-layer" ] || train --output "$output/tasks-layer" --set backbone="$output/tasks" --set objective=last-layer \
    --set metric_steps=100 --set task_weight=1
