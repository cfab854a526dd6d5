/* Replays seeds and damaged copies of them, by numbers that are the same each time.
 *
 *     fuzz [-n COPIES] [-t SECONDS] [-r SEED] [-o FOLDER] TARGET FILE...
 *
 * runs each file, then COPIES damaged copies of each in turn, for SECONDS at the most. What a
 * sanitizer reports, what aborts, and what takes a second and more for 100 kB is written to
 * FOLDER/found-TARGET, and ends it with code 1. `fuzz -l` lists the targets. Seconds are of the
 * processor, as others may keep it busy. */
#include "fuzz/damage.h"
#include "fuzz/mutate.h"
#include "fuzz/target.h"

#include <apr_getopt.h>
#include <apr_strings.h>
#include <apr_time.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

/* Of the sanitizers' runtime, which needs not be there. */
void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));

typedef struct {
    const char *name;
    char *data;
    size_t size;
} dsc_seed_t;

typedef struct {
    long long copies, seconds;
    uint64_t random;
    const char *folder;
    const dsc_target_t *target;
    dsc_seed_t *seeds;
    int count;
} dsc_run_t;

/* What is being run, for when it ends badly. */
static struct {
    const char *data, *target, *folder;
    size_t size;
} now;

static void keep_input(void)
{
    char path[1024];
    FILE *file;

    if (now.data == NULL) {
        return;
    }
    snprintf(path, sizeof(path), "%s/found-%s", now.folder, now.target);
    file = fopen(path, "w");
    if (file != NULL) {
        fwrite(now.data, 1, now.size, file);
        fclose(file);
        fprintf(stderr, "input: %s\n", path);
    }
}

static void on_signal(int signal)
{
    fprintf(stderr, "%s: ended by signal %d%s\n", now.target, signal,
            signal == SIGPROF || signal == SIGALRM ? ": it takes too long" : "");
    keep_input();
    _exit(1);
}

/* A second, and one more for each 100 kB; several times that under a sanitizer. */
static unsigned seconds_for(size_t size)
{
    return (unsigned)(3 + 3 * size / 100000);
}

/* Ends the program after so many seconds of work, or when it waits for something that does not
 * come; 0: no more. */
static void limit_seconds(unsigned seconds)
{
    struct itimerval work = {.it_value.tv_sec = seconds};

    setitimer(ITIMER_PROF, &work, NULL);
    alarm(20 * seconds);
}

static void run_one(const dsc_run_t *run, const char *data, size_t size)
{
    now.data = data;
    now.size = size;
    limit_seconds(seconds_for(size));
    dsc_target_run(run->target, data, size);
    limit_seconds(0);
    now.data = NULL;
}

static int read_seed(const char *path, dsc_seed_t *seed)
{
    FILE *file = fopen(path, "r");
    long size;

    if (file == NULL || fseek(file, 0, SEEK_END) != 0 || (size = ftell(file)) < 0 ||
        size > 1L << 30) {
        return 0;
    }
    rewind(file);
    seed->name = path;
    seed->data = malloc((size_t)size + 1);
    seed->size = seed->data == NULL ? 0 : fread(seed->data, 1, (size_t)size, file);
    fclose(file);
    return seed->size == (size_t)size;
}

/* The damaged copies of all seeds in turn, until they are done or the time is up. */
static long long run_copies(dsc_run_t *run)
{
    apr_time_t until = dsc_processor_time() + apr_time_from_sec(run->seconds);
    size_t room = 64;
    char *into;
    long long done = 0;
    int i;

    for (i = 0; i < run->count; i++) {
        room = 2 * run->seeds[i].size + 64 > room ? 2 * run->seeds[i].size + 64 : room;
    }
    into = malloc(room);
    for (done = 0; into != NULL && done < run->copies * run->count && dsc_processor_time() < until;
         done++) {
        const dsc_seed_t *seed = &run->seeds[done % run->count];
        dsc_mutation_t mutation = (dsc_mutation_t)dsc_random_below(&run->random, DSC_MUTATIONS);
        run_one(run, into, dsc_mutate(&run->random, mutation, seed->data, seed->size, into));
    }
    free(into);
    return done;
}

static int run_target(dsc_run_t *run, int count, const char *const *paths)
{
    static const int signals[] = {SIGPROF, SIGALRM, SIGSEGV, SIGABRT, SIGBUS, SIGFPE};
    long long copies;
    int i, has_sanitizer = __sanitizer_set_death_callback != NULL;

    now.target = run->target->name;
    now.folder = run->folder;
    if (has_sanitizer) {
        __sanitizer_set_death_callback(keep_input);
    }
    for (i = 0; i < (has_sanitizer ? 2 : (int)(sizeof(signals) / sizeof(signals[0]))); i++) {
        signal(signals[i], on_signal);
    }
    run->seeds = apr_pcalloc(dsc_fuzz_pool, sizeof(*run->seeds) * ((size_t)count + 1));
    for (i = 0; i < count; i++) {
        if (!read_seed(paths[i], &run->seeds[i])) {
            fprintf(stderr, "%s: cannot be read\n", paths[i]);
            return 2;
        }
        run_one(run, run->seeds[i].data, run->seeds[i].size);
    }
    run->count = count;
    copies = count > 0 ? run_copies(run) : 0;
    printf("%s: %d seeds, %lld damaged copies, %lld rows stored\n", run->target->name, count,
           copies, dsc_fuzz_stored);
    for (i = 0; i < count; i++) {
        free(run->seeds[i].data);
    }
    return 0;
}

static int list_targets(void)
{
    const dsc_target_t *const *table, *target;

    for (table = dsc_target_tables; *table != NULL; table++) {
        for (target = *table; target->name != NULL; target++) {
            printf("%s\t%s\t%s\t%s\n", target->name,
                   target->importer == NULL ? "-" : target->importer,
                   target->file == NULL ? "-" : target->file,
                   target->options.known_at == NULL ? "-" : target->options.known_at);
        }
    }
    return 0;
}

int main(int argc, const char *const *argv)
{
    dsc_run_t run = {.copies = 100, .seconds = 3600, .random = 1, .folder = "."};
    apr_getopt_t *options;
    const char *value;
    char option;
    int code = 2;

    dsc_fuzz_begin();
    if (argc > 1 && strcmp(argv[1], "damage") == 0) {
        code = dsc_damage_main(argc - 1, argv + 1);
        dsc_fuzz_end();
        return code;
    }
    apr_getopt_init(&options, dsc_fuzz_pool, argc, argv);
    while (apr_getopt(options, "ln:t:r:o:", &option, &value) == APR_SUCCESS) {
        switch (option) {
        case 'l':
            return list_targets();
        case 'n':
            run.copies = atoll(value);
            break;
        case 't':
            run.seconds = atoll(value);
            break;
        case 'r':
            run.random = (uint64_t)atoll(value);
            break;
        default:
            run.folder = value;
            break;
        }
    }
    if (options->ind < argc && (run.target = dsc_target_find(argv[options->ind])) != NULL) {
        code = run_target(&run, argc - options->ind - 1, argv + options->ind + 1);
    } else {
        fprintf(stderr,
                "usage: fuzz [-n COPIES] [-t SECONDS] [-r SEED] [-o FOLDER] TARGET FILE...\n");
    }
    dsc_fuzz_end();
    return code;
}
