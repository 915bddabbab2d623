/* The double's settings and counts, and the part of the driver that opens a device: version,
 * errors, what a device is like, contexts. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#pragma GCC visibility push(default)
#include "tests/gpu/double_inside.h"

static struct { const char *name; int64_t value, first;
} setting[] = {
    { "devices", 1, 1 },
    { "version", 12040, 12040 },
    { "arch", 80, 80 },
    { "pools", 1, 1 },
    { "memory", (int64_t)1 << 40, (int64_t)1 << 40 },
    { "launch", 0, 0 },
    { "jit", 0, 0 },
    { "capture", 1, 1 },
    { "init", 0, 0 },
};
enum { SETTINGS = sizeof setting / sizeof *setting };

static double_state state;

int64_t
double_setting(const char *name)
{
    for (int i = 0; i < SETTINGS; i++)
        if (strcmp(setting[i].name, name) == 0)
            return setting[i].value;
    abort();
}

static void
read_environment(void)
{
    const char *s = getenv("COT_DOUBLE");
    char name[16];
    long long value;
    int used;

    while (s && sscanf(s, "%15[a-z]=%lld%n", name, &value, &used) == 2) {
        double_set(name, value);
        s += used;
        s += *s == ',';
    }
}

void
double_wrong(const char *what)
{
    if (state.wrong++ == 0)
        snprintf(state.said, sizeof state.said, "%s", what);
}

void
double_read(double_state *out)
{
    *out = state;
}

double_state *
double_counts(void)
{
    return &state;
}

struct cu_context_ { int users; };
static struct cu_context_ primary;
static int pushed;

bool
double_is_current(void)
{
    return pushed > 0;
}

void
double_set(const char *name, int64_t value)
{
    if (strcmp(name, "reset") == 0) {
        const double_state now = state;

        for (int i = 0; i < SETTINGS; i++)
            setting[i].value = setting[i].first;
        state = (double_state){ .live = now.live,
                                .live_bytes = now.live_bytes,
                                .contexts = now.contexts,
                                .streams = now.streams,
                                .pools = now.pools,
                                .modules = now.modules,
                                .graphs = now.graphs,
                                .host = now.host,
                                .events = now.events,
                                .waiting = now.waiting };
        return;
    }
    for (int i = 0; i < SETTINGS; i++)
        if (strcmp(setting[i].name, name) == 0)
            setting[i].value = value;
}

cu_result
init_(unsigned flags)
{
    read_environment();
    if (double_setting("init"))
        return (cu_result)double_setting("init");
    if (flags)
        return CU_INVALID_VALUE;
    return double_setting("devices") == 0 ? CU_NO_DEVICE : CU_SUCCESS;
}

cu_result
version_(int *v)
{
    read_environment();
    *v = (int)double_setting("version");
    return CU_SUCCESS;
}

static const struct { cu_result r; const char *name, *text; } errors[] = {
    { CU_INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE", "invalid argument" },
    { CU_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory" },
    { CU_NO_DEVICE, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected" },
    { CU_INVALID_PTX, "CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed" },
    { CU_NOT_FOUND, "CUDA_ERROR_NOT_FOUND", "named symbol not found" },
    { CU_LAUNCH_FAILED, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure" },
};

cu_result
error_name_(cu_result r, const char **name)
{
    *name = NULL;
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i].r == r)
            *name = errors[i].name;
    return *name ? CU_SUCCESS : CU_INVALID_VALUE;
}

cu_result
error_string_(cu_result r, const char **text)
{
    *text = NULL;
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i].r == r)
            *text = errors[i].text;
    return *text ? CU_SUCCESS : CU_INVALID_VALUE;
}

cu_result
device_count_(int *n)
{
    *n = (int)double_setting("devices");
    return CU_SUCCESS;
}

cu_result
device_get_(cu_device *d, int ordinal)
{
    *d = ordinal;
    return ordinal >= 0 && ordinal < double_setting("devices") ? CU_SUCCESS : CU_INVALID_DEVICE;
}

cu_result
device_name_(char *name, int n, cu_device d)
{
    snprintf(name, (size_t)n, "Double %d", d);
    return CU_SUCCESS;
}

cu_result
device_attribute_(int *value, int what, cu_device d)
{
    (void)d;
    *value = what == CU_ATTRIBUTE_MAJOR       ? (int)double_setting("arch") / 10
             : what == CU_ATTRIBUTE_MINOR     ? (int)double_setting("arch") % 10
             : what == CU_ATTRIBUTE_POOLS     ? (int)double_setting("pools")
             : what == CU_ATTRIBUTE_PROCESSORS ? 1
                                               : 0;
    return CU_SUCCESS;
}

cu_result
context_retain_(cu_context *c, cu_device d)
{
    (void)d;
    *c = &primary;
    state.contexts++;
    return CU_SUCCESS;
}

cu_result
context_release_(cu_device d)
{
    (void)d;
    state.contexts--;
    return CU_SUCCESS;
}

cu_result
context_push_(cu_context c)
{
    if (c != &primary)
        double_wrong("a context that is none");
    pushed++;
    return CU_SUCCESS;
}

cu_result
context_pop_(cu_context *c)
{
    *c = &primary;
    if (--pushed < 0)
        double_wrong("a context popped that nobody pushed");
    return CU_SUCCESS;
}
