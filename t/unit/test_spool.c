#include "engine/buffer.h"
#include "formats/html_text.h"
#include "formats/name_set.h"
#include "formats/spool.h"
#include "formats/submission_spool.h"
#include "unit/fixture.h"
#include "unit/suites.h"

#include <CUnit/CUnit.h>
#include <apr_strings.h>
#include <string.h>

static const char *reason;

/* A spool of bytes that come as a file does. */
static const dsc_spool_t *spool_of(const char *bytes, size_t length, apr_uint64_t limit)
{
    struct archive *stream = archive_read_new();
    struct archive_entry *entry;
    const dsc_spool_t *spool;
    dsc_import_file_t file = {.name = "x", .stream = stream, .size = -1};

    archive_read_support_format_raw(stream);
    CU_ASSERT_EQUAL_FATAL(archive_read_open_memory(stream, bytes, length), ARCHIVE_OK);
    CU_ASSERT_EQUAL_FATAL(archive_read_next_header(stream, &entry), ARCHIVE_OK);
    spool = dsc_spool_file(dsc_pool, &file, limit, &reason);
    dsc_import_file_end(&file);
    archive_read_free(stream);
    return spool;
}

static int says(const dsc_piece_t *piece, const char *text, size_t length)
{
    char *bytes = apr_palloc(dsc_pool, length + 1);

    return piece->length == length && dsc_piece_read(piece, 0, bytes, length + 1) == (long)length &&
           memcmp(bytes, text, length) == 0;
}

/* Bytes with all kinds of line ends, at every place of the chunks that they are read in. */
static char *mixed(size_t length)
{
    static const char pattern[] = "a\r\nbc\rd\n\r\n\r\re";
    char *bytes = apr_palloc(dsc_pool, length + 1);

    for (size_t i = 0; i < length; i++) {
        bytes[i] = pattern[i % (sizeof(pattern) - 1)];
    }
    bytes[length] = '\0';
    return bytes;
}

static void test_lines(void)
{
    static const size_t lengths[] = {1, 13, 65535, 65536, 65537, 1 << 20, (1 << 20) + 1, 3000001};

    for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
        char *bytes = mixed(lengths[i]);
        const dsc_spool_t *spool = spool_of(bytes, lengths[i], lengths[i]);
        size_t length = dsc_normalise_lines(bytes, lengths[i]);
        dsc_piece_t piece;

        CU_ASSERT_PTR_NOT_NULL_FATAL(spool);
        piece = dsc_spool_piece(spool);
        CU_ASSERT_EQUAL(dsc_spool_file_size(spool), lengths[i]);
        CU_ASSERT_TRUE(says(&piece, bytes, length));
    }
    CU_ASSERT_PTR_NULL(spool_of(mixed(100), 100, 99));
    CU_ASSERT_PTR_NOT_NULL(strstr(reason, "larger than 99 bytes"));
}

static void test_find(void)
{
    size_t length = 3 * DSC_SPOOL_CHUNK, place;

    for (place = DSC_SPOOL_CHUNK - 8; place < DSC_SPOOL_CHUNK + 2; place++) {
        char *bytes = apr_palloc(dsc_pool, length);
        dsc_piece_t piece = dsc_piece_of(bytes, length);

        memset(bytes, '<', length);
        memcpy(bytes + place, "</TEXT>", 7);
        CU_ASSERT_EQUAL(dsc_piece_find(&piece, 0, "</TEXT>"), (apr_int64_t)place);
        CU_ASSERT_EQUAL(dsc_piece_find(&piece, place + 1, "</TEXT>"), -1);
        CU_ASSERT_EQUAL(dsc_piece_find_last(&piece, "</TEXT>"), (apr_int64_t)place);
        memcpy(bytes + length - place, "</TEXT>", 7);
        CU_ASSERT_EQUAL(dsc_piece_find_last(&piece, "</TEXT>"), (apr_int64_t)(length - place));
        piece = dsc_piece_part(&piece, place, length);
        CU_ASSERT_EQUAL(dsc_piece_find(&piece, 0, "</TEXT>"), 0);
        CU_ASSERT_EQUAL(dsc_piece_find_last(&piece, "<x"), -1);
    }
}

