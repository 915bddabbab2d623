/* Line tables: from an instruction to the traced line of the user's source.
 *
 * Every function is a subprogram of the file that its kernel comes from; an instruction that
 * comes from another file is in a lexical block of that file.  The line is that of the root of
 * a location: in a gradient, the line whose derivative an instruction computes.  There are no
 * variables and no types.  The version is DWARF 4, since gdb 13 does not find lines of JIT code
 * in version 5.
 *
 * Of a module with a record (kernel/record.h) lines are the numbers of locations, of one file
 * that does not exist: who shows the assembly beside the graph finds the node by them. */
#include "codegen/llvm/llvm.h"
#include "cotrace/base.h"

struct cg_ll_debug {
    LLVMDIBuilderRef b;
    LLVMMetadataRef unit, type;
    cg_ll_scope at;
};

static LLVMMetadataRef
file_at(cg_ll_debug *d, const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const size_t folder = slash && slash > path ? (size_t)(slash - path) : slash ? 1 : 0;

    return folder ? LLVMDIBuilderCreateFile(d->b, name, strlen(name), path, folder)
                  : LLVMDIBuilderCreateFile(d->b, name, strlen(name), ".", 1);
}

static void
add_flag(cg_ll_module *l, const char *name, unsigned value)
{
    LLVMAddModuleFlag(l->module, LLVMModuleFlagBehaviorWarning, name, strlen(name),
                      LLVMValueAsMetadata(LLVMConstInt(l->i32, value, 0)));
}

void
cg_ll_debug_begin(cg_ll_module *l, const char *name)
{
    static const char maker[] = "Cotrace " COT_VERSION;
    cg_ll_debug *d = IR_NEW(l->arena, cg_ll_debug);

    d->b = LLVMCreateDIBuilder(l->module);
    d->unit = LLVMDIBuilderCreateCompileUnit(
        d->b, LLVMDWARFSourceLanguageC11, file_at(d, name), maker, sizeof maker - 1, 1, "", 0,
        0, "", 0, LLVMDWARFEmissionLineTablesOnly, 0, 0, 0, "", 0, "", 0);
    d->type =
        LLVMDIBuilderCreateSubroutineType(d->b, file_at(d, name), NULL, 0, LLVMDIFlagZero);
    add_flag(l, "Debug Info Version", LLVMDebugMetadataVersion());
    add_flag(l, "Dwarf Version", 4);
    l->debug = d;
}

void
cg_ll_debug_end(cg_ll_module *l)
{
    if (!l->debug)
        return;
    LLVMDIBuilderFinalize(l->debug->b);
    LLVMDisposeDIBuilder(l->debug->b);
    l->debug = NULL;
}

static void
stand_at(cg_ll_module *l, LLVMMetadataRef scope, int line)
{
    LLVMSetCurrentDebugLocation2(
        l->b, scope ? LLVMDIBuilderCreateDebugLocation(l->llvm, (unsigned)line, 0, scope, NULL)
                    : NULL);
}

/* The file and line of a location; NULL: it has none. */
static const char *
line_of(const cg_ll_module *l, ir_loc loc, int *line)
{
    static const char locations[] = "locations";

    if (!l->lines_are_locations)
        return ir_loc_root(l->ctx, loc, line);
    *line = (int)loc;
    return locations;
}

cg_ll_scope
cg_ll_debug_enter(cg_ll_module *l, LLVMValueRef fn, const char *name, ir_loc loc)
{
    cg_ll_debug *d = l->debug;
    cg_ll_scope outer = { 0 };
    int line = 0;

    if (!d)
        return outer;
    outer = d->at;
    d->at = (cg_ll_scope){ 0 };
    if (fn) {
        const char *path = line_of(l, loc, &line);
        LLVMMetadataRef file = file_at(d, path ? path : "traced");

        d->at.file = path;
        d->at.function = LLVMDIBuilderCreateFunction(
            d->b, file, name, strlen(name), name, strlen(name), file, (unsigned)line, d->type,
            1, 1, (unsigned)line, LLVMDIFlagZero, 1);
        LLVMSetSubprogram(fn, d->at.function);
    }
    d->at.line = line;
    d->at.scope = d->at.function;
    d->at.scope_file = d->at.file;
    stand_at(l, d->at.scope, line);
    return outer;
}

void
cg_ll_debug_leave(cg_ll_module *l, cg_ll_scope outer)
{
    if (!l->debug)
        return;
    l->debug->at = outer;
    stand_at(l, outer.scope, outer.line);
}

void
cg_ll_debug_at(cg_ll_module *l, ir_loc loc)
{
    cg_ll_debug *d = l->debug;
    const char *path;
    int line = 0;

    if (!d || !d->at.function || !(path = line_of(l, loc, &line)))
        return;
    if (path != d->at.scope_file) {     /* paths are interned */
        d->at.scope = path == d->at.file ? d->at.function
                                         : LLVMDIBuilderCreateLexicalBlockFile(
                                               d->b, d->at.function, file_at(d, path), 0);
        d->at.scope_file = path;
    }
    d->at.line = line;
    stand_at(l, d->at.scope, line);
}
