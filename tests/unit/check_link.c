/* Objects linked without LLVM: what the code generator makes runs with the bits of the
 * evaluator, and what the linker does not know, or is not whole, is refused: one field changed,
 * every byte of the tables changed, every length. */
#define _GNU_SOURCE 1
#include <elf.h>
#include <math.h>
#include <stdatomic.h>

#include "codegen/llvm/link.h"
#include "codegen/llvm/slow_path.h"
#include "ir/context.h"
#include "tests/unit/stored.h"

/* -- an object of the JIT -- */

/* A store that keeps the last objects here, and finds none. */
typedef struct shelf {
    cg_code_store table;
    ir_digest key;
    int n;
    uint8_t *bytes[CG_MAX_OBJECTS];
    size_t size[CG_MAX_OBJECTS];
} shelf;

static shelf here;
static const double number = 2.5;
static cot_kernel *kernel;
static char entry[80];

static int
find_none(void *self, const ir_digest *key, cg_object *out)
{
    (void)self, (void)key, (void)out;
    return 0;
}

static void
keep_here(void *self, const ir_digest *key, int n, const cg_object *object)
{
    shelf *s = self;

    s->key = *key;
    s->n = n;
    for (int i = 0; i < n; i++) {
        s->size[i] = object[i].size;
        s->bytes[i] = malloc(object[i].size);
        ck_assert(s->bytes[i] != NULL);
        memcpy(s->bytes[i], object[i].bytes, object[i].size);
    }
}

static void
link_begin(void)
{
    char digits[65];

    suite_begin();
    here = (shelf){ .table = { &here, find_none, keep_here } };
    cg_code_store_attach(ctx, &here.table);
    kernel = compiled(ctx, &number, "jit");
    ck_assert_int_eq(here.n, 1);
    ir_digest_hex(&here.key, digits);
    snprintf(entry, sizeof entry, "cot_code_%s", digits);
}

static void
link_end(void)
{
    cot_kernel_free(kernel);
    for (int i = 0; i < here.n; i++)
        free(here.bytes[i]);
    suite_end();
}

static int asked;

static const void *
find_symbol(void *user, const char *name)
{
    static const atomic_int never;
    const void *at = cg_ll_slow_path_at(name);

    asked++;
    ck_assert(user == &here);
    return strcmp(name, "cot_cancelled") == 0 ? (const void *)&never : at;
}

static bool
linked(int n, const cg_object *object, const char *name, cg_ll_image *out)
{
    ir_arena scratch;

    ir_arena_init(&scratch, ctx);
    const bool good = cg_ll_link(&scratch, n, object, name, find_symbol, &here, out);
    ir_arena_free(&scratch);
    ck_assert(good == (out->base != NULL));
    return good;
}

static cg_object
object_of(const uint8_t *bytes)
{
    return (cg_object){ bytes, here.size[0] };
}

START_TEST(an_object_runs)
{
    const cg_object o = object_of(here.bytes[0]);
    double x[N], y = -1, want = wanted(number);
    void *work = malloc(cot_kernel_work_bytes(kernel) + 1);
    cg_ll_image image;

    for (int i = 0; i < N; i++)
        x[i] = i / 3.0 - 4;
    ck_assert(linked(1, &o, entry, &image));
    cg_entry *call = (cg_entry *)image.entry;
    ck_assert_int_eq(call((void *const[]){ x, &y, NULL }, work), 0);
    ck_assert_mem_eq(&y, &want, sizeof y);
    for (int i = 0; i < N; i++)
        x[i] = 1e9 + i; /* the slow path of sin, which is the process's */
    ck_assert_int_eq(call((void *const[]){ x, &y, NULL }, work), 0);
    double sum = 0;
    for (int i = 0; i < N; i++)
        sum += number * x[i] + sin(x[i]);
    ck_assert_double_eq_tol(y, sum, 1e-15 * sum);
    ck_assert_int_gt(asked, 1);
    cg_ll_unlink(&image);
    ck_assert(image.base == NULL);
    free(work);
}
END_TEST

/* -- one field changed -- */

