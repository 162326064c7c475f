"""The knowledge hierarchy of the demo bank: strand > topic > concept, from arithmetic to introductory calculus.

The names of the concepts (the leaves) are unique, so a pattern names its concept by the leaf alone.
"""

from __future__ import annotations

from analytics.records import ConceptPath

__all__ = ["HIERARCHY_NAME", "TREE", "concept_path", "concept_paths"]

HIERARCHY_NAME = "Kindred demo"

TREE: dict[str, dict[str, tuple[str, ...]]] = {
    "Whole numbers": {
        "Place value": ("Value of a digit", "Rounding and estimating", "Comparing and ordering numbers"),
        "Four operations": (
            "Addition and subtraction",
            "Multiplication",
            "Division with remainders",
            "Order of operations",
        ),
        "Word problems": ("Comparing amounts", "Equal groups and extras", "Two-step problems"),
    },
    "Integers and powers": {
        "Factors and multiples": (
            "Prime numbers and prime factors",
            "Highest common factor",
            "Lowest common multiple",
            "Divisibility",
        ),
        "Negative numbers": ("Adding and subtracting negatives", "Multiplying and dividing negatives"),
        "Powers and roots": ("Index laws", "Surds", "Standard form"),
    },
    "Fractions and decimals": {
        "Understanding fractions": ("Equivalent fractions", "Comparing fractions", "Mixed numbers"),
        "Calculating with fractions": (
            "Adding and subtracting fractions",
            "Multiplying and dividing fractions",
            "Fraction of an amount",
        ),
        "Decimals": ("Decimal arithmetic", "Money problems", "Fractions as decimals"),
    },
    "Percentages": {
        "Percentage basics": (
            "Percentage of an amount",
            "One number as a percentage of another",
            "Converting to and from percentages",
        ),
        "Percentage change": ("Percentage increase and decrease", "Reverse percentages"),
        "Interest": ("Simple interest", "Compound interest"),
    },
    "Ratio and proportion": {
        "Ratio": ("Simplifying ratios", "Sharing in a ratio", "Scales and maps"),
        "Proportion": ("Direct proportion", "Inverse proportion"),
        "Speed": ("Speed, distance and time",),
        "Rates": ("Unit rates", "Working together"),
    },
    "Algebraic expressions": {
        "Building expressions": ("Collecting like terms", "Substitution", "Writing expressions"),
        "Brackets and factors": ("Expanding brackets", "Common factors", "Factorising quadratics"),
        "Polynomials": ("Algebraic fractions", "Remainder and factor theorems"),
        "Formulae": ("Rearranging formulae",),
    },
    "Equations and inequalities": {
        "Linear equations": (
            "One-step and two-step equations",
            "Unknown on both sides",
            "Equations from words",
        ),
        "Systems of equations": ("Solving linear systems", "Systems from words"),
        "Inequalities": ("Linear inequalities", "Absolute value"),
        "Quadratic equations": ("Solving by factorising", "Completing the square", "Quadratic formula"),
    },
    "Functions and graphs": {
        "Functions": ("Function values and composition", "Inverse functions"),
        "Straight lines": (
            "Gradient and intercept",
            "Equation of a line",
            "Parallel and perpendicular lines",
            "Midpoint and distance",
        ),
        "Curves": ("Vertex of a parabola", "Transforming graphs"),
        "Exponentials and logarithms": (
            "Exponential growth and decay",
            "Laws of logarithms",
            "Exponential equations",
        ),
    },
    "Sequences and series": {
        "Arithmetic sequences": ("Arithmetic terms", "Arithmetic sums"),
        "Geometric sequences": ("Geometric terms", "Geometric sums"),
        "Rules and notation": ("Recurrence relations", "Sigma notation"),
    },
    "Geometry": {
        "Angles": ("Angles on lines and at points", "Angles in triangles"),
        "Polygons and parallel lines": ("Angles in polygons", "Parallel lines"),
        "Triangles": ("Pythagoras' theorem", "Similar shapes"),
        "Circles": ("Circle theorems", "Equation of a circle"),
        "Transformations": ("Reflection, rotation and translation",),
    },
    "Measurement": {
        "Units": ("Converting units", "Time"),
        "Perimeter and area": (
            "Perimeter",
            "Area of rectangles",
            "Area of triangles and quadrilaterals",
            "Circumference and area of circles",
        ),
        "Solids": ("Volume of prisms", "Cylinders, cones and spheres", "Surface area"),
    },
    "Trigonometry": {
        "Right-angled triangles": ("Finding a side", "Finding an angle", "Exact values"),
        "Any triangle": ("Sine rule", "Cosine rule", "Area of a triangle by sine"),
        "Circular measure": ("Radians and arcs",),
        "Identities and equations": ("Trigonometric identities", "Trigonometric equations"),
    },
    "Vectors and matrices": {
        "Vectors": ("Vector arithmetic", "Magnitude and direction", "Scalar product"),
        "Matrices": ("Matrix arithmetic", "Matrix multiplication", "Determinant and inverse"),
    },
    "Statistics": {
        "Averages": ("Mean", "Median and mode", "Mean from a frequency table"),
        "Spread": ("Range and quartiles", "Standard deviation"),
        "Displays and distributions": ("Pie charts and bar charts", "Normal distribution"),
    },
    "Probability": {
        "Single events": ("Equally likely outcomes", "Expected frequency"),
        "Combined events": ("Independent events", "Selections without replacement", "Sets and Venn diagrams"),
        "Counting": ("Arrangements", "Combinations"),
        "Conditional probability": ("Conditional probability from tables", "Total probability and Bayes"),
        "Random variables": ("Expected value", "Binomial distribution"),
    },
    "Calculus": {
        "Limits": ("Limits by algebra",),
        "Derivatives": ("Differentiating powers", "Exponential and trigonometric derivatives"),
        "Rules of differentiation": ("Chain rule", "Product and quotient rules"),
        "Curves and their tangents": ("Tangents and normals", "Stationary points"),
        "Applications of derivatives": ("Optimisation", "Motion"),
        "Antiderivatives": ("Indefinite integrals",),
        "Integrals and areas": ("Definite integrals", "Area under a curve"),
    },
}


def concept_paths() -> list[ConceptPath]:
    """Return every concept as a path from strand to leaf, in the order of `TREE`."""
    return [
        (strand, topic, leaf)
        for strand, topics in TREE.items()
        for topic, leaves in topics.items()
        for leaf in leaves
    ]


_PATH_OF_LEAF = {path[-1]: path for path in concept_paths()}


def concept_path(leaf: str) -> ConceptPath:
    """Return the path that ends in the concept `leaf`.

    Raises:
        KeyError: there is no such concept.
    """
    return _PATH_OF_LEAF[leaf]
