/* One C file for several processors of the x86-64 family (c.h).  It contains the functions once
 * for each level that the user named (x86-64 psABI, section 3.1.1), and a selector.
 *
 * The text of each level has vectors of that level's width, stands between pragmas that enable
 * the level's instructions, and its names end in that of the level.  The public functions read
 * a word and call the best version.  The word is 0 until the first call determines the level.
 * It is read and written relaxed, since every thread finds the same level. */
#include <ctype.h>

#include "codegen/c/c.h"
#include "ir/diag.h"

/* The levels, from 1.  `is`: macros that compilers define where they target the level. */
static const struct level {
    const char *cpu, *tail, *target, *is[5];
    int lanes;
} levels[] = {
    { "x86-64", "_v1", NULL, { NULL }, 4 },
    { "x86-64-v2", "_v2", "sse3,ssse3,sse4.1,sse4.2,popcnt", { "SSE4_1" }, 4 },
    { "x86-64-v3",
      "_v3",
      "sse4.2,popcnt,avx,avx2,fma,f16c,bmi,bmi2,lzcnt,movbe",
      { "AVX", "AVX2", "FMA" },
      8 },
    { "x86-64-v4",
      "_v4",
      "sse4.2,popcnt,avx,avx2,fma,f16c,bmi,bmi2,lzcnt,movbe,avx512f,avx512bw,avx512cd,"
      "avx512dq,avx512vl",
      { "AVX512F", "AVX512BW", "AVX512DQ", "AVX512VL" },
      16 },
};

static const char choice_text[] =
    "\n/* The level of x86-64 that the machine has: from 1 to 4, and 0 until it is determined. "
    "*/\n"
    "static int cot_known;\n"
    "COT_FN void\ncot_cpuid(uint32_t leaf, uint32_t r[4])\n{\n"
    "    __asm__ volatile(\"cpuid\" : \"=a\"(r[0]), \"=b\"(r[1]), \"=c\"(r[2]), \"=d\"(r[3]) : "
    "\"0\"(leaf), \"2\"(0));\n}\n"
    "COT_COLD int\ncot_ask(void)\n{\n"
    "    uint32_t r[4], leaves, one, seven, saved = 0;\n    int level = 1;\n"
    "    cot_cpuid(0, r);\n    leaves = r[0];\n"
    "    cot_cpuid(1, r);\n    one = r[2];\n"
    "    cot_cpuid(leaves >= 7 ? 7 : 0, r);\n    seven = leaves >= 7 ? r[1] : 0;\n"
    "    cot_cpuid(0x80000001u, r);\n"
    "    if (one >> 27 & 1) /* the registers that the system saves */\n"
    "        __asm__ volatile(\".byte 0x0f, 0x01, 0xd0\" : \"=a\"(saved) : \"c\"(0) : "
    "\"edx\");\n"
    "    /* sse3, ssse3, cmpxchg16b, sse4.1, sse4.2, popcnt; lahf */\n"
    "    if ((one & 0x00982201u) == 0x00982201u && (r[2] & 1))\n        level = 2;\n"
    "    /* fma, movbe, osxsave, avx, f16c; bmi1, avx2, bmi2; lzcnt; ymm */\n"
    "    if (level == 2 && (one & 0x38401000u) == 0x38401000u && (seven & 0x128u) == 0x128u "
    "&&\n"
    "        (r[2] & 32) && (saved & 6) == 6)\n        level = 3;\n"
    "    /* avx512f, dq, cd, bw, vl; zmm and masks */\n"
    "    if (level == 3 && (seven & 0xd0030000u) == 0xd0030000u && (saved & 0xe6) == 0xe6)\n"
    "        level = 4;\n"
    "    __atomic_store_n(&cot_known, level, __ATOMIC_RELAXED);\n    return level;\n}\n"
    "COT_FN int\ncot_level(void)\n{\n"
    "    int level = __atomic_load_n(&cot_known, __ATOMIC_RELAXED);\n"
    "    return level ? level : cot_ask();\n}\n";

int
cg_c_x86_level(const char *cpu)
{
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
        if (strcmp(cpu, levels[i].cpu) == 0)
            return (int)i + 1;
    return 0;
}

int
cg_c_x86_lanes(int level)
{
    return levels[level - 1].lanes;
}

/* Does each level's text define this name for itself? */
static bool
is_own(const cg_c_text *t, const char *name)
{
    const size_t n = strlen(name);

    for (int i = 0; i < t->n_fn; i++)
        if (strcmp(t->fn[i].name, name) == 0)
            return true;
    return cg_c_has_name(&t->own, name) || cg_c_has_name(&t->shared, name) ||
           /* Those are defined before all levels. */
           (cg_c_is_fixed(name) && !strstr(name, "bits_f")) ||
           (n > 3 && strcmp(name + n - 3, "_at") == 0 &&
            cg_c_has_name(&t->own, ir_format(t->arena, "%.*s", (int)n - 3, name)));
}

/* The end of a comment or string, in which no names are replaced. */
static const char *
after_quoted(const char *s)
{
    if (*s == '/' && s[1] == '*') {
        const char *end = strstr(s + 2, "*/");
        return end ? end + 2 : s + strlen(s);
    }
    for (s++; *s && *s != '"'; s++)
        s += *s == '\\' && s[1];
    return s + (*s != '\0');
}