/* ------------------------------------------------------------------- submissions */

#define HEADER                                                                                     \
    "<SEC-DOCUMENT>x.txt : 20240102\n<SEC-HEADER>x\n<ACCEPTANCE-DATETIME>20240102170000\n"         \
    "ACCESSION NUMBER:\t0009900001-24-000001\nCONFORMED SUBMISSION TYPE:\t8-K\n"                   \
    "FILED AS OF DATE:\t20240102\nFILER:\n\tCOMPANY DATA:\n\t\tCENTRAL INDEX KEY:\t0009900001\n"   \
    "</SEC-HEADER>\n"

static void append_document(dsc_buffer_t *out, const char *type, size_t lines, size_t width)
{
    dsc_buffer_printf(out, "<DOCUMENT>\n<TYPE>%s\n<FILENAME>a.htm\n<TEXT>first\n", type);
    for (size_t i = 0; i < lines; i++) {
        for (size_t k = 0; k < width; k++) {
            dsc_buffer_append_char(out, (char)('a' + (i + k) % 26));
        }
        dsc_buffer_append_text(out, i % 7 ? "\n" : " </TEXT <DOCUMENT>\n <TEXT>\n");
    }
    dsc_buffer_append_text(out, "last</TEXT>\n</DOCUMENT>\n");
}

/* The same of both readers: whether it is refused, and every document with its line and text. */
static int same(const char *text, size_t length)
{
    const char *parse_reason = NULL, *read_reason = NULL;
    dsc_piece_t file = dsc_piece_of(text, length);
    dsc_sgml_submission_t *read = dsc_submission_read(dsc_pool, &file, NULL, &read_reason);
    dsc_sgml_submission_t *parsed =
        dsc_sgml_parse(dsc_pool, apr_pstrmemdup(dsc_pool, text, length), length, &parse_reason);

    if (!parsed || !read) {
        return !parsed && !read && parse_reason != NULL && read_reason != NULL;
    }
    if (parsed->documents->nelts != read->documents->nelts) {
        return 0;
    }
    for (int i = 0; i < read->documents->nelts; i++) {
        const dsc_sgml_document_t *one = &APR_ARRAY_IDX(parsed->documents, i, dsc_sgml_document_t);
        const dsc_sgml_document_t *two = &APR_ARRAY_IDX(read->documents, i, dsc_sgml_document_t);

        if (one->line != two->line || strcmp(one->type, two->type) != 0 ||
            (one->text != NULL) != dsc_piece_is_there(&two->body) ||
            (one->text && !says(&two->body, one->text, one->length))) {
            return 0;
        }
    }
    return 1;
}

static void test_submission(void)
{
    dsc_buffer_t *out = dsc_buffer_create(dsc_pool, 1024);
    size_t cut;

    dsc_buffer_append_text(out, HEADER);
    append_document(out, "8-K", 20, 40);
    dsc_buffer_append_text(out, "<DOCUMENT>\n<TYPE>GRAPHIC\n<TEXT>\n</TEXT>\n\n</DOCUMENT>\n\n");
    append_document(out, "EX-99.1", 3, 100);
    dsc_buffer_append_text(out, "<DOCUMENT>\n<TYPE>EX-99.2\n<TEXT></TEXT>\n</DOCUMENT>\n");
    dsc_buffer_append_text(out, "</SEC-DOCUMENT>\n");
    CU_ASSERT_TRUE(same(out->data, out->length));
    for (cut = 0; cut < out->length; cut++) {
        if (!same(out->data, cut)) {
            CU_FAIL("a cut submission is read otherwise");
            break;
        }
    }
}

static int both_refuse(const char *text)
{
    dsc_piece_t file = dsc_piece_of(text, strlen(text));

    return !dsc_submission_read(dsc_pool, &file, NULL, &reason) && same(text, strlen(text));
}

