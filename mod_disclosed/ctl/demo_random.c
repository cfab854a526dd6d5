/* Random numbers that are the same on every machine: SplitMix64 (Steele, Lea, Flood 2014). */
#include "ctl/demo.h"

static uint64_t mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

static uint64_t next(dsc_demo_random_t *random)
{
    random->state += UINT64_C(0x9E3779B97F4A7C15);
    return mix(random->state);
}

dsc_demo_random_t dsc_demo_stream(uint64_t seed, int company, dsc_demo_purpose_t purpose)
{
    dsc_demo_random_t random = {mix(seed + 1) ^
                                mix(((uint64_t)(unsigned)company << 8) + (uint64_t)purpose)};
    return random;
}

dsc_demo_random_t dsc_demo_company_stream(const dsc_demo_company_t *company,
                                          dsc_demo_purpose_t purpose)
{
    return dsc_demo_stream(company->options->seed, company->index, purpose);
}

dsc_demo_random_t dsc_demo_dataset_stream(const dsc_demo_company_t *company,
                                          const dsc_dataset_t *dataset)
{
    uint64_t sum = 0;
    dsc_demo_random_t random;
    for (const char *at = dataset->name; *at != '\0'; at++) {
        sum = mix(sum + (uint64_t)(unsigned char)*at + 1);
    }
    random.state =
        mix(company->options->seed + 1) ^ mix((uint64_t)(unsigned)company->index << 8) ^ sum;
    return random;
}

int64_t dsc_demo_between(dsc_demo_random_t *random, int64_t low, int64_t high)
{
    uint64_t range = (uint64_t)(high - low) + 1;
    return low + (int64_t)(((next(random) >> 32) * range) >> 32);
}

int dsc_demo_number(dsc_demo_random_t *random, int low, int high)
{
    return (int)dsc_demo_between(random, low, high);
}

int dsc_demo_chance(dsc_demo_random_t *random, int percent)
{
    return dsc_demo_number(random, 1, 100) <= percent;
}
