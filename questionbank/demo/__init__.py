"""The demo bank: questions, responses and paraphrases of our own, so that the first page a user sees is a full one.

``bank.jsonl.gz`` and ``pairs.jsonl.gz`` were drawn by a generator of 396 question patterns and 220 stories, which the
repository's history keeps at commit 72c08ee0 (``python -m questionbank.demo``); docs/demo-bank.md says what they hold.
"""
