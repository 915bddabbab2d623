#!/bin/sh
# What kalman writes compiles as freestanding C without a warning, states its cost, and for a Cortex-M4F
# links with the compiler's runtime alone, where such a compiler is installed.   kalman.sh KALMAN CC
set -eu
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
"$1" "$place"
cd "$place"
grep -q '#define KALMAN_STEP_WORK_BYTES' kalman_filter.h
grep -q '#define KALMAN_STEP_FLOPS' kalman_filter.h
grep -q '^int kalman_step_slope(' kalman_filter.h
"$2" -std=c11 -ffreestanding -O2 -Wall -Wextra -Wpedantic -Werror -c kalman_filter.c -o host.o
[ -f kalman_m4.o ] || { echo "built without LLVM: no object"; exit 0; }
command -v arm-none-eabi-gcc >/dev/null || { echo "not linked: no arm-none-eabi-gcc"; exit 0; }
cat >firmware.c <<'END'
#include "kalman_filter.h"
static float x[2][KALMAN_STEP_ARG0_SIZE], p[2][KALMAN_STEP_ARG1_SIZE], z[KALMAN_STEP_ARG2_SIZE];
static float slope[KALMAN_STEP_SLOPE_OUT0_SIZE + KALMAN_STEP_SLOPE_OUT1_SIZE];
static _Alignas(64) char work[KALMAN_STEP_WORK_BYTES + KALMAN_STEP_SLOPE_WORK_BYTES];
void
_start(void)
{
    for (int now = 0;; now ^= 1)
        if (kalman_step(x[now], p[now], z, x[!now], p[!now], work) ||
            kalman_step_slope(x[now], p[now], z, slope, slope + KALMAN_STEP_SLOPE_OUT0_SIZE, work))
            break;
    for (;;)
        ;
}
END
cpu="-mcpu=cortex-m4 -mfloat-abi=softfp -mfpu=fpv4-sp-d16"
arm-none-eabi-gcc $cpu -std=c11 -ffreestanding -nostdlib -O2 firmware.c kalman_m4.o -lgcc -o firmware 2>/dev/null
test -z "$(nm -u firmware)"
