"""Names that Canvas and we have for the same, in one place for reading and writing."""

from __future__ import annotations

import re

FORMAT = "canvas"
FILE_BASE = "$IMS-CC-FILEBASE$"
KEPT = "sha256:"
"""Before the hash of a picture in an item that is kept, in the place of `FILE_BASE`."""
OURS = "kindred"
"""Label of the metadata field with what Canvas has no place for."""
GAP = re.compile(r"\[\[(\d{1,3})\]\]")

KINDS = {
    "multiple_choice_question": "choice",
    "multiple_answers_question": "choice",
    "true_false_question": "true_false",
    "short_answer_question": "short",
    "numerical_question": "number",
    "fill_in_multiple_blanks_question": "blanks",
    "multiple_dropdowns_question": "blanks",
    "matching_question": "matching",
    "ordering_question": "ordering",
    "essay_question": "open",
    "file_upload_question": "open",
    "text_only_question": "description",
    "categorization_question": "matching",  # of New Quizzes
}
OF_PROFILES = {  # of Common Cartridge, whose items do not name Canvas's types
    "cc.multiple_choice.v0p1": "multiple_choice_question",
    "cc.multiple_response.v0p1": "multiple_answers_question",
    "cc.true_false.v0p1": "true_false_question",
    "cc.fib.v0p1": "short_answer_question",
    "cc.essay.v0p1": "essay_question",
    "cc.pattern_match.v0p1": "short_answer_question",
}
BLACKBOARD = "blackboard"
"""What an item of Blackboard is kept as: Canvas does not know its types."""
EITHER = {  # what Blackboard shows of these keys
    "yes_no.true": "Yes", "yes_no.false": "No", "agree_disagree.true": "Agree", "agree_disagree.false": "Disagree",
    "right_wrong.true": "Right", "right_wrong.false": "Wrong", "true_false.true": "True", "true_false.false": "False",
}  # fmt: skip
OF_BLACKBOARD = {  # whose items name types of their own
    "multiple choice": "multiple_choice_question",
    "either/or": "multiple_choice_question",
    "multiple answer": "multiple_answers_question",
    "true/false": "true_false_question",
    "fill in the blank": "short_answer_question",
    "fill in the blank plus": "fill_in_multiple_blanks_question",
    "numeric": "numerical_question",
    "matching": "matching_question",
    "jumbled sentence": "multiple_dropdowns_question",
    "opinion scale": "multiple_choice_question",
    "ordering": "ordering_question",
    "essay": "essay_question",
    "essay question": "essay_question",
    "short response": "essay_question",
    "short answer": "essay_question",
    "file upload": "file_upload_question",
}
