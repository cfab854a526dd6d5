#include "formats/html_text.h"
#include "unit/fixture.h"
#include "unit/suites.h"

#include <CUnit/CUnit.h>
#include <string.h>

static void check(const char *html, const char *text)
{
    dsc_buffer_t *out = dsc_buffer_create(dsc_pool, 64);

    CU_ASSERT_TRUE(dsc_html_to_text(out, html, strlen(html)));
    CU_ASSERT_STRING_EQUAL(dsc_buffer_text(out), text);
}

static void test_blocks(void)
{
    check("<html><body><p>One</p><p>Two</p>three<br>four</body></html>",
          "One\n\nTwo\n\nthree\nfour");
    check("<div>a</div><div>b</div><div><div>c</div></div>", "a\nb\nc");
    check("<p>un<b>bro</b>ken</p>", "unbroken");
    check("<ul><li>x<li>y</ul>", "x\ny");
    check("<p>never closed", "never closed");
    check("", "");
}

static void test_white_space(void)
{
    check("<p> a \n\t b&nbsp;&nbsp;c&#160;d </p>", "a b c d");
    check("<p>soft&shy;hyphen zero\xE2\x80\x8Bwidth</p>", "softhyphen zerowidth");
    check("<p>\xE2\x80\x83wide\xE2\x80\x82space</p>", "wide space");
    check("<p>&nbsp;</p><p>a</p><p>&nbsp;</p><p>b</p>", "a\n\nb");
    check("<pre>a  b\n   c</pre>", "a  b\n   c");
}

static void test_tables(void)
{
    check("<table><tr><td>Sales</td><td>$</td><td>12</td><td></td><td>(3</td><td>)</td></tr>"
          "<tr><td>Rate</td><td>4</td><td>%</td></tr></table>",
          "Sales\t$12\t(3)\nRate\t4%");
    check("<table><tr><td><p>Item 1.</p></td><td><div>Business</div></td></tr></table>",
          "Item 1.\tBusiness");
    check("a<table><tr><th>h</th></tr></table>b", "a\n\nh\n\nb");
}

/* A page that is laid out as one great cell keeps its paragraphs. */
static void test_long_cells(void)
{
    check("<table><tr><td><p>This first paragraph of a page that is one great table is quite long, "
          "so long in fact that it cannot be a label or a figure of a table, and what follows it "
          "is another paragraph.</p><p>Second.</p></td></tr></table>",
          "This first paragraph of a page that is one great table is quite long, "
          "so long in fact that it cannot be a label or a figure of a table, and what follows it "
          "is another paragraph.\n\nSecond.");
}

static void test_characters(void)
{
    check("<p>A &amp; B &lt;c&gt; &quot;d&quot; &#8217; &eacute; &mdash;</p>",
          "A & B <c> \"d\" \xE2\x80\x99 \xC3\xA9 \xE2\x80\x94");
    /* numbers of Windows-1252, of which one has no character */
    check("<p>it&#146;s &#128;5&#129;</p>", "it\xE2\x80\x99s \xE2\x82\xAC"
                                            "5");
    check("<p>caf\xC3\xA9 \xE2\x98\x90</p>", "caf\xC3\xA9 \xE2\x98\x90");
    check("<meta http-equiv='Content-Type' content='text/html; charset=ISO-8859-1'><p>\xC3\xA9</p>",
          "\xC3\xA9");
}

static void test_hidden(void)
{
    check("<head><title>t</title><style>p { x }</style></head><p>a</p>"
          "<script>if (a < b) { c(\"</p>\"); }</script><p>b</p>",
          "a\n\nb");
    check("<div style=\"display:none\">x<br>y<p>z</p></div><p>shown</p>", "shown");
    check("<div STYLE=\"color: red; DISPLAY : NONE\">x</div>y", "y");
    check("<ix:header><ix:hidden><ix:nonNumeric>0000</ix:nonNumeric></ix:hidden></ix:header>"
          "<p>$<ix:nonFraction>5</ix:nonFraction></p>",
          "$5");
    check("<div style=\"display:inline\">x</div>", "x");
}

void dsc_suite_html_text(void)
{
    CU_pSuite suite = CU_add_suite("html text", dsc_open_pool, dsc_close_pool);

    CU_add_test(suite, "blocks", test_blocks);
    CU_add_test(suite, "white space", test_white_space);
    CU_add_test(suite, "tables", test_tables);
    CU_add_test(suite, "long cells", test_long_cells);
    CU_add_test(suite, "characters", test_characters);
    CU_add_test(suite, "hidden", test_hidden);
}
