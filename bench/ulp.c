/* Elementary functions in f32 over all 2^32 inputs: the worst error of each, in units of the last place.
 *
 *   ulp [--threads N] [--from A] [--to B] [NAME ...]        only A <= |x| <= B, if given
 *
 * The scalar programs are those that the evaluator interprets and codegen translates, so that their
 * errors are those of every back end.  libm in double precision is the reference, and MPFR where the
 * error is near the bound of 1 ulp.  The inputs are split among threads, each with a context of its own. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "ir/context.h"
#include "ir/scalar.h"
#include "tests/ulp.h"

enum { STRIP = 1 << 14, MAX_THREADS = 64 };

typedef struct share {
    pthread_t thread;
    const ulp_row *row;
    uint32_t least;           /* magnitudes tested: `count` bit patterns from `least` on, */
    uint64_t count, from, to; /* each positive, then each negative; this share of them    */
    double worst, at;
} share;

static void
strip(share *s, const ir_sc_program *p, ir_arena *arena, uint64_t from, int n)
{
    static _Thread_local float x[STRIP], y[STRIP];
    static _Thread_local double wide_x[STRIP], wide_y[STRIP];
    double at = 0;

    for (int i = 0; i < n; i++) {
        uint64_t k = from + (uint64_t)i;
        uint32_t bits = s->least + (uint32_t)(k % s->count) + (k < s->count ? 0 : 0x80000000);
        memcpy(&x[i], &bits, sizeof bits);
    }
    ir_sc_run(arena, p, n, y, (const void *[]){ x });
    for (int i = 0; i < n; i++) {
        wide_x[i] = x[i];
        wide_y[i] = y[i];
    }
    double worst = ulp_worst(s->row, n, wide_x, wide_y, false, 1, &at);
    if (worst > s->worst) {
        s->worst = worst;
        s->at = at;
    }
}

static void *
work(void *argument)
{
    static const cot_dtype in[1] = { COT_F32 };
    share *s = argument;
    cot_context *ctx = cot_context_new(NULL);
    const ir_sc_program *p = ir_sc_of(ctx, s->row->op, NULL, 1, in, COT_F32);
    ir_arena arena;

    ir_arena_init(&arena, ctx);
    for (uint64_t from = s->from; from < s->to; from += STRIP) {
        strip(s, p, &arena, from, (int)(s->to - from < STRIP ? s->to - from : STRIP));
        ir_arena_free(&arena);
    }
    cot_context_free(ctx);
    mpfr_free_cache();
    return NULL;
}

static uint32_t
bits_of(float x)
{
    uint32_t bits;

    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static void
measure(const ulp_row *row, int threads, uint32_t least, uint32_t most)
{
    static share part[MAX_THREADS];
    struct timespec begin, end;
    const uint64_t count = (uint64_t)most - least + 1, each = 2 * count / (uint64_t)threads;
    share *worst = &part[0];

    timespec_get(&begin, TIME_UTC);
    for (int i = 0; i < threads; i++) {
        part[i] = (share){ .row = row,
                           .least = least,
                           .count = count,
                           .from = each * (uint64_t)i,
                           .to = i + 1 == threads ? 2 * count : each * (uint64_t)(i + 1) };
        if (pthread_create(&part[i].thread, NULL, work, &part[i]) != 0) {
            fprintf(stderr, "ulp: no thread could be made\n");
            exit(3);
        }
    }
    for (int i = 0; i < threads; i++) {
        pthread_join(part[i].thread, NULL);
        if (part[i].worst > worst->worst)
            worst = &part[i];
    }
    timespec_get(&end, TIME_UTC);
    printf("%-10s %8.4f  at %-16a %6.0f s\n", ir_ops[row->op].name, worst->worst, worst->at,
           difftime(end.tv_sec, begin.tv_sec));
    fflush(stdout);
}

int
main(int argc, char **argv)
{
    int threads = 2, named = 0;
    uint32_t least = 0, most = 0x7fffffff;

    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--threads") == 0 && i + 1 < argc) {
            threads = atoi(argv[++i]);
            threads = threads < 1 ? 1 : threads > MAX_THREADS ? MAX_THREADS : threads;
        } else if (strcmp(argv[i], "--from") == 0 && i + 1 < argc)
            least = bits_of(strtof(argv[++i], NULL)) & 0x7fffffff;
        else if (strcmp(argv[i], "--to") == 0 && i + 1 < argc)
            most = bits_of(strtof(argv[++i], NULL)) & 0x7fffffff;
        else
            argv[1 + named++] = argv[i];
    }
    if (most < least) {
        fprintf(stderr, "ulp: --from is above --to\n");
        return 2;
    }
    printf("%-10s %8s\n", "f32", "ulp");
    for (int r = 0; r < ULP_ROWS; r++)
        for (int i = named == 0 ? -1 : 0; i < named; i++)
            if (named == 0 || strcmp(argv[1 + i], ir_ops[ulp_rows[r].op].name) == 0) {
                measure(&ulp_rows[r], threads, least, most);
                break;
            }
    return 0;
}
