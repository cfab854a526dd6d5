/* libFuzzer's way in: one target, named by $FUZZ_TARGET. */
#include "fuzz/target.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const dsc_target_t *target;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    const char *name = getenv("FUZZ_TARGET");

    (void)argc, (void)argv;
    dsc_fuzz_begin();
    (void)atexit(dsc_fuzz_end); /* what pools hold is not seen by the search for leaks */
    target = name == NULL ? NULL : dsc_target_find(name);
    if (target == NULL) {
        fprintf(stderr, "FUZZ_TARGET names no target\n");
        exit(2);
    }
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    dsc_target_run(target, (const char *)data, size);
    return 0;
}
