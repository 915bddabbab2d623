/* A set of hashes in memory (open addressing), and its file: the hashes one behind another.
 * Each is appended by one write of eight bytes, so that several processes share a file. */
#include "tests/laws/judged.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "ir/map.h"
#include "runtime/compile.h"
#include "tests/laws/programs.h"

static struct judged {
    int file;                   /* -1: nothing is kept */
    uint64_t *key;              /* 0: an empty slot    */
    size_t n, cap;              /* cap: a power of two */
} judged = { .file = -1 };

static _Noreturn void
stop(const char *path)
{
    perror(path);
    exit(2);
}

/* Where the key is, or the empty slot where it would be. */
static size_t
slot_of(uint64_t key)
{
    size_t i = key & (judged.cap - 1);

    while (judged.key[i] && judged.key[i] != key)
        i = (i + 1) & (judged.cap - 1);
    return i;
}

static void
grow(void)
{
    const struct judged old = judged;

    judged.cap = old.cap ? 2 * old.cap : 1 << 16;
    if (!(judged.key = calloc(judged.cap, sizeof *judged.key)))
        stop("judged");
    for (size_t i = 0; i < old.cap; i++)
        if (old.key[i])
            judged.key[slot_of(old.key[i])] = old.key[i];
    free(old.key);
}

static void
insert(uint64_t key)
{
    if (2 * (judged.n + 1) > judged.cap)
        grow();
    const size_t i = slot_of(key);
    judged.n += judged.key[i] == 0;
    judged.key[i] = key;
}

void
judged_open(const char *path)
{
    uint64_t key;
    ssize_t n;

    judged.file = open(path, O_RDWR | O_APPEND | O_CREAT, 0666);
    if (judged.file < 0)
        stop(path);
    FILE *file = fdopen(dup(judged.file), "r");
    if (!file)
        stop(path);
    while ((n = (ssize_t)fread(&key, sizeof key, 1, file)) == 1)
        insert(key);
    fclose(file);
}

static uint64_t
add_values(uint64_t h, const ir_graph *f, int n, const ir_ref *v, void *const *array)
{
    for (int i = 0; i < n; i++) {
        const size_t bytes = laws_bytes(ir_type_at(f, v[i]));
        h = bytes ? ir_hash(h, array[i], bytes) : ir_hash_u64(h, (uint64_t)i);
    }
    return h;
}

uint64_t
judged_key(const ir_graph *f, const cot_compile_options *o, const char *stage, const char *how,
           void *const *in, void *const *want)
{
    ir_arena arena;
    uint64_t key = 0;
    rt_plan plan;
    ir_buf text;

    if (judged.file < 0)
        return 0;
    ir_arena_init(&arena, f->ctx);
    ir_buf_init(&text, &arena);
    if (rt_plan_new(f->ctx, o, f->name, &plan) == COT_OK &&
        rt_stage(f, &plan, stage, &text) == COT_OK) {
        key = ir_hash(ir_hash(0, how, strlen(how)), text.text, text.n);
        key = add_values(add_values(key, f, f->n_in, f->in, in), f, f->n_out, f->out, want);
        key += key == 0;
    } else {
        cot_error_clear(f->ctx);
    }
    ir_arena_free(&arena);
    return key;
}

bool
judged_before(uint64_t key)
{
    return key && judged.cap && judged.key[slot_of(key)] == key;
}

void
judged_pass(uint64_t key)
{
    if (!key || judged_before(key))
        return;
    insert(key);
    if (write(judged.file, &key, sizeof key) != sizeof key)
        stop("judged");
}
