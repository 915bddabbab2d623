/* Objects of the code generator, linked into this process without LLVM.
 *
 * A kernel's object holds functions and constants, no variables and nothing for unwinding, and
 * it has few kinds of relocations.  So linking takes microseconds, and a process that finds all
 * of its code in the store loads no LLVM.  What is not known here (another machine, section or
 * relocation) is refused, and LLVM's linker has to take it (orc.c).
 *
 * All objects of a module share one mapping, an image:
 *
 *     functions of all objects | stubs | page | constants of all objects | addresses
 *
 * The functions and stubs become executable, the rest readable.  References within the image
 * are relative and reach everywhere, since it is smaller than 2 GB.  What the process has lies
 * anywhere: its addresses are in a table, which loads read and through which a stub jumps.
 *
 * Objects come from a file too, so that every offset is checked against the object's size, and
 * every reference against the image.  Source: System V ABI, AMD64 Architecture Processor
 * Supplement, 4.4 Relocation. */
#define _GNU_SOURCE 1
#include "codegen/llvm/link.h"

#include "ir/map.h"

#if defined(__ELF__) && defined(__x86_64__)
#include <elf.h>
#include <sys/mman.h>
#include <unistd.h>

#define NOWHERE UINT64_MAX      /* a place that is not in the image */

enum { MAX_IMAGE = 1 << 30, STUB = 8, ADDRESS = 8 };

typedef struct object {
    const uint8_t *bytes;
    size_t size;
    uint32_t n_sections, n_symbols;
    Elf64_Shdr *section;
    uint64_t *place;            /* of each section in the image */
    Elf64_Sym *symbol;
    const char *names;          /* of the symbols */
    uint64_t names_bytes;
    uint32_t *slot;             /* of each symbol that the object lacks; 0: none */
} object;

/* What an object lacks: it is in another one, or at an address of the process. */
typedef struct slot {
    uint64_t place;
    const void *address;
} slot;

typedef struct linker {
    ir_arena *scratch;
    int n;
    object *object;
    uint32_t n_slots, cap_slots;
    slot *slot;                 /* number i is at i - 1 */
    uint64_t stubs, constants, addresses, bytes; /* places, and the end of the image */
    uint8_t *base;
} linker;

static bool
is_inside(uint64_t size, uint64_t at, uint64_t n)
{
    return at <= size && n <= size - at;
}

/* Copy n records, which may lie at any offset; NULL: they are not inside the object. */
static void *
copy_records(ir_arena *a, const object *o, uint64_t at, uint64_t n, size_t bytes)
{
    if (n > o->size / bytes || !is_inside(o->size, at, n * bytes))
        return NULL;
    return ir_copy_bytes(a, o->bytes + at, n * bytes);
}

/* -- reading -- */

static bool
read_header(object *o, ir_arena *a)
{
    Elf64_Ehdr h;

    if (o->size < sizeof h)
        return false;
    memcpy(&h, o->bytes, sizeof h);
    if (memcmp(h.e_ident, ELFMAG, SELFMAG) != 0 || h.e_ident[EI_CLASS] != ELFCLASS64 ||
        h.e_ident[EI_DATA] != ELFDATA2LSB || h.e_type != ET_REL || h.e_machine != EM_X86_64 ||
        h.e_shentsize != sizeof(Elf64_Shdr) || h.e_shnum == 0 || h.e_shnum >= SHN_LORESERVE)
        return false;
    o->n_sections = h.e_shnum;
    o->section = copy_records(a, o, h.e_shoff, h.e_shnum, sizeof(Elf64_Shdr));
    return o->section != NULL;
}

/* Is a section one of functions or constants, or one that is not loaded? */
static bool
is_known(const object *o, const Elf64_Shdr *s)
{
    const uint64_t known = SHF_ALLOC | SHF_EXECINSTR | SHF_MERGE | SHF_STRINGS;

    if (s->sh_type == SHT_GROUP || s->sh_type == SHT_REL)
        return false;
    if (!(s->sh_flags & SHF_ALLOC))
        return true;
    return s->sh_type == SHT_PROGBITS && (s->sh_flags & ~known) == 0 &&
           is_inside(o->size, s->sh_offset, s->sh_size) &&
           (s->sh_addralign & (s->sh_addralign - 1)) == 0 && s->sh_addralign <= 4096;
}

