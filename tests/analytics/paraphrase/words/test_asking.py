from analytics.paraphrase.scoring.scorer import asks_something
from tests.cases import each_case


@each_case("rewording", "asking")
def test_questions_tasks_and_blanks_ask_and_statements_do_not(text, asks):
    assert asks_something(text) is asks