static Elf64_Ehdr *
header(uint8_t *o)
{
    return (Elf64_Ehdr *)o;
}

static Elf64_Shdr *
section(uint8_t *o, uint32_t type, uint64_t flags)
{
    Elf64_Shdr *s = (Elf64_Shdr *)(o + header(o)->e_shoff);

    for (int i = 0; i < header(o)->e_shnum; i++)
        if (s[i].sh_type == type && (s[i].sh_flags & flags) == flags)
            return &s[i];
    ck_abort_msg("the object has no such section");
    return NULL;
}

static Elf64_Shdr *
code(uint8_t *o)
{
    return section(o, SHT_PROGBITS, SHF_EXECINSTR);
}

static Elf64_Shdr *
constants(uint8_t *o)
{
    return section(o, SHT_PROGBITS, SHF_MERGE);
}

static Elf64_Shdr *
table(uint8_t *o)
{
    return section(o, SHT_SYMTAB, 0);
}

static Elf64_Shdr *
relocations(uint8_t *o)
{
    return section(o, SHT_RELA, 0);
}

static Elf64_Rela *
relocation(uint8_t *o, uint32_t kind)
{
    Elf64_Rela *r = (Elf64_Rela *)(o + relocations(o)->sh_offset);

    while (ELF64_R_TYPE(r->r_info) != kind)
        r++;
    return r;
}

static Elf64_Sym *
symbol(uint8_t *o, uint32_t kind)
{
    return (Elf64_Sym *)(o + table(o)->sh_offset) + ELF64_R_SYM(relocation(o, kind)->r_info);
}

static void
retype(Elf64_Rela *r, uint64_t type)
{
    r->r_info = ELF64_R_INFO(ELF64_R_SYM(r->r_info), type);
}

static Elf64_Sym *
entry_symbol(uint8_t *o)
{
    Elf64_Sym *s = (Elf64_Sym *)(o + table(o)->sh_offset);

    while (ELF64_ST_BIND(s->st_info) != STB_GLOBAL || s->st_shndx == 0)
        s++;
    return s;
}

static uint16_t
number_of(uint8_t *o, const Elf64_Shdr *s)
{
    return (uint16_t)(s - (Elf64_Shdr *)(o + header(o)->e_shoff));
}

#define CHANGE(name, what)                                                                     \
    static void name(uint8_t *o)                                                               \
    {                                                                                          \
        what;                                                                                  \
    }
