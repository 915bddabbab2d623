/* Names, types and constants of the C emitter (c.h). */
#include "codegen/c/c.h"

#include <math.h>
#include <stdlib.h>

#include "ir/number.h"

static const char *const c_scalar[COT_DTYPE_COUNT] = {
    [COT_BOOL] = "uint8_t", [COT_I8] = "int8_t",     [COT_I16] = "int16_t",
    [COT_I32] = "int32_t",  [COT_I64] = "int64_t",   [COT_U8] = "uint8_t",
    [COT_U16] = "uint16_t", [COT_U32] = "uint32_t",  [COT_U64] = "uint64_t",
    [COT_F16] = "uint16_t", [COT_BF16] = "uint16_t", [COT_F32] = "float",
    [COT_F64] = "double",
};

/* A name, and the last number that was appended to it: names with lower numbers are taken. */
typedef struct cg_c_name {
    const char *text;
    int number;
} cg_c_name;

static cg_c_name *
find_name(const cg_c_names *in, const char *name)
{
    uint64_t h = ir_hash(0, name, strlen(name));
    uint32_t at = 0, id;

    while ((id = ir_map_next(&in->map, h, &at)))
        if (strcmp(in->name[id - 1].text, name) == 0)
            return &in->name[id - 1];
    return NULL;
}

bool
cg_c_has_name(const cg_c_names *in, const char *name)
{
    return find_name(in, name) != NULL;
}

bool
cg_c_new_name(cg_c_text *t, cg_c_names *in, const char *name)
{
    if (cg_c_has_name(in, name))
        return false;
    IR_PUSH(t->arena, in->name, in->n, in->cap, ((cg_c_name){ name, 1 }));
    ir_map_add(&in->map, ir_hash(0, name, strlen(name)), in->n);
    return true;
}

bool
cg_c_is_parameter(const char *s)
{
    return strcmp(s, "work") == 0 || strcmp(s, "pool") == 0 || strcmp(s, "args") == 0 ||
           strcmp(s, "status") == 0;
}

/* Is the name reserved by C, or may the headers of the file define it, now or later? */
static bool
is_reserved(const char *s)
{
    static const char *const begins[] = { "int",   "uint",     "INT",    "UINT",
                                          "SIZE_", "PTRDIFF_", "WCHAR_", "SIG_ATOMIC_",
                                          "FLT_",  "DBL_",     "LDBL_",  "DECIMAL_" };
    static const char *const ends[] = { "_t",      "_MAX",     "_MIN",    "_C",
                                        "_DIG",    "_EPSILON", "_EXP",    "_RADIX",
                                        "_ROUNDS", "_METHOD",  "_SUBNORM" };
    bool known = false;

    if (strncmp(s, "COT_", 4) == 0 ||
        (s[0] == '_' && (s[1] == '_' || (s[1] >= 'A' && s[1] <= 'Z'))))
        return true;
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
        known |= strncmp(s, begins[i], strlen(begins[i])) == 0;
    for (size_t i = 0; known && i < sizeof ends / sizeof *ends; i++)
        if (strlen(s) > strlen(ends[i]) &&
            strcmp(s + strlen(s) - strlen(ends[i]), ends[i]) == 0)
            return true;
    return false;
}

