/* What the header and the manifest say of functions with open sizes: lengths and numbers of
 * bytes are expressions of the sizes. */
#include <inttypes.h>

#include "runtime/build.h"
#include "runtime/open/open.h"

enum { LINE = 64 };

static void
print_list(ir_buf *b, const rt_function *fn, const char *before, const char *between)
{
    for (int i = 0; i < fn->open->sizes->n; i++)
        ir_buf_printf(b, "%s%s%s", i ? between : "", before, fn->size_name[i]);
}

/* As the parameters of a macro, which may be of another type. */
static const char *const *
widened(ir_arena *a, const rt_function *fn)
{
    const char **name = IR_NEW_N(a, const char *, fn->open->sizes->n + 1);

    for (int i = 0; i < fn->open->sizes->n; i++)
        name[i] = ir_format(a, "(int64_t)(%s)", fn->size_name[i]);
    return name;
}

void
rt_print_open_type(ir_buf *b, const rt_function *fn, const rt_parameter *x)
{
    ir_buf_printf(b, "%s[", cot_dtype_name(x->is->dtype));
    for (int k = 0; k < x->is->rank; k++) {
        ir_buf_str(b, k ? "," : "");
        cg_form_print(b, &x->dims[k], fn->size_name);
    }
    ir_buf_str(b, "]");
}

/* The sizes of a body: "n = 64, m = 32" */
static void
print_at(ir_buf *b, const rt_function *fn, int fixed, const char *is, const char *between)
{
    for (int i = 0; i < fn->open->sizes->n; i++)
        ir_buf_printf(b, "%s%s%s%" PRId64, i ? between : "", fn->size_name[i], is,
                      fn->fixed[fixed].size[i]);
}

void
rt_print_open_facts(ir_buf *b, const rt_function *fn)
{
    ir_buf_str(b, " * for each size");
    for (int i = 0; i < fn->open->sizes->n; i++) {
        const rt_size *s = &fn->open->sizes->size[i];

        ir_buf_printf(b, "%s %s from %" PRId64 " to %" PRId64, i ? "," : "", fn->size_name[i],
                      s->least, s->most);
        if (s->multiple > 1)
            ir_buf_printf(b, " that %" PRId64 " divides", s->multiple);
    }
    for (int i = 0; i < fn->n_fixed; i++) {
        ir_buf_str(b, i ? "; " : ".\n * Some have code of their own: ");
        print_at(b, fn, i, " = ", ", ");
    }
    ir_buf_printf(
        b,
        ".\n * At others, and where a product of sizes exceeds 2^56, the answer is %d and\n"
        " * nothing is written. */\n",
        COT_ERR_SHAPE);
}

/* -- work -- */

static void
print_part(ir_buf *b, const cg_open_part *p, const char *const *name)
{
    ir_buf_printf(b, "(%" PRId64 "*(", p->element_bytes);
    cg_form_print(b, &p->elements, name);
    ir_buf_printf(b, ") + %d)/%d*%d", LINE - 1, LINE, LINE);
}

static const char *
work_text(ir_arena *a, const cg_open *o, const char *const *name)
{
    int64_t fixed = 0;
    ir_buf b;

    ir_buf_init(&b, a);
    for (uint32_t i = 0; i < o->n_parts; i++)
        if (cg_form_is_constant(&o->part[i].elements)) {
            const int64_t bytes = o->part[i].elements.whole.constant * o->part[i].element_bytes;
            fixed += (bytes + LINE - 1) / LINE * LINE;
        }
    ir_buf_printf(&b, "%" PRId64, fixed);
    for (uint32_t i = 0; i < o->n_parts; i++)
        if (!cg_form_is_constant(&o->part[i].elements)) {
            ir_buf_str(&b, " + ");
            print_part(&b, &o->part[i], name);
        }
    return b.text;
}

/* The bytes that each form of the file needs, each text once; returns how many there are. */
static int
work_texts(ir_arena *a, const rt_function *fn, const char **text)
{
    int n = 0;

    for (int k = 0; k < fn->n_forms; k++) {
        const char *t = work_text(a, fn->form[k], fn->size_name);
        bool is_new = true;

        for (int i = 0; i < n; i++)
            is_new &= strcmp(text[i], t) != 0;
        if (is_new)
            text[n++] = t;
    }
    return n;
}

