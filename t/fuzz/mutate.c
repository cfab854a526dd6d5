#include "fuzz/mutate.h"

#include <string.h>

uint64_t dsc_random(uint64_t *state)
{
    uint64_t z = (*state += 0x9E3779B97F4A7C15u);

    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

size_t dsc_random_below(uint64_t *state, size_t limit)
{
    return (size_t)(dsc_random(state) % limit);
}

/* Bytes from..to of the data leave it. */
static size_t without(const char *data, size_t size, size_t from, size_t to, char *into)
{
    memcpy(into, data, from);
    memcpy(into + from, data + to, size - to);
    return size - (to - from);
}

static size_t flip(uint64_t *state, const char *data, size_t size, char *into)
{
    static const char odd[] = "\0\n\r\t\"'<>{}[],|;:&\\ -.0\x7f\xff\xc3";
    size_t count = 1 + dsc_random_below(state, 4);

    memcpy(into, data, size);
    while (size > 0 && count-- > 0) {
        char *at = into + dsc_random_below(state, size);
        uint64_t choice = dsc_random(state);
        if (choice % 3 == 0) {
            *at = (char)((unsigned char)*at ^ (1U << (choice / 3 % 8)));
        } else {
            *at = odd[choice / 3 % (sizeof(odd) - 1)];
        }
    }
    return size;
}

/* From a position that begins something to where the like begins again. */
static size_t drop(uint64_t *state, const char *data, size_t size, char *into)
{
    static const char begins[] = "<,\n|\t{\"";
    size_t from = dsc_random_below(state, size), to;

    while (from < size && (data[from] == '\0' || strchr(begins, data[from]) == NULL)) {
        from++;
    }
    if (from == size) {
        return without(data, size, 0, dsc_random_below(state, size), into);
    }
    for (to = from + 1; to < size && data[to] != data[from];) {
        to++;
    }
    return without(data, size, from, to, into);
}

static size_t duplicate(uint64_t *state, const char *data, size_t size, char *into)
{
    size_t from = dsc_random_below(state, size);
    size_t length = 1 + dsc_random_below(state, size - from < 2000 ? size - from : 2000);
    size_t at = from + length;

    memcpy(into, data, at);
    memcpy(into + at, data + from, size - from);
    return size + length;
}

static size_t line_begin(const char *data, size_t at)
{
    while (at > 0 && data[at - 1] != '\n') {
        at--;
    }
    return at;
}

static size_t line_end(const char *data, size_t size, size_t at)
{
    while (at < size && data[at] != '\n') {
        at++;
    }
    return at < size ? at + 1 : size;
}

/* Two lines change places; in data of one line, two chunks of equal length do. */
static size_t swap(uint64_t *state, const char *data, size_t size, char *into)
{
    size_t one = line_begin(data, dsc_random_below(state, size)),
           one_end = line_end(data, size, one);
    size_t two = line_begin(data, dsc_random_below(state, size)),
           two_end = line_end(data, size, two);
    size_t at;

    if (two < one) {
        at = one, one = two, two = at;
        at = one_end, one_end = two_end, two_end = at;
    }
    if (one == two) {
        return duplicate(state, data, size, into);
    }
    at = one;
    memcpy(into, data, one);
    memcpy(into + at, data + two, two_end - two);
    at += two_end - two;
    memcpy(into + at, data + one_end, two - one_end);
    at += two - one_end;
    memcpy(into + at, data + one, one_end - one);
    at += one_end - one;
    memcpy(into + at, data + two_end, size - two_end);
    return size;
}

static size_t number(uint64_t *state, const char *data, size_t size, char *into)
{
    static const char *const numbers[] = {
        "",     "0",    "-1",   "00", "1e9", "1e99999", "99999999999999999999",
        "9999", "0000", "1013", "13", "32",  "null",    "2.5"};
    const char *with = numbers[dsc_random_below(state, sizeof(numbers) / sizeof(numbers[0]))];
    size_t from = dsc_random_below(state, size), to, length = strlen(with);

    while (from < size && (data[from] < '0' || data[from] > '9')) {
        from++;
    }
    for (to = from; to < size && data[to] >= '0' && data[to] <= '9';) {
        to++;
    }
    memcpy(into, data, from);
    memcpy(into + from, with, length);
    memcpy(into + from + length, data + to, size - to);
    return size - (to - from) + length;
}

size_t dsc_mutate(uint64_t *state, dsc_mutation_t mutation, const char *data, size_t size,
                  char *into)
{
    static size_t (*const functions[])(uint64_t *, const char *, size_t,
                                       char *) = {[DSC_MUTATE_FLIP] = flip,
                                                  [DSC_MUTATE_DROP] = drop,
                                                  [DSC_MUTATE_DUPLICATE] = duplicate,
                                                  [DSC_MUTATE_SWAP] = swap,
                                                  [DSC_MUTATE_NUMBER] = number};

    if (size == 0) {
        return 0;
    }
    if (mutation == DSC_MUTATE_CUT) {
        return without(data, size, dsc_random_below(state, size), size, into);
    }
    return functions[mutation](state, data, size, into);
}
