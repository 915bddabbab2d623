/* Linear algebra of complex matrices: what factors multiply to, and gradients beside those of
 * PyTorch, whose convention it is (dL/dx + i dL/dy), by the evaluator and the JIT with the same
 * bits. */
#include "both.h"

#define SQUARE F64(4, 1, 1, -0.5, 2, 0, 0, 1, 5, -1, 3, 0.25, 0.5, 0, 2, 1, 0, 6)
#define TALL F64(1, 0, 0, 2, 3, -1, 4, 0, 5, 0, 7, 0.5)

/* A real loss of every part of x, each with a weight of its own: Re sum (k + 1) (1 - 0.3 i)
 * x_k. */
static cot_value
loss(cot_trace *t, cot_value x)
{
    const cot_type type = cot_type_of(x);
    const int64_t n = cot_type_count(&type);
    const bool is_complex = type.dtype == COT_C128;
    cot_value k = cot_add(cot_iota(t, cot_f64(n), 0), 1), flat = cot_reshape(x, n);
    cot_value parts = is_complex ? cot_add(cot_real(flat), cot_mul(cot_imag(flat), 0.3)) : flat;
    return cot_reduce_sum(cot_mul(parts, k));
}

static cot_value
cube_sum(cot_value x)
{
    return cot_reduce_sum(cot_mul(x, cot_square(x)));
}

static cot_value
cube_sum_real(cot_value x)
{
    return cot_reduce_sum(cot_real(cot_mul(x, cot_mul(x, x))));
}

static cot_value
squares(cot_value x)
{
    return cot_square(cot_abs(x));
}

static cot_value
side(cot_trace *t)
{
    return cot_constant(t, cot_c128(3, 2), TALL);
}

BODY(cholesky_loss,
     out[0] = loss(t, cot_cholesky(cot_add(in[0], cot_mul(12, cot_eye(t, COT_C128, 3)))));)
BODY(solve_loss, out[0] = loss(t, cot_solve(in[0], side(t)));)
BODY(tri_loss, out[0] = loss(t, cot_triangular_solve(in[0], side(t)));)
BODY(tri_right_loss, out[0] = loss(t, cot_triangular_solve(in[0], cot_transpose(side(t)),
                                                           .right = 1, .transposed = 1));)
BODY(inv_loss, out[0] = loss(t, cot_inv(in[0]));)
BODY(det_loss, out[0] = loss(t, cot_det(in[0]));)
BODY(logabs_loss, (void)cot_slogdet(in[0], out);)
BODY(sign_loss, out[0] = loss(t, cot_slogdet(in[0], NULL));)
BODY(qr_loss, cot_value r; cot_value q = cot_qr(in[0], &r);
     out[0] = cot_add(loss(t, q), loss(t, r));)
BODY(lu_loss, cot_value y = cot_lu(in[0], NULL, NULL); cot_value one = cot_eye(t, COT_C128, 3);
     out[0] = cot_add(loss(t, cot_add(cot_tril(y, -1), one)), loss(t, cot_triu(y, 0)));)
BODY(eigh_loss, cot_value v; cot_value w = cot_eigh(in[0], &v);
     out[0] = cot_add(cube_sum(w), loss(t, squares(v)));)
BODY(eig_loss, cot_value w = cot_eigvals(in[0]);
     out[0] = cot_add(cube_sum_real(w), cot_reduce_sum(squares(w)));)
BODY(eigv_loss, cot_value v; cot_value w = cot_eig(in[0], &v, NULL); cot_value s = squares(v);
     out[0] = cot_add(cot_reduce_sum(cot_square(s)), cot_reduce_sum(cot_mul(s, squares(w))));)
BODY(svd_loss, cot_value s; cot_value v; cot_value u = cot_svd(in[0], &s, &v);
     out[0] = cot_add(cot_add(cube_sum(s), loss(t, squares(u))), loss(t, cot_matmul(u, v)));)
BODY(pinv_loss, out[0] = loss(t, cot_pinv(in[0]));)
BODY(expm_loss, out[0] = loss(t, cot_expm(cot_mul(in[0], 0.25)));)

