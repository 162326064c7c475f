"""The demo bank: our own questions, responses and paraphrases, so that a new user's first page is not empty.

``bank.jsonl.gz`` and ``pairs.jsonl.gz`` were generated from 396 question patterns and 220 stories; the generator is
in the repository's history at commit 72c08ee0 (``python -m questionbank.demo``). docs/demo-bank.md describes them.
"""
