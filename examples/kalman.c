/* An extended Kalman filter for a microcontroller: six states, and its Jacobian.
 *
 *   kalman            fly a track, filtered, and print it
 *   kalman FOLDER     write FOLDER/kalman_filter.c and .h: C for any compiler, freestanding;
 *                     and, in builds with LLVM, kalman_m4.o: a Cortex-M4F's machine code
 *
 * The state is position and velocity in space, what is seen is range, azimuth and elevation
 * from the origin.  The Jacobian of the measurement, which textbooks write down, is taken by
 * cot_jacfwd inside the step; the Jacobian of a whole step in the state, which smoothers and
 * tuning want, is a second function of the file.  Nothing in either allocates: work is a block
 * whose size the header states.  Source: A. Gelb, Applied Optimal Estimation, 1974. */
#include <math.h>
#include <string.h>

#include "cotrace/cotrace.h"

enum { STATES = 6, SEEN = 3, STEPS = 40 };

static const float every = 0.1f, jerk = 0.05f, noise = 0.02f;

/* range, azimuth, elevation of the position */
static void
measure(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    cot_value p[SEEN];

    (void)t;
    (void)user;
    for (int i = 0; i < SEEN; i++)
        p[i] = cot_index(in[0], i, 0);
    cot_value flat = cot_sqrt(cot_add(cot_mul(p[0], p[0]), cot_mul(p[1], p[1])));
    out[0] = cot_stack(COT_VALUES(cot_sqrt(cot_add(cot_mul(flat, flat), cot_mul(p[2], p[2]))),
                                  cot_atan2(p[1], p[0]), cot_atan2(p[2], flat)),
                       0);
}

/* (x, P, z) -> (x, P) after one period and one look; in, out and work never overlap. */
static void
step(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    cot_fn *see = user, *slope = cot_jacfwd(see);
    float move[STATES * STATES] = { 0 };

    for (int i = 0; i < STATES; i++)
        move[i * STATES + i] = 1;
    for (int i = 0; i < SEEN; i++)
        move[i * STATES + SEEN + i] = every;
    cot_value f = cot_constant(t, cot_f32(STATES, STATES), move),
              one = cot_eye(t, COT_F32, STATES);
    cot_value x = cot_dot(f, in[0]), p = cot_matmul(cot_matmul(f, in[1]), cot_transpose(f));

    p = cot_add(p, cot_mul(one, jerk));
    cot_value h = cot_call(slope, x), cross = cot_matmul(h, p);
    cot_value seen =
        cot_add(cot_matmul(cross, cot_transpose(h)), cot_mul(cot_eye(t, COT_F32, SEEN), noise));
    cot_value gain = cot_transpose(cot_solve(seen, cross)); /* both are symmetric: P H^T S^-1 */
    out[0] = cot_add(x, cot_dot(gain, cot_sub(in[2], cot_call(see, x))));
    out[1] = cot_matmul(cot_sub(one, cot_matmul(gain, h)), p);
}

static cot_status
write_files(cot_context *ctx, cot_fn *f, cot_types types, const char *folder)
{
    const cot_export both[] = { { f, types, "kalman_step" },
                                { cot_jacfwd(f, .wrt = COT_LIST(0)), types,
                                  "kalman_step_slope" } };
    char path[3][512];

    snprintf(path[0], sizeof path[0], "%s/kalman_filter.c", folder);
    snprintf(path[1], sizeof path[1], "%s/kalman_filter.h", folder);
    snprintf(path[2], sizeof path[2], "%s/kalman_m4.o", folder);
    COT_TRY(cot_build_object(ctx, both, 2, &(cot_compile_options){ .vector_bits = 32 }, path[0],
                             path[1])); /* scalars */
    if (cot_build_object(ctx, both, 2, &(cot_compile_options){ .target = "armv7em-none-eabi" },
                         path[2], NULL) != COT_OK) {
        fprintf(stderr, "not written: %s\n", cot_error(ctx));
        cot_error_clear(ctx);
    }
    return COT_OK;
}

/* A body that flies a gentle curve, seen without noise: the filter starts a metre off and knows
 * no velocity. */
static cot_status
fly(cot_context *ctx, cot_fn *f, cot_types types)
{
    float x[STATES] = { 4, 1, 1 }, p[STATES * STATES] = { 0 }, z[SEEN];
    cot_array *in[3],
        *out[2] = { cot_array_new(ctx, types.at[0]), cot_array_new(ctx, types.at[1]) };
    cot_kernel *k;

    for (int i = 0; i < STATES; i++)
        p[i * STATES + i] = 1;
    in[0] = cot_array_borrow(ctx, types.at[0], x);
    in[1] = cot_array_borrow(ctx, types.at[1], p);
    in[2] = cot_array_borrow(ctx, types.at[2], z);
    COT_TRY(cot_compile(f, types, NULL, &k));
    for (int i = 1; i <= STEPS; i++) {
        const float s = (float)i * every, at[3] = { 5 - s, 1 + 0.5f * s, 2 + 0.1f * s * s };
        const float flat = sqrtf(at[0] * at[0] + at[1] * at[1]);

        z[0] = sqrtf(flat * flat + at[2] * at[2]);
        z[1] = atan2f(at[1], at[0]);
        z[2] = atan2f(at[2], flat);
        COT_TRY(cot_run(k, out, (const cot_array *const *)in));
        memcpy(x, cot_array_read(out[0]), sizeof x);
        memcpy(p, cot_array_read(out[1]), sizeof p);
        if (i % 10 == 0)
            printf("t = %.0f s   at %6.2f %6.2f %6.2f   found %6.2f %6.2f %6.2f   velocity "
                   "%5.1f %5.1f %5.1f\n",
                   s, at[0], at[1], at[2], x[0], x[1], x[2], x[3], x[4], x[5]);
    }
    for (int i = 0; i < 3; i++)
        cot_array_free(in[i]);
    cot_array_free(out[0]), cot_array_free(out[1]);
    cot_kernel_free(k);
    return COT_OK;
}

int
main(int argc, char **argv)
{
    cot_context *ctx = cot_context_new(NULL);
    cot_fn *f = cot_fn_new(ctx, "kalman_step", step, 3, 2,
                           cot_fn_new(ctx, "measure", measure, 1, 1, NULL));
    const cot_types types = COT_TYPES(cot_f32(STATES), cot_f32(STATES, STATES), cot_f32(SEEN));
    cot_status status = argc > 1 ? write_files(ctx, f, types, argv[1]) : fly(ctx, f, types);

    if (status != COT_OK)
        fprintf(stderr, "%s\n", cot_error(ctx));
    cot_context_free(ctx);
    return status != COT_OK;
}
