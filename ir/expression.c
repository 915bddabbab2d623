/* Numbers that are made of sizes, from text.
 *
 *     expression = term {("+" | "-") term}
 *     term       = factor {("*" | "/") factor}
 *     factor     = number | size | "-" factor | "(" expression ")"
 *                | ("min" | "max") "(" expression "," expression ")"
 *                | "sqrt" "(" expression ")"
 *
 * E. Dijkstra's two stacks of operators and operands take the place of recursion.  Integers are
 * exact, and an error where they exceed 64 bits; a real number is computed in f64. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "ir/diag.h"
#include "ir/number.h"
#include "ir/sized.h"
#include "ir/suggest.h"

enum { DEPTH = 64 };

typedef struct operand {
    bool is_real, is_fixed; /* fixed: no size is in it */
    int64_t i;
    double x;
} operand;

/* Operators: + - * /, n: the sign, ( s: brackets, and those of sqrt, m M: of min and max, w W:
 * behind their comma. */
typedef struct evaluator {
    ir_reader *p;
    bool real;
    const char *start;
    operand value[DEPTH];
    char op[DEPTH];
    int n, n_ops;
} evaluator;

const char *
ir_sizes_text(const ir_sizes *s, ir_arena *a)
{
    const char *text = "";

    for (int i = 0; s && i < s->n; i++)
        text = ir_format(a, "%s%s%s = %lld", text, i ? ", " : " at ", s->at[i].name,
                         (long long)s->at[i].value);
    return text;
}

int
ir_sizes_find(const ir_sizes *s, const char *name)
{
    for (int i = 0; i < s->n; i++)
        if (strcmp(s->at[i].name, name) == 0)
            return i;
    return -1;
}

/* An error of the value of what is read. */
static bool
wrong_value(evaluator *e, const char *is, const char *want)
{
    ir_reader *p = e->p;
    const int n = (int)(p->at - e->start);

    if (!p->failed)
        ir_fail(p->ctx, ir_loc_file(p->ctx, p->file, p->line), NULL, ERR_parse,
                ir_format(p->a, "'%.*s' %s%s", n, e->start, is, ir_sizes_text(p->sizes, p->a)),
                want);
    return !(p->failed = true);
}

static double
real_of(const operand *x)
{
    return x->is_real ? x->x : (double)x->i;
}

static int64_t
floor_divided(int64_t x, int64_t y)
{
    return x / y - (x % y < 0);
}

static bool
apply_integers(evaluator *e, char op, const operand *x, const operand *y, int64_t *out)
{
    bool over = false;

    switch (op) {
    case '+': over = __builtin_add_overflow(x->i, y->i, out); break;
    case '-': over = __builtin_sub_overflow(x->i, y->i, out); break;
    case '*': over = __builtin_mul_overflow(x->i, y->i, out); break;
    case 'w': *out = x->i < y->i ? x->i : y->i; break;
    case 'W': *out = x->i > y->i ? x->i : y->i; break;
    default:
        if (!y->is_fixed || y->i <= 0)
            return wrong_value(e, "divides by what is no positive number",
                               "a positive integer behind '/'");
        *out = floor_divided(x->i, y->i);
    }
    return !over || wrong_value(e, "exceeds 64 bits", "an integer of 64 bits");
}

static double
apply_reals(char op, double x, double y)
{
    switch (op) {
    case '+': return x + y;
    case '-': return x - y;
    case '*': return x * y;
    case '/': return x / y;
    case 'w': return fmin(x, y);
    default: return fmax(x, y);
    }
}

