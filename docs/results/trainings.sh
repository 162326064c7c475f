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