CHANGE(magic, o[0] = 0)
CHANGE(class32, o[EI_CLASS] = ELFCLASS32)
CHANGE(big_endian, o[EI_DATA] = ELFDATA2MSB)
CHANGE(shared_library, header(o)->e_type = ET_DYN)
CHANGE(machine, header(o)->e_machine = EM_AARCH64)
CHANGE(no_sections, header(o)->e_shnum = 0)
CHANGE(many_sections, header(o)->e_shnum = SHN_LORESERVE)
CHANGE(section_bytes, header(o)->e_shentsize++)
CHANGE(sections_outside, header(o)->e_shoff = here.size[0] - 64)
CHANGE(sections_far, header(o)->e_shoff = UINT64_MAX - 63)
CHANGE(writable, constants(o)->sh_flags |= SHF_WRITE)
CHANGE(of_threads, constants(o)->sh_flags |= SHF_TLS)
CHANGE(no_bytes, constants(o)->sh_type = SHT_NOBITS)
CHANGE(unwinding, constants(o)->sh_type = 0x70000001 /* SHT_X86_64_UNWIND */)
CHANGE(group, section(o, SHT_STRTAB, 0)->sh_type = SHT_GROUP)
CHANGE(rel, relocations(o)->sh_type = SHT_REL)
CHANGE(odd_alignment, constants(o)->sh_addralign = 3)
CHANGE(large_alignment, constants(o)->sh_addralign = 8192)
CHANGE(code_outside, code(o)->sh_offset = here.size[0])
CHANGE(code_too_long, code(o)->sh_size = UINT64_MAX)
CHANGE(constants_too_long, constants(o)->sh_size = here.size[0])
CHANGE(symbol_bytes, table(o)->sh_entsize = 16)
CHANGE(symbols_outside, table(o)->sh_offset = here.size[0] - 8)
CHANGE(symbols_too_many, table(o)->sh_size = UINT64_MAX)
CHANGE(no_names, table(o)->sh_link = header(o)->e_shnum)
CHANGE(names_elsewhere, table(o)->sh_link = number_of(o, code(o)))
CHANGE(names_outside, section(o, SHT_STRTAB, 0)->sh_size = UINT64_MAX)
CHANGE(names_cut, section(o, SHT_STRTAB, 0)->sh_size = 1)
CHANGE(two_tables, relocations(o)->sh_type = SHT_SYMTAB)
CHANGE(no_table, table(o)->sh_type = SHT_NOTE)
CHANGE(other_table, relocations(o)->sh_link = number_of(o, code(o)))
CHANGE(relocation_bytes, relocations(o)->sh_entsize = 16)
CHANGE(relocations_outside, relocations(o)->sh_offset = here.size[0] - 8)
CHANGE(relocations_too_many, relocations(o)->sh_size = UINT64_MAX)
CHANGE(absolute, retype(relocation(o, R_X86_64_PC32), R_X86_64_64))
CHANGE(absolute32, retype(relocation(o, R_X86_64_PC32), R_X86_64_32S))
CHANGE(of_thread_storage, retype(relocation(o, R_X86_64_PC32), R_X86_64_TLSGD))
CHANGE(unknown, retype(relocation(o, R_X86_64_PC32), 0xffffffff))
CHANGE(distance_to_a_function, retype(relocation(o, R_X86_64_PLT32), R_X86_64_PC32))
CHANGE(address_of_its_own, retype(relocation(o, R_X86_64_PC32), R_X86_64_GOTPCREL))
CHANGE(no_symbol, relocation(o, R_X86_64_PC32)->r_info |= 0xfffffff000000000)
CHANGE(null_symbol, relocation(o, R_X86_64_PC32)->r_info = R_X86_64_PC32)
CHANGE(place_outside, relocation(o, R_X86_64_PC32)->r_offset = code(o)->sh_size - 3)
CHANGE(place_far, relocation(o, R_X86_64_PC32)->r_offset = UINT64_MAX - 1)
CHANGE(target_far, relocation(o, R_X86_64_PC32)->r_addend = INT64_C(1) << 31)
CHANGE(target_farther, relocation(o, R_X86_64_PC32)->r_addend = INT64_MIN)
CHANGE(common, symbol(o, R_X86_64_PC32)->st_shndx = SHN_COMMON)
CHANGE(fixed, symbol(o, R_X86_64_PC32)->st_shndx = SHN_ABS)
CHANGE(of_no_section, symbol(o, R_X86_64_PC32)->st_shndx = header(o)->e_shnum)
CHANGE(of_unloaded_section, symbol(o, R_X86_64_PC32)->st_shndx = number_of(o, table(o)))
CHANGE(behind_its_section, symbol(o, R_X86_64_PC32)->st_value = 1 << 20)
CHANGE(chosen_at_run_time, symbol(o, R_X86_64_PC32)->st_info = STT_GNU_IFUNC)
CHANGE(thread_local, symbol(o, R_X86_64_PC32)->st_info = STT_TLS)
CHANGE(without_name, symbol(o, R_X86_64_PLT32)->st_name = 0)
CHANGE(name_outside, symbol(o, R_X86_64_PLT32)->st_name = UINT32_MAX)
CHANGE(of_another_process, symbol(o, R_X86_64_PLT32)->st_name += 1)
CHANGE(entry_is_local, entry_symbol(o)->st_info = STT_FUNC)
CHANGE(entry_in_constants, entry_symbol(o)->st_shndx = number_of(o, constants(o)))
CHANGE(entry_outside, entry_symbol(o)->st_value = UINT64_MAX)

