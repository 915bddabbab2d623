/* Handwritten digits: trained, mapped, and shipped.
 *
 *   digits [DATA [OUT]]        DATA: folder of digits_*.npy; OUT: folder for what is written
 *
 * 1. A two-layer network is a C function; its loss is another.  cot_grad_and_value
 * differentiates it, and one
 *    kernel takes a step of SGD with momentum.
 * 2. The same training at 1 and at 2 threads ends in the same bits.
 * 3. vmap of grad gives the gradient of every single image: the largest are the hard ones.
 * 4. The trained predictor, its weights inside, and the training step become an object file
 * with a header;
 *    digits_embedded.c is compiled against them with the system compiler, and must agree. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cotrace/cotrace.h"

enum {
    IMAGES = 1797,
    PIXELS = 64,
    HIDDEN = 64,
    CLASSES = 10,
    BATCH = 32,
    EPOCHS = 60,
    PARAMS = 4
};
enum { TEST = (IMAGES + 4) / 5, TRAIN = IMAGES - TEST }; /* every fifth image is for the test */

typedef struct data {
    float x[IMAGES][PIXELS];
    int32_t y[IMAGES];
} data;

/* ---- the model ---- */

/* x [n,64], w0, b0, w1, b1 -> logits [n,10] */
static cot_value
network(cot_value x, const cot_value *p)
{
    cot_value hidden = cot_relu(cot_add(cot_matmul(x, p[0]), p[1]));
    return cot_add(cot_matmul(hidden, p[2]), p[3]);
}

static void
loss(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t, (void)user;
    out[0] = cot_cross_entropy(network(in[0], in + 2), in[1]);
}

/* x, y, rate, parameters, momenta -> parameters, momenta, loss */
static void
step(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    const cot_value *p = in + 3, *m = in + 3 + PARAMS;
    cot_value d[PARAMS + 1];
    cot_fn *df = cot_grad_and_value((cot_fn *)user, .wrt = COT_LIST(2, 3, 4, 5));
    (void)t;
    cot_call_all(df, COT_VALUES(in[0], in[1], p[0], p[1], p[2], p[3]), d, PARAMS + 1);
    for (int i = 0; i < PARAMS; i++) {
        out[PARAMS + i] = cot_add(cot_mul(0.9, m[i]), d[i]);
        out[i] = cot_sub(p[i], cot_mul(in[2], out[PARAMS + i]));
    }
    out[2 * PARAMS] = d[PARAMS];
}

/* The squared norm of one image's gradient: x [64], y [], parameters. */
static void
gradient_norm(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    cot_value d[PARAMS];
    cot_fn *df = cot_grad((cot_fn *)user, .wrt = COT_LIST(2, 3, 4, 5));
    (void)t;
    cot_call_all(df,
                 COT_VALUES(cot_expand_dims(in[0], 0), cot_expand_dims(in[1], 0), in[2], in[3],
                            in[4], in[5]),
                 d, PARAMS);
    out[0] = cot_reduce_sum(cot_square(d[0]));
    for (int i = 1; i < PARAMS; i++)
        out[0] = cot_add(out[0], cot_reduce_sum(cot_square(d[i])));
}

/* One image to its logits and its digit; user has the trained parameters, which are frozen
 * here. */
static void
predict(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    cot_array *const *trained = user;
    cot_value p[PARAMS];
    for (int i = 0; i < PARAMS; i++)
        p[i] = cot_constant(t, cot_array_type(trained[i]), cot_array_read(trained[i]));
    cot_value logits = network(cot_expand_dims(in[0], 0), p);
    out[0] = cot_squeeze(logits, 0);
    out[1] = cot_argmax(out[0]);
}

/* ---- training ---- */

typedef struct model {
    cot_array *p[2 * PARAMS]; /* parameters, then momenta */
} model;

static const int64_t fan_in[PARAMS] = { PIXELS, 0, HIDDEN, 0 };

static cot_type
param_type(int i)
{
    return i == 0   ? cot_f32(PIXELS, HIDDEN)
           : i == 1 ? cot_f32(HIDDEN)
           : i == 2 ? cot_f32(HIDDEN, CLASSES)
                    : cot_f32(CLASSES);
}

static uint32_t
random_bits(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    return *state ^= *state << 5;
}

