"""Default synonyms of school and first-year mathematics in English, some in Chinese; admins can change them.

One group per line, with its terms separated by bars; pages show the first term.
"""

from __future__ import annotations

# ruff: noqa: E501 - a group a line

_GROUPS = """
highest common factor | HCF | greatest common factor | GCF | greatest common divisor | GCD | largest common factor
lowest common multiple | LCM | least common multiple | smallest common multiple
lowest common denominator | LCD | least common denominator | common denominator
order of operations | BODMAS | BIDMAS | PEMDAS | BEDMAS | GEMDAS | operator precedence
prime factorisation | prime factorization | factor tree | product of prime factors | prime factors | prime decomposition
divisibility | divisibility rules | divisibility tests
times tables | multiplication tables | multiplication facts
place value | value of a digit | digit value
rounding | significant figures | sig figs | decimal places | rounding and estimating
negative numbers | directed numbers | signed numbers | integers below zero
index laws | laws of indices | laws of exponents | exponent rules | rules of exponents | properties of exponents | indices
standard form | scientific notation | standard index form
surds | radicals | radical expressions | simplifying radicals | simplify radicals | simplify surds | roots in simplest form
rationalising the denominator | rationalizing the denominator | rationalise the denominator | rationalize denominators
adding and subtracting fractions | adding fractions | addition of fractions | subtracting fractions | add fractions
multiplying and dividing fractions | multiplying fractions | dividing fractions | keep change flip
fraction of an amount | fractions of amounts | fraction of a number | fractions of quantities
equivalent fractions | simplifying fractions | reducing fractions | cancelling fractions
mixed numbers | improper fractions | mixed fractions | top-heavy fractions
percentage of an amount | percent of a number | percentages of amounts
percentage increase and decrease | percentage change | percent increase | percent decrease | percentage increase | percentage decrease
reverse percentages | original price | finding the original amount
simple interest | I = PRT
compound interest | interest compounded annually | CAGR
ratio | ratios
sharing in a ratio | dividing in a ratio
direct proportion | direct variation | directly proportional
inverse proportion | inverse variation | inversely proportional | indirect proportion
unit rate | unit rates | unitary method | best buy | rate per unit
speed, distance and time | speed distance time | SDT | distance rate time | distance formula for motion
converting units | unit conversion | conversion of units | metric conversion
collecting like terms | combining like terms | like terms | simplifying expressions
expanding brackets | FOIL | multiplying out brackets | distributive law | distributive property | double brackets
factorising quadratics | factoring quadratics | factoring trinomials | factorise quadratics | factorizing quadratics
common factors | factoring out | taking out a common factor
difference of two squares | DOTS | difference of squares
substitution | substituting values | evaluating expressions | plugging in
rearranging formulae | changing the subject | literal equations | rearranging formulas | solving for a variable
linear equations | one-step and two-step equations | two-step equations | simple equations | solving linear equations
simultaneous equations | systems of equations | system of equations | linear systems | solving linear systems | systems of linear equations
quadratic formula | abc formula | discriminant
solving by factorising | solve by factoring | solving quadratics by factoring | quadratic equation factoring | zero product property
completing the square | complete the square | completed square form
inequalities | linear inequalities | solving inequalities
absolute value | modulus | modulus function | absolute value equations
remainder theorem | factor theorem | remainder and factor theorems | polynomial remainder theorem
polynomial division | long division of polynomials | synthetic division | polynomial long division
partial fractions | partial fraction decomposition
gradient | slope | steepness of a line | gradient and intercept
equation of a line | equation of a straight line | slope-intercept form | y = mx + c | y = mx + b | point-slope form | equations of lines
parallel and perpendicular lines | perpendicular lines | parallel lines gradient
midpoint | midpoint and distance | distance between two points | midpoint formula
vertex of a parabola | turning point of a quadratic | vertex form
inverse functions | inverse of a function | finding the inverse
composite functions | composition of functions | function composition
exponential growth and decay | exponential growth | exponential decay | half-life
laws of logarithms | log laws | log rules | properties of logarithms | logarithm rules | rules of logarithms
exponential equations | solving exponentials
arithmetic sequence | arithmetic progression | AP | linear sequence | arithmetic terms | nth term
arithmetic series | arithmetic sums | sum of an arithmetic sequence | sum of an arithmetic progression
geometric sequence | geometric progression | GP | geometric terms
geometric series | geometric sums | sum of a geometric sequence | sum to infinity
sigma notation | summation notation | summation
recurrence relations | recursive sequences | term-to-term rule
binomial theorem | binomial expansion | Pascal's triangle
Pythagoras' theorem | Pythagorean theorem | Pythagoras | Pythagoras theorem | a^2 + b^2 = c^2 | gougu theorem
right-angled triangle trigonometry | SOHCAHTOA | SOH CAH TOA | right triangle trigonometry | trigonometric ratios | trig ratios | sine, cosine and tangent of an angle in a right triangle | finding a side | finding an angle
sine rule | law of sines | sin rule | sine law
cosine rule | law of cosines | cos rule | cosine law
exact values | special angles | special right triangles | exact trig values
trigonometric identities | trig identities | Pythagorean identity
trigonometric equations | trig equations | solving trigonometric equations
radians and arcs | radians | radian measure | circular measure | arc length and sector area | sector area | arc length
unit circle | trig circle
angles in triangles | angle sum of a triangle | triangle angle sum
angles in polygons | interior angles | exterior angles | polygon angles
parallel lines | alternate angles | corresponding angles | co-interior angles | transversals | Z angles
circle theorems | angles in circles | inscribed angles | cyclic quadrilaterals
similar shapes | similarity | similar triangles | scale factor
congruent triangles | congruence of triangles | SAS | SSS | ASA | RHS
area of a triangle by sine | half a b sin C | 1/2 ab sin C
circumference and area of circles | area of a circle | circumference of a circle | circle measures
surface area | total surface area | TSA
volume of prisms | volume of a prism | volume of a cuboid | cuboid volume
vectors | vector arithmetic | vector addition
scalar product | dot product | inner product
cross product | vector product
magnitude | length of a vector | norm of a vector | magnitude and direction
matrix multiplication | multiplying matrices | product of matrices
determinant | determinants | determinant and inverse | inverse matrix | inverse of a matrix
eigenvalues | eigenvectors | characteristic values
row reduction | Gaussian elimination | Gauss-Jordan elimination | row echelon form | RREF
transformations | reflection, rotation and translation | enlargement | dilation
mean | average | arithmetic mean | averages
median | middle value | median and mode
standard deviation | std dev | stdev | std deviation | SD | root mean square deviation
range and quartiles | interquartile range | IQR | quartiles | box plot | box and whisker
normal distribution | Gaussian distribution | bell curve | z-score | z-scores
binomial distribution | binomial probability | Bernoulli trials
expected value | expectation | mean of a random variable
permutations | arrangements | nPr | ordered selections
combinations | nCr | n choose r | choosing without order | selections
conditional probability | probability given that
Bayes' theorem | Bayes | Bayes rule | Bayes' formula | total probability and Bayes | false positives
independent events | multiplication rule of probability
without replacement | selections without replacement | dependent events
Venn diagrams | sets and Venn diagrams | set diagrams
inclusion-exclusion | inclusion-exclusion principle | principle of inclusion and exclusion | PIE
pigeonhole principle | drawer principle | Dirichlet principle
modular arithmetic | congruences | mod arithmetic | clock arithmetic
limits | evaluating limits | limit of a function | limits by algebra
L'Hôpital's rule | L'Hospital's rule | LHopital | indeterminate forms
squeeze theorem | sandwich theorem
differentiation | derivatives | derivative rules | differentiating powers | power rule
differentiation from first principles | first principles | limit definition of the derivative | difference quotient | definition of the derivative
chain rule | function of a function rule | derivative of a composite function
product rule | derivative of a product | differentiating a product | Leibniz rule
quotient rule | derivative of a quotient
implicit differentiation | implicit derivative
related rates | rates of change connected | connected rates of change
tangents and normals | tangent line | equation of a tangent | tangent to a curve | normal to a curve | tangent lines
stationary points | turning points | critical points | maxima and minima | max and min points | local extrema
optimisation | optimization | max min problems | maximum and minimum problems
indefinite integrals | antiderivatives | anti-derivatives | primitive functions | integration
definite integrals | area under a curve | area under the curve | area between curves
integration by parts | by parts | LIATE | ILATE
integration by substitution | u-substitution | u substitution | substitution rule
volumes of revolution | volume of revolution | disk method | washer method | shell method | solids of revolution
differential equations | ODE | ODEs | ordinary differential equations
separation of variables | separable equations | separable differential equations
Taylor series | Maclaurin series | power series expansion
Riemann sums | left and right sums
mean value theorem | MVT | Rolle's theorem
fundamental theorem of calculus | FTC
intermediate value theorem | IVT
complex numbers | imaginary numbers | Argand diagram
mathematical induction | proof by induction | induction
bar chart | bar graph | column graph
pie chart | circle graph | pie graph
line graph | time series graph
pictograph | pictogram | picture graph
histogram | frequency histogram
stem-and-leaf plot | stem and leaf | stem and leaf diagram | stemplot
scatter plot | scatter graph | scatter diagram | scatterplot
line of best fit | trend line | regression line | least squares line | linear regression
frequency table | frequency distribution | tally chart
tree diagram | probability tree
number line | numberline
sign table | sign chart
trapezium | trapezoid
cuboid | rectangular prism
anticlockwise | counterclockwise
area of a triangle | triangle area | half base times height
area of a rectangle | rectangle area
circumference | perimeter of a circle
domain | domain of a function | natural domain
range of a function | image of a function
function notation | evaluating functions | evaluate a function
piecewise function | piecewise-defined function | function defined by cases
even and odd functions | odd function | even function
asymptote | vertical asymptote | horizontal asymptote
profit and loss | percentage profit | cost price and selling price
discount | sale price | percent off | percentage discount | mark down
sales tax | VAT | value added tax
mixture problems | mixture | alloy problems | concentration problems
consecutive numbers | consecutive integers
digit problems | sum of the digits | digits of a number
handshakes | shake hands | handshake problem
telling the time | reading a clock | elapsed time | clock
diagonal of a rectangle | diagonal length
圆的周长 | 圆周长
圆的面积 | 圆面积
长方形的面积 | 长方形面积
长方形的周长 | 长方形周长
三角形的面积 | 三角形面积
圆柱的体积 | 圆柱体积
圆锥的体积 | 圆锥体积
打折 | 折扣
age problems | ages | word problems about ages
work problems | working together | work rate | shared work
chickens and rabbits | heads and legs | chicken and rabbit problems | 鸡兔同笼
meeting problems | encounter problems | moving towards each other | 相遇问题
"""
DEFAULT_SYNONYMS: list[list[str]] = [
    [term.strip() for term in line.split("|")] for line in _GROUPS.strip().splitlines()
]
