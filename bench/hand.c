/* The workloads by hand (see hand.h).  Sums use eight partial sums, since C does not let a
 * compiler reorder them; products of matrices call OpenBLAS where it is there, as a C
 * programmer would. */
#include "bench/hand.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifdef BENCH_BLAS
#include <cblas.h>
#endif

enum { ROWS = 4096, COLS = 1024 };

void
hand_saxpy_1e7(void *const *p)
{
    const float a = *(const float *)p[0], *restrict x = p[1], *restrict y = p[2];
    float *restrict out = p[3];
#pragma omp parallel for simd
    for (int i = 0; i < 10000000; i++)
        out[i] = a * x[i] + y[i];
}

static void
gelu(const float *restrict x, float *restrict out, int n)
{
#pragma omp parallel for if (n > 100000)
    for (int i = 0; i < n; i++) {
        float u = 0.7978845608f * (x[i] + 0.044715f * x[i] * x[i] * x[i]);
        out[i] = 0.5f * x[i] * (1.0f + tanhf(u));
    }
}

void
hand_gelu_tanh_1e7(void *const *p)
{
    gelu(p[0], p[1], 10000000);
}

void
hand_gelu_tanh_3e4(void *const *p)
{
    gelu(p[0], p[1], 30000);
}

static inline float
normal_cdf(float d)
{
    return 0.5f * (1.0f + erff(d * 0.70710678f));
}

void
hand_black_scholes_price(void *const *p)
{
    const float *restrict S = p[0], *restrict K = p[1], *restrict T = p[2], *restrict v = p[3],
                          R = 0.03f;
    float *restrict out = p[4];
#pragma omp parallel for
    for (int i = 0; i < 1000000; i++) {
        float root = sqrtf(T[i]);
        float d1 = (logf(S[i] / K[i]) + (R + 0.5f * v[i] * v[i]) * T[i]) / (v[i] * root);
        float d2 = d1 - v[i] * root;
        out[i] = S[i] * normal_cdf(d1) - K[i] * expf(-R * T[i]) * normal_cdf(d2);
    }
}

/* Delta, minus theta, vega in closed form. */
void
hand_black_scholes_greeks(void *const *p)
{
    const float *restrict S = p[0], *restrict K = p[1], *restrict T = p[2], *restrict v = p[3],
                          R = 0.03f;
    float *restrict dS = p[4], *restrict dT = p[5], *restrict dv = p[6];
#pragma omp parallel for
    for (int i = 0; i < 1000000; i++) {
        float root = sqrtf(T[i]);
        float d1 = (logf(S[i] / K[i]) + (R + 0.5f * v[i] * v[i]) * T[i]) / (v[i] * root);
        float d2 = d1 - v[i] * root;
        float density = 0.3989422804f * expf(-0.5f * d1 * d1);
        dS[i] = normal_cdf(d1);
        dT[i] =
            S[i] * density * v[i] / (2.0f * root) + R * K[i] * expf(-R * T[i]) * normal_cdf(d2);
        dv[i] = S[i] * density * root;
    }
}

static float
row_max(const float *x)
{
    float m[8];
    for (int k = 0; k < 8; k++)
        m[k] = x[k];
    for (int j = 8; j < COLS; j += 8)
        for (int k = 0; k < 8; k++)
            m[k] = x[j + k] > m[k] ? x[j + k] : m[k];
    for (int k = 1; k < 8; k++)
        m[0] = m[k] > m[0] ? m[k] : m[0];
    return m[0];
}

static float
row_sum(const float *x)
{
    float s[8] = { 0 };
    for (int j = 0; j < COLS; j += 8)
        for (int k = 0; k < 8; k++)
            s[k] += x[j + k];
    return ((s[0] + s[4]) + (s[1] + s[5])) + ((s[2] + s[6]) + (s[3] + s[7]));
}

static float
row_dot(const float *x, const float *y)
{
    float s[8] = { 0 };
    for (int j = 0; j < COLS; j += 8)
        for (int k = 0; k < 8; k++)
            s[k] += x[j + k] * y[j + k];
    return ((s[0] + s[4]) + (s[1] + s[5])) + ((s[2] + s[6]) + (s[3] + s[7]));
}

