/* Other machines, and what a program on them begins and ends with (machine.h). */
#include "tests/laws/machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STRICT " -O2 -std=c11 -ffreestanding -fno-builtin -Wall -Wextra -Wpedantic "           \
               "-Wconversion -Werror -c x.c -o x.o"

static const machine machines[] = {
    { "x86-64", "x86_64-linux-gnu", "x86-64", NULL,
      "memcpy memset memmove _GLOBAL_OFFSET_TABLE_",
      { "cc -nostdlib -static -O1 -ffreestanding -fno-builtin -fno-pie -no-pie harness.c x.o "
        "-o x" }, { "./x" }, true, NULL, 0 },
    { "x86-64-c", NULL, NULL, NULL, "memcpy memset memmove _GLOBAL_OFFSET_TABLE_",
      { "cc -nostdlib -static -O1 -ffreestanding -fno-builtin -fno-pie -no-pie harness.c x.o "
        "-o x" }, { "./x" }, true, "cc -march=native" STRICT, 8 },
    { "x86-64-versions", "x86_64-linux-gnu", "x86-64-v4,x86-64-v2,x86-64-v3", NULL,
      "memcpy memset memmove _GLOBAL_OFFSET_TABLE_",
      { "cc -nostdlib -static -O1 -ffreestanding -fno-builtin -fno-pie -no-pie harness.c x.o "
        "-o x" },
      { "./x", "qemu-x86_64 -cpu Nehalem ./x", "qemu-x86_64 -cpu Haswell-noTSX ./x" },
      true, NULL, 0 },
    { "aarch64", "aarch64-linux-gnu", NULL, NULL, "memcpy memset memmove",
      { "aarch64-linux-gnu-gcc -nostdlib -static -O1 -ffreestanding -fno-builtin harness.c "
        "x.o -o x",
        "clang --target=aarch64-linux-gnu -fuse-ld=lld -nostdlib -static -O1 -ffreestanding "
        "-fno-builtin harness.c x.o -o x" },
      { "qemu-aarch64 ./x" }, true, NULL, 0 },
    { "riscv64", "riscv64-linux-gnu", NULL, NULL, "memcpy memset memmove",
      { "riscv64-linux-gnu-gcc -nostdlib -static -O1 -ffreestanding -fno-builtin harness.c "
        "x.o -o x",
        "clang --target=riscv64-linux-gnu -fuse-ld=lld -nostdlib -static -O1 -ffreestanding "
        "-fno-builtin harness.c x.o -o x" },
      { "qemu-riscv64 -cpu rv64,v=true,vlen=128,elen=64,vext_spec=v1.0 ./x" }, true, NULL, 0 },
    { "riscv64-scalar", "riscv64-linux-gnu", NULL, "-v", "memcpy memset memmove",
      { "riscv64-linux-gnu-gcc -nostdlib -static -O1 -ffreestanding -fno-builtin harness.c "
        "x.o -o x",
        "clang --target=riscv64-linux-gnu -fuse-ld=lld -nostdlib -static -O1 -ffreestanding "
        "-fno-builtin harness.c x.o -o x" },
      { "qemu-riscv64 ./x" }, true, NULL, 0 },
    { "armv7em", "armv7em-none-eabi", NULL, NULL, "__aeabi_*",
      { "arm-none-eabi-gcc -mcpu=cortex-m4 -mfloat-abi=softfp -mfpu=fpv4-sp-d16 -nostdlib "
        "-static -O1 -ffreestanding "
        "-fno-builtin -Wl,-Ttext=0x100000 harness.c x.o -lgcc -o x" },
      { "qemu-arm ./x" }, true, NULL, 0 },
    { "armv7m", "armv7m-none-eabi", NULL, NULL, "__aeabi_*",
      { "arm-none-eabi-gcc -mcpu=cortex-m3 -nostdlib -static -O1 -ffreestanding "
        "-fno-builtin -Wl,-Ttext=0x100000 harness.c x.o -lgcc -o x" },
      { "qemu-arm ./x" }, true, NULL, 0 },
    { "armv8m", "armv8m.main-none-eabi", NULL, NULL, "__aeabi_*",
      { "arm-none-eabi-gcc -mcpu=cortex-m33 -mfloat-abi=softfp -mfpu=fpv5-sp-d16 -nostdlib "
        "-static -O1 -ffreestanding "
        "-fno-builtin -Wl,-Ttext=0x100000 harness.c x.o -lgcc -o x" },
      { "qemu-arm ./x" }, true, NULL, 0 },
    { "wasm32", "wasm32", NULL, NULL,
      "__stack_pointer __linear_memory __indirect_function_table",
      { "clang --target=wasm32 -nostdlib -O1 -ffreestanding -fno-builtin -Wl,--no-entry "
        "-Wl,--export=run "
        "-Wl,--export=in -Wl,--export=out -Wl,-z,stack-size=1048576 harness.c x.o -o x" },
      { "node run.js" }, false, NULL, 0 },
    { "wasm32-scalar", "wasm32", NULL, "-simd128",
      "__stack_pointer __linear_memory __indirect_function_table",
      { "clang --target=wasm32 -nostdlib -O1 -ffreestanding -fno-builtin -Wl,--no-entry "
        "-Wl,--export=run "
        "-Wl,--export=in -Wl,--export=out -Wl,-z,stack-size=1048576 harness.c x.o -o x" },
      { "node run.js" }, false, NULL, 0 },
    { "aarch64-c", NULL, NULL, NULL, "memcpy memset memmove",
      { "aarch64-linux-gnu-gcc -nostdlib -static -O1 -ffreestanding -fno-builtin harness.c "
        "x.o -o x" },
      { "qemu-aarch64 ./x" }, true, "aarch64-linux-gnu-gcc" STRICT, 4 },
    { "riscv64-c", NULL, NULL, NULL, "memcpy memset memmove",
      { "riscv64-linux-gnu-gcc -nostdlib -static -O1 -ffreestanding -fno-builtin harness.c "
        "x.o -o x" },
      { "qemu-riscv64 ./x" }, true, "riscv64-linux-gnu-gcc" STRICT, 8 },
    { "armv7em-c", NULL, NULL, NULL, "__aeabi_* memcpy memset memmove",
      { "arm-none-eabi-gcc -mcpu=cortex-m4 -mfloat-abi=softfp -mfpu=fpv4-sp-d16 -nostdlib "
        "-static -O1 -ffreestanding "
        "-fno-builtin -Wl,-Ttext=0x100000 harness.c x.o -lgcc -o x" },
      { "qemu-arm ./x" }, true,
      "arm-none-eabi-gcc -mcpu=cortex-m4 -mfloat-abi=softfp -mfpu=fpv4-sp-d16" STRICT, 1 },
};