static model
model_new(cot_context *ctx)
{
    model m;
    uint32_t seed = 2463534242u;
    for (int i = 0; i < 2 * PARAMS; i++) {
        cot_type type = param_type(i % PARAMS);
        m.p[i] = cot_array_new(ctx, type);
        float *w = cot_array_data(m.p[i]);
        for (int64_t k = 0; i < PARAMS && fan_in[i] && k < cot_type_count(&type); k++)
            w[k] = ((float)random_bits(&seed) / 2147483648.0f - 1.0f) *
                   sqrtf(3.0f / (float)fan_in[i]);
    }
    return m;
}

static void
model_free(model *m)
{
    for (int i = 0; i < 2 * PARAMS; i++)
        cot_array_free(m->p[i]);
}

static double
now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void
progress(int done, int all, float value, double since)
{
    int full = 30 * done / all;
    double left = (now() - since) * (all - done) / done;
    fprintf(stderr, "\r  [%.*s%.*s] %3d/%d  loss %.4f  %4.1f s left ", full,
            "##############################", 30 - full, "..............................", done,
            all, (double)value, left);
    if (done == all)
        fprintf(stderr, "\n");
}

static void
shuffle(int *order, int n, uint32_t *seed)
{
    for (int i = n - 1; i > 0; i--) {
        int j = (int)(random_bits(seed) % (uint32_t)(i + 1)), k = order[i];
        order[i] = order[j];
        order[j] = k;
    }
}

/* Train with a kernel for the given number of threads; the model in *m, the last loss in
 * *last. */
static cot_status
train(cot_context *ctx, cot_fn *step_fn, cot_types types, const data *d, int threads, model *m,
      float *last)
{
    cot_kernel *k = NULL;
    model next = model_new(ctx);
    int order[TRAIN];
    uint32_t seed = 88675123;
    float rate = 0.05f, total = 0;
    cot_array *x = cot_array_new(ctx, types.at[0]), *y = cot_array_new(ctx, types.at[1]);
    cot_array *r = cot_array_borrow(ctx, cot_f32(), &rate),
              *l = cot_array_borrow(ctx, cot_f32(), last);
    cot_status status =
        cot_compile(step_fn, types, &(cot_compile_options){ .threads = threads }, &k);
    double start = now();
    *m = model_new(ctx);
    for (int i = 0; i < TRAIN; i++)
        order[i] = i + i / 4 + 1; /* what is not a multiple of five */
    for (int epoch = 0; epoch < EPOCHS && status == COT_OK; epoch++) {
        shuffle(order, TRAIN, &seed);
        rate = epoch < EPOCHS * 2 / 3 ? 0.05f : 0.005f;
        total = 0;
        for (int at = 0; at + BATCH <= TRAIN && status == COT_OK; at += BATCH) {
            for (int i = 0; i < BATCH; i++) {
                memcpy((float *)cot_array_data(x) + i * PIXELS, d->x[order[at + i]],
                       sizeof d->x[0]);
                ((int32_t *)cot_array_data(y))[i] = d->y[order[at + i]];
            }
            const cot_array *args[3 + 2 * PARAMS] = { x, y, r };
            cot_array *results[2 * PARAMS + 1];
            for (int i = 0; i < 2 * PARAMS; i++) {
                args[3 + i] = m->p[i];
                results[i] = next.p[i];
            }
            results[2 * PARAMS] = l;
            status = cot_run(k, results, args);
            model swap = *m;
            *m = next;
            next = swap;
            total += *last;
        }
        progress(epoch + 1, EPOCHS, total / (TRAIN / BATCH), start);
    }
    model_free(&next);
    cot_array_free(x), cot_array_free(y), cot_array_free(r), cot_array_free(l);
    cot_kernel_free(k);
    return status;
}

/* ---- what the trained model does ---- */

static void
draw(const float *x)
{
    for (int i = 0; i < 8; i++) {
        printf("    ");
        for (int j = 0; j < 8; j++)
            printf("%c%c", " .:+*#"[(int)(x[8 * i + j] * 5.99f)],
                   " .:+*#"[(int)(x[8 * i + j] * 5.99f)]);
        printf("\n");
    }
}