static void (*const changes[])(uint8_t *o) = {
    magic,
    class32,
    big_endian,
    shared_library,
    machine,
    no_sections,
    many_sections,
    section_bytes,
    sections_outside,
    sections_far,
    writable,
    of_threads,
    no_bytes,
    unwinding,
    group,
    rel,
    odd_alignment,
    large_alignment,
    code_outside,
    code_too_long,
    constants_too_long,
    symbol_bytes,
    symbols_outside,
    symbols_too_many,
    no_names,
    names_elsewhere,
    names_outside,
    names_cut,
    two_tables,
    no_table,
    other_table,
    relocation_bytes,
    relocations_outside,
    relocations_too_many,
    absolute,
    absolute32,
    of_thread_storage,
    unknown,
    distance_to_a_function,
    address_of_its_own,
    no_symbol,
    null_symbol,
    place_outside,
    place_far,
    target_far,
    target_farther,
    common,
    fixed,
    of_no_section,
    of_unloaded_section,
    behind_its_section,
    chosen_at_run_time,
    thread_local,
    without_name,
    name_outside,
    of_another_process,
    entry_is_local,
    entry_in_constants,
    entry_outside,
};
enum { CHANGES = sizeof changes / sizeof *changes };

START_TEST(what_is_not_known_is_refused)
{
    uint8_t *bytes = malloc(here.size[0]);
    const cg_object o = object_of(bytes);
    cg_ll_image image;

    memcpy(bytes, here.bytes[0], here.size[0]);
    ck_assert(linked(1, &o, entry, &image));
    cg_ll_unlink(&image);
    changes[_i](bytes);
    ck_assert(!linked(1, &o, entry, &image));
    free(bytes);
}
END_TEST

START_TEST(what_is_missing_or_double_is_refused)
{
    const cg_object o[] = { object_of(here.bytes[0]), object_of(here.bytes[0]) };
    cg_ll_image image;

    ck_assert(!linked(1, o, "another", &image));
    ck_assert(!linked(1, o, "cot_cancelled", &image));
    ck_assert(!linked(2, o, entry, &image));
    ck_assert(!linked(0, o, entry, &image));
}
END_TEST

/* -- every byte, every length -- */

static void
try_bytes(const uint8_t *bytes, size_t n)
{
    uint8_t *exact = malloc(n ? n : 1); /* so that a sanitizer sees a read past its end */
    const cg_object o = { exact, n };
    cg_ll_image image;

    ck_assert(exact != NULL);
    memcpy(exact, bytes, n);
    if (linked(1, &o, entry, &image))
        cg_ll_unlink(&image);
    free(exact);
}

START_TEST(any_bytes_do_no_harm)
{
    static const uint8_t flips[] = { 0xff, 0x01, 0x80 };
    uint8_t *bytes = here.bytes[0];
    const uint64_t from = code(bytes)->sh_offset, to = from + code(bytes)->sh_size;

    for (size_t i = 0; i < here.size[0]; i++) {
        if (i >= from && i < to)
            continue;
        bytes[i] ^= flips[_i];
        try_bytes(bytes, here.size[0]);
        bytes[i] ^= flips[_i];
    }
}
END_TEST

START_TEST(any_length_but_its_own_is_refused)
{
    cg_ll_image image;

    for (size_t n = 0; n < here.size[0]; n++) {
        uint8_t *exact = malloc(n ? n : 1);
        const cg_object o = { exact, n };
        ck_assert(exact != NULL);
        memcpy(exact, here.bytes[0], n);
        ck_assert(!linked(1, &o, entry, &image));
        free(exact);
    }
}
END_TEST

int
main(void)
{
#if defined(__ELF__) && defined(__x86_64__)
    const suite_case cases[] = {
        ONCE(an_object_runs),
        EACH(what_is_not_known_is_refused, CHANGES),
        ONCE(what_is_missing_or_double_is_refused),
        EACH(any_bytes_do_no_harm, 3),
        ONCE(any_length_but_its_own_is_refused),
    };

    setenv("COT_CACHE_DIR", "off", 1);
    return SUITE_WITH("link", cases, link_begin, link_end);
#else
    return 0; /* LLVM links */
#endif
}
