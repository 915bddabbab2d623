/* Names of generated functions for perf, in the file /tmp/perf-PID.map.
 *
 * Each line has the address, the size and the name of a function.  The linker moves a section
 * as a whole, so the address of one function of a section gives those of the others.  Source:
 * tools/perf/Documentation/jit-interface.txt of Linux. */
#include <stdio.h>
#include <unistd.h>

#include "codegen/llvm/llvm.h"

/* The name of the section that contains a symbol. */
static const char *
section_of(LLVMSectionIteratorRef section, LLVMSymbolIteratorRef symbol)
{
    LLVMMoveToContainingSection(section, symbol);
    return LLVMGetSectionName(section);
}

typedef struct perf_map {
    FILE *file;
    const char *name, *entry;   /* of the program; of its entry's symbol */
    char section[64];
    uint64_t moved;
} perf_map;

static bool
find_entry(perf_map *p, LLVMBinaryRef object, LLVMSectionIteratorRef section, uint64_t at)
{
    LLVMSymbolIteratorRef s = LLVMObjectFileCopySymbolIterator(object);
    bool found = false;

    for (; !found && !LLVMObjectFileIsSymbolIteratorAtEnd(object, s); LLVMMoveToNextSymbol(s)) {
        if (strcmp(LLVMGetSymbolName(s), p->entry) != 0)
            continue;
        snprintf(p->section, sizeof p->section, "%s", section_of(section, s));
        p->moved = at - LLVMGetSymbolAddress(s);
        found = true;
    }
    LLVMDisposeSymbolIterator(s);
    return found;
}

static void
print_symbols(const perf_map *p, LLVMBinaryRef object, LLVMSectionIteratorRef section)
{
    LLVMSymbolIteratorRef s = LLVMObjectFileCopySymbolIterator(object);
    const size_t n = strlen(p->entry);

    for (; !LLVMObjectFileIsSymbolIteratorAtEnd(object, s); LLVMMoveToNextSymbol(s)) {
        const uint64_t size = LLVMGetSymbolSize(s);
        const char *name;

        if (size == 0 || strcmp(section_of(section, s), p->section) != 0)
            continue;
        name = LLVMGetSymbolName(s);
        fprintf(p->file, "%llx %llx cot:%s%s\n",
                (unsigned long long)(LLVMGetSymbolAddress(s) + p->moved),
                (unsigned long long)size, p->name,
                strncmp(name, p->entry, n) == 0 ? name + n : ".call");
    }
    LLVMDisposeSymbolIterator(s);
}

void
cg_ll_perf_map(const char *name, const char *entry, LLVMMemoryBufferRef object, const void *at)
{
    char path[64], *message = NULL;
    LLVMBinaryRef binary = LLVMCreateBinary(object, NULL, &message);
    perf_map p = { .name = name, .entry = entry };

    LLVMDisposeMessage(message);
    if (!binary)
        return;
    snprintf(path, sizeof path, "/tmp/perf-%ld.map", (long)getpid());
    p.file = fopen(path, "a");
    LLVMSectionIteratorRef section = LLVMObjectFileCopySectionIterator(binary);
    if (p.file && find_entry(&p, binary, section, (uint64_t)(uintptr_t)at))
        print_symbols(&p, binary, section);
    LLVMDisposeSectionIterator(section);
    LLVMDisposeBinary(binary);
    if (p.file)
        fclose(p.file);
}
