/* What names code: see store.h.
 *
 * The text of kernels has exactly one reading and leaves out nothing that changes the
 * computation (docs/codegen.md), so equal texts on one target give equal code.  Only the
 * addresses of foreign functions are not in it: modules that call some have no key. */
#define _GNU_SOURCE 1
#include "codegen/store.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "ir/context.h"

#if defined(__ELF__)
#include <link.h>
#endif

static const char attached;

void
cg_code_store_attach(cot_context *ctx, cg_code_store *store)
{
    ir_attach(ctx, &attached, store, NULL);
}

const cg_code_store *
cg_code_store_of(cot_context *ctx)
{
    return ir_attached_find(ctx, &attached);
}

/* -- builds -- */

#if defined(__ELF__)
enum { MAX_ID = 64, MAX_NOTES = 4096 };

typedef struct build_id_search {
    uintptr_t address;
    size_t n; /* 0: not found */
    uint8_t id[MAX_ID];
} build_id_search;

static bool
holds(const struct dl_phdr_info *file, uintptr_t address)
{
    for (int i = 0; i < file->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &file->dlpi_phdr[i];
        const uintptr_t begin = file->dlpi_addr + p->p_vaddr;
        if (p->p_type == PT_LOAD && address >= begin && address - begin < p->p_memsz)
            return true;
    }
    return false;
}

/* The notes of one segment: a header of three words, a name, a content, each padded. */
static void
read_notes(build_id_search *s, const uint8_t *at, size_t n, size_t align)
{
    ElfW(Nhdr) h;

    align = align == 8 ? 8 : 4;
    while (n >= sizeof h && s->n == 0) {
        memcpy(&h, at, sizeof h);
        const size_t name = sizeof h, content = (name + h.n_namesz + align - 1) / align * align,
                     end = (content + h.n_descsz + align - 1) / align * align;
        if (h.n_namesz > n || h.n_descsz > n || content + h.n_descsz > n)
            return;
        if (h.n_type == NT_GNU_BUILD_ID && h.n_namesz == 4 && h.n_descsz <= MAX_ID &&
            memcmp(at + name, "GNU", 4) == 0) {
            s->n = h.n_descsz;
            memcpy(s->id, at + content, s->n);
        }
        at += end < n ? end : n;
        n -= end < n ? end : n;
    }
}

static int
visit(struct dl_phdr_info *file, size_t size, void *data)
{
    build_id_search *s = data;

    (void)size;
    if (!holds(file, s->address))
        return 0;
    for (int i = 0; i < file->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &file->dlpi_phdr[i];
        if (p->p_type == PT_NOTE)
            read_notes(s, (const uint8_t *)(file->dlpi_addr + p->p_vaddr), p->p_memsz,
                       p->p_align);
    }
    return 1;
}

static const char *
text_of(ir_arena *arena, const build_id_search *s)
{
    if (s->n == 0)
        return NULL;
    char *text = ir_alloc(arena, 2 * s->n + 1);
    for (size_t i = 0; i < s->n; i++) {
        text[2 * i] = "0123456789abcdef"[s->id[i] >> 4];
        text[2 * i + 1] = "0123456789abcdef"[s->id[i] & 15];
    }
    text[2 * s->n] = '\0';
    return text;
}

const char *
cg_build_of(ir_arena *arena, const void *address)
{
    build_id_search s = { .address = (uintptr_t)address };

    dl_iterate_phdr(visit, &s);
    return text_of(arena, &s);
}

static bool
read_part(int file, void *to, size_t n, uint64_t at)
{
    return at <= INT64_MAX && pread(file, to, n, (off_t)at) == (ssize_t)n;
}

static void
read_file(build_id_search *s, int file)
{
    uint8_t notes[MAX_NOTES];
    ElfW(Ehdr) h;
    ElfW(Phdr) p;

    if (!read_part(file, &h, sizeof h, 0) || memcmp(h.e_ident, ELFMAG, SELFMAG) != 0 ||
        h.e_phentsize != sizeof p)
        return;
    for (int i = 0; i < h.e_phnum && s->n == 0; i++) {
        if (!read_part(file, &p, sizeof p, h.e_phoff + (uint64_t)i * sizeof p))
            return;
        if (p.p_type == PT_NOTE && p.p_filesz <= sizeof notes &&
            read_part(file, notes, p.p_filesz, p.p_offset))
            read_notes(s, notes, p.p_filesz, p.p_align);
    }
}

const char *
cg_build_of_file(ir_arena *arena, const char *path)
{
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    build_id_search s = { .n = 0 };

    if (file >= 0) {
        read_file(&s, file);
        close(file);
    }
    return text_of(arena, &s);
}
#else
const char *
cg_build_of(ir_arena *arena, const void *address)
{
    (void)arena, (void)address;
    return NULL;
}

const char *
cg_build_of_file(ir_arena *arena, const char *path)
{
    (void)arena, (void)path;
    return NULL;
}
#endif

/* -- keys -- */

static void
add_number(ir_digest_state *d, int64_t x)
{
    ir_digest_add(d, &x, sizeof x);
}

bool
cg_code_key(const cg_target *t, const cg_module *m, ir_arena *scratch, ir_digest_state *out)
{
    const char *build = cg_build_of(scratch, &attached);
    ir_buf text;

    if (!build || m->n_ext)
        return false;
    ir_digest_begin(out);
    ir_digest_text(out, build);
    ir_digest_text(out, t->triple);
    ir_digest_text(out, t->cpu);
    ir_digest_text(out, t->features);
    add_number(out, t->vector_bits);
    add_number(out, t->registers);
    add_number(out, t->trapping_math);
    add_number(out, m->parallel);
    ir_buf_init(&text, scratch);
    cg_module_print(&text, m);
    ir_digest_add(out, text.text, text.n);
    return true;
}
