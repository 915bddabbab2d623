/* Objects and C source of functions with open sizes: what a program that has the header
 * calls has the bits of the kernel for each size, and takes no more memory than the header
 * says. */
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

#include "cotrace/cotrace.h"
#include "tests/redzone.h"
#include "tests/unit/open_programs.h"

/* A file of one function, linked behind functions that take arrays. */
typedef struct file {
    char folder[32];
    void *library;
    int (*call)(const int64_t *size, void *const *array, void *work);
    int64_t (*work_bytes)(const int64_t *size);
    bool over; /* results are stored in the first argument, which is donated, where they fit */
    int *entered;               /* how often a body for some sizes was, in C source */
} file;

static int
sizes_of(const program *p)
{
    return strstr(p->sizes, "m]") ? 2 : 1;
}

/* A parallel-for that calls the second half of a range before the first. */
static const char pool_text[] =
    "static void run(const struct cot_parallel *self,\n"
    "                void (*body)(void *ctx, int64_t lo, int64_t hi), void *ctx, int64_t n,\n"
    "                int64_t grain)\n"
    "{\n    (void)self, (void)grain;\n"
    "    body(ctx, n / 2, n);\n    body(ctx, 0, n / 2);\n}\n"
    "static const struct cot_parallel pool = { run };\n";

/* Does the header say that f takes a parallel-for? */
static bool
is_parallel(const file *f)
{
    char line[96];

    snprintf(line, sizeof line, "grep -q 'cot_parallel \\*pool' %s/f.h", f->folder);
    return system(line) == 0;
}

/* A program that calls f, which one function of its own for each number of parameters would
 * be. */
static void
write_caller(const file *f, const program *p)
{
    const char *sizes = sizes_of(p) == 2 ? "s[0], s[1]" : "s[0]";
    char path[64];

    snprintf(path, sizeof path, "%s/call.c", f->folder);
    FILE *out = fopen(path, "w");
    fprintf(out,
            "#include \"f.h\"\nint entered;\n%sint call(const int64_t *s, void *const *a, void "
            "*work)\n"
            "{\n    return f(%s, ",
            is_parallel(f) ? pool_text : "", sizes);
    for (int i = 0; i <= p->n; i++)
        fprintf(out, "a[%d], ", i);
    fprintf(out,
            "%swork);\n}\nint64_t work_bytes(const int64_t *s)\n"
            "{\n    return f_work_bytes(%s);\n}\n",
            is_parallel(f) ? "&pool, " : "", sizes);
    ck_assert_int_eq(fclose(out), 0);
}

