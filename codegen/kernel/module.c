/* The kernels of a module, each with a unique name.
 *
 * Kernels with one name are numbered: sum, sum.2, sum.3.  When a kernel is dropped, which only
 * the last kernel of a module may be, its number is used again. */
#include "codegen/kernel/kernel.h"

#include <stdlib.h>

#include "ir/map.h"

/* The last number given to a name; 1 is the name without a number. */
typedef struct numbering {
    const char *name;
    int last;
} numbering;

struct cg_names {
    ir_map taken;               /* by name: 1 + the number of the kernel */
    ir_map find;                /* by name: 1 + its place in `of`        */
    numbering *of;
    uint32_t n, cap;
};

cg_module *
cg_module_new(cot_context *ctx, ir_arena *a, const char *name)
{
    cg_module *m = IR_NEW(a, cg_module);

    m->ctx = ctx;
    m->arena = a;
    m->name = ir_copy_string(a, name);
    m->work_align = 64;
    m->names = IR_NEW(a, struct cg_names);
    ir_map_init(&m->names->taken, a);
    ir_map_init(&m->names->find, a);
    return m;
}

/* A loop may leave out a few elements of an extent: those under a pad, or the first ones. */
enum { NEARLY = 64 };

bool
cg_module_open_extent(const cg_module *m, int64_t x, int64_t *extent)
{
    uint32_t lo = 0, hi = m->n_open;

    if (x <= 0 || x > INT64_MAX - NEARLY)
        return false;
    while (lo < hi) {
        const uint32_t mid = (lo + hi) / 2;
        if (m->open[mid] < x - NEARLY)
            lo = mid + 1;
        else
            hi = mid;
    }
    if (lo == m->n_open || m->open[lo] > x + NEARLY)
        return false;
    while (lo + 1 < m->n_open && llabs(m->open[lo + 1] - x) < llabs(m->open[lo] - x))
        lo++;
    *extent = m->open[lo];
    return true;
}

bool
cg_module_is_open(const cg_module *m, int64_t x)
{
    int64_t extent;

    return cg_module_open_extent(m, x, &extent);
}

static uint64_t
hash_of(const char *name)
{
    return ir_hash(1, name, strlen(name));
}

/* An entry remains when its kernel is dropped, so an entry may be duplicate or wrong. */
static bool
is_taken(const cg_module *m, const char *name)
{
    for (uint32_t at = 0, id; (id = ir_map_next(&m->names->taken, hash_of(name), &at)) != 0;)
        if (id <= m->n_kernels && strcmp(m->kernel[id - 1]->name, name) == 0)
            return true;
    return false;
}

static void
take_name(const cg_module *m, const char *name)
{
    for (uint32_t at = 0, id; (id = ir_map_next(&m->names->taken, hash_of(name), &at)) != 0;)
        if (id == m->n_kernels)
            return;
    ir_map_add(&m->names->taken, hash_of(name), m->n_kernels);
}

static uint32_t
find_numbering(const cg_module *m, const char *name)
{
    struct cg_names *x = m->names;

    for (uint32_t at = 0, id; (id = ir_map_next(&x->find, hash_of(name), &at)) != 0;)
        if (strcmp(x->of[id - 1].name, name) == 0)
            return id - 1;
    IR_PUSH(m->arena, x->of, x->n, x->cap, ((numbering){ ir_copy_string(m->arena, name), 1 }));
    ir_map_add(&x->find, hash_of(name), x->n);
    return x->n - 1;
}

static const char *
unique_name(cg_module *m, cg_kernel *k, const char *name)
{
    const char *unique = name;

    k->numbering = find_numbering(m, name);
    numbering *x = &m->names->of[k->numbering];
    k->number_before = x->last;
    if (is_taken(m, name))
        do
            unique = ir_format(m->arena, "%s.%d", name, ++x->last);
        while (is_taken(m, unique));
    else
        x->last = 1;
    return ir_copy_string(m->arena, unique);
}

cg_kernel *
cg_kernel_new(cg_module *m, const char *name)
{
    return cg_kernel_draft(m, m->arena, name);
}

cg_kernel *
cg_kernel_draft(cg_module *m, ir_arena *a, const char *name)
{
    cg_kernel *k = IR_NEW(a, cg_kernel);

    k->ctx = m->ctx;
    k->arena = a;
    k->module = m;
    k->name = unique_name(m, k, name);
    k->plans = m->n_kernels == 0;
    IR_PUSH(a, k->insn, k->n_insns, k->cap_insns, (cg_insn){ 0 });
    IR_PUSH(m->arena, m->kernel, m->n_kernels, m->cap_kernels, k);
    take_name(m, k->name);
    return k;
}

void
cg_kernel_drop(cg_module *m)
{
    const cg_kernel *k = m->kernel[--m->n_kernels];

    m->names->of[k->numbering].last = k->number_before;
}