static bool
read_symbols(object *o, const Elf64_Shdr *s, ir_arena *a)
{
    if (o->symbol || s->sh_entsize != sizeof(Elf64_Sym) || s->sh_link >= o->n_sections)
        return false;
    const Elf64_Shdr *names = &o->section[s->sh_link];
    const uint64_t n = s->sh_size / sizeof(Elf64_Sym);

    if (names->sh_type != SHT_STRTAB || !is_inside(o->size, names->sh_offset, names->sh_size))
        return false;
    o->symbol = copy_records(a, o, s->sh_offset, n, sizeof(Elf64_Sym));
    o->n_symbols = (uint32_t)n;
    o->names = (const char *)o->bytes + names->sh_offset;
    o->names_bytes = names->sh_size;
    return o->symbol != NULL;
}

static bool
read_object(object *o, ir_arena *a)
{
    if (!read_header(o, a))
        return false;
    for (uint32_t i = 0; i < o->n_sections; i++) {
        if (!is_known(o, &o->section[i]))
            return false;
        if (o->section[i].sh_type == SHT_SYMTAB && !read_symbols(o, &o->section[i], a))
            return false;
    }
    o->place = IR_NEW_N(a, uint64_t, o->n_sections);
    o->slot = IR_NEW_N(a, uint32_t, o->n_symbols + 1);
    return true;
}

/* NULL: it has none, or it does not end in the object. */
static const char *
name_of(const object *o, uint32_t symbol)
{
    const uint32_t at = o->symbol[symbol].st_name;

    if (at == 0 || at >= o->names_bytes || !memchr(o->names + at, 0, o->names_bytes - at))
        return NULL;
    return o->names + at;
}

/* -- the image -- */

/* Place the sections that are executable, or those that are not, from `at` on: the end. */
static uint64_t
place_sections(linker *l, bool executable, uint64_t at)
{
    for (int i = 0; i < l->n; i++)
        for (uint32_t k = 0; k < l->object[i].n_sections; k++) {
            const Elf64_Shdr *s = &l->object[i].section[k];
            const uint64_t align = s->sh_addralign ? s->sh_addralign : 1;

            if (!(s->sh_flags & SHF_ALLOC) || !(s->sh_flags & SHF_EXECINSTR) == executable)
                continue;
            if (at > MAX_IMAGE || s->sh_size > MAX_IMAGE)
                return NOWHERE;
            at = (at + align - 1) & ~(align - 1);
            l->object[i].place[k] = at;
            at += s->sh_size;
        }
    return at;
}

static bool
lay_out(linker *l)
{
    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);

    for (int i = 0; i < l->n; i++)
        memset(l->object[i].place, 0xff, l->object[i].n_sections * sizeof(uint64_t));
    l->stubs = place_sections(l, true, 0);
    if (l->stubs == NOWHERE)
        return false;
    l->stubs = (l->stubs + STUB - 1) / STUB * STUB;
    l->constants = (l->stubs + (uint64_t)STUB * l->n_slots + page - 1) / page * page;
    l->addresses = place_sections(l, false, l->constants);
    if (l->addresses == NOWHERE)
        return false;
    l->addresses = (l->addresses + ADDRESS - 1) / ADDRESS * ADDRESS;
    l->bytes = (l->addresses + (uint64_t)ADDRESS * l->n_slots + page - 1) / page * page;
    return l->constants > 0 && l->bytes <= MAX_IMAGE;
}

/* -- symbols -- */

/* The place of a symbol that the object defines. */
static uint64_t
place_of(const object *o, uint32_t symbol)
{
    const Elf64_Sym *s = &o->symbol[symbol];

    if (s->st_shndx >= o->n_sections || o->place[s->st_shndx] == NOWHERE ||
        s->st_value > o->section[s->st_shndx].sh_size ||
        ELF64_ST_TYPE(s->st_info) == STT_GNU_IFUNC || ELF64_ST_TYPE(s->st_info) == STT_TLS)
        return NOWHERE;
    return o->place[s->st_shndx] + s->st_value;
}

static bool
is_shared(const object *o, uint32_t symbol)
{
    return ELF64_ST_BIND(o->symbol[symbol].st_info) != STB_LOCAL &&
           o->symbol[symbol].st_shndx != SHN_UNDEF;
}