static bool
is_in_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Copy s, with the level's suffix appended to each of the text's own names. */
static void
add_renamed(const cg_c_text *t, ir_buf *b, const char *s, const char *tail)
{
    while (*s) {
        const char *end = s + 1;
        if (*s == '"' || (*s == '/' && s[1] == '*'))
            end = after_quoted(s);
        else if (is_in_word(*s))
            while (is_in_word(*end))
                end++;
        ir_buf_add(b, s, (size_t)(end - s));
        if (is_in_word(*s) && !isdigit((unsigned char)*s) &&
            is_own(t, ir_format(t->arena, "%.*s", (int)(end - s), s)))
            ir_buf_str(b, tail);
        s = end;
    }
}

static void
begin_level(ir_buf *b, const struct level *x)
{
    ir_buf_printf(b, "\n/* ---- %s ---- */\n\n", x->cpu);
    if (!x->target)
        return;
    ir_buf_printf(b,
                  "#if defined(__clang__)\n"
                  "#pragma clang attribute push(__attribute__((target(\"%s\"))), apply_to = "
                  "function)\n"
                  "#else\n#pragma GCC push_options\n#pragma GCC target(\"%s\")\n#endif\n",
                  x->target, x->target);
    for (int i = 0; i < 5 && x->is[i]; i++)
        ir_buf_printf(b, "#if !defined(__%s__)\n#define __%s__ 1\n#endif\n", x->is[i],
                      x->is[i]);
}

static void
end_level(ir_buf *b, const struct level *x)
{
    if (x->target)
        ir_buf_str(b, "#if defined(__clang__)\n#pragma clang attribute pop\n#else\n"
                      "#pragma GCC pop_options\n#endif\n");
}

static cot_status
write_level(cg_c_text *t, const cg_c_width *w, ir_buf *all)
{
    const struct level *x = &levels[w->level - 1];

    cg_c_begin_width(t, 32 * w->lanes);
    ir_buf_init(&t->common, t->arena);
    t->shared = (cg_c_names){ 0 };
    ir_map_init(&t->shared.map, t->arena);
    t->n_slow_paths = 0;
    t->fn = w->fn;
    for (int i = 0; i < t->n_fn; i++) {
        COT_TRY(cg_check_externs(w->fn[i].module, "C source"));
        cg_c_module(t, &w->fn[i]);
    }
    COT_TRY(t->status);
    for (int i = 0; i < t->n_fn; i++) {
        const char *name = w->fn[i].name;
        COT_TRY(cg_c_check_foreign(t, w->fn[i].module));
        if (cg_c_has_name(&t->shared, name) || cg_c_has_name(&t->own, name) ||
            cg_c_is_fixed(name))
            return ir_fail(t->ctx, 0, NULL, ERR_usage,
                           ir_format(t->arena,
                                     "C source for named processors has a function %s of its "
                                     "own; wants another name for the user's",
                                     name));
    }
    begin_level(all, x);
    ir_buf_str(all, "#undef COT_ALIGNED_STACK\n#undef COT_ALONE\n#undef COT_FMA32\n"
                    "#undef COT_FMA64\n");
    ir_buf_str(all, cg_c_target_text);
    const ir_buf *const part[] = { &t->common, &t->head, &t->body };
    for (int i = 0; i < 3; i++)
        if (part[i]->n > 0)
            add_renamed(t, all, part[i]->text, x->tail);
    end_level(all, x);
    return COT_OK;
}

/* The public functions, which call the best version that the machine supports. */
static void
write_choices(const cg_c_text *t, int n, const cg_c_width *w, ir_buf *all)
{
    ir_buf_str(all, choice_text);
    for (int i = 0; i < t->n_fn; i++) {
        const char *name = t->fn[i].name;
        ir_buf_printf(all,
                      "\nint %s(%svoid *work);\n\nint\n%s(%svoid *work)\n{\n"
                      "    const int level = cot_level();\n\n",
                      name, t->entry[i].params, name, t->entry[i].params);
        for (int k = n; k-- > 0;)
            ir_buf_printf(all, "    if (level >= %d)\n        return %s%s(%swork);\n",
                          w[k].level, name, levels[w[k].level - 1].tail, t->entry[i].args);
        ir_buf_printf(all, "    return %d; /* the machine supports none of them */\n}\n",
                      COT_ERR_TARGET);
    }
}

cot_status
cg_c_write_levels(cg_c_text *t, int n, const cg_c_width *w, ir_buf *all)
{
    ir_buf text;

    ir_buf_init(&text, t->arena);
    t->entry = IR_NEW_N(t->arena, cg_c_entry, t->n_fn + 1);
    for (int k = 0; k < n; k++)
        COT_TRY(write_level(t, &w[k], &text));
    ir_buf_str(all, "#if !defined(COT_SSE2) || !defined(__x86_64__)\n"
                    "#error \"the file is for x86-64, by gcc or clang\"\n#endif\n");
    if (t->tables.n > 0)
        ir_buf_add(all, t->tables.text, t->tables.n);
    ir_buf_add(all, text.text, text.n);
    write_choices(t, n, w, all);
    return COT_OK;
}
