#include "formats/pdf_text.h"
#include "unit/fixture.h"
#include "unit/suites.h"

#include <CUnit/CUnit.h>
#include <apr_env.h>
#include <apr_file_io.h>
#include <apr_strings.h>
#include <string.h>

/* Programs in the place of pdftotext, in a folder that PATH names first. */
static const char *folder, *program, *reason;
static char *path_before;
static size_t length;

static int open_folder(void)
{
    const char *parent;
    char *name;

    if (dsc_open_pool() != 0 || apr_temp_dir_get(&parent, dsc_pool) != APR_SUCCESS ||
        apr_env_get(&path_before, "PATH", dsc_pool) != APR_SUCCESS) {
        return 1;
    }
    name = apr_psprintf(dsc_pool, "%s/disclosed-unit-%" APR_TIME_T_FMT, parent, apr_time_now());
    folder = name;
    program = apr_pstrcat(dsc_pool, folder, "/pdftotext", NULL);
    return apr_dir_make(folder, APR_FPROT_OS_DEFAULT, dsc_pool) != APR_SUCCESS;
}

static int close_folder(void)
{
    (void)apr_env_set("PATH", path_before, dsc_pool);
    (void)apr_file_remove(program, dsc_pool);
    (void)apr_dir_remove(folder, dsc_pool);
    return dsc_close_pool();
}

static void set_program(const char *script)
{
    apr_file_t *file;

    CU_ASSERT_EQUAL_FATAL(apr_file_open(&file, program,
                                        APR_FOPEN_WRITE | APR_FOPEN_CREATE | APR_FOPEN_TRUNCATE,
                                        APR_FPROT_UREAD | APR_FPROT_UWRITE | APR_FPROT_UEXECUTE,
                                        dsc_pool),
                          APR_SUCCESS);
    (void)apr_file_puts(script, file);
    (void)apr_file_close(file);
    (void)apr_env_set("PATH", apr_pstrcat(dsc_pool, folder, ":", path_before, NULL), dsc_pool);
}

static const char *text_of(const char *pdf, apr_interval_time_t time)
{
    dsc_pdf_limit_t limit = {100000, time};

    reason = NULL;
    return dsc_pdf_text(dsc_pool, pdf, strlen(pdf), &limit, &length, &reason);
}

static void test_text(void)
{
    const char *text;

    set_program("#!/bin/sh\necho \"$1 $2 $3 $4 $5 $6\"; exec cat\n");
    text = text_of("%PDF-made", apr_time_from_sec(20));
    CU_ASSERT_PTR_NOT_NULL_FATAL(text);
    CU_ASSERT_STRING_EQUAL(text, "-layout -enc UTF-8 -q - -\n%PDF-made");
    CU_ASSERT_EQUAL(length, strlen(text));
}

static void test_errors(void)
{
    static const struct {
        const char *script, *reason;
    } errors[] = {
        {"#!/bin/sh\nexit 1\n", "damaged, or no PDF"}, {"#!/bin/sh\nexit 3\n", "does not permit"},
        {"#!/bin/sh\nexit 99\n", "exit status 99"},    {"#!/bin/sh\nkill -9 $$\n", "signal 9"},
        {"#!/bin/sh\nexec yes\n", "more text"},
    };
    size_t i;

    for (i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
        set_program(errors[i].script);
        CU_ASSERT_PTR_NULL(text_of("%PDF-made", apr_time_from_sec(20)));
        CU_ASSERT_PTR_NOT_NULL_FATAL(reason);
        CU_ASSERT_PTR_NOT_NULL(strstr(reason, errors[i].reason));
    }
}

/* Whether it is still writing or has closed its output. */
static void test_time(void)
{
    apr_time_t begin = apr_time_now();

    set_program("#!/bin/sh\nexec sleep 20\n");
    CU_ASSERT_PTR_NULL(text_of("%PDF-made", apr_time_from_msec(200)));
    CU_ASSERT_PTR_NOT_NULL_FATAL(reason);
    CU_ASSERT_PTR_NOT_NULL(strstr(reason, "too long"));
    set_program("#!/bin/sh\nexec sleep 20 >/dev/null\n");
    CU_ASSERT_PTR_NULL(text_of("%PDF-made", apr_time_from_msec(200)));
    CU_ASSERT_PTR_NOT_NULL_FATAL(reason);
    CU_ASSERT_PTR_NOT_NULL(strstr(reason, "too long"));
    CU_ASSERT_TRUE(apr_time_now() - begin < apr_time_from_sec(15));
}

static void test_missing(void)
{
    (void)apr_env_set("PATH", "", dsc_pool);
    CU_ASSERT_PTR_NULL(text_of("%PDF-made", apr_time_from_sec(20)));
    CU_ASSERT_STRING_EQUAL(reason, "pdftotext is missing (Debian package: poppler-utils)");
}

void dsc_suite_pdf_text(void)
{
    CU_pSuite suite = CU_add_suite("text of PDF files", open_folder, close_folder);

    CU_add_test(suite, "a program's output", test_text);
    CU_add_test(suite, "programs that fail", test_errors);
    CU_add_test(suite, "programs that do not end", test_time);
    CU_add_test(suite, "no program", test_missing);
}