/* Predictions of all test images: labels in digit, logits in logits. */
static cot_status
evaluate(cot_context *ctx, cot_fn *predictor, const data *d, int32_t *digit, float *logits)
{
    float x[TEST][PIXELS];
    cot_array *in = cot_array_borrow(ctx, cot_f32(TEST, PIXELS), x);
    cot_array *out[2] = { cot_array_borrow(ctx, cot_f32(TEST, CLASSES), logits),
                          cot_array_borrow(ctx, cot_i32(TEST), digit) };
    int right = 0;
    for (int i = 0; i < TEST; i++)
        memcpy(x[i], d->x[5 * i], sizeof x[i]);
    cot_status status = cot_jit(cot_vmap(predictor), out, 2, (const cot_array *[]){ in }, 1);
    for (int i = 0; i < TEST; i++)
        right += digit[i] == d->y[5 * i];
    printf("accuracy on %d images not trained on: %.2f %%\n", TEST, 100.0 * right / TEST);
    cot_array_free(in), cot_array_free(out[0]), cot_array_free(out[1]);
    return status != COT_OK ? status : right >= TEST * 0.96 ? COT_OK : COT_ERR_INTERNAL;
}

static cot_status
hardest(cot_context *ctx, cot_fn *loss_fn, const data *d, const model *m, const int32_t *digit)
{
    float x[TEST][PIXELS], norm[TEST];
    int32_t y[TEST];
    int worst = 0, mildest = 0;
    cot_fn *each = cot_vmap(cot_fn_new(ctx, "gradient_norm", gradient_norm, 6, 1, loss_fn),
                            .in_dims = COT_LIST(0, 0, COT_NONE, COT_NONE, COT_NONE, COT_NONE));
    for (int i = 0; i < TEST; i++) {
        memcpy(x[i], d->x[5 * i], sizeof x[i]);
        y[i] = d->y[5 * i];
    }
    cot_array *in[2] = { cot_array_borrow(ctx, cot_f32(TEST, PIXELS), x),
                         cot_array_borrow(ctx, cot_i32(TEST), y) };
    cot_array *out = cot_array_borrow(ctx, cot_f32(TEST), norm);
    const cot_array *args[] = { in[0], in[1], m->p[0], m->p[1], m->p[2], m->p[3] };
    cot_status status = cot_jit(each, &out, 1, args, 6);
    for (int i = 0; i < TEST; i++) {
        worst = norm[i] > norm[worst] ? i : worst;
        mildest = norm[i] < norm[mildest] ? i : mildest;
    }
    printf(
        "gradient norms of single images: %.2e to %.2e; the largest is a %d taken for a %d:\n",
        (double)sqrtf(norm[mildest]), (double)sqrtf(norm[worst]), y[worst], digit[worst]);
    draw(x[worst]);
    cot_array_free(in[0]), cot_array_free(in[1]), cot_array_free(out);
    return status;
}

/* ---- shipping ---- */

/* The test images with their digits, for the other program to agree with. */
static cot_status
write_expected(const char *out, const data *d, const int32_t *digit, const float *logits)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/digits_expected.bin", out);
    FILE *f = fopen(path, "wb");
    if (!f)
        return COT_ERR_IO;
    for (int i = 0; i < TEST; i++) {
        fwrite(d->x[5 * i], sizeof d->x[0], 1, f);
        fwrite(logits + i * CLASSES, sizeof *logits, CLASSES, f);
        fwrite(&digit[i], sizeof digit[i], 1, f);
    }
    return fclose(f) == 0 ? COT_OK : COT_ERR_IO;
}

static cot_status
ship(cot_context *ctx, cot_fn *predictor, cot_fn *step_fn, cot_types step_types,
     const char *source, const char *out)
{
    char object[1024], header[1024], command[4096];
    snprintf(object, sizeof object, "%s/digits_model.o", out);
    snprintf(header, sizeof header, "%s/digits_model.h", out);
    const cot_export exports[] = {
        { .fn = predictor, .types = COT_TYPES(cot_f32(PIXELS)), .name = "digits_predict" },
        { .fn = step_fn, .types = step_types, .name = "digits_step" },
    };
    COT_TRY(cot_build_object(ctx, exports, 2, NULL, object, header));
    const char *cc = getenv("CC");
    snprintf(command, sizeof command,
             "%s -std=c99 -O2 -Wall -I'%s' '%s/digits_embedded.c' '%s' -o '%s/digits_embedded'",
             cc && *cc ? cc : "cc", out, source, object, out);
    printf("%s\n", command);
    fflush(stdout);
    if (system(command) != 0)
        return COT_ERR_TARGET;
    snprintf(command, sizeof command, "'%s/digits_embedded' '%s/digits_expected.bin'", out,
             out);
    return system(command) == 0 ? COT_OK : COT_ERR_INTERNAL;
}

