#include "formats/delimited.h"
#include "unit/fixture.h"
#include "unit/suites.h"

#include <CUnit/CUnit.h>
#include <apr_strings.h>
#include <string.h>

/* Text that comes in pieces of `step` bytes, and is damaged at `broken` (0: nowhere). */
typedef struct {
    const char *text;
    size_t length, at, step, broken;
} input_t;

static long read_text(void *baton, void *bytes, size_t size, const char **reason)
{
    input_t *input = baton;
    size_t length = input->length - input->at;

    if (input->broken && input->at >= input->broken) {
        *reason = "broken";
        return -1;
    }
    length = length > input->step ? input->step : length;
    length = length > size ? size : length;
    memcpy(bytes, input->text + input->at, length);
    input->at += length;
    return (long)length;
}

/* The whole file as text: fields in [ ], an error in ( ), rows with their line. */
static const char *render(const char *text, size_t length, size_t step)
{
    input_t input = {text, length, 0, step, 0};
    dsc_delimited_t rows;
    const char *reason = "";
    char *out;
    int found;

    if (!dsc_delimited_open(&rows, dsc_pool, read_text, &input, &reason)) {
        return apr_pstrcat(dsc_pool, "no: ", reason, NULL);
    }
    out = apr_psprintf(dsc_pool, "%c", rows.delimiter == '\t' ? 't' : rows.delimiter);
    for (int i = 0; i < rows.column_count; i++) {
        out = apr_pstrcat(dsc_pool, out, " ", rows.columns[i], NULL);
    }
    while ((found = dsc_delimited_next(&rows, &reason)) > 0) {
        out = apr_psprintf(dsc_pool, "%s / %d", out, (int)rows.line);
        for (int i = 0; i < rows.column_count; i++) {
            const char *field = dsc_delimited_field(&rows, i);
            out = apr_pstrcat(dsc_pool, out, field ? "[" : "-", field, field ? "]" : NULL, NULL);
        }
        out = rows.error ? apr_pstrcat(dsc_pool, out, "(", rows.error, ")", NULL) : out;
    }
    return found < 0 ? apr_pstrcat(dsc_pool, out, " no: ", reason, NULL) : out;
}

#define CUT "the file ends here without a line end: the row may be cut"