static void
is_near(const char *name, int n, const double *got, const double *want, double tolerance)
{
    for (int i = 0; i < n; i++)
        ck_assert_msg(fabs(got[i] - want[i]) <= tolerance * fmax(1, fabs(want[i])),
                      "%s: number %d is %.17g, wants %.17g", name, i, got[i], want[i]);
}

START_TEST(gradients_are_those_of_torch)
{
    const struct { const char *name; cot_body *body; const double *in, *want;
    } rows[] = {
        { "cholesky_loss", cholesky_loss, SQUARE,
          F64(0.0455371278134132, 0, 0.423889348546597, -0.147271058478856, 0.759206389482358,
              -0.217925185736416, 0.423889348546597, 0.147271058478856, 0.487520328306268, 0,
              0.779208207281047, -0.257581745513113, 0.759206389482358, 0.217925185736416,
              0.779208207281047, 0.257581745513113, 1.32502397902126, 0) },
        { "solve_loss", solve_loss, SQUARE,
          F64(-0.524263430490268, 0.45902030033011, -1.11876896487926, -0.0830699183533139,
              0.809282065315133, -0.455282111845878, 0.155127761239668, 0.869870543342466,
              -0.821981502182329, 1.20382454363864, -0.0105332844391217, -1.21024245398719,
              -0.45546911521788, -0.539078429786767, 0.077433677254627, -1.18851667887176,
              0.527415319767775, 0.844736141500735) },
        { "tri_loss", tri_loss, SQUARE,
          F64(-0.280241327300151, 0.160067873303167, 0, 0, 0, 0, -0.0407616892911011,
              0.389328808446456, -0.837040259890939, 0.523358278222532, 0, 0,
              -0.327450980392157, -0.440196078431372, 0.366930618401207, -1.38887631975867,
              1.3253142282554, 0.611456762192056) },
        { "tri_right_loss", tri_right_loss, SQUARE,
          F64(-0.463867447431461, 0.325039925472451, 0, 0, 0, 0, -0.0315610859728507,
              0.462782805429864, -0.909589279498782, 0.480221023320571, 0, 0,
              -0.370588235294118, -0.367647058823529, 0.264140271493213, -1.19694570135747,
              1.13469079939668, 0.533993212669683) },
        { "inv_loss", inv_loss, SQUARE,
          F64(-0.0947815463988465, -0.0296204462495419, -0.178946815235151, -0.0284861281139132,
              0.117640942427312, -0.057082200746683, -0.154752056738951, 0.101661758657827,
              -0.172794991814651, 0.168322293113905, 0.0192392154227017, -0.137339599966074,
              0.10134923355369, -0.155143929319552, 0.0691183090973392, -0.185484699078408,
              0.0337966480876049, 0.0857292769848471) },
        { "det_loss", det_loss, SQUARE,
          F64(8.2, -26.425, 7.5375, 2.125, -2.75, -3.55, -0.200000000000002, 4.3,
              0.200000000000001, -26.1, -8.375, 4.3, -6.65, -2.8125, -12.35, -1.525, 20.5,
              6.15) },
        { "logabs_loss", logabs_loss, SQUARE,
          F64(0.233168666196189, 0.0563497664415096, -0.0142218637631482, 0.0663911012534866,
              0.0291964915818127, -0.0257552844708808, -0.0373155896091676, 0.00064522633329973,
              0.225936754377121, -0.0126894512215613, -0.0418321739422657, -0.0700877104546829,
              0.0206606848808684, -0.0590919783580334, 0.00637161004133481, -0.107699028799946,
              -0.041885942803374, 0.18077091104614) },
        { "sign_loss", sign_loss, SQUARE,
          F64(0.0587113121206013, -0.242940462796744, 0.0691734662604127, 0.0148178836411251,
              -0.0268346550627558, -0.0304200787037085, 0.000672266932678637,
              0.0388794376065814, -0.0132212496760133, -0.235405470926304, -0.0730249955622174,
              0.0435853061353319, -0.0615684465844856, -0.021526547406814, -0.112212555512943,
              -0.00663863596020159, 0.188346785638799, 0.0436413283797218) },
        { "qr_loss", qr_loss, SQUARE,
          F64(-1.58974254795019, 1.76027598982825, -1.97401401996573, 0.908730691798807,
              -0.965279745268145, -3.8605364800161, -0.521869401844449, 3.47674862990112,
              0.826755853385673, 1.61284398647173, -7.61142944267269, -3.70423408837166,
              -6.30011260117472, -2.72725512641028, -6.33904468745029, -14.6907641147411,
              -2.78023213703193, 6.04127009346134) },
        { "lu_loss", lu_loss, SQUARE,
          F64(1.88511879154153, 0.35056920518146, 1.9200143472023, 2.24579032088743,
              1.01621233859397, 0.647345767575323, -1.0033764041012, -2.72719932113238,
              6.36741522903034, 0.546103509815585, 2.32317073170732, 3.68780487804878,
              -1.72769010043042, -0.641068866571018, -3.74390243902439, -0.591463414634146, 9,
              2.7) },
        { "eigh_loss", eigh_loss, SQUARE,
          F64(55.125, 0, 22.875, -18.84375, 17.90625, -6.1875, 22.875, 18.84375, 96.609375, 0,
              39.375, -2.81249999999999, 17.90625, 6.1875, 39.375, 2.81249999999999, 23.859375,
              0) },
        { "expm_loss", expm_loss, SQUARE,
          F64(1.75455123869586, -0.7219689372543, 2.73819318386872, -0.766237818607649,
              1.5404353159503, -1.69106621185098, 6.22023798887895, 0.359272427346568,
              7.75648617916946, 0.746334627126019, 4.97241202417177, -2.27332383086773,
              5.6900705460461, -2.53805768445521, 6.96810590456509, -2.87056916991253,
              2.75097797107905, -4.60700050883405) },
        { "eig_loss", eig_loss, SQUARE,
          F64(60.2365901800553, -26.5590145176718, 7.35596192402031, -26.3537124167169,
              3.79603351335498, -19.0260529302676, 39.8749825442132, 10.4532831404964,
              99.9658916285747, 18.9982624238751, 15.4992259088927, -46.9866512790917,
              35.3432040371843, -41.7057095420576, 42.2753942468101, -59.8793085785972,
              -89.7024818086299, -1.43924790620321) },
        { "eigv_loss", eigv_loss, SQUARE,
          F64(10.8338695104988, 0.466027336847596, 2.8579915039512, 1.05619860696315,
              0.722846353645764, -2.52526420148749, 0.845643457266255, 2.98237329746002,
              9.1762285317086, 2.4126625291451, -1.1046668387046, -2.73686613044086,
              1.947644692379, -3.43938117353996, 0.937617823355115, -5.16382583724814,
              -2.01009804220744, 9.1213101340073) },
        { "svd_loss", svd_loss, TALL,
          F64(17.3279010964894, 24.6265730130068, 12.6078454151545, 45.3806252199152,
              87.7389853425002, -22.5345247050356, 125.407605155059, -4.76154890815568,
              151.578584568151, -8.63325498631243, 212.816732339127, 21.5930420894809) },
        { "pinv_loss", pinv_loss, TALL,
          F64(0.0884496849077725, -0.538575484835011, 0.0123533437690353, 0.322941585622706,
              -0.187607069328654, -0.217181273164959, 0.10523620417363, 0.161853837908362,
              -0.0880660822487584, 0.291861685593573, -0.0172794040777301,
              -0.211933220798735) },
    };
    double got[18];
    cot_fn *f = cot_grad(fn(rows[_i].name, rows[_i].body, 1, 1));
    const cot_type type = _i >= 14 ? cot_c128(3, 2) : cot_c128(3, 3);
    const int n = _i >= 14 ? 12 : 18;

    ck_assert_int_lt(_i, (int)(sizeof rows / sizeof *rows));
    ck_assert_int_eq(results(f, COT_TYPES(type), IN(rows[_i].in), got), n);
    is_near(rows[_i].name, n, got, rows[_i].want, 1e-11);
}
END_TEST