/* ---- the whole ---- */

static cot_status
read_data(cot_context *ctx, const char *folder, data *d)
{
    char path[1024];
    cot_array *x = NULL, *y = NULL;
    snprintf(path, sizeof path, "%s/digits_images.npy", folder);
    COT_TRY(cot_npy_read(ctx, path, &x));
    snprintf(path, sizeof path, "%s/digits_labels.npy", folder);
    cot_status status = cot_npy_read(ctx, path, &y);
    if (status == COT_OK &&
        (cot_array_bytes(x) != IMAGES * PIXELS || cot_array_bytes(y) != IMAGES))
        status = COT_ERR_SHAPE;
    for (int i = 0; i < IMAGES && status == COT_OK; i++) {
        for (int k = 0; k < PIXELS; k++)
            d->x[i][k] = (float)((const uint8_t *)cot_array_read(x))[i * PIXELS + k] / 16.0f;
        d->y[i] = ((const uint8_t *)cot_array_read(y))[i];
    }
    cot_array_free(x), cot_array_free(y);
    return status;
}

static cot_status
same_bits(const model *a, const model *b)
{
    for (int i = 0; i < 2 * PARAMS; i++)
        if (memcmp(cot_array_read(a->p[i]), cot_array_read(b->p[i]),
                   cot_array_bytes(a->p[i])) != 0)
            return COT_ERR_INTERNAL;
    printf("the same bits in all parameters at 1 and 2 threads\n");
    return COT_OK;
}

static cot_status
demo(cot_context *ctx, const char *folder, const char *source, const char *out)
{
    static data d;
    static int32_t digit[TEST];
    static float logits[TEST * CLASSES];
    model m, second;
    float last, again;
    cot_fn *loss_fn = cot_fn_new(ctx, "loss", loss, 2 + PARAMS, 1, NULL);
    cot_fn *step_fn = cot_fn_new(ctx, "step", step, 3 + 2 * PARAMS, 2 * PARAMS + 1, loss_fn);
    cot_types types = COT_TYPES(cot_f32(BATCH, PIXELS), cot_i32(BATCH), cot_f32(),
                                param_type(0), param_type(1), param_type(2), param_type(3),
                                param_type(0), param_type(1), param_type(2), param_type(3));
    COT_TRY(read_data(ctx, folder, &d));
    printf("training on %d images, 1 thread, then 2\n", TRAIN);
    COT_TRY(train(ctx, step_fn, types, &d, 1, &m, &last));
    COT_TRY(train(ctx, step_fn, types, &d, 2, &second, &again));
    COT_TRY(same_bits(&m, &second));
    cot_fn *predictor = cot_fn_new(ctx, "predict", predict, 1, 2, m.p);
    COT_TRY(evaluate(ctx, predictor, &d, digit, logits));
    COT_TRY(hardest(ctx, loss_fn, &d, &m, digit));
    COT_TRY(write_expected(out, &d, digit, logits));
    COT_TRY(ship(ctx, predictor, step_fn, types, source, out));
    model_free(&m);
    model_free(&second);
    return COT_OK;
}

int
main(int argc, char **argv)
{
    const char *folder = argc > 1 ? argv[1] : "examples/data", *out = argc > 2 ? argv[2] : ".";
    char source[1024];
    snprintf(source, sizeof source, "%s/..", folder);
    cot_context *ctx = cot_context_new(NULL);
    cot_status status = ctx ? demo(ctx, folder, source, out) : COT_ERR_MEMORY;
    if (status != COT_OK)
        fprintf(stderr, "digits: %s: %s\n", cot_status_name(status), ctx ? cot_error(ctx) : "");
    cot_context_free(ctx);
    return status != COT_OK;
}
