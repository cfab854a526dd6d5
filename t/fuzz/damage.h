/* The damage proof: what is stored of a damaged file is part of what is stored of the whole one, or
 * the file is refused. */
#ifndef DSC_FUZZ_DAMAGE_H
#define DSC_FUZZ_DAMAGE_H

#include "fuzz/target.h"

/* `fuzz damage ...`; see damage.c. Returns the exit code. */
int dsc_damage_main(int argc, const char *const *argv);

#endif
