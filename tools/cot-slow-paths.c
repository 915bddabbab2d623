/* Writes the programs of slow paths (ir_sc_slow_path of ir/scalar.h) as C, for the build of the
 * library.
 *
 * Such a program, for example the argument reduction of a large angle, is longer than the rest
 * of a kernel and would be compiled again with each kernel.  So the library contains them
 * compiled: codegen/llvm/slow_path.c includes the output of this program and defines its
 * instructions, and kernels of this process call them there.  A program is found by the hash of
 * its instructions.
 *
 *   SLOW_ONE(i)     program i on scalars, a line for each instruction:
 *                   `const float v7 = mul_f32(v5, v6);`
 *   SLOW_LIST(X)    X(i, hash, operands, type of the result, types of the operands) for each
 *   SLOW_TABLES     defined: the tables that they read */
#include <inttypes.h>
#include <stdio.h>

#include "ir/context.h"
#include "ir/op.h"
#include "ir/scalar.h"

enum { MAX_PROGRAMS = 64 };
static const ir_sc_program *program[MAX_PROGRAMS];
static const ir_sc_table *table[MAX_PROGRAMS];
static int n_programs, n_tables;

static int
find_program(const ir_sc_program *p)
{
    int i = 0;

    while (i < n_programs && ir_sc_hash(program[i]) != ir_sc_hash(p))
        i++;
    return i;
}

static int
find_table(const ir_sc_table *t)
{
    int i = 0;

    while (i < n_tables && table[i]->data != t->data)
        i++;
    return i;
}

/* The programs of slow paths in p, innermost first, and their tables. */
static bool
collect(const ir_sc_program *p, bool inside)
{
    for (int k = 0; k < p->n; k++) {
        const ir_sc_insn *i = &p->insn[k];
        if (i->op == SC_table && inside && find_table(i->table) == n_tables) {
            if (n_tables == MAX_PROGRAMS)
                return false;
            table[n_tables++] = i->table;
        }
        if (i->op != SC_slow_path)
            continue;
        if (!collect(i->sub, true) || n_programs == MAX_PROGRAMS)
            return false;
        if (find_program(i->sub) == n_programs)
            program[n_programs++] = i->sub;
    }
    return true;
}

static void
print_table(int at)
{
    const ir_sc_table *t = table[at];
    const size_t bytes = cot_dtype_size(t->type);

    printf("static const uint%d_t slow_table_%d[] = {", (int)bytes * 8, at);
    for (int i = 0; i < t->n; i++) {
        uint64_t bits = 0;
        memcpy(&bits, (const char *)t->data + bytes * (size_t)i, bytes);
        printf("%s0x%" PRIx64 "u,", i % 4 ? " " : "\n    ", bits);
    }
    printf("\n};\n");
}

static void
print_insn(const ir_sc_program *p, int k)
{
    const ir_sc_insn *i = &p->insn[k];
    const char *type = cot_dtype_name(ir_sc_type(p, (ir_sc)(p->n_in + k)));

    printf("    const slow_%s v%d = ", type, p->n_in + k);
    switch (i->op) {
    case SC_const: printf("const_%s(0x%" PRIx64 "u);\n", type, i->imm); return;
    case SC_table:
        printf("const_%s(slow_table_%d[v%d]);\n", type, find_table(i->table), i->in[0]);
        return;
    case SC_select: printf("v%d ? v%d : v%d;\n", i->in[0], i->in[1], i->in[2]); return;
    case SC_slow_path:
        printf("v%d ? SLOW_ONE(%d)(", i->in[0], find_program(i->sub));
        for (int j = 0; j < i->sub->n_in; j++)
            printf("%sv%d", j ? ", " : "", i->args[j]);
        printf(") : v%d;\n", i->in[1]);
        return;
    default: break;
    }
    printf("%s_%s", ir_sc_name[i->op], cot_dtype_name((cot_dtype)i->type));
    if (i->op == SC_cvt || i->op == SC_bitcast)
        printf("_%s", cot_dtype_name(ir_sc_type(p, i->in[0])));
    for (int j = 0; j < ir_sc_arity[i->op]; j++)
        printf("%sv%d", j ? ", " : "(", i->in[j]);
    printf(");\n");
}

static void
print_program(int at)
{
    const ir_sc_program *p = program[at];

    printf("\nSLOW_FN slow_%s\nSLOW_ONE(%d)(", cot_dtype_name(p->type), at);
    for (int j = 0; j < p->n_in; j++)
        printf("%sslow_%s v%d", j ? ", " : "", cot_dtype_name(p->in[j]), j);
    printf(")\n{\n");
    for (int k = 0; k < p->n; k++)
        print_insn(p, k);
    printf("    return v%d;\n}\n", p->out);
}

static void
print_list(void)
{
    printf("#define SLOW_LIST(X)");
    for (int i = 0; i < n_programs; i++) {
        const ir_sc_program *p = program[i];
        printf(" \\\n    X(%d, UINT64_C(0x%016" PRIx64 "), %d, %s", i, ir_sc_hash(p), p->n_in,
               cot_dtype_name(p->type));
        for (int j = 0; j < p->n_in; j++)
            printf(", %s", cot_dtype_name(p->in[j]));
        printf(")");
    }
    printf("\n\n#ifdef SLOW_TABLES\n");
    for (int i = 0; i < n_tables; i++)
        print_table(i);
    printf("#endif\n");
}

/* Of every row that computes with floats. */
static bool
collect_all(cot_context *ctx)
{
    static const struct {
        const char *flag, *infer;
        int op, n_in;
    } rows[] = {
#define OP(name, n, attrs, flag, infer, ...) { #flag, #infer, OP_##name, n },
#include "ir/ops.def"
#undef OP
    };
    static const cot_dtype types[][3] = { { COT_F32, COT_F32, COT_F32 },
                                          { COT_F64, COT_F64, COT_F64 } };
    bool ok = true;

    for (size_t i = 0; ok && i < sizeof rows / sizeof *rows; i++)
        for (int w = 0; ok && w < 2; w++) {
            const char *t = rows[i].infer;
            if (strcmp(rows[i].flag, "POINTWISE") ||
                !strstr(" floating inexact number real ", ir_format(&ctx->arena, " %s ", t)))
                continue;
            const ir_sc_program *p = ir_sc_of(ctx, rows[i].op, &(ir_attrs){ 0 }, rows[i].n_in,
                                              types[w], types[w][0]);
            ok = p == NULL || collect(p, false);
        }
    return ok;
}

int
main(void)
{
    cot_context *ctx = cot_context_new(NULL);
    const bool ok = ctx != NULL && collect_all(ctx);

    if (ok) {
        printf("/* Written by cot-slow-paths, for codegen/llvm/slow_path.c. */\n");
        print_list();
        for (int i = 0; i < n_programs; i++)
            print_program(i);
    } else
        fprintf(stderr, "cot-slow-paths: no memory, or more programs than it has places for\n");
    cot_context_free(ctx);
    return !ok;
}