/* What factors multiply to: the largest size of x - product. */

static cot_value
largest(cot_value x)
{
    return cot_reduce_max(cot_abs(x));
}

static cot_value
adjoint(cot_value x)
{
    return cot_conj(cot_transpose(x, .perm = COT_LIST(0, 2, 1)));
}

/* A batch of two matrices like any, of m rows and n columns. */
static cot_value
any_matrix(cot_trace *t, int64_t m, int64_t n)
{
    cot_value i = cot_reshape(cot_iota(t, cot_f64(2 * m * n), 0), 2, m, n);
    return cot_complex(cot_sin(cot_mul(cot_mul(i, i), 0.37)),
                       cot_cos(cot_mul(cot_mul(i, i), 0.73)));
}

static cot_value
one_like(cot_trace *t, cot_value x)
{
    return cot_eye(t, COT_C128, cot_type_of(x).dims[2]);
}

static cot_value
apart_from_one(cot_trace *t, cot_value q)
{
    return largest(cot_sub(cot_matmul(adjoint(q), q), one_like(t, q)));
}

static void
factors(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    const int64_t *size = user, m = size[0], n = size[1], k = m < n ? m : n;
    cot_value x = cot_add(any_matrix(t, m, n), cot_mul(in[0], 0)), r, s, v, q = cot_qr(x, &r),
              u = cot_svd(x, &s, &v);
    cot_value square = cot_matmul(x, adjoint(x)), w = cot_eigh(square, &out[5]), l;

    square = cot_add(square, cot_eye(t, COT_C128, m));
    l = cot_cholesky(square);
    out[0] = largest(cot_sub(cot_matmul(q, r), x));
    out[1] = apart_from_one(t, q);
    out[2] = largest(cot_sub(cot_matmul(cot_mul(u, cot_reshape(s, 2, 1, k)), v), x));
    out[3] = cot_add(apart_from_one(t, u), apart_from_one(t, adjoint(v)));
    out[4] = largest(cot_sub(cot_matmul(l, adjoint(l)), square));
    w = cot_reshape(w, 2, 1, m);
    v = out[5];
    out[5] = cot_add(apart_from_one(t, v),
                     largest(cot_sub(cot_matmul(cot_mul(v, w), adjoint(v)),
                                     cot_sub(square, cot_eye(t, COT_C128, m)))));
    out[6] = largest(cot_sub(cot_matmul(cot_pinv(x), x),
                             m >= n ? one_like(t, x) : cot_matmul(cot_pinv(x), x)));
    out[7] = largest(cot_sub(cot_matmul(square, cot_inv(square)), one_like(t, square)));
}