static const struct {
    const char *text, *expected;
} files[] = {
    {"a,b\n1,2\n3,4\n", ", a b / 2[1][2] / 3[3][4]"},
    {"a,b\r\n1,2\r\n\r\n3,4\r\n", ", a b / 2[1][2] / 4[3][4]"},
    {"a,b\r1,2\r3,4\r", ", a b / 2[1][2] / 3[3][4]"},
    {"\xEF\xBB\xBF"
     "Ex-Dividend Date,splitRatio\n1,2\n",
     ", exdividenddate splitratio / 2[1][2]"},
    {"# made by hand\n\na|b c\nx|\"y\" z\n", "| a bc / 4[x][\"y\" z]"},
    {"a\tb\tc\n\"x\t\t y \n", "t a b c / 2[\"x]-[y]"},
    {"a;b\n\"x;1\";\"say \"\"so\"\"\"\n", "; a b / 2[x;1][say \"so\"]"},
    {"a,b\n\"one\ntwo\" ,2\n3, 4 \n", ", a b / 2[one\ntwo][2] / 4[3][4]"},
    {"a,b\n\"x\" ,5\" z\n \"q\",2\n", ", a b / 2[x][5\" z] / 3[q][2]"},
    {"a,b,c\n1\n1,2,3,\n1,2,3,4\n,,\n", ", a b c / 2[1]--(the row has 1 fields, the header 3)"
                                        " / 3[1][2][3](the row has 4 fields, the header 3)"
                                        " / 4[1][2][3](the row has 4 fields, the header 3) / 5---"},
    {"a|b|\n1|2|\n3|4\n5|6|x|\n", "| a b  / 2[1][2]- / 3[3][4]-(the row has 2 fields, the header 3)"
                                  " / 4[5][6][x](the row has 4 fields, the header 3)"},
    /* a quote that is lost, or comes from nowhere, makes no row of two */
    {"a,b,c\n1,\"x;2\n3,\"y\",4\n5,6,7\n",
     ", a b c / 2[1][x;2\n3,][4](text follows a quoted field) / 4[5][6][7]"},
    {"a,b\n1,x\"\n\"2\"\"3\",4\n", ", a b / 2[1][x\"] / 3[2\"3][4]"},
    /* line ends of another kind are damage: rows that they would part are none */
    {"a,b\r\n1,2\rX3,4\r\n5,6\r\n",
     ", a b / 2[1][2\rX3](the row holds a line end of another kind than the header's)"
     " / 3[5][6]"},
    {"a,b\r\n1,2X\n3,4\r\n5,6\r\n",
     ", a b / 2[1][2X\n3](the row holds a line end of another kind than the header's)"
     " / 4[5][6]"},
    {"a\n1\r2\n3\r\n4\n",
     ", a / 2[1\r2](the row holds a line end of another kind than the header's)"
     " / 3[3](the row holds a line end of another kind than the header's)"
     " / 4[4]"},
    {"a,b\rX1,2\r\n3,4\r\n",
     ", a b / 2[X1][2\r\n3](the row holds a line end of another kind than the header's)"},
    /* a last row without line end: whole, cut in a field, cut between fields */
    {"a,b\n1,2\n3,44", ", a b / 2[1][2] / 3[3][44](" CUT ")"},
    {"a,b\n1,2\n3,", ", a b / 2[1][2] / 3[3]-(" CUT ")"},
    {"a,b\n1,2\n3", ", a b / 2[1][2] / 3[3]-(the row has 1 fields, the header 2)"},
    {"a,b\n1,\"44\"", ", a b / 2[1][44]"},
    {"a,b\n1,\"44", ", a b no: line 2: a quoted field does not end"},
    {"a,b\n1,2021-07-15", ", a b / 2[1][2021-07-15]"},
    {"a,b\n1,2021-07-1", ", a b / 2[1][2021-07-1](" CUT ")"},
    {"a,b\n1,1/8/2023", ", a b / 2[1][1/8/2023]"},
    {"a,b\n1,1/8/202", ", a b / 2[1][1/8/202](" CUT ")"},
    {"a,b\n1,20210715", ", a b / 2[1][20210715](" CUT ")"},
    {"a,b\r\n1,2\r", ", a b / 2[1][2](the row holds a line end of another kind than the header's)"},
    {"only\n1\n", ", only / 2[1]"},
    {"a,b\n", ", a b"},
    {"a,b", "no: the file ends in its header"},
    {"a,b\n1,\"2\n3,4\n", ", a b no: line 2: a quoted field does not end"},
    {"\"a,b\n", "no: line 1: a quoted field does not end"},
    {"", "no: the file is empty"},
    {"\n \n", "no: the file has no header"},
    {"\xFF\xFE"
     "ab",
     "no: the file is in UTF-16: UTF-8 is expected"},
};

static void test_files(void)
{
    static const size_t steps[] = {1, 2, 7, 1 << 16};

    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        for (size_t k = 0; k < sizeof(steps) / sizeof(steps[0]); k++) {
            const char *got = render(files[i].text, strlen(files[i].text), steps[k]);

            if (i == sizeof(files) / sizeof(files[0]) - 1 && steps[k] < 2) {
                continue; /* the mark is told from the first piece */
            }
            CU_ASSERT_STRING_EQUAL(got, files[i].expected);
            if (strcmp(got, files[i].expected) != 0) {
                fprintf(stderr, "file %d, step %d: %s\n", (int)i, (int)steps[k], got);
            }
        }
    }
}

static void test_nul_bytes(void)
{
    CU_ASSERT_STRING_EQUAL(render("a,b\0\n1,2\n", 9, 100),
                           "no: the file is binary: text is expected");
    CU_ASSERT_STRING_EQUAL(render("a,b\n1\0,2\n3,4\n", 13, 4),
                           ", a b / 2[1]-(the row holds a NUL byte) / 3[3][4]");
}

static void test_damaged_input(void)
{
    input_t input = {"a,b\n1,2\n3,4\n", 12, 0, 4, 8};
    dsc_delimited_t rows;
    const char *reason = "";

    CU_ASSERT_EQUAL_FATAL(dsc_delimited_open(&rows, dsc_pool, read_text, &input, &reason), 1);
    CU_ASSERT_EQUAL(dsc_delimited_next(&rows, &reason), 1);
    CU_ASSERT_EQUAL(dsc_delimited_next(&rows, &reason), -1);
    CU_ASSERT_STRING_EQUAL(reason, "broken");
}

