/* The driver's interface as hosts of manifests declare it (examples/ptx_manifest.h, of which
 * the bundle's runner is one) beside the toolkit's own header, where one is installed: as
 * header.c does for the library. */
#pragma GCC diagnostic ignored "-Wunused-function"
#include "examples/ptx_manifest.h"

#include <cuda.h>

_Static_assert((int)DRIVER_DYNAMIC_SHARED ==
                   (int)CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
               "dynamic shared memory");
_Static_assert(CUDA_SUCCESS == 0, "no error");

/* Passed by value, so what counts is their size. */
#define SAME_SIZE(ours, theirs) _Static_assert(sizeof(ours) == sizeof(theirs), #theirs)
SAME_SIZE(driver_result, CUresult);
SAME_SIZE(driver_device, CUdevice);
SAME_SIZE(driver_attribute, CUfunction_attribute);
SAME_SIZE(driver_address, CUdeviceptr);
SAME_SIZE(driver_context, CUcontext);
SAME_SIZE(driver_module, CUmodule);
SAME_SIZE(driver_function, CUfunction);
SAME_SIZE(driver_stream, CUstream);
SAME_SIZE(driver_event, CUevent);

/* Our parameters, with the header's types for ours, are those of the header's function, which
 * has the symbol that we ask for: a name of the manual stands for one, with its version. */
#define driver_result CUresult
#define driver_device CUdevice
#define driver_attribute CUfunction_attribute
#define driver_address CUdeviceptr
#define driver_context CUcontext
#define driver_module CUmodule
#define driver_function CUfunction
#define driver_stream CUstream
#define driver_event CUevent
#define ALIKE(name, symbol, parameters)                                                    \
    typedef CUresult(*our_##name) parameters;                                              \
    _Static_assert(__builtin_types_compatible_p(our_##name, __typeof__(&name)), #name);
DRIVER_FUNCTIONS(ALIKE)

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)
/* `name` is not expanded before the table is: the header's macros do it here. */
#define ROW(name, symbol, parameters) { symbol, TEXT(name) },

static const struct { const char *ours, *theirs; } symbols[] = { DRIVER_FUNCTIONS(ROW) };

/* cuEventElapsedTime has a second version since 12.8, of the same parameters; we ask for the
 * first, which older drivers have, too. */
static int
is_older(const char *ours, const char *theirs)
{
    return strcmp(ours, "cuEventElapsedTime") == 0 &&
           strcmp(theirs, "cuEventElapsedTime_v2") == 0;
}

int
main(void)
{
    const size_t n = sizeof symbols / sizeof *symbols;
    int wrong = 0;

    for (size_t i = 0; i < n; i++)
        if (strcmp(symbols[i].ours, symbols[i].theirs) != 0 &&
            !is_older(symbols[i].ours, symbols[i].theirs)) {
            printf("header: we ask for %s; cuda.h has %s\n", symbols[i].ours,
                   symbols[i].theirs);
            wrong = 1;
        }
    printf("header: %zu functions of cuda.h %d: %s\n", n, CUDA_VERSION,
           wrong ? "not ours" : "ours");
    return wrong;
}