/* The symbols that objects define for others, by name: ids are places in `all`, from 1. */
typedef struct definitions {
    ir_map map;
    struct definition {
        const char *name;
        uint64_t place;
    } *all;
    uint32_t n, cap;
} definitions;

static const struct definition *
find_definition(const definitions *d, const char *name)
{
    const uint64_t hash = ir_hash(0, name, strlen(name));
    uint32_t at = 0, id;

    while ((id = ir_map_next(&d->map, hash, &at)) != 0)
        if (strcmp(d->all[id - 1].name, name) == 0)
            return &d->all[id - 1];
    return NULL;
}

/* False: two objects define the same. */
static bool
add_definitions(const linker *l, definitions *d)
{
    ir_map_init(&d->map, l->scratch);
    for (int i = 0; i < l->n; i++)
        for (uint32_t k = 1; k < l->object[i].n_symbols; k++) {
            const object *o = &l->object[i];
            const char *name = is_shared(o, k) ? name_of(o, k) : NULL;

            if (!name)
                continue;
            if (find_definition(d, name))
                return false;
            const struct definition one = { name, place_of(o, k) };
            IR_PUSH(l->scratch, d->all, d->n, d->cap, one);
            ir_map_add(&d->map, ir_hash(0, name, strlen(name)), d->n);
        }
    return true;
}

/* Number what the objects lack, before places are known. */
static void
count_slots(linker *l)
{
    for (int i = 0; i < l->n; i++)
        for (uint32_t k = 1; k < l->object[i].n_symbols; k++)
            if (l->object[i].symbol[k].st_shndx == SHN_UNDEF) {
                IR_PUSH(l->scratch, l->slot, l->n_slots, l->cap_slots,
                        ((slot){ NOWHERE, NULL }));
                l->object[i].slot[k] = l->n_slots;
            }
}

/* False: something is not found. */
static bool
fill_slots(linker *l, const definitions *d, cg_ll_find_symbol *find, void *user)
{
    for (int i = 0; i < l->n; i++)
        for (uint32_t k = 1; k < l->object[i].n_symbols; k++) {
            const object *o = &l->object[i];
            const char *name = o->slot[k] ? name_of(o, k) : NULL;

            if (!o->slot[k])
                continue;
            if (!name)
                return false;
            const struct definition *there = find_definition(d, name);
            slot *s = &l->slot[o->slot[k] - 1];
            s->place = there ? there->place : NOWHERE;
            s->address = there ? NULL : find(user, name);
            if (there ? s->place == NOWHERE : s->address == NULL)
                return false;
        }
    return true;
}

/* -- relocations -- */

/* What a relocation refers to. */
static uint64_t
target_of(const linker *l, const object *o, uint32_t symbol, uint32_t kind)
{
    const uint32_t number = o->slot[symbol];
    const uint64_t there = number ? l->slot[number - 1].place : place_of(o, symbol);

    switch (kind) {
    case R_X86_64_PC32: return there;
    case R_X86_64_PLT32:
        return number && there == NOWHERE ? l->stubs + (uint64_t)STUB * (number - 1) : there;
    case R_X86_64_GOTPCREL:
    case R_X86_64_GOTPCRELX:
    case R_X86_64_REX_GOTPCRELX:
        return number ? l->addresses + (uint64_t)ADDRESS * (number - 1) : NOWHERE;
    default: return NOWHERE;
    }
}

static bool
put_distance(const linker *l, uint64_t at, uint64_t to)
{
    const int64_t distance = (int64_t)(to - at);
    const int32_t field = (int32_t)distance;

    memcpy(l->base + at, &field, sizeof field);
    return field == distance;
}

static bool
relocate(const linker *l, const object *o, const Elf64_Shdr *s)
{
    const uint64_t n = s->sh_size / sizeof(Elf64_Rela);
    Elf64_Rela r;

    if (s->sh_info >= o->n_sections || o->place[s->sh_info] == NOWHERE)
        return true; /* of a section that is not loaded */
    if (s->sh_entsize != sizeof r || !is_inside(o->size, s->sh_offset, s->sh_size) ||
        s->sh_link >= o->n_sections || o->section[s->sh_link].sh_type != SHT_SYMTAB)
        return false;
    for (uint64_t i = 0; i < n; i++) {
        memcpy(&r, o->bytes + s->sh_offset + i * sizeof r, sizeof r);
        const uint64_t symbol = ELF64_R_SYM(r.r_info);
        if (symbol >= o->n_symbols ||
            !is_inside(o->section[s->sh_info].sh_size, r.r_offset, sizeof(int32_t)))
            return false;
        const uint64_t to = target_of(l, o, (uint32_t)symbol, ELF64_R_TYPE(r.r_info));
        if (to == NOWHERE ||
            !put_distance(l, o->place[s->sh_info] + r.r_offset, to + (uint64_t)r.r_addend))
            return false;
    }
    return true;
}

