/* The double's modules: the entry points of PTX with the number of their parameters, and what
 * ptxas would refuse. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#pragma GCC visibility push(default)
#include "tests/gpu/double_inside.h"

enum { MAX_ENTRIES = 256, PARAMETER_BYTES = 4352 };

struct cu_module_ {
    struct cu_function_ entry[MAX_ENTRIES];
    int n;
};

/* As ptxas: parameters of more bytes want PTX 8.1. */
static bool
fits(const char *ptx, const struct cu_function_ *e)
{
    const char *version = strstr(ptx, ".version ");
    int major = 0, minor = 0;

    return 8 * e->n <= PARAMETER_BYTES ||
           (version && sscanf(version, ".version %d.%d", &major, &minor) == 2 &&
            10 * major + minor >= 81);
}

static bool
read_entries(struct cu_module_ *m, const char *ptx)
{
    for (const char *s = ptx; (s = strstr(s, ".entry ")); m->n++) {
        struct cu_function_ *e = &m->entry[m->n];
        const char *end;

        s += strlen(".entry ");
        s += strspn(s, " ");
        if (m->n == MAX_ENTRIES - 1 || !(end = strchr(s, ')')))
            return false;
        snprintf(e->name, sizeof e->name, "%.*s", (int)strcspn(s, "( \t\n"), s);
        for (e->n = 0; (s = strstr(s, ".param")) && s < end; s += 6)
            e->n++;
        s = end;
        if (!fits(ptx, e))
            return false;
        end = strstr(s, ".maxntid");
        e->threads = end ? (unsigned)strtoul(end + strlen(".maxntid"), NULL, 10) : 1024;
    }
    return strstr(ptx, ".version ") && strstr(ptx, ".target ");
}

cu_result
module_load_(cu_module *out, const void *image, unsigned n, int *options, void **values)
{
    struct cu_module_ *m = calloc(1, sizeof *m);
    char *log = NULL;
    size_t room = 0;

    for (unsigned i = 0; i < n; i++) {
        log = options[i] == CU_JIT_ERROR_LOG ? values[i] : log;
        room = options[i] == CU_JIT_ERROR_LOG_BYTES ? (size_t)(uintptr_t)values[i] : room;
    }
    if (double_setting("jit") || !read_entries(m, image)) {
        if (log)
            snprintf(log, room,
                     "ptxas application ptx input, line 9; fatal : this is a double");
        free(m);
        return CU_INVALID_PTX;
    }
    double_counts()->modules++;
    *out = m;
    return CU_SUCCESS;
}

cu_result
module_unload_(cu_module m)
{
    double_counts()->modules--;
    free(m);
    return CU_SUCCESS;
}

cu_result
module_function_(cu_function *f, cu_module m, const char *name)
{
    for (int i = 0; i < m->n; i++)
        if (strcmp(m->entry[i].name, name) == 0) {
            *f = &m->entry[i];
            return CU_SUCCESS;
        }
    return CU_NOT_FOUND;
}