/* The operator on top of its stack, on the operands on top of theirs. */
static bool
apply(evaluator *e)
{
    const char op = e->op[--e->n_ops];
    operand *const y = &e->value[e->n - 1];

    if (op == 'n' || op == 's') {
        if (op == 's')
            *y = (operand){ true, y->is_fixed, 0, sqrt(real_of(y)) };
        else if (!y->is_real && __builtin_sub_overflow((int64_t)0, y->i, &y->i))
            return wrong_value(e, "exceeds 64 bits", "an integer of 64 bits");
        else
            y->x = -y->x;
        return true;
    }
    operand *const x = &e->value[--e->n - 1];
    x->is_fixed &= y->is_fixed;
    if (!x->is_real && !y->is_real && !(e->real && op == '/')) {
        const operand left = *x;
        return apply_integers(e, op, &left, y, &x->i);
    }
    x->x = apply_reals(op, real_of(x), real_of(y));
    x->is_real = true;
    return true;
}

static int
rank_of(char op)
{
    return op == 'n' ? 3 : op == '*' || op == '/' ? 2 : op == '+' || op == '-' ? 1 : 0;
}

static bool
apply_down_to(evaluator *e, int rank)
{
    while (e->n_ops && rank_of(e->op[e->n_ops - 1]) >= rank)
        if (!apply(e))
            return false;
    return true;
}

static bool
push_op(evaluator *e, char op)
{
    if (e->n_ops == DEPTH)
        return ir_read_wants(e->p, "at most 64 operators and brackets that are open");
    e->op[e->n_ops++] = op;
    return true;
}

static bool
push(evaluator *e, operand x)
{
    if (e->n == DEPTH)
        return ir_read_wants(e->p, "at most 64 operands of brackets that are open");
    e->value[e->n++] = x;
    return true;
}

static bool
is_name(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.';
}

static bool
literal(evaluator *e)
{
    ir_reader *p = e->p;
    const char *start = p->at, *s = start;
    const bool hex = p->end - s > 1 && s[0] == '0' && (s[1] == 'x' || s[1] == 'X');
    bool is_real = false;
    char *rest;

    for (; s < p->end && (is_name(*s) || ((*s == '+' || *s == '-') && !hex && s > start &&
                                          (s[-1] == 'e' || s[-1] == 'E')));
         s++)
        is_real |= !hex && (*s == '.' || *s == 'e' || *s == 'E');
    const char *text = ir_format(p->a, "%.*s", (int)(s - start), start);
    operand x = { .is_real = is_real, .is_fixed = true };
    errno = 0;
    if (is_real)
        x.x = ir_strtod(text, &rest);
    else
        x.i = strtoll(text, &rest, hex ? 16 : 10);
    if (*rest || errno || (is_real && !e->real))
        return ir_read_wants(p, e->real ? "a number" : "an integer");
    p->at = s;
    return push(e, x);
}

static bool
no_size(evaluator *e, const char *name)
{
    const ir_sizes *sizes = e->p->sizes;
    ir_suggestion s = ir_suggest(name);

    for (int i = 0; i < sizes->n; i++)
        ir_suggest_try(&s, sizes->at[i].name);
    return ir_read_wants(
        e->p, ir_format(e->p->a, "a size that an argument has%s", ir_suggest_text(&s)));
}

/* A name that is no number: "inf" would be one of a constant. */
static bool
declare(evaluator *e, const char *name)
{
    ir_sizes *s = e->p->sizes;
    char *rest;

    ir_strtod(name, &rest);
    if (!*rest || strcmp(name, "_") == 0 || strcmp(name, "true") == 0 ||
        strcmp(name, "false") == 0)
        return ir_read_wants(e->p, "a size of another name");
    if (s->n == IR_MAX_SIZES)
        return ir_read_wants(e->p, "at most 8 sizes");
    s->at[s->n++] =
        (ir_named_size){ ir_copy_string(&e->p->ctx->arena, name), 1, 0, IR_MOST_SIZE, 1 };
    return true;
}

