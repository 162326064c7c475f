"""The demo bank: questions that Kindred makes itself, so that the first page a user sees is a full one.

``hierarchy`` names the concepts, one module of ``strands`` holds the question patterns of one strand, ``bank``
draws questions from them and ``responses`` simulates the students who answered. Plain Python: no Django, no torch.
"""
