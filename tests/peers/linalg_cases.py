"""The cases of linalg.py: functions of linalg_functions.h beside expressions in JAX and
PyTorch.

Arguments are written `kind rows columns; ...` (or other sizes), with n the size of the case.
The kinds are of condition 4 or less, so that what roundings make of a result is a small
multiple of n eps:

    normal      independent normal numbers              general     singular values from 0.5 to
                2, apart
    spd, herm   Hermitian, eigenvalues apart            some        normal numbers over sqrt(n):
                any eigenvalues
    lower, upper        triangular and well conditioned, other numbers in the other triangle
    spd_lower, herm_lower, herm_upper   one triangle of a Hermitian matrix, other numbers in the
                                        other
    singular    general, with the first column again    repeated    herm with each eigenvalue
                twice
    pairs       general with each singular value twice

In the expressions x, y, z, w are the arguments, k the number; tril, triu, H (the Hermitian
part), low and up (Hermitian of one triangle), adj (conjugate transpose) and weighted (column j
times j + 1) are those of the peer."""
from collections import namedtuple

Case = namedtuple("Case", "name args k jax torch sizes derivative reals limit")
SIZES = ((1, (3,)), (2, (2, 2)), (3, ()), (7, (3,)), (16, (2,)), (33, ()), (40, (2,)))
ONE = tuple((n, ()) for n, _ in SIZES[:5])
# vectors are off by eps over the gaps, some 1 / n, and derivatives with them
GAPS = (8, 60)
CASES = []


def case(name, args, jax, torch=None, k=0, sizes=SIZES, derivative=True, reals=False,
         limit=(8, 8)):
    """limit: of the value and of the derivative, in units of n eps of the largest element."""
    CASES.append(Case(name, args, k, jax, torch if torch is not None
                      else jax.replace("jnp.", "torch."), sizes, derivative, reals, limit))


case("cholesky", "spd n n", "jnp.linalg.cholesky(H(x))")
case("cholesky_upper", "spd n n", "adj(jnp.linalg.cholesky(H(x)))")
case("cholesky_triangle", "spd_lower n n", "jnp.linalg.cholesky(low(x))")
case("trisolve", "lower n n; normal n 3", "tri(x, y, lower=True)",
     "torch.linalg.solve_triangular(tril(x), y, upper=False)")
case("trisolve_upper", "upper n n; normal n 2", "tri(x, y, lower=False)",
     "torch.linalg.solve_triangular(triu(x), y, upper=True)")
case("trisolve_right", "lower n n; normal 4 n", "tri(x, y, lower=True, left_side=False)",
     "torch.linalg.solve_triangular(tril(x), y, upper=False, left=False)")
case("trisolve_unit", "lower n n; normal n 3", "tri(x, y, lower=True, unit_diagonal=True)",
     "torch.linalg.solve_triangular(tril(x), y, upper=False, unitriangular=True)")
case("trisolve_transposed", "upper n n; normal n 3", "tri(x, y, lower=False, transpose_a=True)",
     "torch.linalg.solve_triangular(triu(x).mT, y, upper=False)")
for shape in ("n n", "n+5 n", "n n+3"):
    case("lu", "general " + shape, "lax.linalg.lu(x)", "torch.linalg.lu_factor(x)[:1]")
    case("svd", "general " + shape, "svd(x)", limit=GAPS)
    case("svdvals", "general " + shape, "jnp.linalg.svd(x, compute_uv=False)",
         "torch.linalg.svdvals(x)", limit=GAPS)
    case("pinv", "general " + shape, "jnp.linalg.pinv(x)")
    case("lstsq", f"general {shape}; normal {shape.split()[0]} 2", "jnp.linalg.pinv(x) @ y",
         "torch.linalg.lstsq(x, y).solution")
for shape in ("n n", "n+5 n"):
    case("qr", "general " + shape, "tuple(jnp.linalg.qr(x))")
case("qr", "general n n+3", "tuple(jnp.linalg.qr(x))", derivative=False)
case("qr_full", "general n+2 n", "tuple(jnp.linalg.qr(x, mode='complete'))", derivative=False)
case("eigh", "herm n n", "eigh(H(x))", limit=GAPS)
case("eigvalsh", "herm n n", "eigh(H(x))[0]", limit=GAPS)
case("eigh_triangle", "herm_lower n n", "eigh(low(x))", limit=GAPS)
case("eigh_triangle", "herm_upper n n", "eigh(up(x))", k=1, limit=GAPS)
case("eig", "some n n", "(cplx(trace(x @ x)), cplx(jsl.expm(x)))",
     "(cplx(trace(x @ x)), cplx(torch.linalg.matrix_exp(x)))",
     limit=(40, 400))
case("eigvals", "some n n", "cplx(trace(jsl.expm(x)))",
     "cplx(trace(torch.linalg.matrix_exp(x)))", limit=(40, 400))