/* The bytes of the largest sizes, where facts bound them and no length falls with one. */
static void
print_most_work(ir_buf *b, const rt_function *fn)
{
    int64_t size[CG_MAX_SIZES], most = 0;

    for (int i = 0; i < fn->open->sizes->n; i++) {
        const rt_size *s = &fn->open->sizes->size[i];

        if (s->most == RT_OPEN_MOST)
            return;
        size[i] = s->most / s->multiple * s->multiple;
    }
    for (int k = 0; k < fn->n_forms; k++) {
        const cg_open *o = fn->form[k];
        const int64_t bytes = cg_open_work_bytes(o, size);

        for (uint32_t i = 0; i < o->n_parts; i++)
            if (!cg_form_rises(&o->part[i].elements))
                return;
        most = bytes > most ? bytes : most;
    }
    for (int i = 0; i < fn->n_fixed; i++)
        most = fn->fixed_work[i] > most ? fn->fixed_work[i] : most;
    ir_buf_printf(b, "#define %s_MOST_WORK_BYTES %" PRId64 "\n", fn->constant, most);
}

void
rt_print_open_work(ir_buf *b, const rt_function *fn)
{
    const char *text[RT_MAX_FORMS];
    const int n = work_texts(b->arena, fn, text);

    print_most_work(b, fn);
    ir_buf_printf(b, "#define %s_WORK_ALIGN %d\nstatic inline int64_t\n%s_work_bytes(",
                  fn->constant, LINE, fn->name);
    print_list(b, fn, "int64_t ", ", ");
    ir_buf_str(b, ")\n{\n");
    for (int i = 0; i < fn->open->sizes->n; i++)
        ir_buf_printf(b, "    (void)%s;\n", fn->size_name[i]);
    for (int i = 0; i < fn->n_fixed; i++) {
        ir_buf_str(b, "    if (");
        print_at(b, fn, i, " == ", " && ");
        ir_buf_printf(b, ")\n        return %" PRId64 ";\n", fn->fixed_work[i]);
    }
    if (n == 1) {
        ir_buf_printf(b, "    return %s;\n}\n", text[0]);
        return;
    }
    for (int i = 0; i < n; i++)
        ir_buf_printf(b, "    const int64_t form%d = %s;\n", i, text[i]);
    ir_buf_str(b, "    int64_t most = form0;\n\n");
    for (int i = 1; i < n; i++)
        ir_buf_printf(b, "    most = form%d > most ? form%d : most;\n", i, i);
    ir_buf_str(b, "    return most;\n}\n");
}

/* -- parameters -- */

/* The product of the lengths of axes from `first` on. */
static const char *
product_text(ir_arena *a, const rt_parameter *x, int first, const char *const *name)
{
    const char *times = "";
    int64_t fixed = 1;
    ir_buf b;

    ir_buf_init(&b, a);
    for (int k = first; k < x->is->rank; k++) {
        if (cg_form_is_constant(&x->dims[k])) {
            fixed *= x->dims[k].whole.constant;
            continue;
        }
        ir_buf_printf(&b, "%s(", times);
        cg_form_print(&b, &x->dims[k], name);
        ir_buf_str(&b, ")");
        times = "*";
    }
    if (fixed != 1 || !*times)
        ir_buf_printf(&b, "%s%" PRId64, times, fixed);
    return b.text;
}

static const char *
length_text(ir_arena *a, const cg_size_form *f, const char *const *name)
{
    ir_buf b;

    ir_buf_init(&b, a);
    cg_form_print(&b, f, name);
    return b.text;
}

static void
print_macro(ir_buf *b, const rt_function *fn, const rt_parameter *x, const char *what)
{
    ir_buf_printf(b, "#define %s_%s(", x->constant, what);
    print_list(b, fn, "", ", ");
    ir_buf_str(b, ") ");
}

