/* The digits without Cotrace: links only the object that digits.c wrote.
 *
 *   digits_embedded EXPECTED   digits_expected.bin: per image 64 pixels, 10 logits, the digit
 *
 * No library but C's own for reading the file; the model calls nothing. */
#include <stdio.h>
#include <string.h>

#include "digits_model.h"

int
main(int argc, char **argv)
{
    static unsigned char work[DIGITS_PREDICT_WORK_BYTES + 64];
    void *aligned = work + (64 - (size_t)work % 64) % 64;
    float x[64], expected[10], logits[10];
    int32_t digit, found;
    int images = 0, same = 0, bits = 0;
    FILE *f = argc > 1 ? fopen(argv[1], "rb") : NULL;
    if (!f) {
        fprintf(stderr, "usage: digits_embedded digits_expected.bin\n");
        return 2;
    }
    while (fread(x, sizeof x, 1, f) == 1 && fread(expected, sizeof expected, 1, f) == 1 &&
           fread(&digit, sizeof digit, 1, f) == 1) {
        if (digits_predict(x, logits, &found, aligned) != 0)
            return 1;
        images++;
        same += found == digit;
        bits += memcmp(logits, expected, sizeof logits) == 0;
    }
    fclose(f);
    printf("embedded: %d of %d predictions the same, %d with the same bits in every logit\n",
           same, images, bits);
    return same == images && images > 0 ? 0 : 1;
}
