"""A few word problems, written for the tests."""

from __future__ import annotations

from analytics.backbone.tiny import tiny_backbone
from analytics.records import ProblemRecord
from analytics.solver.model import SolverModel
from analytics.solver.targets import SolverExample, Vocabulary, solver_examples
from analytics.training.seeding import seed_everything

_ROWS = (
    ("Ann has 7 red pens and 2 blue pens. How many pens?", "7+2", "9"),
    ("A shelf holds 12 books; 5 fall down. How many stay?", "12-5", "7"),
    ("There are 4 boxes of 6 eggs. How many eggs?", "4*6", "24"),
    ("Share 20 sweets among 5 children: how many each?", "20/5", "4"),
    ("A coat of 80 dollars is 25 % off. What does it cost?", "80*(1-25%)", "60"),
    ("3 bags of 8 plums, and 4 plums more?", "3*8+4", "28"),
    ("How long is the edge of a circle of radius 10 cm?", "2*3.14*10", "62.8"),
    ("He has 9 coins, gives 2 away, and loses 3: how many now?", "9-2-3", "4"),
)


def problems() -> list[ProblemRecord]:
    return [
        ProblemRecord(str(number), text, equation=equation, answer=answer)
        for number, (text, equation, answer) in enumerate(_ROWS)
    ]


def examples() -> list[SolverExample]:
    return solver_examples(problems(), most_tokens=45)


def tiny_solver(**settings) -> SolverModel:
    seed_everything(0)
    model = SolverModel(tiny_backbone(max_tokens=128), Vocabulary.of(examples()), **settings)
    for module in model.modules().values():
        module.eval()
    return model
