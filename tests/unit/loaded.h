/* For suites of files of named arrays: a folder for new files, those in tests/unit/data, which
 * numpy 2.4 and safetensors 0.8 made, and whether the build reads a format at all. */
#ifndef TESTS_UNIT_LOADED_H
#define TESTS_UNIT_LOADED_H

#include <stdio.h>
#include <unistd.h>

#include "cotrace/cotrace.h"
#include "tests/unit/suite.h"

static char place[] = "/tmp/cotrace_files_XXXXXX", path[200];

static inline const char *
fixture(const char *name)
{
    snprintf(path, sizeof path, "%s/%s", FIXTURES, name);
    return path;
}

static inline const char *
fresh(const char *name)
{
    snprintf(path, sizeof path, "%s/%s", place, name);
    return path;
}

/* Is the format in this build?  If not its message says so, and that is the whole test. */
static inline bool
built(const char *name, const char *library)
{
    char want[300];
    cot_state s;

    if (cot_load(ctx, fixture(name), &s) != COT_ERR_TARGET) {
        cot_state_free(&s);
        return true;
    }
    snprintf(want, sizeof want, "%s: %s files want a build with %s", path,
             strcmp(library, "libzip") ? "safetensors" : "npz", library);
    ck_assert_str_eq(cot_error(ctx), want);
    printf("skipped: built without %s\n", library);
    return false;
}
#define HAS_NPZ         built("nothing.npz", "libzip")
#define HAS_SAFETENSORS built("bf16.safetensors", "jansson")

#endif