/* Is the name a keyword of C or C++, or a macro? */
bool
cg_c_is_word(const char *s)
{
    static const char *const words[] = {
        "auto", "break", "case", "char", "const", "continue", "default", "do", "double", "else",
        "enum", "extern", "float", "for", "goto", "if", "inline", "int", "long", "register",
        "restrict", "return", "short", "signed", "sizeof", "static", "struct", "switch",
        "typedef", "union", "unsigned", "void", "volatile", "while", "asm", "typeof", "and",
        "or", "not", "xor", "new", "delete", "this", "class", "template", "namespace", "using",
        "bool", "true", "false", "linux", "unix", "main", "memcpy", "memmove", "memset",
        "size_t", "operator", "private", "public", "throw", "try", "virtual", "catch", "friend",
        "export", "explicit", "mutable", "typename", "nullptr", "decltype", "constexpr",
        "noexcept", "concept", "requires", "typeid", "protected", "bitand", "bitor", "compl",
        "and_eq", "or_eq", "not_eq", "xor_eq", "consteval", "constinit", "co_await",
        "co_return", "co_yield", "char8_t", "char16_t", "char32_t", "ptrdiff_t", "max_align_t",
        "i386", "alignas", "alignof", "wchar_t", "const_cast", "static_cast", "dynamic_cast",
        "reinterpret_cast", "NULL", "EOF", "I", "NAN", "INFINITY", "HUGE_VAL", "errno", "stdin",
        "stdout", "stderr", "assert", "offsetof", "complex", "imaginary", "isnan", "isinf",
        "isfinite", "isnormal", "signbit", "static_assert", "thread_local", "noreturn", "M_PI",
        "M_E", "BUFSIZ", "RAND_MAX",
    };

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(s, words[i]) == 0)
            return true;
    return is_reserved(s);
}

/* Is the name a function of the standard library?  C reserves those names in every program, and
 * compilers know what they do. */
bool
cg_c_is_library_name(const char *s)
{
    static const char *const real[] = {
        "acos",       "acosh",  "asin",      "asinh",  "atan",  "atan2",     "atanh",
        "cbrt",       "ceil",   "copysign",  "cos",    "cosh",  "erf",       "erfc",
        "exp",        "exp2",   "expm1",     "fabs",   "fdim",  "floor",     "fma",
        "fmax",       "fmin",   "fmod",      "frexp",  "hypot", "ilogb",     "ldexp",
        "lgamma",     "llrint", "llround",   "log",    "log10", "log1p",     "log2",
        "logb",       "lrint",  "lround",    "modf",   "nan",   "nearbyint", "nextafter",
        "nexttoward", "pow",    "remainder", "remquo", "rint",  "round",     "scalbln",
        "scalbn",     "sin",    "sinh",      "sqrt",   "tan",   "tanh",      "tgamma",
        "trunc",      "cabs",   "carg",      "cexp",   "cimag", "clog",      "conj",
        "cpow",       "cproj",  "creal",     "csin",   "csqrt", "j0",        "j1",
        "jn",         "y0",     "y1",        "yn",
    };
    static const char *const other[] = {
        "abort",   "abs",    "atexit",   "atof",    "atoi",    "atol",    "bcopy",  "bsearch",
        "bzero",   "calloc", "clock",    "div",     "exit",    "fclose",  "fflush", "fopen",
        "fprintf", "fputs",  "fread",    "free",    "fseek",   "ftell",   "fwrite", "getchar",
        "gets",    "index",  "isalnum",  "isalpha", "isdigit", "isspace", "labs",   "llabs",
        "longjmp", "malloc", "memchr",   "memcmp",  "printf",  "putchar", "puts",   "qsort",
        "raise",   "rand",   "realloc",  "remove",  "rename",  "rewind",  "rindex", "scanf",
        "setjmp",  "signal", "snprintf", "sprintf", "srand",   "sscanf",  "strcat", "strchr",
        "strcmp",  "strcpy", "strdup",   "strlen",  "strncmp", "strncpy", "strstr", "strtod",
        "strtol",  "system", "time",     "tolower", "toupper", "vprintf",
    };
    const size_t n = strlen(s);

    for (size_t i = 0; i < sizeof other / sizeof *other; i++)
        if (strcmp(s, other[i]) == 0)
            return true;
    for (size_t i = 0; i < sizeof real / sizeof *real; i++) {
        const size_t length = strlen(real[i]);
        if (strncmp(s, real[i], length) == 0 &&
            (n == length || (n == length + 1 && (s[length] == 'f' || s[length] == 'l'))))
            return true;
    }
    return false;
}

/* Names that the emitter generates are a short word, a number and a suffix, "v12_3" or
 * "next_v7", or end with a type. */