void
hand_softmax(void *const *p)
{
    const float *restrict x = p[0];
    float *restrict out = p[1];
#pragma omp parallel for
    for (int i = 0; i < ROWS; i++) {
        const float *row = x + (size_t)i * COLS;
        float *to = out + (size_t)i * COLS, m = row_max(row);
        for (int j = 0; j < COLS; j++)
            to[j] = expf(row[j] - m);
        float scale = 1.0f / row_sum(to);
        for (int j = 0; j < COLS; j++)
            to[j] *= scale;
    }
}

/* The cotangent of softmax: y (ct - <y, ct>). */
void
hand_softmax_grad(void *const *p)
{
    const float *restrict ct = p[1];
    float *restrict out = p[2];
    hand_softmax((void *const[]){ p[0], p[2] });
#pragma omp parallel for
    for (int i = 0; i < ROWS; i++) {
        const float *c = ct + (size_t)i * COLS;
        float *y = out + (size_t)i * COLS, inner = row_dot(y, c);
        for (int j = 0; j < COLS; j++)
            y[j] *= c[j] - inner;
    }
}

static float
mean_and_scale(const float *row, float *centred, float *scale)
{
    float mean = row_sum(row) / COLS;
    for (int j = 0; j < COLS; j++)
        centred[j] = row[j] - mean;
    *scale = 1.0f / sqrtf(row_dot(centred, centred) / COLS + 1e-5f);
    return mean;
}

void
hand_layernorm_fwd(void *const *p)
{
    const float *restrict x = p[0], *restrict g = p[1], *restrict b = p[2];
    float *restrict out = p[3];
#pragma omp parallel for
    for (int i = 0; i < ROWS; i++) {
        float centred[COLS], scale;
        float *to = out + (size_t)i * COLS;
        mean_and_scale(x + (size_t)i * COLS, centred, &scale);
        for (int j = 0; j < COLS; j++)
            to[j] = centred[j] * scale * g[j] + b[j];
    }
}

void
hand_layernorm_grad(void *const *p)
{
    const float *restrict x = p[0], *restrict g = p[1], *restrict ct = p[3];
    float *restrict dx = p[4], *restrict dg = p[5], *restrict db = p[6];
    memset(dg, 0, COLS * sizeof *dg);
    memset(db, 0, COLS * sizeof *db);
    for (int i = 0; i < ROWS; i++) {
        float hat[COLS], scaled[COLS], scale;
        const float *c = ct + (size_t)i * COLS;
        float *to = dx + (size_t)i * COLS;
        mean_and_scale(x + (size_t)i * COLS, hat, &scale);
        for (int j = 0; j < COLS; j++) {
            hat[j] *= scale;
            dg[j] += c[j] * hat[j];
            db[j] += c[j];
            scaled[j] = c[j] * g[j];
        }
        float mean = row_sum(scaled) / COLS, along = row_dot(scaled, hat) / COLS;
        for (int j = 0; j < COLS; j++)
            to[j] = scale * (scaled[j] - mean - hat[j] * along);
    }
}

void
hand_sum_1e7(void *const *p)
{
    const float *restrict x = p[0];
    float total = 0;
#pragma omp parallel for reduction(+ : total)
    for (int block = 0; block < 1000; block++) {
        float s[32] = { 0 };
        const float *from = x + block * 10000;
        for (int j = 0; j < 10000 / 32 * 32; j += 32)
            for (int k = 0; k < 32; k++)
                s[k] += from[j + k];
        for (int j = 10000 / 32 * 32; j < 10000; j++)
            s[0] += from[j];
        for (int k = 1; k < 32; k++)
            s[0] += s[k];
        total += s[0];
    }
    *(float *)p[1] = total;
}

/* out = op(x) op(y) + beta out, row-major. */
static void
product(int m, int n, int k, const float *x, int tx, const float *y, int ty, float beta,
        float *out)
{
#ifdef BENCH_BLAS
    cblas_sgemm(CblasRowMajor, tx ? CblasTrans : CblasNoTrans, ty ? CblasTrans : CblasNoTrans,
                m, n, k, 1.0f, x, tx ? m : k, y, ty ? k : n, beta, out, n);
#else
    for (int i = 0; i < m; i++) {
        float *row = out + (size_t)i * n;
        for (int j = 0; j < n && beta == 0; j++)
            row[j] = 0;
        for (int l = 0; l < k; l++) {
            float a = tx ? x[(size_t)l * m + i] : x[(size_t)i * k + l];
            for (int j = 0; j < n; j++)
                row[j] += a * (ty ? y[(size_t)j * k + l] : y[(size_t)l * n + j]);
        }
    }
#endif
}