const machine *
machine_named(const char *name)
{
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++)
        if (strcmp(machines[i].name, name) == 0)
            return &machines[i];
    return NULL;
}

const char machine_linux[] =
    "#if defined(__x86_64__)\n"
    "static long call(long n, long a, const void *b, long c)\n"
    "{ long r; __asm__ volatile(\"syscall\" : \"=a\"(r) : \"a\"(n), \"D\"(a), \"S\"(b), "
    "\"d\"(c) : \"rcx\", \"r11\", \"memory\"); return r; }\n"
    "enum { READ = 0, WRITE = 1, EXIT = 60 };\n"
    "__asm__(\".globl _start\\n_start: and $-16, %rsp\\n call begin\\n\");\n"
    "#elif defined(__aarch64__)\n"
    "static long call(long n, long a, const void *b, long c)\n"
    "{ register long x8 __asm__(\"x8\") = n, x0 __asm__(\"x0\") = a, x1 __asm__(\"x1\") = "
    "(long)b, x2 __asm__(\"x2\") = c;\n"
    "  __asm__ volatile(\"svc 0\" : \"+r\"(x0) : \"r\"(x8), \"r\"(x1), \"r\"(x2) : "
    "\"memory\"); return x0; }\n"
    "enum { READ = 63, WRITE = 64, EXIT = 93 };\n"
    "__asm__(\".globl _start\\n_start: bl begin\\n\");\n"
    "#elif defined(__riscv)\n"
    "static long call(long n, long a, const void *b, long c)\n"
    "{ register long a7 __asm__(\"a7\") = n, a0 __asm__(\"a0\") = a, a1 __asm__(\"a1\") = "
    "(long)b, a2 __asm__(\"a2\") = c;\n"
    "  __asm__ volatile(\"ecall\" : \"+r\"(a0) : \"r\"(a7), \"r\"(a1), \"r\"(a2) : "
    "\"memory\"); return a0; }\n"
    "enum { READ = 63, WRITE = 64, EXIT = 93 };\n"
    "__asm__(\".globl _start\\n_start: .option push\\n.option norelax\\n la gp, "
    "__global_pointer$\\n.option pop\\n call begin\\n\");\n"
    "#else\n"
    "static long call(long n, long a, const void *b, long c)\n"
    "{ register long r7 __asm__(\"r7\") = n, r0 __asm__(\"r0\") = a, r1 __asm__(\"r1\") = "
    "(long)b, r2 __asm__(\"r2\") = c;\n"
    "  __asm__ volatile(\"svc 0\" : \"+r\"(r0) : \"r\"(r7), \"r\"(r1), \"r\"(r2) : "
    "\"memory\"); return r0; }\n"
    "enum { READ = 3, WRITE = 4, EXIT = 1 };\n"
    "__asm__(\".globl _start\\n.thumb_func\\n_start: bl begin\\n\");\n"
    "#endif\n"
    "void run(void);\n"
    "__attribute__((used)) void begin(void)\n{\n"
    "    long n, at = 0;\n"
    "    while ((n = call(READ, 0, in + at, sizeof in - at)) > 0)\n        at += n;\n"
    "    run();\n"
    "    for (at = 0; (n = call(WRITE, 1, out + at, sizeof out - at)) > 0;)\n        at += n;\n"
    "    call(EXIT, 0, 0, 0);\n"
    "    for (;;)\n        ;\n}\n";

