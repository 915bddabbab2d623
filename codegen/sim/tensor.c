/* Asynchronous copies and tensor cores, simulated as tensor.h defines them.
 *
 * A copy is executed when it is started.  Until it has arrived no thread may access its
 * destination, and until a barrier after that no other thread may.  Fragments access the same
 * memory as loads, so that races are detected. */
#include <math.h>

#include "codegen/sim/sim.h"

typedef struct fragment_words {
    uint32_t at[CG_WARP][4];
} fragment_words;

/* The lane of copy c of an instruction in thread t. */
static int64_t
lane_of(const sim *s, int64_t t, int64_t c)
{
    return t * (s->at.n / s->at.threads) + c;
}

static bool
fetch_row(sim *s, const cg_insn *p, int64_t lane, int64_t to, int64_t from, int64_t count)
{
    const uint32_t *buffer = p->call->buffer;
    const int64_t n = p->imm ? 1 : 16 / (int64_t)s->memory[buffer[0]].size;

    for (int64_t j = 0; j < n; j++) {
        char x[8] = { 0 };
        if (j < count && !cg_sim_load(s, buffer[1], lane, from + j, x))
            return false;
        if (cg_sim_is_sent(s, buffer[0], lane, to + j, x))
            continue; /* a value that does not vary in a thread's loops has one copy */
        if (!cg_sim_store(s, buffer[0], lane, to + j, x))
            return false;
        cg_sim_send(s, buffer[0], to + j);
    }
    return true;
}

static bool
fetch(sim *s, const cg_insn *p)
{
    const int64_t *to = cg_sim_operand(s, p->in[0], 0), *from = cg_sim_operand(s, p->in[1], 1);
    const int64_t *count = p->in[2] ? cg_sim_operand(s, p->in[2], 2) : NULL;

    for (int64_t i = 0; i < s->at.n; i++)
        if ((!s->at.mask || s->at.mask[i]) &&
            !fetch_row(s, p, i, to[i], from[i], count ? count[i] : 16))
            return false;
    return true;
}

/* Word c of row g of a matrix whose rows begin at row[0 ... 7]; columns: the elements 2 c and 2
 * c + 1 of column g. */
static bool
matrix_word(sim *s, const cg_insn *p, int64_t lane, const int64_t *row, int g, int c,
            uint32_t *word)
{
    const uint32_t from = p->call->buffer[1];
    uint16_t half[2];

    if (s->memory[from].size == 4)
        return cg_sim_load(s, from, lane, row[g] + c, word);
    for (int h = 0; h < 2; h++)
        if (!cg_sim_load(s, from, lane, p->imm ? row[2 * c + h] + g : row[g] + 2 * c + h,
                         &half[h]))
            return false;
    *word = half[0] | (uint32_t)half[1] << 16;
    return true;
}

static bool
fragment(sim *s, const cg_insn *p, int64_t warp, int64_t copy)
{
    const int64_t *to = cg_sim_operand(s, p->in[0], 0), *from = cg_sim_operand(s, p->in[1], 1);

    for (int q = 0; q < 4; q++) {
        int64_t row[8];
        for (int r = 0; r < 8; r++)
            row[r] = from[lane_of(s, warp * CG_WARP + 8 * q + r, copy)];
        for (int t = 0; t < CG_WARP; t++) {
            const int64_t lane = lane_of(s, warp * CG_WARP + t, copy);
            uint32_t word;
            if (!matrix_word(s, p, lane, row, t / 4, t % 4, &word) ||
                !cg_sim_store(s, p->call->buffer[0], lane, to[lane] + q, &word))
                return false;
        }
    }
    return true;
}

/* Rounds to 11 bits of significand, ties away from zero. */
static float
to_tf32(uint32_t bits)
{
    float x;

    if ((bits & 0x7f800000) != 0x7f800000)
        bits = (bits + 0x1000) & ~(uint32_t)0x1fff;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Factor h that a word holds. */
static float
factor(const cg_insn *p, uint32_t word, int h)
{
    const uint16_t half = (uint16_t)(word >> 16 * h);

    if (p->type == COT_F32)
        return to_tf32(word);
    return p->type == COT_F16 ? cot_f16_to_f32(half) : cot_bf16_to_f32(half);
}

static bool
read_words(sim *s, const cg_insn *p, int j, int n, int64_t warp, int64_t copy,
           fragment_words *w)
{
    const int64_t *at = cg_sim_operand(s, p->in[j], 0);

    for (int t = 0; t < CG_WARP; t++) {
        const int64_t lane = lane_of(s, warp * CG_WARP + t, copy);
        for (int r = 0; r < n; r++)
            if (!cg_sim_load(s, p->call->buffer[j], lane, at[lane] + r, &w->at[t][r]))
                return false;
    }
    return true;
}

/* The element (i, k) of a factor with 16 rows (left) or 8, in the thread and word that hold it:
 * k runs over 4 words, or 4 pairs, before the next word. */
static float
element(const cg_insn *p, const fragment_words *w, int i, int k, bool left)
{
    const int pair = p->type == COT_F32 ? 1 : 2, c = k / pair % 4, high = k / pair / 4;

    return factor(p, w->at[i % 8 * 4 + c][left ? i / 8 + 2 * high : high], k % pair);
}

static bool
multiply(sim *s, const cg_insn *p, int64_t warp, int64_t copy)
{
    const int steps = p->type == COT_F32 ? 8 : 16;
    fragment_words sum, left, right;

    if (!read_words(s, p, 0, 4, warp, copy, &sum) ||
        !read_words(s, p, 1, 4, warp, copy, &left) ||
        !read_words(s, p, 2, 2, warp, copy, &right))
        return false;
    const int64_t *to = cg_sim_operand(s, p->in[0], 0);
    for (int t = 0; t < CG_WARP; t++)
        for (int r = 0; r < 4; r++) {
            const int64_t lane = lane_of(s, warp * CG_WARP + t, copy);
            const int i = t / 4 + r / 2 * 8, j = t % 4 * 2 + r % 2;
            float x;
            memcpy(&x, &sum.at[t][r], sizeof x);
            for (int k = 0; k < steps; k++)
                x = fmaf(element(p, &left, i, k, true), element(p, &right, j, k, false), x);
            if (!cg_sim_store(s, p->call->buffer[0], lane, to[lane] + r, &x))
                return false;
        }
    return true;
}

/* Executes an instruction of whole warps, once for each copy. */
static bool
by_warps(sim *s, const cg_insn *p)
{
    const int64_t copies = s->at.n / s->at.threads;

    if (s->at.kind != CG_BLOCK || s->at.mask || s->at.threads % CG_WARP)
        return cg_sim_wrong(s, "what warps do together, and not all threads do");
    for (int64_t w = 0; w < s->at.threads / CG_WARP; w++)
        for (int64_t c = 0; c < copies; c++)
            if (p->op == CG_MMA ? !multiply(s, p, w, c) : !fragment(s, p, w, c))
                return false;
    return true;
}

bool
cg_sim_tensor(sim *s, cg_val v)
{
    const cg_insn *p = &s->k->insn[v];

    switch (p->op) {
    case CG_FETCH: return fetch(s, p);
    case CG_COMMIT: s->groups++; return true;
    case CG_ARRIVE: cg_sim_land(s, s->groups - (int32_t)p->imm); return true;
    default: return by_warps(s, p);
    }
}