static void
build(file *f, const program *p, cot_fn *open, const char *ending, const cot_compile_options *o)
{
    cot_type type[MAX_ARGS];
    char code[64], header[64], line[256];

    strcpy(f->folder, "/tmp/check_open_XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(f->folder));
    for (int i = 0; i < p->n; i++) {
        cot_array *a = filled(&p->arg[i], 8, 8, 1);
        type[i] = cot_array_type(a);
        cot_array_free(a);
    }
    snprintf(code, sizeof code, "%s/f.%s", f->folder, ending);
    snprintf(header, sizeof header, "%s/f.h", f->folder);
    const cot_export e = { open, cot_types_of(p->n, type), "f" };
    ck_assert_msg(cot_build_object(ctx, &e, 1, o, code, header) == COT_OK, "%s: %s", p->name,
                  cot_error(ctx));
    write_caller(f, p);
    snprintf(line, sizeof line,
             "cd %s && sed -i '/^f_at_[0-9_v]*(/{n;s/{/{ extern int entered; entered++;/}' f.c",
             f->folder);
    ck_assert_msg(strcmp(ending, "c") != 0 || system(line) == 0, "%s", line);
    snprintf(
        line, sizeof line,
        "cd %s && cc -std=c11 -O1 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror -fPIC "
        "-shared -march=native -ffp-contract=off call.c f.%s -lm -o f.so",
        f->folder, ending);
    ck_assert_msg(system(line) == 0, "%s", line);
    snprintf(line, sizeof line, "%s/f.so", f->folder);
    f->library = dlopen(line, RTLD_NOW);
    ck_assert_msg(f->library != NULL, "%s", dlerror());
    *(void **)&f->call = dlsym(f->library, "call");
    *(void **)&f->work_bytes = dlsym(f->library, "work_bytes");
    f->entered = dlsym(f->library, "entered");
    ck_assert_ptr_nonnull(f->entered);
}

static void
forget(file *f)
{
    char line[64];

    dlclose(f->library);
    snprintf(line, sizeof line, "rm -r %s", f->folder);
    ck_assert_int_eq(system(line), 0);
}

static bool
same_type(const cot_array *x, const cot_array *y)
{
    const cot_type t = cot_array_type(x), s = cot_array_type(y);

    return t.dtype == s.dtype && t.rank == s.rank &&
           memcmp(t.dims, s.dims, sizeof *t.dims * (size_t)t.rank) == 0;
}

/* The last array is the result, behind which, and behind the work block, nothing may be
 * written. */
static void
check_call(const file *f, const program *p, const int64_t *size, cot_array *const *arg,
           const cot_array *wants)
{
    void *array[MAX_ARGS + 1];
    redzone zone[2] = { 0 };
    ptrdiff_t at = 0;

    for (int i = 0; i < p->n; i++)
        array[i] = cot_array_data(arg[i]);
    array[p->n] = redzone_new(&zone[0], cot_array_bytes(wants), 4, REDZONE_END);
    if (f->over && same_type(arg[0], wants)) {
        memcpy(array[p->n], array[0], cot_array_bytes(wants));
        array[0] = array[p->n];
    }
    void *work = redzone_new(&zone[1], (size_t)f->work_bytes(size), 64, REDZONE_BOTH);
    ck_assert_int_eq(f->call(size, array, work), 0);
    ck_assert_msg(memcmp(array[p->n], cot_array_read(wants), cot_array_bytes(wants)) == 0,
                  "%s differs at %d", p->name, (int)size[0]);
    for (int i = 0; i < 2; i++) {
        ck_assert_msg(redzone_good(&zone[i], &at), "%s at %d writes at byte %d of %s", p->name,
                      (int)size[0], (int)at, i ? "the work block" : "the result");
        redzone_free(&zone[i]);
    }
}

/* Sizes of some programs for which they have bodies, with what check_program gives to m. */
static const int64_t bodies[2][2] = { { 64, 256 }, { 512, 124 } };

static const char *
bodies_of(const program *p)
{
    return sizes_of(p) == 2 ? "n=64,m=256; n=512,m=124" : "n=64,512";
}

static void
check_program(const program *p, const char *ending, const cot_compile_options *o)
{
    cot_fn *fixed = function_of(p), *open = cot_open(fixed, p->sizes);
    file f;

    build(&f, p, open, ending, o);
    f.over = o && o->donated.n > 0;
    for (int i = 0; i < SIZES; i++) {
        const int64_t n = sizes[i], other = sizes[(i + 3) % SIZES] % 300, size[] = { n, other };
        const bool own = o && o->at && (n == bodies[0][0] || n == bodies[1][0]);
        cot_array *arg[MAX_ARGS], *wants = NULL;

        if (!has_size(p, n, other))
            continue;
        for (int k = 0; k < p->n; k++)
            arg[k] = filled(&p->arg[k], n, other, (uint32_t)(7 * i + k));
        ck_assert_int_eq(cot_jit(fixed, &wants, 1, (const cot_array *const *)arg, p->n),
                         COT_OK);
        *f.entered = 0;
        check_call(&f, p, size, arg, wants);
        ck_assert_msg(strcmp(ending, "c") != 0 || *f.entered == own, "%s at %d enters %d",
                      p->name, (int)n, *f.entered);
        cot_array_free(wants);
        for (int k = 0; k < p->n; k++)
            cot_array_free(arg[k]);
    }
    forget(&f);
}

/* Every program is an object and C source, and has bodies for some sizes; what else a file may
 * be, every third one is, beginning with another one for each. */
enum { EACH_FEW = 3, FEW = (PROGRAMS + EACH_FEW - 1) / EACH_FEW };

static const program *
one_of_few(int i, int first)
{
    return &programs[(i * EACH_FEW + first) % PROGRAMS];
}

START_TEST(objects)
{
    check_program(&programs[_i], "o", NULL);
}
END_TEST

START_TEST(c_source)
{
    check_program(&programs[_i], "c", NULL);
}
END_TEST

START_TEST(objects_with_a_pool)
{
    check_program(one_of_few(_i, 0), "o", &(cot_compile_options){ .threads = 2 });
}
END_TEST

START_TEST(c_source_with_a_pool)
{
    check_program(one_of_few(_i, 1), "c", &(cot_compile_options){ .threads = 2 });
}
END_TEST

#if defined __x86_64__
START_TEST(objects_for_several_processors)
{
    check_program(one_of_few(_i, 2), "o", &(cot_compile_options){ .cpu = "x86-64,x86-64-v3" });
}
END_TEST
#endif

START_TEST(donated_arguments)
{
    check_program(one_of_few(_i / 2, 1), _i % 2 ? "c" : "o",
                  &(cot_compile_options){ .donated = COT_LIST(0) });
}
END_TEST

START_TEST(objects_with_bodies)
{
    check_program(&programs[_i], "o", &(cot_compile_options){ .at = bodies_of(&programs[_i]) });
}
END_TEST

START_TEST(c_source_with_bodies)
{
    check_program(&programs[_i], "c", &(cot_compile_options){ .at = bodies_of(&programs[_i]) });
}
END_TEST

START_TEST(bodies_with_a_pool)
{
    const program *p = one_of_few(_i / 2, 0);

    check_program(p, _i % 2 ? "c" : "o",
                  &(cot_compile_options){ .threads = 2, .at = bodies_of(p) });
}
END_TEST

#if defined __x86_64__
START_TEST(bodies_for_several_processors)
{
    const program *p = one_of_few(_i / 2, 0);

    check_program(p, _i % 2 ? "c" : "o",
                  &(cot_compile_options){ .cpu = "x86-64,x86-64-v3", .at = bodies_of(p) });
}
END_TEST
#endif

/* The general kernel of a sum along lines writes a block of work that a body for a short line
 * does not have: in an object, too, the latter is entered, or the red zones would be hit. */
START_TEST(bodies_have_their_own_work)
{
    const shape line = { 1, { 64 } };
    const int64_t size[] = { 64 };
    const program *p = programs;
    cot_array *x = filled(&line, 0, 0, 1), *wants = NULL;
    file open, own;

    while (strcmp(p->name, "running") != 0)
        p++;
    cot_fn *fixed = function_of(p), *f = cot_open(fixed, p->sizes);
    build(&open, p, f, "o", NULL);
    build(&own, p, f, "o", &(cot_compile_options){ .at = "n=64" });
    ck_assert_int_lt(own.work_bytes(size), open.work_bytes(size));
    ck_assert_int_eq(own.work_bytes((const int64_t[]){ 65 }),
                     open.work_bytes((const int64_t[]){ 65 }));
    ck_assert_int_eq(cot_jit(fixed, &wants, 1, (const cot_array *const *)&x, 1), COT_OK);
    check_call(&own, p, size, &x, wants);
    cot_array_free(x);
    cot_array_free(wants);
    forget(&open);
    forget(&own);
}
END_TEST

static const struct wrong_at {
    const char *at, *message;
} wrong_at[] = {
    { "k=4", "sizes \"k=4\", column 1: there is no size 'k'" },
    { "n=4", "column 4: wants a number for m" },
    { "n=4,m", "column 6: wants '='" },
    { "n=4,m=", "column 7: wants a number" },
    { "n=4,m=9000", "a fact excludes m = 9000" },
    { "n=4,m=4;n=4,m=4", "wants each set of sizes once" },
    { "n=4,m=4 please", "column 9: wants ',', ';' or the end" },
    { "", "column 1: there is no size ''" },
    { "n=1,m=1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17", "wants at most 16 sets" },
};
enum { WRONG_AT = sizeof wrong_at / sizeof *wrong_at };

START_TEST(refuses_bodies)
{
    cot_fn *open = cot_open(cot_fn_new(ctx, "map", map, 2, 1, NULL),
                            "0: [n, m], 1: [n, m] where m <= 8000");
    const cot_export e = { open, COT_TYPES(cot_f32(8, 8), cot_f32(8, 8)), "f" };

    ck_assert_int_eq(cot_build_object(ctx, &e, 1,
                                      &(cot_compile_options){ .at = wrong_at[_i].at },
                                      "/tmp/f.o", NULL),
                     COT_ERR_ARG);
    ck_assert_msg(strstr(cot_error(ctx), wrong_at[_i].message) != NULL, "%s", cot_error(ctx));
}
END_TEST

/* Sizes that the facts exclude, and those whose product is too large, end the call before
 * anything is written. */
START_TEST(refuses_sizes)
{
    const program p = { .name = "volume",
                        .sizes =
                            "0: [n], 1: [m], 2: [k] where n >= 2, n <= 8000000, m >= 2, k >= 2",
                        .n = 3,
                        .arg = { { 1, { 8 } }, { 1, { 8 } }, { 1, { 8 } } } };
    const int64_t wrong[][3] = { { 0, 2, 2 },
                                 { 1, 2, 2 },
                                 { 8000002, 2, 2 },
                                 { -2, 2, 2 },
                                 { 2, 1, 2 },
                                 { 2, 2, (int64_t)1 << 40 },
                                 { 1 << 22, 1 << 30, 1 << 30 } };
    cot_fn *open = cot_open(cot_fn_new(ctx, "volume", volume, 3, 1, NULL), p.sizes);
    const cot_export e = { open, COT_TYPES(cot_f32(8), cot_f32(8), cot_f32(8)), "f" };
    char folder[] = "/tmp/check_open_XXXXXX", path[64], line[256];

    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/f.o", folder);
    ck_assert_msg(cot_build_object(ctx, &e, 1, NULL, path, NULL) == COT_OK, "%s",
                  cot_error(ctx));
    snprintf(line, sizeof line, "cd %s && cc -shared f.o -lm -o f.so", folder);
    ck_assert_int_eq(system(line), 0);
    snprintf(line, sizeof line, "%s/f.so", folder);
    void *library = dlopen(line, RTLD_NOW);
    int (*f)(int64_t, int64_t, int64_t, const float *, const float *, const float *, float *,
             void *);
    *(void **)&f = dlsym(library, "f");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        float x = 1, y = 7;

        ck_assert_int_eq(f(wrong[i][0], wrong[i][1], wrong[i][2], &x, &x, &x, &y, NULL),
                         COT_ERR_SHAPE);
        ck_assert(y == 7);
    }
    dlclose(library);
    snprintf(line, sizeof line, "rm -r %s", folder);
    ck_assert_int_eq(system(line), 0);
}
END_TEST

