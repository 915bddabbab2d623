/* argsort, top_k: every element of every key becomes an unsigned word with the same order, and
 * a merge sort of the indices compares those words.  The stable order of the words is unique,
 * so a faster algorithm elsewhere must give the same result. */
#include "ir/eval/eval.h"

/* The bits of a float of that width, mapped to a word of the same order: negative numbers are
 * complemented, others get the sign bit set; -0 maps to the word of 0, and a NaN is above
 * all. */
static uint64_t
float_word(uint64_t w, int bits, uint64_t infinite)
{
    const uint64_t sign = (uint64_t)1 << (bits - 1), all = sign | (sign - 1);

    if ((w & (sign - 1)) > infinite)
        return all;
    return w <= sign ? w | sign : w ^ all;
}

static uint64_t
word_of(cot_dtype t, const void *x, int64_t i)
{
    const size_t width = cot_dtype_size(t);
    uint64_t w = 0;

    memcpy(&w, (const char *)x + (size_t)i * width, width);
    switch (t) {
    case COT_F16: return float_word(w, 16, 0x7c00);
    case COT_BF16: return float_word(w, 16, 0x7f80);
    case COT_F32: return float_word(w, 32, 0x7f800000);
    case COT_F64: return float_word(w, 64, 0x7ff0000000000000);
    default: return ir_is_signed(t) ? w ^ (uint64_t)1 << (ir_bits(t) - 1) : w;
    }
}

/* The words of a line: key k of element i at k n + i. */
static bool
before(const uint64_t *word, int keys, int64_t n, int64_t i, int64_t j)
{
    for (int k = 0; k < keys; k++, word += n)
        if (word[i] != word[j])
            return word[i] < word[j];
    return false;
}

/* Merges two runs of indices, of lengths m and n - m. */
static void
merge(const uint64_t *word, int keys, int64_t size, const int64_t *x, int64_t m, int64_t n,
      int64_t *to)
{
    int64_t i = 0, j = m;

    for (int64_t k = 0; k < n; k++)
        to[k] = j < n && (i == m || before(word, keys, size, x[j], x[i])) ? x[j++] : x[i++];
}

static void
sort_line(const uint64_t *word, int keys, int64_t n, int64_t *place, int64_t *other)
{
    for (int64_t i = 0; i < n; i++)
        place[i] = i;
    for (int64_t run = 1; run < n; run *= 2) {
        for (int64_t at = 0; at < n; at += 2 * run) {
            int64_t m = run < n - at ? run : n - at, both = 2 * run < n - at ? 2 * run : n - at;

            merge(word, keys, n, place + at, m, both, other + at);
        }
        memcpy(place, other, sizeof *place * (size_t)n);
    }
}

/* Sorts the indices of each line of `in` by their words (descending if `top`), and writes the
 * first `most` of them. */
static cot_status
sort_lines(const ir_eval_args *a, int64_t axis, int64_t most, bool top)
{
    const ir_type *t = a->in_type[0], *r = a->out_type[0];
    const int64_t n = t->dims[axis];
    const size_t width = cot_dtype_size(r->dtype);
    int64_t inner = 1;

    for (int k = (int)axis + 1; k < t->rank; k++)
        inner *= t->dims[k];
    uint64_t *word = IR_NEW_N(a->scratch, uint64_t, n * a->n_in + 1);
    int64_t *place = IR_NEW_N(a->scratch, int64_t, n + 1),
            *other = IR_NEW_N(a->scratch, int64_t, n + 1);
    for (int64_t line = 0; n > 0 && line < t->size / n; line++) {
        const int64_t from = line / inner * n * inner + line % inner,
                      to = line / inner * most * inner + line % inner;

        for (int k = 0; k < a->n_in; k++)
            for (int64_t i = 0; i < n; i++) {
                const uint64_t w = word_of(a->in_type[k]->dtype, a->in[k], from + i * inner);
                word[k * n + i] = top ? ~w : w;
            }
        sort_line(word, a->n_in, n, place, other);
        for (int64_t i = 0; i < most; i++)
            memcpy((char *)a->out[0] + (size_t)(to + i * inner) * width, &place[i], width);
    }
    return COT_OK;
}

cot_status
eval_argsort(const ir_eval_args *a)
{
    return sort_lines(a, a->at->arg.axis, a->in_type[0]->dims[a->at->arg.axis], false);
}

cot_status
eval_top_k(const ir_eval_args *a)
{
    return sort_lines(a, a->at->top.axis, a->at->top.k, true);
}