/* Rows longer than the first buffer, and rows without an end. */
static void test_long_rows(void)
{
    size_t length = 300000, endless = (size_t)17 << 20;
    char *text = apr_palloc(dsc_pool, endless);
    input_t input = {text, length, 0, 5000, 0};
    dsc_delimited_t rows;
    const char *reason = "";

    memset(text, 'x', endless);
    memcpy(text, "a,b\n1,", 6);
    memcpy(text + length - 5, "\n3,4\n", 5);
    CU_ASSERT_EQUAL_FATAL(dsc_delimited_open(&rows, dsc_pool, read_text, &input, &reason), 1);
    CU_ASSERT_EQUAL_FATAL(dsc_delimited_next(&rows, &reason), 1);
    CU_ASSERT_EQUAL(strlen(dsc_delimited_field(&rows, 1)), length - 11);
    CU_ASSERT_EQUAL_FATAL(dsc_delimited_next(&rows, &reason), 1);
    CU_ASSERT_STRING_EQUAL(dsc_delimited_field(&rows, 0), "3");
    CU_ASSERT_EQUAL(dsc_delimited_next(&rows, &reason), 0);

    memset(text, 'x', endless);
    memcpy(text, "a,b\n1,", 6);
    input = (input_t){text, endless, 0, 1 << 20, 0};
    CU_ASSERT_EQUAL_FATAL(dsc_delimited_open(&rows, dsc_pool, read_text, &input, &reason), 1);
    CU_ASSERT_EQUAL(dsc_delimited_next(&rows, &reason), -1);
    CU_ASSERT_PTR_NOT_NULL(strstr(reason, "line 2: a row of more than 16 MB"));
}

/* The first row of a file under the header a,b: its error, or why there is none; and that it took
 * no second to read. */
static const char *read_quickly(const char *header, const char *row)
{
    const char *text = apr_pstrcat(dsc_pool, header, "\n", row, "\n", NULL), *reason = "";
    input_t input = {text, strlen(text), 0, strlen(text), 0};
    dsc_delimited_t rows;
    apr_time_t begun = apr_time_now();

    if (dsc_delimited_open(&rows, dsc_pool, read_text, &input, &reason) &&
        dsc_delimited_next(&rows, &reason) > 0) {
        reason = rows.error != NULL ? rows.error : "good";
    }
    CU_ASSERT(apr_time_now() - begun < apr_time_from_sec(1));
    return reason;
}

static char *repeated(const char *piece, size_t count)
{
    size_t length = strlen(piece);
    char *text = apr_palloc(dsc_pool, count * length + 1);

    for (size_t i = 0; i < count; i++) {
        memcpy(text + i * length, piece, length);
    }
    text[count * length] = '\0';
    return text;
}

/* What is made to take long. */
static void test_hostile_rows(void)
{
    const char *blanks = repeated(" ", 200000), *quotes = repeated("\"", 200001);
    const char *row = apr_pstrcat(dsc_pool, blanks, "\"\" ", quotes, ",2", NULL);

    CU_ASSERT_STRING_EQUAL(read_quickly("a,b", row), "text follows a quoted field");
    CU_ASSERT_STRING_EQUAL(read_quickly("a,b", repeated("x,", 1000000)),
                           "the row has more than 4096 fields");
    CU_ASSERT_STRING_EQUAL(read_quickly("a,b", repeated("a,b,c,", 1000000)),
                           "line 2: another header: here begins another file, whose columns are "
                           "others");
    CU_ASSERT_STRING_EQUAL(read_quickly(repeated("x,", 5000), "1"),
                           "the header has more than 4096 columns: this is no such file");
    CU_ASSERT_STRING_EQUAL(read_quickly(repeated("x,", 4095), "1"),
                           "the row has 1 fields, the header 4096");
}

