/* No rule and no composition loses a tangent in a select.
 *
 *     selects            check every op and every row of functions.h
 *     selects --list     print what they have, for the list below
 *
 * `select(u == v, 0, u - v)` has the value of u - v and not its tangent: a constant on one
 * side ends all derivatives where it is chosen.  A select is suspect where its predicate
 * depends on a floating input, one side varies with such an input and the other does not.
 * The graphs of f, jvp(f) and jvp(jvp(f)) are searched, sub-functions too, for each op's
 * first program in f64 and each composition.
 *
 * A suspect is named by its predicate: comparisons and logic are written out to the values
 * that they compare, of which `c` is a constant, `x` an input, and others go by their op;
 * `|c` or `c|` says on which side the constant is.  It must be in `known` with the reason
 * for which it loses nothing.  A predicate that holds at infinities and NaN alone
 * (`is_finite`, x != x, x == inf) is no suspect: there is no tangent to be kept. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ir/diag.h"
#include "passes/rules.h"
#include "tests/derivatives/functions.h"
#include "tests/laws/programs.h"

typedef struct reason {
    const char *name, *predicate;       /* name: of the op or composition, or * */
    const char *why;
} reason;

static const reason known[] = {
#include "tests/derivatives/selects.def"
};

enum { N_KNOWN = sizeof known / sizeof *known, TEXT = 200 };

static bool used[N_KNOWN];
static bool listing;
static int found, failures;

/* Has the op a derivative that may not be zero?  sign is 0, but for complex numbers. */
static bool
differentiable(const ir_node *n)
{
    return jvp_rules[n->op] != jvp_zero && n->op != OP_sign;
}

/* varies[v]: v depends smoothly on a floating input; depends[v]: in any way. */
static void
follow(const ir_graph *f, bool *varies, bool *depends)
{
    for (int i = 0; i < f->n_in; i++)
        varies[f->in[i]] = depends[f->in[i]] = ir_is_floating(f, f->in[i]);
    ir_each_node (n, f)
        for (int i = 0; i < n->n_in; i++)
            for (int k = 0; k < n->n_out; k++) {
                const ir_ref y = n->first + (ir_ref)k;

                varies[y] |= varies[n->in[i]] && differentiable(n) && ir_is_floating(f, y);
                depends[y] |= depends[n->in[i]];
            }
}

static bool
is_logic(ir_op op)
{
    return op == OP_and || op == OP_or || op == OP_not || (op >= OP_eq && op <= OP_ge) ||
           op == OP_is_finite;
}

static void
name_value(const ir_graph *f, const bool *depends, ir_ref v, char *to)
{
    const ir_node *n = ir_def(f, v);

    if (!depends[v])
        strcat(to, "c");
    else if (!n)
        strcat(to, "x");
    else
        strncat(to, ir_ops[n->op].name, TEXT - strlen(to) - 1);
    if (!n || !depends[v] || !is_logic((ir_op)n->op) || strlen(to) > TEXT / 2)
        return;
    for (int i = 0; i < n->n_in; i++) {
        strcat(to, i ? "," : "(");
        name_value(f, depends, n->in[i], to);
    }
    strcat(to, ")");
}

static bool
is_infinity(const ir_graph *f, ir_ref v)
{
    const ir_node *n = ir_def(f, v);
    double x;

    return n && n->op == OP_constant && ir_data_number(&n->at->constant.data, &x) && isinf(x);
}

/* Does p hold only where a value is infinite or NaN?  `sign`: p itself, or its negation. */
static bool
beyond_numbers(const ir_graph *f, ir_ref p, bool sign)
{
    const ir_node *n = ir_def(f, p);

    if (!n)
        return false;
    switch (n->op) {
    case OP_not: return beyond_numbers(f, n->in[0], !sign);
    case OP_is_finite: return !sign;
    case OP_eq:
        return sign ? is_infinity(f, n->in[0]) || is_infinity(f, n->in[1])
                    : n->in[0] == n->in[1];
    case OP_ne: return sign && n->in[0] == n->in[1];
    case OP_and:
    case OP_or:
        if ((n->op == OP_and) == sign)
            return beyond_numbers(f, n->in[0], sign) || beyond_numbers(f, n->in[1], sign);
        return beyond_numbers(f, n->in[0], sign) && beyond_numbers(f, n->in[1], sign);
    default: return false;
    }
}

static void
judge(const char *name, const char *predicate)
{
    found++;
    for (int i = 0; i < N_KNOWN; i++)
        if ((strcmp(known[i].name, name) == 0 || strcmp(known[i].name, "*") == 0) &&
            strcmp(known[i].predicate, predicate) == 0) {
            used[i] = true;
            return;
        }
    failures++;
    printf("{ \"%s\", \"%s\", \"\" },\n", name, predicate);
}