START_TEST(refuses_files)
{
    cot_fn *open = cot_open(cot_fn_new(ctx, "map", map, 2, 1, NULL), "0: [n], 1: [n]");
    const cot_export e = { open, COT_TYPES(cot_f32(8), cot_f32(8)), "f" };

    ck_assert_int_eq(cot_build_object(ctx, &e, 1, NULL, "/tmp/f.mlir", NULL), COT_ERR_SHAPE);
    ck_assert_ptr_nonnull(
        strstr(cot_error(ctx), "wants a file of objects, of C source or of PTX"));
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        EACH(objects, PROGRAMS),
        EACH(c_source, PROGRAMS),
        EACH(objects_with_a_pool, FEW),
        EACH(c_source_with_a_pool, FEW),
#if defined __x86_64__
        EACH(objects_for_several_processors, FEW),
        EACH(bodies_for_several_processors, 2 * FEW),
#endif
        EACH(objects_with_bodies, PROGRAMS),
        EACH(c_source_with_bodies, PROGRAMS),
        EACH(bodies_with_a_pool, 2 * FEW),
        EACH(donated_arguments, 2 * FEW),
        ONCE(bodies_have_their_own_work),
        EACH(refuses_bodies, WRONG_AT),
        ONCE(refuses_sizes),
        ONCE(refuses_files),
    };
    return SUITE("open_ship", cases);
}