static void
add_bias(int m, int n, const float *bias, float *x, int relu)
{
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            float v = x[(size_t)i * n + j] + bias[j];
            x[(size_t)i * n + j] = relu && v < 0 ? 0 : v;
        }
}

/* Softmax of each row less its label, over m: the cotangent of cross-entropy.  The loss. */
static float
loss_and_cotangent(int m, int n, const int32_t *label, float *x)
{
    float loss = 0;
    for (int i = 0; i < m; i++) {
        float *row = x + (size_t)i * n, top = row[0], sum = 0;
        for (int j = 1; j < n; j++)
            top = row[j] > top ? row[j] : top;
        float chosen = row[label[i]] - top;
        for (int j = 0; j < n; j++)
            sum += row[j] = expf(row[j] - top);
        loss += logf(sum) - chosen;
        for (int j = 0; j < n; j++)
            row[j] = (row[j] / sum - (float)(j == label[i])) / (float)m;
    }
    return loss / (float)m;
}

static void
column_sums(int m, int n, const float *x, float *out)
{
    memset(out, 0, (size_t)n * sizeof *out);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            out[j] += x[(size_t)i * n + j];
}

static void
step(size_t n, const float *p, const float *d, float *out)
{
    for (size_t i = 0; i < n; i++)
        out[i] = p[i] - 0.1f * d[i];
}

enum { B = 128, D0 = 784, D1 = 512, D2 = 512, D3 = 10 };

/* x, y, w0, b0, w1, b1, w2, b2 -> loss, and the parameters after a step. */
void
hand_mlp_step(void *const *p)
{
    static float h1[B * D1], h2[B * D2], h3[B * D3], d1[B * D1], d2[B * D2], dw[D0 * D1],
        db[D1];
    const float *x = p[0], *w0 = p[2], *b0 = p[3], *w1 = p[4], *b1 = p[5], *w2 = p[6],
                *b2 = p[7];
    product(B, D1, D0, x, 0, w0, 0, 0, h1);
    add_bias(B, D1, b0, h1, 1);
    product(B, D2, D1, h1, 0, w1, 0, 0, h2);
    add_bias(B, D2, b1, h2, 1);
    product(B, D3, D2, h2, 0, w2, 0, 0, h3);
    add_bias(B, D3, b2, h3, 0);
    *(float *)p[8] = loss_and_cotangent(B, D3, p[1], h3);
    product(B, D2, D3, h3, 0, w2, 1, 0, d2);
    for (int i = 0; i < B * D2; i++)
        d2[i] = h2[i] > 0 ? d2[i] : 0;
    product(B, D1, D2, d2, 0, w1, 1, 0, d1);
    for (int i = 0; i < B * D1; i++)
        d1[i] = h1[i] > 0 ? d1[i] : 0;
    product(D0, D1, B, x, 1, d1, 0, 0, dw);
    column_sums(B, D1, d1, db);
    step((size_t)D0 * D1, w0, dw, p[9]);
    step(D1, b0, db, p[10]);
    product(D1, D2, B, h1, 1, d2, 0, 0, dw);
    column_sums(B, D2, d2, db);
    step((size_t)D1 * D2, w1, dw, p[11]);
    step(D2, b1, db, p[12]);
    product(D2, D3, B, h2, 1, h3, 0, 0, dw);
    column_sums(B, D3, h3, db);
    step((size_t)D2 * D3, w2, dw, p[13]);
    step(D3, b2, db, p[14]);
}

enum { PS = 64, P0 = 784, P1 = 128, P2 = 128, P3 = 10 };

static void
outer(int m, int n, const float *x, const float *y, float *out)
{
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            out[(size_t)i * n + j] = x[i] * y[j];
}

/* The network of the workload has hidden layers 128, 128: x, y, w0, b0, w1, b1, w2, b2 ->
 * gradients. */