/* A submission of which a tag or more is missing, or with something where nothing belongs. */
static void test_damaged_submission(void)
{
#define FIRST  "<DOCUMENT>\n<TYPE>8-K\n<SEQUENCE>1\n<TEXT>\none\n</TEXT>\n</DOCUMENT>\n"
#define SECOND "<DOCUMENT>\n<TYPE>EX-99\n<SEQUENCE>2\n<TEXT>\ntwo\n</TEXT>\n</DOCUMENT>\n"
#define END    "</SEC-DOCUMENT>\n"
    static const char whole[] = HEADER FIRST SECOND END;
    static const char *const damaged[] = {
        HEADER FIRST "between\n" SECOND END,
        HEADER "before\n" FIRST SECOND END,
        HEADER FIRST SECOND "behind\n" END,
        HEADER FIRST SECOND END "behind\n",
        HEADER FIRST SECOND END HEADER FIRST END,
        HEADER FIRST FIRST END,
        HEADER FIRST SECOND "</SUBMISSION>\n",
        HEADER "<DOCUMENT>\n<TYPE>8-K\n<TEXT>\none\n</TEXT>\nmore\n</DOCUMENT>\n" END,
        HEADER "<DOCUMENT>\n<TYPE>8-K\n<TEXT>\none</TEXT>\ntwo\n</TEXT>\n</DOCUMENT>\n" END,
        "-----BEGIN PRIVACY-ENHANCED MESSAGE-----\n" HEADER FIRST END,
        "-----BEGIN PRIVACY-ENHANCED MESSAGE-----\n" HEADER FIRST END
        "-----END PRIVACY-ENHANCED MESSAGE-----\nbehind",
        "<SEC-DOCUMENT>0009900001-24-000002.txt : 20240102\n" HEADER FIRST END};
    const char *line, *end;
    size_t i, length;

    CU_ASSERT_TRUE(same(whole, strlen(whole)));
    for (i = 0; i < sizeof(damaged) / sizeof(damaged[0]); i++) {
        CU_ASSERT_TRUE(both_refuse(damaged[i]));
    }
    /* without one of the lines of its documents, but for their texts, types and numbers */
    for (line = whole + strlen(HEADER) - strlen("</SEC-HEADER>\n"); *line; line = end) {
        end = strchr(line, '\n') + 1;
        length = (size_t)(end - line);
        if (*line == '<' && strncmp(line, "<SEQ", 4) != 0) {
            const char *left =
                apr_pstrcat(dsc_pool, apr_pstrmemdup(dsc_pool, whole, (size_t)(line - whole)), end,
                            NULL);

            CU_ASSERT_TRUE(both_refuse(left));
        }
        CU_ASSERT_TRUE(length > 0);
    }
    /* without two or three lines in a row, tags all of them: the text of one document would become
     * another's */
    CU_ASSERT_TRUE(both_refuse(
        HEADER
        "<DOCUMENT>\n<TYPE>8-K\n<TEXT>\none\n<TYPE>EX-99\n<TEXT>\ntwo\n</TEXT>\n</DOCUMENT>\n" END));
    CU_ASSERT_TRUE(both_refuse(
        HEADER "<DOCUMENT>\n<TYPE>8-K\n<TEXT>\none\n<SEQUENCE>2\ntwo\n</TEXT>\n</DOCUMENT>\n" END));
}

