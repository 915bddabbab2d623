/* The filter of kalman.c on a microcontroller: ten looks, a tenth of a second apart, a step for
 * each, and the Jacobian of the last one.
 *
 * Nothing is wanted but what kalman_filter.h declares: the header says how large each array is
 * and how large the block to work in; that block serves both functions, one at a time.  What
 * was found goes out by `send`: on a board that is a serial line, here it is Linux's write, so
 * that an emulator of user programs (qemu-arm) runs the very code of a Cortex-M4F.  Compiled
 * for this machine the file is an ordinary program that sends the same bytes. */
#include <stdint.h>

#include "kalman_filter.h"

enum { LOOKS = 10 };

/* Linked without a C library the functions may want this of it. */
#if defined(__arm__)
#include <stddef.h>

void *memmove(void *to, const void *from, size_t n);
void *memcpy(void *to, const void *from, size_t n);

void *
memmove(void *to, const void *from, size_t n)
{
    volatile unsigned char *t = to;     /* volatile: or the loop becomes a call of itself */
    const unsigned char *f = from;
    const int up = (uintptr_t)to <= (uintptr_t)from;

    for (size_t i = 0; i < n; i++)
        t[up ? i : n - 1 - i] = f[up ? i : n - 1 - i];
    return to;
}

void *
memcpy(void *to, const void *from, size_t n)
{
    return memmove(to, from, n);
}

static void
send(const void *bytes, size_t n)
{
    register uint32_t call __asm__("r7") = 4, line __asm__("r0") = 1;
    register uint32_t at __asm__("r1") = (uintptr_t)bytes, size __asm__("r2") = n;

    __asm__ volatile("svc 0" : "+r"(line) : "r"(call), "r"(at), "r"(size) : "memory");
}

__asm__(".globl _start\n.thumb_func\n_start: bl main\n movs r7, #1\n svc 0\n");
#else
#include <stdio.h>

static void
send(const void *bytes, size_t n)
{
    fwrite(bytes, 1, n, stdout);
}
#endif

/* range, azimuth, elevation */
static const float seen[LOOKS][KALMAN_STEP_ARG2_SIZE] = {
    { 5.39597f, 0.21109f, 0.37990f }, { 5.31658f, 0.22528f, 0.38648f },
    { 5.23914f, 0.23997f, 0.39354f }, { 5.16374f, 0.25518f, 0.40108f },
    { 5.09049f, 0.27095f, 0.40912f }, { 5.01949f, 0.28728f, 0.41766f },
    { 4.95085f, 0.30421f, 0.42670f }, { 4.88468f, 0.32175f, 0.43625f },
    { 4.82111f, 0.33993f, 0.44631f }, { 4.76025f, 0.35877f, 0.45688f },
};

/* Of two sets of (x, P) one is read while the other is written. */
static float x[2][KALMAN_STEP_ARG0_SIZE] = { { 4, 1, 1 } }, p[2][KALMAN_STEP_ARG1_SIZE];
static float by_x[KALMAN_STEP_SLOPE_OUT0_SIZE], p_by_x[KALMAN_STEP_SLOPE_OUT1_SIZE];

#define LARGER(a, b) ((a) > (b) ? (a) : (b))
static _Alignas(KALMAN_STEP_WORK_ALIGN)
char work[LARGER(KALMAN_STEP_WORK_BYTES, KALMAN_STEP_SLOPE_WORK_BYTES)];

int
main(void)
{
    for (int i = 0; i < KALMAN_STEP_ARG0_SIZE; i++)
        p[0][i * KALMAN_STEP_ARG0_SIZE + i] = 1;
    for (int i = 0; i < LOOKS; i++) {
        const int now = i & 1;

        if (i == LOOKS - 1 &&
            kalman_step_slope(x[now], p[now], seen[i], by_x, p_by_x, work) != 0)
            return 1;
        if (kalman_step(x[now], p[now], seen[i], x[!now], p[!now], work) != 0)
            return 1;
        send(x[!now], sizeof x[0]);
    }
    send(p[LOOKS & 1], sizeof p[0]);
    send(by_x, sizeof by_x);
    send(p_by_x, sizeof p_by_x);
    return 0;
}
