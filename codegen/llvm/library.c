/* The library of LLVM is loaded at the first compilation.
 *
 * Loading it takes longer than all that a process does that compiles nothing, so no file is
 * linked with it, and its build id, which names kept code, is read from the file.  The build
 * lists the functions that this folder calls (cmake/llvm_functions.cmake), and their addresses
 * are found by name, all of them at once: a library that lacks one is refused as a whole.  So
 * is another version, whose functions may have the same names and take other values.
 *
 * Used is, in this order: the file that COT_LLVM names; a library of the same name that the
 * process has loaded already, since two would share a part of their symbols; the file that
 * Cotrace was built with; a file of that name where the dynamic linker searches.  The library
 * is not unloaded, for LLVM does not support that.
 *
 * LLVM's registry of targets is a global, filled here. */
#define _GNU_SOURCE 1
#include "codegen/llvm/library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "codegen/store.h"
#include "ir/config.h"
#include "ir/diag.h"

/* The version whose headers this was compiled with. */
enum { WANTED_VERSION = 19 };

cg_ll_functions cg_ll_llvm;

static const char *const names[] = {
#define FUNCTION(name) #name,
#include "codegen/llvm_functions.def"
#undef FUNCTION
};
enum { N_NAMES = sizeof names / sizeof *names };
_Static_assert(sizeof cg_ll_llvm == N_NAMES * sizeof(void *), "one address for each name");

static pthread_once_t once = PTHREAD_ONCE_INIT;
static void *library;    /* NULL: `why` says why it is not loaded */
static char why[512];
static atomic_bool is_loaded;

static void *
open_library(void)
{
    const char *chosen = ir_config_llvm();
    void *found;

    if (chosen)
        return dlopen(chosen, RTLD_LAZY | RTLD_LOCAL);
    if ((found = dlopen(COT_LLVM_NAME, RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD)) ||
        (found = dlopen(COT_LLVM_FILE, RTLD_LAZY | RTLD_LOCAL)))
        return found;
    return dlopen(COT_LLVM_NAME, RTLD_LAZY | RTLD_LOCAL);
}

/* The first name that the library lacks; NULL: the table is filled. */
static const char *
fill_table(void *from)
{
    for (int i = 0; i < N_NAMES; i++) {
        void *at = dlsym(from, names[i]);
        if (!at)
            return names[i];
        memcpy((char *)&cg_ll_llvm + (size_t)i * sizeof at, &at, sizeof at);
    }
    return NULL;
}

static void
load(void)
{
    void *found = open_library();
    const char *missing = found ? fill_table(found) : NULL;
    unsigned version = 0;

    if (!found)
        snprintf(why, sizeof why, "%s", dlerror());
    else if (missing)
        snprintf(why, sizeof why, "it has no function %s", missing);
    else if (LLVMGetVersion(&version, NULL, NULL), version != WANTED_VERSION)
        snprintf(why, sizeof why, "it is version %u", version);
    else
        library = found;
    if (found && !library)
        dlclose(found);
    atomic_store(&is_loaded, library != NULL);
}

bool
cg_ll_load_library(cot_context *ctx)
{
    pthread_once(&once, load);
    if (!library)
        ir_fail(ctx, 0, NULL, ERR_no_llvm, WANTED_VERSION, why);
    return library != NULL;
}

/* The file that open_library will open; NULL: only the dynamic linker knows. */
static const char *
file_to_load(void)
{
    const char *chosen = ir_config_llvm();
    void *found = chosen ? NULL : dlopen(COT_LLVM_NAME, RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD);

    if (found) {
        dlclose(found);
        return NULL;
    }
    return !chosen ? COT_LLVM_FILE : strchr(chosen, '/') ? chosen : NULL;
}

const char *
cg_ll_build(ir_arena *arena)
{
    const char *file = atomic_load(&is_loaded) ? NULL : file_to_load();
    const char *build = file ? cg_build_of_file(arena, file) : NULL;

    if (build)
        return build;
    pthread_once(&once, load);
    return library ? cg_build_of(arena, (const void *)(uintptr_t)LLVMContextCreate) : NULL;
}

void
cg_ll_show_library(void)
{
    Dl_info found;

    if (dladdr((const void *)(uintptr_t)LLVMContextCreate, &found))
        dlopen(found.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_GLOBAL);
}

/* -- targets -- */

static void
call_starter(const char *target, const char *part)
{
    char name[64];
    void (*start)(void);
    void *at;

    snprintf(name, sizeof name, "LLVMInitialize%s%s", target, part);
    at = dlsym(library, name);
    memcpy(&start, &at, sizeof start);
    if (start)
        start();
}

/* Only what is used is initialised: all of LLVM's targets take a millisecond. */
void
cg_ll_start_target(const char *name)
{
    static struct {
        const char *name;
        bool started;
    } target[] = { { "X86", false }, { "AArch64", false },     { "RISCV", false },
                   { "ARM", false }, { "WebAssembly", false }, { "NVPTX", false } };
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < sizeof target / sizeof *target; i++)
        if (strcmp(target[i].name, name) == 0 && !target[i].started) {
            call_starter(name, "TargetInfo");
            call_starter(name, "Target");
            call_starter(name, "TargetMC");
            call_starter(name, "AsmPrinter");
            call_starter(name, "AsmParser");
            target[i].started = true;
        }
    pthread_mutex_unlock(&lock);
}
