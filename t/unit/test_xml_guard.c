#include "sources/shared/xml_document.h"
#include "sources/shared/xml_guard.h"
#include "unit/fixture.h"
#include "unit/suites.h"

#include <CUnit/CUnit.h>
#include <apr_strings.h>
#include <string.h>

#define TEXT(text) text, sizeof(text) - 1
#define ENCODING   "its encoding is not accepted"
#define DOCTYPE    "a document type declaration is not accepted"

/* What the guard says, given `step` bytes at a time. */
static const char *judge(const char *xml, size_t length, size_t step)
{
    dsc_xml_guard_t guard = {0};

    for (size_t at = 0; at < length; at += step) {
        (void)dsc_xml_guard_feed(&guard, xml + at, length - at < step ? length - at : step);
    }
    return dsc_xml_guard_error(dsc_pool, &guard, 1);
}

static void check(const char *xml, size_t length, const char *expected)
{
    static const size_t steps[] = {1, 7, 1 << 24};

    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        const char *error = judge(xml, length, steps[i]);

        CU_ASSERT_STRING_EQUAL(error ? error : "fine", expected);
    }
}

static void test_beginnings(void)
{
    static const struct {
        const char *xml;
        size_t length;
        const char *expected;
    } cases[] = {
        {TEXT("<a b='<!DOCTYPE'><![CDATA[<!DOCTYPE html>]]><?xml encoding='UTF-7'?></a>"), "fine"},
        {TEXT("\xEF\xBB\xBF<?xml version='1.0' encoding='utf-8'?>\n<!-- <!DOCTYPE> --><a/>"),
         "fine"},
        {TEXT("<?xml version=\"1.0\" encoding = \"ISO-8859-1\" standalone=\"yes\"?><a/>"), "fine"},
        {TEXT("<?xml version='1.0'?><?xml-stylesheet encoding='x' a='<!DOCTYPE'?><a/>"), "fine"},
        {TEXT("\n<?b?><!---->\n<!DOCTYPE a>"), "line 3: " DOCTYPE},
        {TEXT("<!-- <a> --><!DOCTYPE a [<!ATTLIST a b CDATA 'c'>]><a/>"), "line 1: " DOCTYPE},
        {TEXT("<?b <a> ?><!DOCTYPE a><a/>"), "line 1: " DOCTYPE},
        {TEXT("<?xml version='1.0' encoding='UTF-7'?>+ADw-a/>"), "line 1: " ENCODING},
        {TEXT("<?xml version='1.0'\n encoding='ISO-2022-JP'?><a/>"), "line 2: " ENCODING},
        {TEXT("\xFF\xFE<\0a\0/\0>\0"), "line 1: " ENCODING},
        {TEXT("\0<\0a\0/\0>"), "line 1: " ENCODING},
        {TEXT("\x4C\x6F\xA7\x94"), "line 1: " ENCODING},
        {TEXT("<a>\n\0</a>"), "line 2: " ENCODING},
    };
    const char *endless =
        apr_psprintf(dsc_pool, "<?xml version='1.0'%*s encoding='UTF-7'?><a/>", 300, "");

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        check(cases[i].xml, cases[i].length, cases[i].expected);
    }
    check(endless, strlen(endless), "line 1: the XML declaration is too long");
}

/* What may stand before the attributes, to hide them. */
static void test_attributes(void)
{
    static const char *const before[] = {
        "",       "<!-- <a ' -->", "<![CDATA[<a \"]]>",    "<?b <a ' ?>",
        "<b c='", "<b c=\"'\">",   "<b =><c/></b></a a'>", "<b ' ",
        "<? ",    "a = '' = \"",
    };

    for (size_t i = 0; i < sizeof before / sizeof before[0]; i++) {
        char *many = apr_pstrcat(dsc_pool, "<r>", before[i], dsc_swollen("a", 1001), NULL);
        char *few = apr_pstrcat(dsc_pool, "<r>", before[i], dsc_swollen("a", 1000), NULL);

        check(many, strlen(many), "line 2: an element with more than 1000 attributes");
        check(few, strlen(few), "fine");
    }
}

static void test_tree(void)
{
    const char *xml = dsc_swollen("a", 40000), *reason = NULL;

    CU_ASSERT_PTR_NULL(dsc_xml_root(dsc_pool, xml, strlen(xml), 5, "a", &reason));
    CU_ASSERT_STRING_EQUAL(reason, "line 6: an element with more than 1000 attributes");
}

void dsc_suite_xml_guard(void)
{
    CU_pSuite suite = CU_add_suite("xml_guard", dsc_open_pool, dsc_close_pool);

    CU_add_test(suite, "what a document begins with", test_beginnings);
    CU_add_test(suite, "elements with many attributes", test_attributes);
    CU_add_test(suite, "a tree", test_tree);
}