static bool
is_emitters(const char *s)
{
    static const char *const word[] = { "v",      "i",    "p",    "m",     "w",
                                        "x",      "r",    "t",    "f",     "fv",
                                        "n",      "h",    "c",    "u",     "next_v",
                                        "count",  "args", "then", "other", "slow_path_",
                                        "table_", "data_" };

    for (size_t k = 0; k < sizeof word / sizeof *word; k++) {
        const size_t n = strlen(word[k]);
        if (strncmp(s, word[k], n) == 0 && s[n] >= '0' && s[n] <= '9')
            return true;
    }
    for (cot_dtype d = COT_BOOL; d < COT_DTYPE_COUNT; d++) {
        const char *at = strstr(s, cot_dtype_name(d));
        const char after = at ? at[strlen(cot_dtype_name(d))] : '.';
        if (after == '\0' || after == 'x')
            return true;
    }
    static const char *const whole[] = { "c", "j", "part", "from", "to", "context" };
    for (size_t k = 0; k < sizeof whole / sizeof *whole; k++)
        if (strcmp(s, whole[k]) == 0)
            return true;
    return strncmp(s, "COT_", 4) == 0 ||
           (strlen(s) > 2 && strcmp(s + strlen(s) - 2, "_t") == 0);
}

const char *
cg_c_unique(cg_c_text *t, cg_c_names *in, const char *name)
{
    char *s = ir_copy_string(t->arena, name && *name ? name : "x");
    const char *base;

    for (char *c = s; *c; c++)
        if (!((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9')))
            *c = '_';
    base = s;
    if ((*base >= '0' && *base <= '9') || *base == '_')
        base = ir_format(t->arena, "x%s", base);
    if (is_emitters(base) || cg_c_is_word(base) || cg_c_is_parameter(base) ||
        cg_c_is_library_name(base))
        base = ir_format(t->arena, "%s_", base);
    const char *r = base;
    while (!cg_c_new_name(t, in, r))
        r = ir_format(t->arena, "%s_%d", base, ++find_name(in, base)->number);
    return r;
}

const char *
cg_c_unsigned(cot_dtype type)
{
    static const char *const name[9] = {
        [1] = "uint8_t", [2] = "uint16_t", [4] = "uint32_t", [8] = "uint64_t"
    };
    return name[cot_dtype_size(type)];
}

const char *
cg_c_type(cg_c_text *t, cot_dtype type, int lanes)
{
    if (lanes == 1)
        return c_scalar[type];
    if (type == COT_BOOL)
        type = COT_I32;
    else if (ir_is_half(type))
        type = COT_U16;
    const char *name = ir_format(t->arena, "%sx%d", cot_dtype_name(type), lanes);
    int size = (int)cot_dtype_size(type);
    if (cg_c_new_name(t, &t->own, name))
        ir_buf_printf(
            &t->head,
            "typedef %s %s __attribute__((vector_size(%d)));\n"
            "typedef %s %s_at __attribute__((vector_size(%d), aligned(%d), may_alias));\n",
            c_scalar[type], name, lanes * size, c_scalar[type], name, lanes * size, size);
    return name;
}

cot_dtype
cg_c_result_type(ir_sc_op op, cot_dtype type)
{
    return op >= SC_eq && op <= SC_le ? COT_BOOL : type;
}

cot_dtype
cg_c_operand_type(ir_sc_op op, cot_dtype type, cot_dtype from, int i)
{
    if (op == SC_select && i == 0)
        return COT_BOOL;
    return op == SC_cvt || op == SC_bitcast ? from : type;
}

/* A float in the fewest digits that read back as the same number if they are few; otherwise in
 * hexadecimal. */
static const char *
real(cg_c_text *t, cot_dtype type, double x)
{
    bool single = type == COT_F32;
    const char *suffix = single ? "f" : "", *cast = single ? "" : "(double)";
    char s[64];

    if (isnan(x))
        return ir_format(t->arena, "%sCOT_NAN", cast);
    if (isinf(x))
        return ir_format(t->arena, "%s%sCOT_INFINITY", x < 0 ? "-" : "", cast);
    for (int digits = 1; digits <= (single ? 8 : 12) && x != 0 && fabs(x) > 1e-30; digits++) {
        ir_snprintf(s, sizeof s, "%.*g", digits, x);
        if ((single ? (double)ir_strtof(s, NULL) : ir_strtod(s, NULL)) == x)
            return ir_format(t->arena, "%s%s%s", s, strpbrk(s, ".e") ? "" : ".0", suffix);
    }
    if (x == 0)
        return ir_format(t->arena, "%s0.0%s", signbit(x) ? "-" : "", suffix);
    return ir_format(t->arena, "%a%s", x, suffix);
}

const char *
cg_c_constant(cg_c_text *t, cot_dtype type, uint64_t bits)
{
    int shift = 64 - ir_bits(type);
    long long value = (long long)((int64_t)(bits << shift) >> shift);

    if (type == COT_F32) {
        uint32_t low = (uint32_t)bits;
        float f;
        memcpy(&f, &low, 4);
        return real(t, type, (double)f);
    }
    if (type == COT_F64) {
        double d;
        memcpy(&d, &bits, 8);
        return real(t, type, d);
    }
    switch (type) {
    case COT_BOOL: return bits & 1 ? "1" : "0";
    case COT_I64:
        if (bits == (uint64_t)1 << 63)
            return "INT64_MIN";
        return ir_format(t->arena,
                         value > INT32_MAX || value < -INT32_MAX ? "INT64_C(%lld)" : "%lld",
                         value);
    case COT_I32:
        return bits << 32 >> 32 == 0x80000000u ? "INT32_MIN"
                                               : ir_format(t->arena, "%lld", value);
    case COT_I16:
    case COT_I8: return ir_format(t->arena, "(%s)%lld", c_scalar[type], value);
    case COT_U64: return ir_format(t->arena, "UINT64_C(%llu)", (unsigned long long)bits);
    case COT_U32: return ir_format(t->arena, "%lluu", (unsigned long long)(uint32_t)bits);
    default:
        return ir_format(t->arena, "(%s)%llu", c_scalar[type],
                         (unsigned long long)(bits << shift >> shift));
    }
}

const char *
cg_c_lanes_text(cg_c_text *t, int lanes, const char *pattern)
{
    ir_buf b;

    ir_buf_init(&b, t->arena);
    ir_buf_str(&b, "{ ");
    for (int i = 0; i < lanes; i++) {
        if (i)
            ir_buf_str(&b, ", ");
        for (const char *c = pattern; *c; c++)
            if (*c == '#')
                ir_buf_printf(&b, "%d", i);
            else
                ir_buf_add(&b, c, 1);
    }
    ir_buf_str(&b, " }");
    return b.text;
}

/* Is there an operator outside of all brackets? */
bool
cg_c_is_compound(const char *s)
{
    int depth = 0;

    for (; *s; s++) {
        depth += *s == '(' || *s == '[' || *s == '{';
        depth -= *s == ')' || *s == ']' || *s == '}';
        if (*s == ' ' && depth == 0)
            return true;
    }
    return false;
}

bool
cg_c_is_name(const char *s)
{
    for (; *s; s++)
        if (!((*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') ||
              (*s >= '0' && *s <= '9') || *s == '_'))
            return false;
    return true;
}

/* The position of the bracket that closes the one at s. */
static const char *
closing(const char *s)
{
    int depth = 0;

    for (; *s; s++) {
        depth += *s == '(' || *s == '[' || *s == '{';
        depth -= *s == ')' || *s == ']' || *s == '}';
        if (depth == 0)
            return s;
    }
    return s;
}

const char *
cg_c_bare(cg_c_text *t, const char *s)
{
    const size_t n = strlen(s);

    if (*s != '(' || closing(s) != s + n - 1)
        return s;
    return ir_format(t->arena, "%.*s", (int)n - 2, s + 1);
}

const char *
cg_c_bare_term(cg_c_text *t, const char *s)
{
    const char *inner = cg_c_bare(t, s);
    int depth = 0;

    for (const char *c = inner; *c; c++) {
        depth += *c == '(' || *c == '[' || *c == '{';
        depth -= *c == ')' || *c == ']' || *c == '}';
        if (depth == 0 && *c == ' ' && c[1] && strchr("/%&|^<>=!?:", c[1]))
            return s;
    }
    return inner;
}