/* jmp *address(%rip) */
static void
put_stub(const linker *l, uint32_t i)
{
    static const uint8_t jump[STUB] = { 0xff, 0x25, 0, 0, 0, 0, 0xcc, 0xcc };
    const uint64_t at = l->stubs + (uint64_t)STUB * i;

    memcpy(l->base + at, jump, STUB);
    put_distance(l, at + 2, l->addresses + (uint64_t)ADDRESS * i - sizeof(int32_t));
}

static void
put_slots(const linker *l)
{
    for (uint32_t i = 0; i < l->n_slots; i++) {
        const slot *s = &l->slot[i];
        const void *address = s->address ? s->address : l->base + s->place;

        memcpy(l->base + l->addresses + (uint64_t)ADDRESS * i, &address, ADDRESS);
        put_stub(l, i);
    }
}

static bool
fill_image(const linker *l)
{
    put_slots(l);
    for (int i = 0; i < l->n; i++)
        for (uint32_t k = 0; k < l->object[i].n_sections; k++) {
            const object *o = &l->object[i];
            const Elf64_Shdr *s = &o->section[k];
            if (o->place[k] != NOWHERE)
                memcpy(l->base + o->place[k], o->bytes + s->sh_offset, s->sh_size);
        }
    for (int i = 0; i < l->n; i++)
        for (uint32_t k = 0; k < l->object[i].n_sections; k++)
            if (l->object[i].section[k].sh_type == SHT_RELA &&
                !relocate(l, &l->object[i], &l->object[i].section[k]))
                return false;
    return mprotect(l->base, l->constants, PROT_READ | PROT_EXEC) == 0 &&
           (l->bytes == l->constants ||
            mprotect(l->base + l->constants, l->bytes - l->constants, PROT_READ) == 0);
}

/* -- all of it -- */

/* Everything but the image's content: what may jump for lack of memory comes before the
 * mapping.  The result is the entry's place. */
static uint64_t
prepare(linker *l, const cg_object *object, const char *entry, cg_ll_find_symbol *find,
        void *user)
{
    definitions d = { 0 };

    for (int i = 0; i < l->n; i++) {
        l->object[i].bytes = object[i].bytes;
        l->object[i].size = object[i].size;
        if (!read_object(&l->object[i], l->scratch))
            return NOWHERE;
    }
    count_slots(l);
    if (!lay_out(l) || !add_definitions(l, &d) || !fill_slots(l, &d, find, user))
        return NOWHERE;
    const struct definition *found = find_definition(&d, entry);
    return found && found->place < l->stubs ? found->place : NOWHERE;
}

bool
cg_ll_link(ir_arena *scratch, int n, const cg_object *object_, const char *entry,
           cg_ll_find_symbol *find, void *user, cg_ll_image *out)
{
    linker l = { .scratch = scratch, .n = n, .object = IR_NEW_N(scratch, object, n) };
    const uint64_t place = prepare(&l, object_, entry, find, user);

    *out = (cg_ll_image){ 0 };
    if (place == NOWHERE)
        return false;
    void *base =
        mmap(NULL, l.bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base == MAP_FAILED)
        return false;
    l.base = base;
    *out = (cg_ll_image){ base, l.bytes, l.base + place };
    if (fill_image(&l))
        return true;
    cg_ll_unlink(out);
    return false;
}

void
cg_ll_unlink(cg_ll_image *image)
{
    if (image->base)
        munmap(image->base, image->bytes);
    *image = (cg_ll_image){ 0 };
}
#else
bool
cg_ll_link(ir_arena *scratch, int n, const cg_object *object, const char *entry,
           cg_ll_find_symbol *find, void *user, cg_ll_image *out)
{
    (void)scratch, (void)n, (void)object, (void)entry, (void)find, (void)user;
    *out = (cg_ll_image){ 0 };
    return false;
}

void
cg_ll_unlink(cg_ll_image *image)
{
    (void)image;
}
#endif
