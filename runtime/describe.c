/* The functions of a file in JSON, for build systems and bindings: the same facts as in the
 * header. */
#include "runtime/build.h"

static void
print_text(ir_buf *b, const char *s)
{
    ir_buf_str(b, "\"");
    for (; *s; s++)
        if (*s == '"' || *s == '\\')
            ir_buf_printf(b, "\\%c", *s);
        else if ((unsigned char)*s < ' ')
            ir_buf_printf(b, "\\u%04x", (unsigned char)*s);
        else
            ir_buf_add(b, s, 1);
    ir_buf_str(b, "\"");
}

static void
print_member(ir_buf *b, const char *name, const char *text)
{
    ir_buf_printf(b, "\"%s\": ", name);
    print_text(b, text ? text : "");
    ir_buf_str(b, ", ");
}

static void
print_numbers(ir_buf *b, const char *name, int n, const int64_t *x)
{
    ir_buf_printf(b, "\"%s\": [", name);
    for (int i = 0; i < n; i++)
        ir_buf_printf(b, "%s%lld", i ? ", " : "", (long long)x[i]);
    ir_buf_str(b, "], ");
}

static void
print_parameter(ir_buf *b, const rt_function *fn, const rt_parameter *x)
{
    const int width = (int)cot_dtype_size(x->is->dtype);
    int64_t *stride = IR_NEW_N(b->arena, int64_t, x->is->rank + 1);

    ir_strides(x->is, stride);
    ir_buf_str(b, "{");
    print_member(b, "name", x->name);
    print_member(b, "role", x->role);
    print_member(b, "dtype", cot_dtype_name(x->is->dtype));
    print_member(b, "c_type", x->type);
    if (x->dims) {
        rt_describe_open_parameter(b, fn, x);
    } else {
        print_numbers(b, "shape", x->is->rank, x->is->dims);
        print_numbers(b, "strides", x->is->rank, stride);
        ir_buf_printf(b, "\"bytes\": %lld, ", (long long)x->is->size * width);
    }
    ir_buf_printf(b, "\"align\": %d}", ir_is_complex(x->is->dtype) ? width / 2 : width);
}

/* The prototypes of the functions that it calls, each once. */
static void
print_foreign(ir_buf *b, const rt_function *fn)
{
    bool first = true;

    ir_buf_str(b, "\"foreign\": [");
    for (int of_runtime = 0; of_runtime < 2; of_runtime++) {
        const cg_extern **x;
        const int n = rt_externs(b->arena, 1, fn, of_runtime, &x);

        for (int i = 0; i < n; i++, first = false) {
            ir_buf_str(b, first ? "" : ", ");
            print_text(b, x[i]->prototype);
        }
    }
    ir_buf_str(b, "]");
}

/* counts: of processes that share it, where it takes a communicator. */
static void
print_function(ir_buf *b, const rt_function *fn, ir_ints counts)
{
    const cg_module *m = fn->module;

    ir_buf_str(b, "    {");
    print_member(b, "name", fn->name);
    ir_buf_str(b, "\n     \"parameters\": [");
    for (int i = 0; i < fn->n_in + fn->n_out; i++) {
        ir_buf_str(b, i ? ",\n       " : "\n       ");
        print_parameter(b, fn, &fn->parameter[i]);
    }
    ir_buf_str(b, "],\n     ");
    if (fn->comm)
        print_numbers(b, "processes", counts.n, counts.at);
    ir_buf_printf(b, "\"parallel\": %s, ", m->parallel ? "true" : "false");
    if (fn->open)
        rt_describe_open(b, fn);
    else
        ir_buf_printf(b,
                      "\"work_bytes\": %lld, \"work_align\": %d,\n"
                      "     \"flops\": %lld, \"traffic\": %lld,\n",
                      (long long)m->work_bytes, m->work_align > 0 ? m->work_align : 1,
                      (long long)fn->flops, (long long)fn->traffic);
    ir_buf_str(b, "     ");
    if (fn->rows)
        rt_describe_profile(b, fn);
    print_foreign(b, fn);
    ir_buf_str(b, "}");
}

void
rt_print_manifest(ir_buf *b, const char *path, const rt_plan *p, const cot_compile_options *o,
                  int n, const rt_function *fn)
{
    const char *slash = strrchr(path, '/');

    ir_buf_str(b, "{");
    print_member(b, "cotrace", COT_VERSION);
    print_member(b, "file", slash ? slash + 1 : path);
    print_member(b, "target", p->target.triple);
    print_member(b, "cpu", o->cpu ? o->cpu : p->target.cpu);
    print_member(b, "features", o->features);
    const cg_extern **x;
    ir_buf_printf(b, "\n  \"links\": [%s], ",
                  rt_externs(b->arena, n, fn, true, &x) ? "\"libcotrace_rt.a\"" : "");
    ir_buf_str(b, "\n  \"functions\": [\n");
    for (int i = 0; i < n; i++) {
        print_function(b, &fn[i], p->counts);
        ir_buf_str(b, i + 1 < n ? ",\n" : "\n");
    }
    ir_buf_str(b, "  ]}\n");
}