/* Lines that are longer than a chunk, and more of them than are held in memory. */
static void test_large_submission(void)
{
    dsc_buffer_t *out = dsc_buffer_create(dsc_pool, 1024);
    const dsc_spool_t *spool;
    dsc_sgml_submission_t *submission;
    const dsc_sgml_document_t *last;
    dsc_piece_t file;

    dsc_buffer_append_text(out, HEADER);
    append_document(out, "8-K", 30, 70000);
    append_document(out, "EX-99.1", 100, 61);
    dsc_buffer_append_text(out, "</SEC-DOCUMENT>\n");
    CU_ASSERT_TRUE(same(out->data, out->length));
    spool = spool_of(out->data, out->length, out->length);
    CU_ASSERT_PTR_NOT_NULL_FATAL(spool);
    file = dsc_spool_piece(spool);
    submission = dsc_submission_read(dsc_pool, &file, NULL, &reason);
    CU_ASSERT_PTR_NOT_NULL_FATAL(submission);
    CU_ASSERT_EQUAL_FATAL(submission->documents->nelts, 2);
    last = &APR_ARRAY_IDX(submission->documents, 1, dsc_sgml_document_t);
    CU_ASSERT_STRING_EQUAL(last->type, "EX-99.1");
    CU_ASSERT_EQUAL(dsc_piece_find_last(&last->body, "last"), (apr_int64_t)last->body.length - 4);
}

/* ------------------------------------------------------------------------- text */

static void test_html(void)
{
    dsc_buffer_t *page = dsc_buffer_create(dsc_pool, 1024);
    dsc_buffer_t *whole = dsc_buffer_create(dsc_pool, 1024);
    dsc_buffer_t *pieces = dsc_buffer_create(dsc_pool, 1024);
    dsc_piece_reader_t reader = {{NULL, NULL, 0, 0}, 0};

    dsc_buffer_append_text(page, "<html><head><style>p{}</style></head><body>");
    for (int i = 0; i < 9000; i++) {
        dsc_buffer_printf(page,
                          "<p style=\"x\">Row %d &amp; \xE2\x82\xAC caf\xC3\xA9</p><table><tr>"
                          "<td>$</td><td>%d</td><!-- no --></tr></table>\n",
                          i, i * 7);
    }
    dsc_buffer_append_text(page, "</body></html>\n");
    CU_ASSERT_EQUAL(dsc_html_to_text(whole, page->data, page->length), 1);
    reader.piece = dsc_piece_of(page->data, page->length);
    CU_ASSERT_EQUAL(dsc_html_read_text(pieces, dsc_piece_reader_read, &reader, page->length), 1);
    CU_ASSERT_EQUAL(whole->length, pieces->length);
    CU_ASSERT_EQUAL(memcmp(whole->data, pieces->data, whole->length), 0);
    reader.at = 0;
    CU_ASSERT_EQUAL(dsc_html_read_text(pieces, dsc_piece_reader_read, &reader, 5000), -1);
}

static void test_names(void)
{
    dsc_name_set_t *set = dsc_name_set_create(dsc_pool);
    int i, added = 0, again = 0;
    char name[32];

    for (i = 0; i < 100000; i++) {
        apr_snprintf(name, sizeof(name), "CIK%010d.json", i);
        added += dsc_name_set_add(set, name);
    }
    for (i = 0; i < 100000; i++) {
        apr_snprintf(name, sizeof(name), "CIK%010d.json", i);
        again += dsc_name_set_add(set, name);
    }
    CU_ASSERT_EQUAL(added, 100000);
    CU_ASSERT_EQUAL(again, 0);
    CU_ASSERT_TRUE(dsc_name_set_add(set, ""));
    CU_ASSERT_FALSE(dsc_name_set_add(set, ""));
    CU_ASSERT_TRUE(dsc_name_set_has(set, ""));
    CU_ASSERT_FALSE(dsc_name_set_has(set, "never added"));
    CU_ASSERT_FALSE(dsc_name_set_has(dsc_name_set_create(dsc_pool), ""));
    CU_ASSERT_EQUAL(dsc_name_set_count(set), (size_t)added + 1);
}

void dsc_suite_spool(void)
{
    CU_pSuite suite = CU_add_suite("spool", dsc_open_pool, dsc_close_pool);

    CU_add_test(suite, "line ends", test_lines);
    CU_add_test(suite, "find", test_find);
    CU_add_test(suite, "submission", test_submission);
    CU_add_test(suite, "damaged submission", test_damaged_submission);
    CU_add_test(suite, "large submission", test_large_submission);
    CU_add_test(suite, "html", test_html);
    CU_add_test(suite, "names of an archive", test_names);
}