START_TEST(factors_multiply_to_the_matrix)
{
    static const int64_t sizes[][2] = { { 1, 1 }, { 2, 2 }, { 3, 5 },
                                        { 6, 4 }, { 9, 9 }, { 36, 36 } };
    double got[8];
    cot_fn *f = cot_fn_new(ctx, "factors", factors, 1, 8, (void *)sizes[_i]);

    ck_assert_int_eq(results(f, COT_TYPES(cot_f64()), IN(F64(1)), got), 8);
    for (int i = 0; i < 8; i++)
        ck_assert_msg(got[i] < 1e-11, "%dx%d: factor %d is off by %g", (int)sizes[_i][0],
                      (int)sizes[_i][1], i, got[i]);
}
END_TEST

BODY(identity_vectors, (void)cot_eigh(in[0], &out[0]);)

/* Equal eigenvalues: vectors are orthonormal all the same. */
START_TEST(equal_eigenvalues)
{
    double got[8];

    ck_assert_int_eq(results(fn("f", identity_vectors, 1, 1), COT_TYPES(cot_c128(2, 2)),
                             IN(F64(1, 0, 0, 0, 0, 0, 1, 0)), got),
                     8);
    is_near("unit", 8, got, F64(1, 0, 0, 0, 0, 0, 1, 0), 0);
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        { "gradients", gradients_are_those_of_torch, 16 },
        { "factors", factors_multiply_to_the_matrix, 6 },
        { "corners", equal_eigenvalues, 0 },
    };

    return SUITE("linalg_complex", cases);
}