/* Of a row that is cut within a column that is not taken, nothing is lost. */
static void test_last_column(void)
{
    for (int is_ignored = 0; is_ignored < 2; is_ignored++) {
        input_t input = {"a,b\n1,44", 8, 0, 3, 0};
        dsc_delimited_t rows;
        const char *reason = "";

        CU_ASSERT_EQUAL_FATAL(dsc_delimited_open(&rows, dsc_pool, read_text, &input, &reason), 1);
        rows.last_is_ignored = is_ignored;
        CU_ASSERT_EQUAL_FATAL(dsc_delimited_next(&rows, &reason), 1);
        CU_ASSERT_PTR_EQUAL(rows.error, is_ignored ? NULL : dsc_delimited_cut);
    }
}

static void test_columns(void)
{
    static const char *const symbol[] = {"symbolcode", "symbol", NULL}, *const none[] = {"x", NULL};
    static const char text[] = "Symbol|Symbol Code|Name\nA|B|C\n";
    input_t input = {text, sizeof(text) - 1, 0, 100, 0};
    dsc_delimited_t rows;
    const char *reason = "";

    CU_ASSERT_EQUAL_FATAL(dsc_delimited_open(&rows, dsc_pool, read_text, &input, &reason), 1);
    CU_ASSERT_EQUAL(dsc_delimited_column(&rows, symbol), 1);
    CU_ASSERT_EQUAL(dsc_delimited_column(&rows, symbol + 1), 0);
    CU_ASSERT_EQUAL(dsc_delimited_column(&rows, none), -1);
    CU_ASSERT_EQUAL(dsc_delimited_next(&rows, &reason), 1);
    CU_ASSERT_PTR_NULL(dsc_delimited_field(&rows, -1));
    CU_ASSERT_PTR_NULL(dsc_delimited_field(&rows, 3));
    CU_ASSERT_STRING_EQUAL(dsc_delimited_name(dsc_pool, "Ex-Dividend_Date (USD)"),
                           "exdividenddateusd");
}

/* Of two columns with one name nobody knows which is meant, where it is taken. */
static void test_twins(void)
{
    static const char *const names[] = {"symbol", NULL};

    for (int is_taken = 0; is_taken < 2; is_taken++) {
        input_t input = {"Symbol|symbol|a\n1|2|3\n", 22, 0, 100, 0};
        dsc_delimited_t rows;
        const char *reason = "";

        CU_ASSERT_EQUAL_FATAL(dsc_delimited_open(&rows, dsc_pool, read_text, &input, &reason), 1);
        CU_ASSERT_EQUAL(is_taken ? dsc_delimited_column(&rows, names) : 0, 0);
        CU_ASSERT_EQUAL(dsc_delimited_next(&rows, &reason), is_taken ? -1 : 1);
        CU_ASSERT_STRING_EQUAL(reason ? reason : "",
                               is_taken ? "two columns are named symbol" : "");
    }
}

/* Files that were joined: a row that is the header, and one that is another. */
static void test_headers_within(void)
{
    static const struct {
        const char *row, *expected;
    } rows[] = {
        {"a,b,c", "(the header again)"},
        {"A,,C", "(the header again)"},
        {"b,a,c", "no: line 2: another header: here begins another file, whose columns are others"},
        {"a,b,x", "no: line 2: another header: here begins another file, whose columns are others"},
        {"a,x,y", "[a][x][y]"},
        {"a,a,x", "[a][a][x]"},
        {"x,y,c", "[x][y][c]"},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const char *text = apr_pstrcat(dsc_pool, "a,b,c\n", rows[i].row, "\n", NULL);

        CU_ASSERT_PTR_NOT_NULL(strstr(render(text, strlen(text), 100), rows[i].expected));
    }
}

void dsc_suite_delimited(void)
{
    CU_pSuite suite = CU_add_suite("delimited text", dsc_open_pool, dsc_close_pool);

    CU_add_test(suite, "files", test_files);
    CU_add_test(suite, "NUL bytes", test_nul_bytes);
    CU_add_test(suite, "damaged input", test_damaged_input);
    CU_add_test(suite, "long rows", test_long_rows);
    CU_add_test(suite, "hostile rows", test_hostile_rows);
    CU_add_test(suite, "last columns that are not taken", test_last_column);
    CU_add_test(suite, "columns", test_columns);
    CU_add_test(suite, "columns of one name", test_twins);
    CU_add_test(suite, "headers within", test_headers_within);
}
