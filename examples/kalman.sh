#!/bin/sh
# What kalman writes is C that compiles as freestanding code without a warning and states its
# cost; and it flies: kalman_firmware.c gives the same bytes here and on a Cortex-M4F, where the
# C (by arm-none-eabi-gcc) and the object link with the compiler's runtime alone.  What is not
# installed is left out, and named.
#   kalman.sh KALMAN CC
set -eu
kalman=$1
cc=$2
firmware=$(cd "$(dirname "$0")" && pwd)/kalman_firmware.c
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
"$kalman" "$place"
cd "$place"
for constant in WORK_BYTES WORK_ALIGN FLOPS TRAFFIC; do
    grep -q "#define KALMAN_STEP_$constant " kalman_filter.h
    grep -q "#define KALMAN_STEP_SLOPE_$constant " kalman_filter.h
done
strict="-std=c11 -Wall -Wextra -Wpedantic -Wconversion -Werror"
for level in 0 1 2 3; do
    "$cc" $strict -O$level -ffreestanding -c kalman_filter.c -o host.o
done
"$cc" $strict -O1 -I. "$firmware" host.o -o host
./host >want
# ten states, P, and the Jacobians of x and P
[ "$(wc -c <want)" = $((4 * (10 * 6 + 36 + 36 + 216))) ]
command -v arm-none-eabi-gcc >/dev/null || { echo "not linked: no arm-none-eabi-gcc"; exit 0; }
cpu="-mcpu=cortex-m4 -mfloat-abi=softfp -mfpu=fpv4-sp-d16 -ffreestanding -fno-builtin -O2"
for code in kalman_filter.c kalman_m4.o; do
    [ -f $code ] || { echo "built without LLVM: no $code"; continue; }
    arm-none-eabi-gcc $cpu $strict -I. -nostdlib -static -Wl,-Ttext=0x100000 \
        "$firmware" $code -lgcc -o firmware 2>said || { cat said; exit 1; }
    command -v qemu-arm >/dev/null || { echo "not run: no qemu-arm"; continue; }
    timeout 60 qemu-arm ./firmware >got || { echo "$code, Cortex-M4F: exit status $?"; exit 1; }
    cmp want got
done
