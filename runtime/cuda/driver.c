/* Finds the driver: one dlopen, and one dlsym for each function of the table. */
#include "runtime/cuda/driver.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *symbol;
    size_t offset;
} table[] = {
#define CU_ROW(member, symbol, parameters) { symbol, offsetof(rt_driver, member) },
    CU_FUNCTIONS(CU_ROW)
#undef CU_ROW
};

/* The first function that the library does not have, or NULL. */
static const char *
find_all(rt_driver *d)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        void *at = dlsym(d->library, table[i].symbol);

        if (!at)
            return table[i].symbol;
        memcpy((char *)d + table[i].offset, &at, sizeof at);
    }
    return NULL;
}

void
rt_driver_error(const rt_driver *d, cu_result r, char *out, size_t n)
{
    const char *name = NULL, *text = NULL;

    if (d->error_name(r, &name) != CU_SUCCESS || !name)
        name = "error";
    if (d->error_string(r, &text) != CU_SUCCESS || !text)
        text = "which the driver does not explain";
    snprintf(out, n, "%s (%d): %s", name, r, text);
}

const char *
rt_driver_open(rt_driver *d, const char *path, char *why, size_t n)
{
    const char *lacks;
    int version = 0;
    cu_result r;

    memset(d, 0, sizeof *d);
    /* the driver has threads and exit handlers of its own, so it is never unmapped */
    d->library = dlopen(path ? path : "libcuda.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!d->library) {
        snprintf(why, n, "there is no CUDA driver: %s", dlerror());
        return why;
    }
    lacks = find_all(d);
    if (!lacks || d->version)
        r = d->version(&version);
    if ((version && version < CU_OLDEST_DRIVER) || lacks) {
        snprintf(why, n, "the CUDA driver is of version %d.%d%s%s; wants %d.%d or newer",
                 version / 1000, version % 1000 / 10, lacks ? " and lacks " : "",
                 lacks ? lacks : "", CU_OLDEST_DRIVER / 1000, CU_OLDEST_DRIVER % 1000 / 10);
        return why;
    }
    r = d->init(0);
    if (r == CU_SUCCESS)
        return NULL;
    char text[200];
    rt_driver_error(d, r, text, sizeof text);
    snprintf(why, n, "the CUDA driver does not start: %s", text);
    return why;
}

void
rt_driver_close(rt_driver *d)
{
    if (d->library)
        dlclose(d->library);
    d->library = NULL;
}