case("solve", "general n n; normal n 3", "jnp.linalg.solve(x, y)")
case("inv", "general n n", "jnp.linalg.inv(x)")
case("det", "general n n", "jnp.linalg.det(x)")
case("slogdet", "general n n", "tuple(jnp.linalg.slogdet(x))")
case("cholesky_solve", "lower n n; normal n 3",
     "tri(x, tri(x, y, lower=True), lower=True, transpose_a=True, conjugate_a=True)",
     "torch.cholesky_solve(y, tril(x))")
case("cholesky_solve_upper", "upper n n; normal n 3",
     "tri(x, tri(x, y, transpose_a=True, conjugate_a=True, lower=False), lower=False)",
     "torch.cholesky_solve(y, triu(x), upper=True)")
case("cholesky_inverse", "lower n n", "jnp.linalg.inv(tril(x) @ adj(tril(x)))",
     "torch.linalg.inv(tril(x) @ adj(tril(x)))")
case("lu_solve", "general n n; normal n 3", "jnp.linalg.solve(x, y)",
     "torch.linalg.lu_solve(*torch.linalg.lu_factor(x), y)")
case("tensorsolve", "general 2 n 2*n; normal 2 n", "jnp.linalg.tensorsolve(x, y)", sizes=ONE)
case("tensorinv", "general 2*n 2 n", "jnp.linalg.tensorinv(x, ind=1)", k=1, sizes=ONE)

case("householder_product", "reflectors n+3 n; taus n", "householder(x, y)",
     "torch.linalg.householder_product(x, y)")
case("multi_dot", "normal n 3; normal 3 n; normal n 5; normal 5 2",
     "jnp.linalg.multi_dot([x, y, z, w])", sizes=ONE)
case("vecdot", "normal 3 n; normal 3 n", "jnp.linalg.vecdot(x, y)")
case("expm", "some n n", "jsl.expm(x)", "torch.linalg.matrix_exp(x)")
for power in (0, 1, 3, 6, -2):
    case("matrix_power", "general n n", "jnp.linalg.matrix_power(x, k)", k=power,
         limit=(16, 32))
case("matrix_trace", "normal n n", "trace(x)")
case("diag", "normal n n+2", "jnp.diagonal(x, 1, -2, -1)", k=1)
case("diag", "normal n", "jnp.diag(x, -2)", k=-2, sizes=ONE)
case("outer", "normal n; normal 3", "jnp.outer(x, y)", sizes=ONE)
case("kron", "normal n 2; normal 3 n", "jnp.kron(x, y)", sizes=ONE)
case("cross", "normal n 3; normal n 3", "jnp.cross(x, y)", "torch.linalg.cross(x, y)")
case("vander", "normal n", "jnp.vander(x, N=k, increasing=True)", k=5, sizes=ONE)
for order in (2, 1, 3.5, 0.5, -1.5, float("inf"), float("-inf")):
    case("vector_norm", "normal 2 n", "jnp.linalg.norm(x, ord=k, axis=-1)",
         "torch.linalg.vector_norm(x, k, dim=-1)", k=order)
case("vector_norm", "normal 2 n", "jnp.linalg.norm(x, ord=k, axis=-1)",
     "torch.linalg.vector_norm(x, k, dim=-1)", derivative=False)
for i, kind in enumerate(("'fro'", "'nuc'", 1, -1, 2, -2, "jnp.inf", "-jnp.inf")):
    case("matrix_norm", "general n n+2", f"jnp.linalg.norm(x, ord={kind}, axis=(-2, -1))",
         f"torch.linalg.matrix_norm(x, ord={kind})"
         .replace("jnp", "torch"), k=i, limit=GAPS)
case("matrix_cond", "general n n", "jnp.linalg.cond(x)", sizes=SIZES[1:], limit=GAPS)

# Matrices without an inverse, equal singular values and eigenvalues.

case("matrix_rank", "general n+1 n", "jnp.linalg.matrix_rank(x)", derivative=False)
case("matrix_rank", "singular n n", "jnp.linalg.matrix_rank(x)", derivative=False)
case("pinv", "singular n n", "jnp.linalg.pinv(x, rtol=1e-5)", "torch.linalg.pinv(x, rtol=1e-5)",
     derivative=False, limit=(16, 16))
# The value is 0 but for roundings.  PyTorch's derivatives are 0 or far off where a pivot is 0.
case("det", "singular n n", "jnp.linalg.det(x)", "", sizes=((3, ()), (16, (2,))),
     limit=(float("inf"), 16))
case("eigvalsh", "repeated n n", "eigh(H(x))[0]", derivative=False)
case("svdvals", "pairs n n", "jnp.linalg.svd(x, compute_uv=False)", "torch.linalg.svdvals(x)",
     derivative=False)
case("solve", "repeated n n; normal n 2", "jnp.linalg.solve(x, y)")
case("expm", "repeated n n", "jsl.expm(x)", "torch.linalg.matrix_exp(x)")
