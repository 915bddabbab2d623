#include "tests/processes/joined.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>

enum { TIMEOUT = 100 };

int
joined_run(const char *path, cot_shm_body *body, void *user)
{
    void *module = dlopen(path, RTLD_NOW | RTLD_GLOBAL),
         *open = module ? dlsym(module, "cot_comm_open") : NULL,
         *close = module ? dlsym(module, "cot_comm_close") : NULL;
    size_t bytes = 0;
    const cot_comm *comm =
        open && close ? ((cot_comm_open_call *)(uintptr_t)open)(TIMEOUT, &bytes) : NULL;

    if (!comm || bytes != sizeof *comm) {
        printf("%s makes no communicator\n", path);
        return 2;
    }
    const int status = body(comm, user);
    fflush(stdout);
    ((cot_comm_close_call *)(uintptr_t)close)();
    return status;
}