const char machine_moves[] =
    "#ifndef __wasm__\n"
    "void *memmove(void *to, const void *from, __SIZE_TYPE__ n)\n{\n"
    "    volatile unsigned char *t = to;\n    const unsigned char *f = from;\n"
    "    if (t <= f)\n        for (__SIZE_TYPE__ i = 0; i < n; i++)\n            t[i] = f[i];\n"
    "    else\n        while (n--)\n            t[n] = f[n];\n"
    "    return to;\n}\n"
    "__attribute__((weak)) void *memcpy(void *to, const void *from, __SIZE_TYPE__ n)\n{\n    "
    "return memmove(to, from, n);\n}\n"
    "__attribute__((weak)) void *memset(void *to, int c, __SIZE_TYPE__ n)\n{\n"
    "    volatile unsigned char *t = to;\n"
    "    while (n--)\n        *t++ = (unsigned char)c;\n    return to;\n}\n"
    "#endif\n";

const char machine_node[] =
    "const fs = require('fs');\n"
    "const e = new WebAssembly.Instance(new WebAssembly.Module(fs.readFileSync('x')), "
    "{}).exports;\n"
    "const m = new Uint8Array(e.memory.buffer), given = fs.readFileSync(0);\n"
    "m.set(given, e.in.value);\n"
    "e.run();\n"
    "fs.writeFileSync(1, m.subarray(e.out.value, e.out.value + OUT));\n";

bool
machine_installed(const char *command)
{
    char line[256];

    snprintf(line, sizeof line, "command -v %.*s >/dev/null", (int)strcspn(command, " "),
             command);
    return command[0] == '.' || system(line) == 0;
}

const char *
machine_linker(const machine *m)
{
    for (int i = 0; i < 2 && m->link[i]; i++)
        if (machine_installed(m->link[i]))
            return m->link[i];
    return NULL;
}