static void
search(const char *name, const ir_graph *f, ir_arena *scratch)
{
    bool *varies = IR_NEW_N(scratch, bool, f->n_values),
         *depends = IR_NEW_N(scratch, bool, f->n_values);

    follow(f, varies, depends);
    ir_each_node (n, f) {
        ir_graph *const *sub;
        const int n_sub = ir_subgraphs(n, &sub, scratch);

        for (int i = 0; i < n_sub; i++)
            search(name, sub[i], scratch);
        if (n->op != OP_select || !depends[n->in[0]] || varies[n->in[1]] == varies[n->in[2]] ||
            beyond_numbers(f, n->in[0], !varies[n->in[1]]))
            continue;
        char text[2 * TEXT] = "";
        name_value(f, depends, n->in[0], text);
        judge(name, strcat(text, varies[n->in[1]] ? " |c" : " c|"));
    }
}

/* f and its derivatives of two orders. */
static bool
search_orders(const char *name, const ir_graph *f, ir_arena *scratch)
{
    for (int order = 0; order <= 2; order++) {
        ir_graph *next;

        search(name, f, scratch);
        if (order == 2)
            return true;
        if (pass_jvp(f, NULL, 0, &next) != COT_OK)
            return false;
        f = next;
    }
    return true;
}

/* An op that has no second derivative by one of its operands is searched as far as it has. */
static void
check_ops(void)
{
    for (int op = OP_FIRST; op < OP_COUNT; op++) {
        cot_context *ctx = cot_context_new(NULL);
        laws_program p;

        if (jvp_rules[op] != jvp_zero && laws_try(ctx, (ir_op)op, COT_F64, &p) && p.f)
            search_orders(ir_ops[op].name, p.f, &ctx->arena);
        cot_context_free(ctx);
    }
}

#define FN(name, n, ...)                                                                       \
    static cot_value call_##name(const cot_value *x)                                           \
    {                                                                                          \
        return __VA_ARGS__;                                                                    \
    }
FUNCTIONS
#undef FN

static const function_row functions[] = {
#define FN(name, n, ...) { #name, n, call_##name },
    FUNCTIONS
#undef FN
};

static void
call_row(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    const function_row *row = user;

    (void)t;
    out[0] = row->call(in);
}

static void
check_functions(void)
{
    const cot_type number = cot_type_new(COT_F64, 0, NULL), types[2] = { number, number };

    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        const function_row *row = &functions[i];
        cot_context *ctx = cot_context_new(NULL);
        cot_fn *f = cot_fn_new(ctx, row->name, call_row, row->n_in, 1, (void *)(uintptr_t)row);
        const cot_graph *g;

        if (cot_trace_fn(f, (cot_types){ .n = row->n_in, .at = types }, &g) != COT_OK ||
            !search_orders(row->name, g, &ctx->arena)) {
            printf("%s: %s\n", row->name, cot_error(ctx));
            failures++;
        }
        cot_context_free(ctx);
    }
}

static const char *const lost[] = {
    /* the weight of logaddexp, at a tie */
    "fn @f(%x: f64[], %y: f64[]) -> f64[] {\n"
    "  %0 = sub %x, %y : f64[]\n"
    "  %1 = eq %x, %y : bool[]\n"
    "  %2 = constant {data=0} : f64[]\n"
    "  %3 = select %1, %2, %0 : f64[]\n"
    "  %4 = logistic %3 : f64[]\n"
    "  ret %4\n}\n",
    /* 0 for 0 log 0, which loses the derivative by p */
    "fn @f(%p: f64[], %l: f64[]) -> f64[] {\n"
    "  %0 = constant {data=0} : f64[]\n"
    "  %1 = eq %p, %0 : bool[]\n"
    "  %2 = mul %p, %l : f64[]\n"
    "  %3 = select %1, %0, %2 : f64[]\n"
    "  ret %3\n}\n",
};

static void
check_mistakes(void)
{
    for (size_t i = 0; i < sizeof lost / sizeof *lost; i++) {
        cot_context *ctx = cot_context_new(NULL);
        const cot_graph *g;
        const int before = failures;

        if (cot_parse(ctx, "lost", lost[i], strlen(lost[i]), NULL, &g) == COT_OK)
            search("logaddexp", g, &ctx->arena);
        if (failures == before) {
            printf("mistake %d is not found\n", (int)i);
            failures++;
        } else {
            failures = before;
        }
        cot_context_free(ctx);
    }
}

int
main(int argc, char **argv)
{
    listing = argc > 1 && strcmp(argv[1], "--list") == 0;
    if (!listing) {
        printf("two mistakes, which are to be found:\n");
        check_mistakes();
        printf("\n");
    }
    found = 0;
    check_ops();
    check_functions();
    for (int i = 0; i < N_KNOWN && !listing; i++)
        if (!used[i]) {
            printf("%s has no such select any more: %s\n", known[i].name, known[i].predicate);
            failures++;
        }
    printf("%d selects with a constant side, %d of them not known\n", found, failures);
    return !listing && failures > 0;
}