/* A function up to its bracket, or a size. */
static bool
named(evaluator *e)
{
    ir_reader *p = e->p;
    const char *start = p->at, *s = start;

    while (s < p->end && is_name(*s))
        s++;
    const char *name = ir_format(p->a, "%.*s", (int)(s - start), start);
    const bool called = s < p->end && *s == '(';
    const char op = strcmp(name, "min") == 0               ? 'm'
                    : strcmp(name, "max") == 0             ? 'M'
                    : e->real && strcmp(name, "sqrt") == 0 ? 's'
                                                           : 0;
    if (called && !op)
        return ir_read_wants(p,
                             e->real ? "min, max or sqrt before '('" : "min or max before '('");
    if (called) {
        p->at = s + 1;
        return push_op(e, op);
    }
    int i = ir_sizes_find(p->sizes, name);
    if (i < 0) {
        if (!p->sizes->declares)
            return no_size(e, name);
        if (!declare(e, name))
            return false;
        i = p->sizes->n - 1;
    }
    p->at = s;
    p->sizes->used |= 1u << i;
    return push(e, (operand){ .i = p->sizes->at[i].value });
}

/* What stands before an operator; *done where it is a whole operand. */
static bool
read_operand(evaluator *e, bool *done)
{
    ir_reader *p = e->p;
    const int before = e->n;
    bool good;

    ir_read_skip(p);
    const char c = p->at < p->end ? *p->at : '\0';
    if (c == '-' || c == '(') {
        p->at++;
        good = push_op(e, c == '-' ? 'n' : '(');
    } else {
        good = isdigit((unsigned char)c)               ? literal(e)
               : isalpha((unsigned char)c) || c == '_' ? named(e)
                                                       : ir_read_wants(p, "a number or a size");
    }
    *done = good && e->n > before;
    return good;
}

/* The bracket on top is closed. */
static bool
close(evaluator *e)
{
    const char op = e->op[e->n_ops - 1];

    if (op == 'm' || op == 'M')
        return ir_read_wants(e->p, "',' and another operand");
    e->p->at++;
    if (op != '(')
        return apply(e);
    e->n_ops--;
    return true;
}

/* What stands behind an operand; *more where another operand follows, *done at the end. */
static bool
read_operator(evaluator *e, bool *more, bool *done)
{
    ir_reader *p = e->p;

    ir_read_skip(p);
    const char c = p->at < p->end ? *p->at : '\0';
    const int rank = c ? rank_of(c) : 0;
    *more = *done = false;
    if (rank && c != 'n') {
        if (!apply_down_to(e, rank) || !push_op(e, c))
            return false;
        p->at++;
        return *more = true;
    }
    if (!apply_down_to(e, 1))
        return false;
    if (e->n_ops == 0)
        return *done = true;
    if (c == ')')
        return close(e);
    char *top = &e->op[e->n_ops - 1];
    if (c != ',' || (*top != 'm' && *top != 'M'))
        return ir_read_wants(p, "an operator or ')'");
    *top = *top == 'm' ? 'w' : 'W';
    p->at++;
    return *more = true;
}

static bool
evaluate(evaluator *e)
{
    bool done = false, more = true;

    ir_read_skip(e->p);
    e->start = e->p->at;
    while (!done) {
        for (bool whole = !more; !whole;)
            if (!read_operand(e, &whole))
                return false;
        if (!read_operator(e, &more, &done))
            return false;
    }
    return true;
}

bool
ir_read_expression(ir_reader *p, int64_t *out)
{
    evaluator e = { .p = p };

    if (!evaluate(&e))
        return false;
    *out = e.value[0].i;
    return true;
}

bool
ir_read_real(ir_reader *p, double *out)
{
    evaluator e = { .p = p, .real = true };

    if (!evaluate(&e))
        return false;
    *out = real_of(&e.value[0]);
    return true;
}

bool
ir_read_is_plain(const ir_reader *p)
{
    ir_reader r = *p;
    char text[64], *rest;
    size_t n = 0;

    ir_read_skip(&r);
    while (r.at < r.end && n + 1 < sizeof text &&
           (ir_is_word(*r.at) || (*r.at == '+' && n && (text[n - 1] | 32) == 'e')))
        text[n++] = *r.at++;
    text[n] = '\0';
    ir_strtod(text, &rest);
    ir_read_skip(&r);
    return n && !*rest && !(r.at < r.end && strchr("+-*/(", *r.at));
}