void
hand_per_sample_grads(void *const *p)
{
    const float *x = p[0], *w0 = p[2], *b0 = p[3], *w1 = p[4], *b1 = p[5], *w2 = p[6],
                *b2 = p[7];
    const int32_t *label = p[1];
    static float h1[PS * P1], h2[PS * P2], h3[PS * P3];
    product(PS, P1, P0, x, 0, w0, 0, 0, h1);
    add_bias(PS, P1, b0, h1, 1);
    product(PS, P2, P1, h1, 0, w1, 0, 0, h2);
    add_bias(PS, P2, b1, h2, 1);
    product(PS, P3, P2, h2, 0, w2, 0, 0, h3);
    add_bias(PS, P3, b2, h3, 0);
#pragma omp parallel for
    for (int s = 0; s < PS; s++) {
        float d1[P1], d2[P2], *d3 = h3 + s * P3;
        loss_and_cotangent(1, P3, label + s, d3);
        for (int i = 0; i < P2; i++) {
            d2[i] = 0;
            for (int j = 0; j < P3; j++)
                d2[i] += w2[i * P3 + j] * d3[j];
            d2[i] = h2[s * P2 + i] > 0 ? d2[i] : 0;
        }
        for (int i = 0; i < P1; i++) {
            float sum[8] = { 0 };
            for (int j = 0; j < P2; j += 8)
                for (int k = 0; k < 8; k++)
                    sum[k] += w1[i * P2 + j + k] * d2[j + k];
            for (int k = 1; k < 8; k++)
                sum[0] += sum[k];
            d1[i] = h1[s * P1 + i] > 0 ? sum[0] : 0;
        }
        outer(P0, P1, x + s * P0, d1, (float *)p[8] + (size_t)s * P0 * P1);
        memcpy((float *)p[9] + s * P1, d1, sizeof d1);
        outer(P1, P2, h1 + s * P1, d2, (float *)p[10] + (size_t)s * P1 * P2);
        memcpy((float *)p[11] + s * P2, d2, sizeof d2);
        outer(P2, P3, h2 + s * P2, d3, (float *)p[12] + (size_t)s * P2 * P3);
        memcpy((float *)p[13] + s * P3, d3, P3 * sizeof *d3);
    }
}

typedef struct point {
    float x, y, z;
} point;

static inline point
lorenz(point p, float s, float r, float b)
{
    return (point){ s * (p.y - p.x), p.x * (r - p.z) - p.y, p.x * p.y - b * p.z };
}

static inline point
along(point p, float h, point d)
{
    return (point){ p.x + h * d.x, p.y + h * d.y, p.z + h * d.z };
}

static inline point
rk4(point p, float s, float r, float b)
{
    const float h = 0.001f;
    point k1 = lorenz(p, s, r, b), k2 = lorenz(along(p, h / 2, k1), s, r, b);
    point k3 = lorenz(along(p, h / 2, k2), s, r, b), k4 = lorenz(along(p, h, k3), s, r, b);
    point sum = { k1.x + 2 * k2.x + 2 * k3.x + k4.x, k1.y + 2 * k2.y + 2 * k3.y + k4.y,
                  k1.z + 2 * k2.z + 2 * k3.z + k4.z };
    return along(p, h / 6, sum);
}

void
hand_lorenz_1(void *const *q)
{
    point p = { *(float *)q[0], *(float *)q[1], *(float *)q[2] };
    float s = *(float *)q[3], r = *(float *)q[4], b = *(float *)q[5];
    for (int i = 0; i < 10000; i++)
        p = rk4(p, s, r, b);
    *(float *)q[6] = p.x, *(float *)q[7] = p.y, *(float *)q[8] = p.z;
}

/* Blocks of 32 starts, so that each step is a loop to vectorise. */
void
hand_lorenz_1024(void *const *q)
{
    float s = *(float *)q[3], r = *(float *)q[4], b = *(float *)q[5];
#pragma omp parallel for
    for (int block = 0; block < 1024; block += 32) {
        float x[32], y[32], z[32];
        memcpy(x, (float *)q[0] + block, sizeof x);
        memcpy(y, (float *)q[1] + block, sizeof y);
        memcpy(z, (float *)q[2] + block, sizeof z);
        for (int i = 0; i < 10000; i++)
#pragma omp simd
            for (int j = 0; j < 32; j++) {
                point p = rk4((point){ x[j], y[j], z[j] }, s, r, b);
                x[j] = p.x, y[j] = p.y, z[j] = p.z;
            }
        memcpy((float *)q[6] + block, x, sizeof x);
        memcpy((float *)q[7] + block, y, sizeof y);
        memcpy((float *)q[8] + block, z, sizeof z);
    }
}

void
hand_tiny(void *const *p)
{
    const float *x = p[0];
    float sum = 0;
    for (int i = 0; i < 4; i++)
        sum += sinf(x[i]) * x[i];
    *(float *)p[1] = sum;
}
