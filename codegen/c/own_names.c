/* The names that a C file defines for itself (c.h): those of fixed texts, and those of the
 * kernels and arrays of one width.  A public function that has such a name needs special
 * treatment. */
#include "codegen/c/c.h"
#include "ir/diag.h"

void
cg_c_begin_width(cg_c_text *t, int bits)
{
    t->bits = bits;
    t->own = (cg_c_names){ 0 };
    t->kernel = NULL;
    t->n_kernels = t->cap_kernels = 0;
    ir_map_init(&t->own.map, t->arena);
    ir_buf_init(&t->head, t->arena);
    ir_buf_init(&t->body, t->arena);
}

/* The default width: the target's, if the file has it. */
/* Names that the fixed texts of any file define. */
bool
cg_c_is_fixed(const char *name)
{
    static const char *const fixed[] = {
        "bits_f32",      "from_bits_f32",  "bits_f64",        "from_bits_f64",  "f16_to_f32",
        "f32_to_f16",    "bf16_to_f32",    "f32_to_bf16",     "fma_f32",        "fma_f64",
        "sqrt_f32",      "sqrt_f64",       "shift_wide",      "part_f64",       "round_wide",
        "cot_wide",      "root_by_digits", "fma_by_integers", "to_odd_f64",     "upper_f64",
        "magnitude_f64", "to_odd_x86",     "upper_x86",       "sum_to_odd_x86", "fma_x86_f32",
        "fma_x86_f64",   "fma_x86_rest",
    };

    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        if (strcmp(name, fixed[i]) == 0)
            return true;
    return false;
}

/* A foreign function cannot be renamed, unlike the file's own functions, so a conflict of its
 * name is an error. */
cot_status
cg_c_check_foreign(cg_c_text *t, const cg_module *m)
{
    for (uint32_t i = 0; i < m->n_ext; i++) {
        const char *name = m->ext[i]->symbol;
        if (name && !t->in_process &&
            (cg_c_is_fixed(name) || cg_c_has_name(&t->shared, name) ||
             cg_c_has_name(&t->own, name)))
            return ir_fail(
                t->ctx, m->ext[i]->loc, "custom_call", ERR_usage,
                ir_format(t->arena,
                          "C source has a function %s of its own; wants another name for the "
                          "foreign one, or an object",
                          name));
    }
    return COT_OK;
}
