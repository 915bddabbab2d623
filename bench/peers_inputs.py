"""Inputs of the examples that peers_torch.py and peers_jax.py share: those of the C
programs."""

X = [[1., 2, 3, 4, 5], [6, 7, 8, 9, 10]]
Y = [[1., -1, 2, -2, 3], [0, 1, 0, -1, 2]]
E = [[1., 2, 3, 4, 5], [-1, 0, 1, -2, 2], [.5, -.5, 1, 0, 4]]
W5 = [1., -1, .5, 2, -.25]
W3 = [[1., 2, 3], [4, 5, 6], [7, 8, 10]]
B3 = [.5, -.5, 1]
A = [[[float(15 * i + 5 * j + k) for k in range(5)] for j in range(3)] for i in range(2)]
B = [[[x % 7 - 3 for x in row] for row in m] for m in A]
VECS = [[0., 1, 2], [3, 4, 5]]


def numbers(shape, start, divisor):
    """What examples/*.c fill their arrays with, as nested lists."""
    count = 1
    for size in shape:
        count *= size
    flat = [((start + 37 * i) % 65 - 32) / divisor for i in range(count)]
    for size in reversed(shape[1:]):
        flat = [flat[i:i + size] for i in range(0, len(flat), size)]
    return flat


def icosahedron():
    g, atoms = (1 + 5 ** .5) / 2, [[0., 0, 0]]
    for i in range(12):
        x, axis = [0., 0, 0], i // 4
        x[(axis + 1) % 3] = -.6 if i & 1 else .6
        x[(axis + 2) % 3] = .6 * (-g if i & 2 else g)
        atoms.append(x)
    return atoms


# Shapes of the parameters with what they start from: a network with one hidden layer.
def network(inner, hidden, outer):
    return ((hidden, inner), 1), ((hidden,), 2), ((outer, hidden), 3), ((outer,), 4)


PER_SAMPLE, JACOBIANS, KERNEL = network(4, 5, 3), network(5, 7, 3), network(3, 8, 2)
LABELS = [0, 1, 2, 2, 1, 0]
SEEN = [[float((i * (m + 3) // 2 + m) % 2) for i in range(16)] for m in range(5)]
ATOMS = icosahedron()
TASKS = [[k - 1.5 for k in range(4)] for _ in range(3)], [[(i + 1) * (k - 1.5) - i
    for k in range(4)] for i in range(3)]
STARTS = [[1, 1, 1], [1.001, 1, 1], [-5, 3, 20], [0, .1, 30]]
MARKET = [80., 90, 100, 110, 120], 100., .03, .2, .5