void
rt_print_open_parameter(ir_buf *b, const rt_function *fn, const rt_parameter *x)
{
    const int width = (int)cot_dtype_size(x->is->dtype);
    const char *const *name = widened(b->arena, fn);

    ir_buf_printf(b, "#define %s_RANK %d\n#define %s_ALIGN %d\n", x->constant, x->is->rank,
                  x->constant, ir_is_complex(x->is->dtype) ? width / 2 : width);
    print_macro(b, fn, x, "SIZE");
    ir_buf_printf(b, "(%s)\n", product_text(b->arena, x, 0, name));
    print_macro(b, fn, x, "BYTES");
    ir_buf_printf(b, "(%d*(%s))\n", width, product_text(b->arena, x, 0, name));
    print_macro(b, fn, x, "SHAPE");
    for (int k = 0; k < x->is->rank; k++)
        ir_buf_printf(b, "%s%s", k ? ", " : "{ ", length_text(b->arena, &x->dims[k], name));
    ir_buf_str(b, " }\n");
    print_macro(b, fn, x, "STRIDES");
    for (int k = 0; k < x->is->rank; k++)
        ir_buf_printf(b, "%s%s", k ? ", " : "{ ", product_text(b->arena, x, k + 1, name));
    ir_buf_str(b, " }\n");
}

/* -- the manifest -- */

/* A number, or the text of an expression. */
static void
describe_length(ir_buf *b, const cg_size_form *f, const char *text)
{
    const bool is_number = cg_form_is_constant(f);

    ir_buf_printf(b, is_number ? "%s" : "\"%s\"", text);
}

void
rt_describe_open_parameter(ir_buf *b, const rt_function *fn, const rt_parameter *x)
{
    const int width = (int)cot_dtype_size(x->is->dtype);

    ir_buf_str(b, "\"shape\": [");
    for (int k = 0; k < x->is->rank; k++) {
        ir_buf_str(b, k ? ", " : "");
        describe_length(b, &x->dims[k], length_text(b->arena, &x->dims[k], fn->size_name));
    }
    ir_buf_str(b, "], \"strides\": [");
    for (int k = 0; k < x->is->rank; k++)
        ir_buf_printf(b, "%s\"%s\"", k ? ", " : "",
                      product_text(b->arena, x, k + 1, fn->size_name));
    ir_buf_printf(b, "], \"bytes\": \"%d*(%s)\", ", width,
                  product_text(b->arena, x, 0, fn->size_name));
}

/* "at": [{"sizes": {"n": 64}, "work_bytes": 0}] */
static void
describe_fixed(ir_buf *b, const rt_function *fn)
{
    ir_buf_str(b, "\"at\": [");
    for (int i = 0; i < fn->n_fixed; i++) {
        ir_buf_printf(b, "%s{\"sizes\": {", i ? ", " : "");
        for (int k = 0; k < fn->open->sizes->n; k++)
            ir_buf_printf(b, "%s\"%s\": %" PRId64, k ? ", " : "", fn->size_name[k],
                          fn->fixed[i].size[k]);
        ir_buf_printf(b, "}, \"work_bytes\": %" PRId64 "}", fn->fixed_work[i]);
    }
    ir_buf_str(b, "],\n     ");
}

void
rt_describe_open(ir_buf *b, const rt_function *fn)
{
    const char *text[RT_MAX_FORMS];
    const int n = work_texts(b->arena, fn, text);

    ir_buf_str(b, "\"sizes\": [");
    for (int i = 0; i < fn->open->sizes->n; i++) {
        const rt_size *s = &fn->open->sizes->size[i];
        ir_buf_printf(b,
                      "%s{\"name\": \"%s\", \"least\": %" PRId64 ", \"most\": %" PRId64
                      ", \"multiple\": %" PRId64 "}",
                      i ? ", " : "", fn->size_name[i], s->least, s->most, s->multiple);
    }
    ir_buf_str(b, "],\n     ");
    if (fn->n_fixed)
        describe_fixed(b, fn);
    ir_buf_str(b, "\"work_bytes\": [");
    for (int i = 0; i < n; i++)
        ir_buf_printf(b, "%s\"%s\"", i ? ", " : "", text[i]);
    ir_buf_printf(b, "], \"work_align\": %d,\n", LINE);
}
