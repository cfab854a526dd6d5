/* Merging staged rows into the timelines of their records, set-wise.
 *
 * A record is (issuer, record_key); its versions are ordered by known_at. Against them a staged row is one of three kinds: 'u'
 * says nothing new; 'm' is what the next version says, but known earlier, at an instant that has no version: that one's known_at
 * moves; 'i' is a version to insert, which closes the one before it. Of snapshots what repeats the version in force is kept with
 * its instant (disclosed.restated): a version that is inserted before it ends there, and the one before it holds again. Rows of one
 * key in one file go in passes, in the order of known_at and then of the file, so that each meets the timeline that the one before
 * has left. Where no staged key is stored and none repeats, a plain INSERT does the same several times as fast. */
#include "loader/loader_internal.h"

#include <apr_strings.h>
#include <stdlib.h>
#include <string.h>

enum {
    MANY_PASSES = 8
};

/* --------------------------------------------------------------- writing the SQL */

/* A condition that the versions behind `version` are of the record of that issuer and key: what the indexes of current and of
 * past versions are read by. */
static void append_same_record(dsc_buffer_t *sql, const char *version, const char *issuer,
                               const char *key)
{
    dsc_buffer_printf(sql,
                      "%s.issuer_id = %s.issuer_id AND disclosed.key_hash(%s.record_key)"
                      " = disclosed.key_hash(%s.record_key) AND %s.record_key = %s.record_key"
                      " AND (%s.superseded_at IS NULL OR %s.superseded_at IS NOT NULL)",
                      version, issuer, version, key, version, key, version, version);
}

/* Joins the versions of the record of that issuer and key, as "v.row_id". A query of its own: in a join of several tables
 * PostgreSQL would not read both indexes, but all rows of the issuer. */
static const char *versions_join(apr_pool_t *pool, const dsc_stage_t *stage, const char *issuer,
                                 const char *key)
{
    dsc_buffer_t *sql = dsc_buffer_create(pool, 512);

    dsc_buffer_printf(sql, " CROSS JOIN LATERAL (SELECT v.row_id FROM disclosed.%s v WHERE ",
                      stage->dataset->table);
    append_same_record(sql, "v", issuer, key);
    dsc_buffer_append_text(sql, " OFFSET 0) v");
    return dsc_buffer_text(sql);
}

/* The staged value with its stand-in: "s.x" or "coalesce(s.x, <default>)". */
static const char *value_sql(apr_pool_t *pool, const dsc_stage_t *stage, int column,
                             const char *before)
{
    const char *name = stage->dataset->columns[column].name;
    const char *absent = stage->columns[column].absent;
    int filled =
        before != NULL && (stage->dataset->columns[column].flags & DSC_COLUMN_FORWARD_FILLED);

    if (!filled && absent == NULL) {
        return apr_pstrcat(pool, "s.", name, NULL);
    }
    return apr_pstrcat(pool, "coalesce(s.", name, filled ? ", " : "", filled ? before : "",
                       filled ? "." : "", filled ? name : "", absent != NULL ? ", " : "",
                       absent != NULL ? absent : "", ")", NULL);
}

/* A condition that the version behind `version` says what the staged row says. With `carry`, a
 * forward-filled column that the source lacks agrees with anything. */
static void append_equal(dsc_buffer_t *sql, const dsc_stage_t *stage, const char *version,
                         int carry)
{
    const dsc_dataset_t *dataset = stage->dataset;
    const char *and = "";
    int i;

    dsc_buffer_append_char(sql, '(');
    for (i = 0; i < dataset->column_count; i++) {
        const dsc_column_t *column = &dataset->columns[i];
        if (column->flags & DSC_COLUMN_NOT_COMPARED) {
            continue;
        }
        dsc_buffer_printf(sql, "%s%s IS NOT DISTINCT FROM %s.%s", and,
                          value_sql(sql->pool, stage, i, carry ? version : NULL), version,
                          column->name);
        and = " AND ";
    }
    dsc_buffer_append_text(sql, *and == '\0' ? "true)" : ")");
}

/* The columns of a row that is inserted; `derived`: those that no record has. */
static void append_names(dsc_buffer_t *sql, const dsc_stage_t *stage, const char *const *derived)
{
    int i;

    dsc_buffer_printf(sql,
                      "INSERT INTO disclosed.%s (id, issuer_id, record_key, known_at,"
                      " superseded_at, src_digest, source_id, accession, quote",
                      stage->dataset->table);
    for (i = 0; i < stage->dataset->column_count; i++) {
        dsc_buffer_printf(sql, ", %s", stage->dataset->columns[i].name);
    }
    for (i = 0; derived != NULL && derived[i] != NULL; i++) {
        dsc_buffer_printf(sql, ", %s", derived[i]);
    }
    dsc_buffer_append_char(sql, ')');
}

static void append_values(dsc_buffer_t *sql, const dsc_stage_t *stage, const char *before)
{
    int i;

    dsc_buffer_append_text(sql, "s.src_digest, s.source_id, s.accession, s.quote");
    for (i = 0; i < stage->dataset->column_count; i++) {
        dsc_buffer_printf(sql, ", %s", value_sql(sql->pool, stage, i, before));
    }
    for (i = 0; stage->dataset->expected != NULL && stage->dataset->expected[i] != NULL; i++) {
        dsc_buffer_printf(sql, ", e.%s", stage->dataset->expected[i]);
    }
}

/* What reconciling will most likely write, see dsc_dataset_t. */
static const char *expected_join(apr_pool_t *pool, const dsc_stage_t *stage)
{
    const char *name = stage->dataset->name;

    return stage->dataset->expect == NULL
               ? ""
               : apr_psprintf(pool, " LEFT JOIN pg_temp.expected_%s e USING (row_order)", name);
}

/* In the order of the file, whatever the plan: rows of one day are listed by their numbers. */
static const char *insert_plain_sql(apr_pool_t *pool, const dsc_stage_t *stage)
{
    dsc_buffer_t *sql = dsc_buffer_create(pool, 2048);

    append_names(sql, stage, stage->dataset->expected);
    dsc_buffer_append_text(sql, " SELECT nextval('disclosed.record_id'), " ISSUER_ID
                                ", s.record_key, s.known_at, ");
    dsc_buffer_append_text(sql, stage->dataset->expect != NULL ? "e.superseded_at, "
                                                               : "NULL::timestamptz, ");
    append_values(sql, stage, NULL);
    dsc_buffer_printf(sql, " FROM pg_temp.stage_%s s" ISSUER_JOIN "%s ORDER BY s.row_order",
                      stage->dataset->name, expected_join(pool, stage));
    return dsc_buffer_text(sql);
}

static const char *insert_sql(apr_pool_t *pool, const dsc_stage_t *stage)
{
    dsc_buffer_t *sql = dsc_buffer_create(pool, 2048);

    append_names(sql, stage, stage->dataset->expected);
    dsc_buffer_append_text(sql, " SELECT coalesce(a.id, nextval('disclosed.record_id')),"
                                " a.issuer_id, s.record_key, a.known_at, ");
    dsc_buffer_append_text(sql, stage->dataset->expect != NULL
                                    ? "least(a.superseded_at, e.superseded_at), "
                                    : "a.superseded_at, ");
    append_values(sql, stage, "p");
    dsc_buffer_printf(sql,
                      " FROM pg_temp.act_%s a JOIN pg_temp.stage_%s s USING (row_order)%s"
                      " LEFT JOIN disclosed.%s p"
                      " ON p.issuer_id = a.issuer_id AND p.row_id = a.previous_row"
                      " WHERE a.kind = 'i' ORDER BY a.row_order",
                      stage->dataset->name, stage->dataset->name, expected_join(pool, stage),
                      stage->dataset->table);
    return dsc_buffer_text(sql);
}

/* Whether a version says it already: the one in force (or, where keys move between issuers, one still in force), one of the
 * same instant that was put aside or replaced within its file, or, where the file replaces the row itself, the one before. */
static void append_said_already(dsc_buffer_t *sql, const dsc_stage_t *stage)
{
    dsc_buffer_printf(sql, "EXISTS (SELECT 1 FROM disclosed.%s v WHERE ", stage->dataset->table);
    append_same_record(sql, "v", "q", "s");
    dsc_buffer_printf(sql, " AND (v.row_id = p.row_id OR (v.known_at = s.known_at%s)%s) AND ",
                      stage->unless_replaced, DSC_BEFORE_INSTANT);
    if (stage->global_key) {
        dsc_buffer_append_text(sql, "(v.superseded_at IS NULL OR v.superseded_at > s.known_at"
                                    " OR v.known_at = s.known_at" DSC_BEFORE_INSTANT ") AND ");
    }
    append_equal(sql, stage, "v", 1);
    dsc_buffer_append_char(sql, ')');
}

static void append_neighbour(dsc_buffer_t *sql, const dsc_stage_t *stage, const char *alias,
                             const char *relation, const char *order)
{
    dsc_buffer_printf(sql, " LEFT JOIN LATERAL (SELECT v.* FROM disclosed.%s v WHERE ",
                      stage->dataset->table);
    append_same_record(sql, "v", "q", "s");
    dsc_buffer_printf(sql,
                      " AND v.known_at %s s.known_at"
                      " ORDER BY v.known_at %s, v.row_id %s LIMIT 1) %s ON true",
                      relation, order, order, alias);
}

/* The current row of the same key that another issuer holds. */
static void append_holder(dsc_buffer_t *sql, const dsc_stage_t *stage)
{
    if (!stage->global_key) {
        dsc_buffer_append_text(sql, " CROSS JOIN (SELECT NULL::bigint AS issuer_id, NULL::bigint"
                                    " AS row_id, NULL::timestamptz AS known_at) h");
        return;
    }
    dsc_buffer_printf(sql,
                      " LEFT JOIN disclosed.%s h ON h.record_key = s.record_key"
                      " AND h.superseded_at IS NULL AND h.issuer_id <> q.issuer_id",
                      stage->dataset->table);
}

/* When what the version before says is stated again, before the next version: there an inserted one ends. */
static void append_restated(dsc_buffer_t *sql, const dsc_stage_t *stage)
{
    dsc_buffer_append_text(
        sql, stage->snapshots
                 ? " LEFT JOIN LATERAL (SELECT min(o.known_at) AS at FROM disclosed.restated o"
                   " WHERE o.record_id = p.id AND o.known_at > s.known_at"
                   " AND (n.known_at IS NULL OR o.known_at < n.known_at)) r ON true"
                 : " CROSS JOIN (SELECT NULL::timestamptz AS at) r");
}

static const char *classify_sql(apr_pool_t *pool, const dsc_stage_t *stage)
{
    dsc_buffer_t *sql = dsc_buffer_create(pool, 4096);

    dsc_buffer_printf(sql,
                      "WITH made AS (INSERT INTO pg_temp.act_%s"
                      " SELECT s.row_order, q.issuer_id, CASE WHEN ",
                      stage->dataset->name);
    append_said_already(sql, stage);
    dsc_buffer_append_text(sql, " THEN 'u' WHEN n.row_id IS NOT NULL AND r.at IS NULL"
                                " AND p.known_at IS DISTINCT FROM s.known_at AND ");
    append_equal(sql, stage, "n", 0);
    dsc_buffer_append_text(sql,
                           " THEN 'm' ELSE 'i' END, coalesce(p.id, n.id), s.known_at,"
                           " least(n.known_at, r.at, CASE WHEN h.known_at > s.known_at"
                           " THEN h.known_at END), p.row_id, n.row_id,"
                           " CASE WHEN h.known_at <= s.known_at THEN h.issuer_id END, h.row_id");
    dsc_buffer_printf(sql, " FROM pg_temp.pass_%s q JOIN pg_temp.stage_%s s USING (row_order)",
                      stage->dataset->name, stage->dataset->name);
    append_neighbour(sql, stage, "p", "<=", "DESC");
    append_neighbour(sql, stage, "n", ">", "ASC");
    append_holder(sql, stage);
    append_restated(sql, stage);
    dsc_buffer_append_text(sql, " WHERE q.pass = $1::bigint RETURNING row_order, kind)"
                                " SELECT " DSC_FILE_OF("row_order") ", kind, count(*) FROM made"
                                                                    " GROUP BY 1, 2");
    return dsc_buffer_text(sql);
}

/* Staged rows of which a version is stored. Those of issuers of which nothing is stored are not looked up one by one; an issuer is by
 * its first row, as a plan that reads the table for any row of it reads all where there is none. */
static const char *stored_sql(apr_pool_t *pool, const dsc_stage_t *stage)
{
    const char *name = stage->dataset->name, *table = stage->dataset->table;

    return stage->global_key
               ? apr_psprintf(pool,
                              "SELECT 1 FROM pg_temp.stage_%s s"
                              " JOIN disclosed.%s t ON t.record_key = s.record_key",
                              name, table)
               : apr_psprintf(
                     pool,
                     "SELECT 1 FROM (SELECT k.issuer_id, s.record_key FROM pg_temp.stage_%s s" ISSUER_JOIN
                     " JOIN (SELECT d.issuer_id FROM (SELECT DISTINCT " ISSUER_ID
                     " AS issuer_id FROM pg_temp.stage_%s s" ISSUER_JOIN ") d CROSS JOIN LATERAL"
                     " (SELECT t.row_id FROM disclosed.%s t WHERE t.issuer_id = d.issuer_id"
                     " ORDER BY t.row_id LIMIT 1) t OFFSET 0) k ON k.issuer_id = " ISSUER_ID
                     " OFFSET 0) q%s",
                     name, name, table, versions_join(pool, stage, "q", "q"));
}

static const char *is_plain_sql(apr_pool_t *pool, const dsc_stage_t *stage)
{
    return apr_psprintf(pool,
                        "SELECT NOT EXISTS (SELECT 1 FROM pg_temp.stage_%s GROUP BY key_digest"
                        " HAVING count(*) > 1) AND NOT EXISTS (%s)",
                        stage->dataset->name, stored_sql(pool, stage));
}

/* Whatever version is in force at the new one's time ends there: it need not be the one before, which
 * a reconciling function may have put aside. What is closed earlier stays closed. */
static void prepare_changes(apr_pool_t *pool, dsc_stage_t *stage)
{
    const char *name = stage->dataset->name, *table = stage->dataset->table;

    stage->close_previous.sql = apr_psprintf(
        pool,
        "WITH changed AS (UPDATE disclosed.%s t SET superseded_at = a.known_at"
        " FROM pg_temp.act_%s a JOIN disclosed.%s p"
        " ON p.issuer_id = a.issuer_id AND p.row_id = a.previous_row%s"
        " WHERE a.kind = 'i' AND t.issuer_id = p.issuer_id AND t.row_id = v.row_id"
        " AND t.known_at <= a.known_at AND (t.superseded_at IS NULL OR t.superseded_at > a.known_at)"
        " RETURNING a.row_order)" DSC_COUNT_BY_FILE,
        table, name, table, versions_join(pool, stage, "p", "p"));
    stage->close_holder.sql = apr_psprintf(
        pool,
        "WITH changed AS (UPDATE disclosed.%s t SET superseded_at = a.known_at FROM pg_temp.act_%s a"
        " WHERE a.kind = 'i' AND t.issuer_id = a.holder_issuer AND t.row_id = a.holder_row"
        " AND t.superseded_at IS NULL RETURNING a.row_order)" DSC_COUNT_BY_FILE,
        table, name);
    stage->touch.sql = apr_psprintf(
        pool,
        "INSERT INTO pg_temp.touched SELECT %d, issuer_id FROM pg_temp.act_%s WHERE kind <> 'u'"
        " UNION SELECT %d, holder_issuer FROM pg_temp.act_%s"
        " WHERE kind = 'i' AND holder_issuer IS NOT NULL",
        stage->slot, name, stage->slot, name);
    stage->touch_plain.sql =
        apr_psprintf(pool,
                     "INSERT INTO pg_temp.touched SELECT DISTINCT %d, " ISSUER_ID
                     " FROM pg_temp.stage_%s s" ISSUER_JOIN,
                     stage->slot, name);
    stage->passes.sql = apr_psprintf(
        pool,
        "WITH pass AS (INSERT INTO pg_temp.pass_%s SELECT s.row_order, " ISSUER_ID
        ", row_number() OVER w, lead(s.known_at) OVER w IS DISTINCT FROM s.known_at FROM pg_temp.stage_%s s" ISSUER_JOIN
        " WINDOW w AS (PARTITION BY s.key_digest ORDER BY s.known_at, s.row_order) RETURNING pass) SELECT max(pass) FROM pass",
        name, name);
}

/* What is known earlier than thought is known from the earlier source: where the record comes from
 * goes with it, and what is not compared. Of two files of one filing the lesser hash stays. */
static const char *move_sql(apr_pool_t *pool, const dsc_stage_t *stage)
{
    const dsc_dataset_t *dataset = stage->dataset;
    dsc_buffer_t *sql = dsc_buffer_create(pool, 1024);
    int i;

    dsc_buffer_printf(sql,
                      "WITH before AS (UPDATE disclosed.%s t SET superseded_at = a.known_at"
                      " FROM pg_temp.act_%s a WHERE a.kind = 'm' AND t.issuer_id = a.issuer_id"
                      " AND t.row_id = a.previous_row"
                      " AND (t.superseded_at IS NULL OR t.superseded_at > a.known_at))"
                      " UPDATE disclosed.%s t SET known_at = a.known_at, src_digest = s.src_digest,"
                      " accession = s.accession, quote = s.quote, source_id = CASE"
                      " WHEN t.accession = s.accession AND o.content_hash < f.content_hash"
                      " THEN t.source_id ELSE s.source_id END",
                      dataset->table, dataset->name, dataset->table);
    for (i = 0; i < dataset->column_count; i++) {
        if (dataset->columns[i].flags & DSC_COLUMN_NOT_COMPARED) {
            dsc_buffer_printf(sql, ", %s = %s", dataset->columns[i].name,
                              value_sql(pool, stage, i, "t"));
        }
    }
    dsc_buffer_printf(sql,
                      " FROM pg_temp.act_%s a JOIN pg_temp.stage_%s s USING (row_order)"
                      " JOIN disclosed.source f USING (source_id), disclosed.source o"
                      " WHERE a.kind = 'm' AND t.issuer_id = a.issuer_id AND t.row_id = a.next_row"
                      " AND o.source_id = t.source_id",
                      dataset->name, dataset->name);
    return dsc_buffer_text(sql);
}

/* Two files that say the same, known at the same time or of the same filing: the version comes from the one with the
 * lesser accession number, address and content hash, whichever came first. One without takes those of the file that says it
 * again. What is derived of it follows. Kind 'u' as the one that is left: PostgreSQL takes a kind that is asked for to be one row in
 * 200, and would compare each row with each of the staged ones. */
static const char *rehash_sql(apr_pool_t *pool, const dsc_stage_t *stage)
{
    const char *name = stage->dataset->name, *table = stage->dataset->table;
    dsc_buffer_t *sql = dsc_buffer_create(pool, 1024);

    dsc_buffer_printf(
        sql,
        "WITH changed AS (UPDATE disclosed.%s t SET accession = c.accession,"
        " quote = c.quote, source_id = c.source_id"
        " FROM (SELECT a.row_order, v.issuer_id, v.row_id, s.accession, s.quote, s.source_id"
        " FROM pg_temp.act_%s a JOIN pg_temp.stage_%s s USING (row_order)"
        " JOIN pg_temp.staged_source f USING (source_id)"
        " JOIN disclosed.source k USING (source_id)"
        " CROSS JOIN LATERAL (SELECT v.* FROM disclosed.%s v WHERE ",
        table, name, name, table);
    append_same_record(sql, "v", "a", "s");
    dsc_buffer_append_text(sql, " AND (v.known_at = a.known_at OR (v.row_id = a.previous_row"
                                " AND v.accession = s.accession)) AND ");
    append_equal(sql, stage, "v", 1);
    dsc_buffer_printf(
        sql,
        " OFFSET 0) v JOIN disclosed.source o ON o.source_id = v.source_id"
        " WHERE a.kind NOT IN ('i', 'm') AND f.content_hash = '" DSC_HASH_OF_FILE "'"
        " AND o.provider = f.provider"
        " AND (coalesce(s.accession, '~') COLLATE \"C\","
        " coalesce(f.url, '~') COLLATE \"C\","
        " disclosed.content_hash_text(k.content_hash) COLLATE \"C\")"
        " < (coalesce(v.accession, '~'), coalesce(o.url, '~'),"
        " coalesce(disclosed.content_hash_text(o.content_hash), '~')) OFFSET 0) c"
        " WHERE t.issuer_id = c.issuer_id AND t.row_id = c.row_id"
        " RETURNING t.issuer_id, c.row_order),"
        " noted AS (INSERT INTO pg_temp.touched SELECT DISTINCT %d, issuer_id FROM changed)" DSC_COUNT_BY_FILE,
        stage->slot);
    return dsc_buffer_text(sql);
}

/* Keeps what repeats the version in force, and the instant from which a version is moved. */
static const char *restate_sql(apr_pool_t *pool, const dsc_stage_t *stage)
{
    const char *name = stage->dataset->name, *table = stage->dataset->table;
    dsc_buffer_t *sql = dsc_buffer_create(pool, 2048);

    dsc_buffer_printf(
        sql,
        "WITH kept AS (INSERT INTO disclosed.restated"
        " (record_id, known_at, source_id, accession, quote)"
        " SELECT p.id, s.known_at, s.source_id, s.accession, s.quote"
        " FROM pg_temp.act_%s a JOIN pg_temp.stage_%s s USING (row_order)"
        " JOIN disclosed.%s p ON p.issuer_id = a.issuer_id AND p.row_id = a.previous_row"
        " WHERE a.kind = 'u' AND p.known_at < s.known_at"
        " AND (p.superseded_at IS NULL OR p.superseded_at > s.known_at) AND ",
        name, name, table);
    append_equal(sql, stage, "p", 1);
    dsc_buffer_printf(sql,
                      " UNION ALL SELECT n.id, n.known_at, n.source_id, n.accession, n.quote"
                      " FROM pg_temp.act_%s a JOIN disclosed.%s n"
                      " ON n.issuer_id = a.issuer_id AND n.row_id = a.next_row WHERE a.kind = 'm'"
                      " ON CONFLICT DO NOTHING RETURNING source_id) SELECT f.file, count(*)"
                      " FROM kept JOIN pg_temp.staged_source f USING (source_id) GROUP BY 1",
                      name, table);
    return dsc_buffer_text(sql);
}

/* The version before an inserted one holds again from when it was stated again. */
static const char *resume_sql(apr_pool_t *pool, const dsc_stage_t *stage)
{
    const char *name = stage->dataset->name, *table = stage->dataset->table;
    dsc_buffer_t *sql = dsc_buffer_create(pool, 2048);
    int i;

    dsc_buffer_printf(sql,
                      "WITH again AS (DELETE FROM disclosed.restated r USING pg_temp.act_%s a"
                      " JOIN disclosed.%s p ON p.issuer_id = a.issuer_id"
                      " AND p.row_id = a.previous_row WHERE a.kind = 'i' AND r.record_id = p.id"
                      " AND r.known_at = a.superseded_at"
                      " RETURNING r.*, a.issuer_id, a.previous_row, a.next_row) ",
                      name, table);
    append_names(sql, stage, NULL);
    dsc_buffer_append_text(sql, " SELECT p.id, p.issuer_id, p.record_key, r.known_at, n.known_at,"
                                " p.src_digest, r.source_id, r.accession, r.quote");
    for (i = 0; i < stage->dataset->column_count; i++) {
        dsc_buffer_printf(sql, ", p.%s", stage->dataset->columns[i].name);
    }
    dsc_buffer_printf(sql,
                      " FROM again r JOIN disclosed.%s p ON p.issuer_id = r.issuer_id"
                      " AND p.row_id = r.previous_row LEFT JOIN disclosed.%s n"
                      " ON n.issuer_id = r.issuer_id AND n.row_id = r.next_row",
                      table, table);
    return dsc_buffer_text(sql);
}

/* Writes the dataset's SQL. */
static void prepare(apr_pool_t *pool, dsc_stage_t *stage)
{
    if (stage->checks != NULL) {
        stage->refuse.sql = apr_psprintf(
            pool,
            "DELETE FROM pg_temp.stage_%s s WHERE %s RETURNING place, %s, " DSC_FILE_OF(
                "row_order"),
            stage->dataset->name, stage->checks, stage->check_reason);
    }
    dsc_issuers_prepare(pool, stage);
    prepare_changes(pool, stage);
    dsc_largest_prepare(pool, stage, versions_join(pool, stage, "a", "s"));
    stage->move.sql = move_sql(pool, stage);
    stage->rehash.sql = rehash_sql(pool, stage);
    stage->is_plain.sql = is_plain_sql(pool, stage);
    stage->insert_plain.sql = insert_plain_sql(pool, stage);
    stage->classify.sql = classify_sql(pool, stage);
    stage->insert.sql = insert_sql(pool, stage);
    stage->empty_act.sql =
        apr_pstrcat(pool, "DELETE FROM pg_temp.act_", stage->dataset->name, NULL);
    stage->restate.sql = restate_sql(pool, stage);
    stage->resume.sql = resume_sql(pool, stage);
    if (stage->dataset->expect != NULL) {
        stage->expect.sql =
            apr_psprintf(pool, "INSERT INTO pg_temp.expected_%s SELECT * FROM disclosed.%s",
                         stage->dataset->name, stage->dataset->expect);
    }
}

/* --------------------------------------------------------------------- running it */

/* The file that a result's column names. */
static dsc_loaded_file_t *file_at(const dsc_loader_t *loader, const PGresult *result, int row,
                                  int column)
{
    return APR_ARRAY_IDX(loader->files, atoi(PQgetvalue(result, row, column)), dsc_loaded_file_t *);
}

/* Rejects the rows that a CHECK of the table would refuse. */
static apr_status_t refuse_rows(dsc_loader_t *loader, dsc_stage_t *stage, int large)
{
    PGresult *result;
    apr_status_t rv;
    int row;

    if (stage->checks == NULL) {
        return APR_SUCCESS;
    }
    rv = dsc_loader_run(loader, &stage->refuse, large, 0, NULL, &result);
    if (rv != APR_SUCCESS) {
        return rv;
    }
    for (row = 0; rv == APR_SUCCESS && row < PQntuples(result); row++) {
        dsc_loaded_file_t *file = file_at(loader, result, row, 2);

        rv = dsc_loader_reject_of(loader, file, PQgetvalue(result, row, 0),
                                  PQgetvalue(result, row, 1), NULL);
        file->count.read--; /* the row was counted when it was added */
        stage->of_file[file->number]--;
        stage->merging[file->number]--;
        stage->rows--;
    }
    PQclear(result);
    return rv;
}

static apr_status_t ask(dsc_loader_t *loader, dsc_statement_t *statement, int large,
                        const char **answer)
{
    PGresult *result;
    apr_status_t rv = dsc_loader_run(loader, statement, large, 0, NULL, &result);

    if (rv == APR_SUCCESS) {
        *answer = apr_pstrdup(loader->file_pool, PQgetvalue(result, 0, 0));
        PQclear(result);
    }
    return rv;
}

/* What follows from rows that have been inserted as they were staged. */
static apr_status_t note_plain(dsc_loader_t *loader, dsc_stage_t *stage, int large,
                               long long stored)
{
    long long touched = 0;
    apr_status_t rv = dsc_loader_write(loader, &stage->touch_plain, large, 0, NULL, &touched);
    int i;

    if (rv != APR_SUCCESS) {
        return rv;
    }
    for (i = 0; i < loader->files->nelts; i++) {
        dsc_loaded_file_t *file = APR_ARRAY_IDX(loader->files, i, dsc_loaded_file_t *);

        file->count.stored += stage->merging[i];
        file->changed |= stage->merging[i] > 0;
    }
    stage->changed |= stored > 0;
    return APR_SUCCESS;
}

static apr_status_t merge_plain(dsc_loader_t *loader, dsc_stage_t *stage, int large)
{
    long long stored = 0;
    apr_status_t rv = dsc_loader_write(loader, &stage->insert_plain, large, 0, NULL, &stored);

    return rv == APR_SUCCESS ? note_plain(loader, stage, large, stored) : rv;
}

/* Runs a statement that yields how many rows it has written of each file. */
static apr_status_t write_by_file(dsc_loader_t *loader, dsc_statement_t *statement, int large,
                                  long long of_file[DSC_MOST_FILES])
{
    PGresult *result;
    apr_status_t rv = dsc_loader_run(loader, statement, large, 0, NULL, &result);
    int row;

    memset(of_file, 0, sizeof(*of_file) * DSC_MOST_FILES);
    if (rv != APR_SUCCESS) {
        return rv;
    }
    for (row = 0; row < PQntuples(result); row++) {
        of_file[file_at(loader, result, row, 0)->number] = atoll(PQgetvalue(result, row, 1));
    }
    PQclear(result);
    return APR_SUCCESS;
}

/* The same; *changed says whether there was any, and the files are changed by it. */
static apr_status_t change_by_file(dsc_loader_t *loader, dsc_statement_t *statement, int large,
                                   int *changed)
{
    long long rows[DSC_MOST_FILES];
    apr_status_t rv = write_by_file(loader, statement, large, rows);
    int i;

    for (i = 0; i < loader->files->nelts; i++) {
        APR_ARRAY_IDX(loader->files, i, dsc_loaded_file_t *)->changed |= rows[i] > 0;
        *changed |= rows[i] > 0;
    }
    return rv;
}

/* Ends versions, which are counted. */
static apr_status_t close_by_file(dsc_loader_t *loader, dsc_statement_t *statement, int large)
{
    long long rows[DSC_MOST_FILES];
    apr_status_t rv = write_by_file(loader, statement, large, rows);
    int i;

    for (i = 0; i < loader->files->nelts; i++) {
        APR_ARRAY_IDX(loader->files, i, dsc_loaded_file_t *)->count.superseded += rows[i];
    }
    return rv;
}

/* After TRUNCATE all statements on the table are planned anew: it is for many rows. */
static apr_status_t empty_act(dsc_loader_t *loader, dsc_stage_t *stage)
{
    long long rows = 0;

    return stage->rows >= LARGE_LOAD
               ? dsc_loader_query(loader,
                                  apr_pstrcat(loader->file_pool, "TRUNCATE pg_temp.act_",
                                              stage->dataset->name, NULL),
                                  0, NULL, NULL)
               : dsc_loader_write(loader, &stage->empty_act, 0, 0, NULL, &rows);
}

/* How many rows of a pass are of each kind. */
typedef struct {
    long long inserted, moved, unchanged;
} dsc_kinds_t;

static apr_status_t classify(dsc_loader_t *loader, dsc_stage_t *stage, int large, long long pass,
                             dsc_kinds_t *kinds)
{
    const char *number = apr_psprintf(loader->file_pool, "%" APR_INT64_T_FMT, (apr_int64_t)pass);
    PGresult *result;
    apr_status_t rv = dsc_loader_run(loader, &stage->classify, large, 1, &number, &result);
    int row;

    memset(kinds, 0, sizeof(*kinds));
    if (rv != APR_SUCCESS) {
        return rv;
    }
    for (row = 0; row < PQntuples(result); row++) {
        dsc_loaded_file_t *file = file_at(loader, result, row, 0);
        char kind = *PQgetvalue(result, row, 1);
        long long rows = atoll(PQgetvalue(result, row, 2));

        *(kind == 'i' ? &kinds->inserted : kind == 'm' ? &kinds->moved : &kinds->unchanged) += rows;
        *(kind == 'u' ? &file->count.unchanged : &file->count.stored) += rows;
        file->changed |= kind != 'u';
    }
    PQclear(result);
    return APR_SUCCESS;
}

/* What was there before a version that is inserted ends, and may hold again. */
static apr_status_t insert_versions(dsc_loader_t *loader, dsc_stage_t *stage, int large)
{
    long long stored = 0, resumed = 0;
    apr_status_t rv = dsc_loader_write(loader, &stage->insert, large, 0, NULL, &stored);

    return rv == APR_SUCCESS && stage->snapshots
               ? dsc_loader_write(loader, &stage->resume, large, 0, NULL, &resumed)
               : rv;
}

static int tells_hash(const dsc_loader_t *loader)
{
    int i, tells = 0;

    for (i = 0; i < loader->files->nelts; i++) {
        tells |= APR_ARRAY_IDX(loader->files, i, dsc_loaded_file_t *)->content_hash != NULL;
    }
    return tells;
}

/* One pass: at most one row of each key. Statements on kinds of which there is none are left out. */
static apr_status_t merge_pass(dsc_loader_t *loader, dsc_stage_t *stage, int large, long long pass)
{
    long long moved = 0, touched = 0;
    int repeated = 0;
    dsc_kinds_t kinds;
    apr_status_t rv;

    if ((rv = classify(loader, stage, large, pass, &kinds)) != APR_SUCCESS ||
        (stage->raise.sql != NULL &&
         (rv = change_by_file(loader, &stage->raise, large, &stage->changed)) != APR_SUCCESS) ||
        (stage->snapshots && kinds.unchanged + kinds.moved > 0 &&
         (rv = change_by_file(loader, &stage->restate, large, &repeated)) != APR_SUCCESS) ||
        (kinds.inserted > 0 &&
         (rv = close_by_file(loader, &stage->close_previous, large)) != APR_SUCCESS) ||
        (kinds.inserted > 0 && stage->global_key &&
         (rv = close_by_file(loader, &stage->close_holder, large)) != APR_SUCCESS) ||
        (kinds.moved > 0 &&
         (rv = dsc_loader_write(loader, &stage->move, large, 0, NULL, &moved)) != APR_SUCCESS) ||
        (kinds.unchanged > 0 && tells_hash(loader) &&
         (rv = change_by_file(loader, &stage->rehash, large, &stage->changed)) != APR_SUCCESS) ||
        (kinds.inserted > 0 && (rv = insert_versions(loader, stage, large)) != APR_SUCCESS)) {
        return rv;
    }
    if (kinds.inserted + kinds.moved > 0) {
        stage->changed = 1;
        rv = dsc_loader_write(loader, &stage->touch, large, 0, NULL, &touched);
    }
    return rv == APR_SUCCESS ? empty_act(loader, stage) : rv;
}

static apr_status_t merge_passes(dsc_loader_t *loader, dsc_stage_t *stage, int large)
{
    const char *answer = NULL;
    apr_status_t rv = ask(loader, &stage->passes, large, &answer);
    long long pass, last = rv == APR_SUCCESS ? atoll(answer) : 0;

    if (last > MANY_PASSES && (rv = dsc_index_staged(loader, stage)) != APR_SUCCESS) {
        return rv;
    }
    if (rv == APR_SUCCESS && large) {
        rv = dsc_analyze_staged(loader, stage, "pass_", 0);
    }
    for (pass = 1; rv == APR_SUCCESS && pass <= last; pass++) {
        if (large && pass > 1 && (rv = dsc_analyze_grown(loader)) != APR_SUCCESS) {
            break; /* plans for many versions of an issuer need to know that there are */
        }
        rv = merge_pass(loader, stage, large && pass <= MANY_PASSES, pass);
    }
    return rv;
}

static apr_status_t expect(dsc_loader_t *loader, dsc_stage_t *stage, int large)
{
    long long rows = 0;
    apr_status_t rv = dsc_loader_write(loader, &stage->expect, large, 0, NULL, &rows);

    return rv == APR_SUCCESS && large ? dsc_analyze_staged(loader, stage, "expected_", 0) : rv;
}

/* Prepares what is staged for the merge; *plain says whether none of it is stored or staged twice. */
static apr_status_t look_at_staged(dsc_loader_t *loader, dsc_stage_t *stage, int large,
                                   const dsc_lacking_t *lacking, int *plain)
{
    const char *answer;
    apr_status_t rv = dsc_issuers_make(loader, stage, large, lacking);

    if (rv == APR_SUCCESS && stage->expect.sql != NULL) {
        rv = expect(loader, stage, large);
    }
    if (rv == APR_SUCCESS && (rv = ask(loader, &stage->is_plain, large, &answer)) == APR_SUCCESS) {
        *plain = *answer == 't';
    }
    return rv;
}

/* Whether the table has refused a row by one of its CHECKs. */
static int is_refused(const dsc_loader_t *loader)
{
    const char *state =
        PQresultErrorField(dsc_connection_failure(loader->connection)->result, PG_DIAG_SQLSTATE);

    return state != NULL && strcmp(state, "23514") == 0;
}

/* Checks that take long are left to the table, which asks them anyhow when a row is inserted: only where it refuses one are
 * they asked before, to say which rows are wrong. Nothing is left of what was not inserted. */
static apr_status_t merge_trusting(dsc_loader_t *loader, dsc_stage_t *stage, int large, int *done)
{
    dsc_lacking_t lacking;
    long long stored = 0;
    int plain = 0;
    apr_status_t rv;

    if ((rv = dsc_issuers_find(loader, stage, large, &lacking)) != APR_SUCCESS ||
        (rv = dsc_loader_script(loader, "SAVEPOINT trusting")) != APR_SUCCESS ||
        (rv = look_at_staged(loader, stage, large, &lacking, &plain)) != APR_SUCCESS) {
        return rv;
    }
    if (plain) {
        rv = dsc_loader_write(loader, &stage->insert_plain, large, 0, NULL, &stored);
        if (rv != APR_SUCCESS && !is_refused(loader)) {
            return rv;
        }
    }
    *done = plain && rv == APR_SUCCESS;
    if (!*done) {
        loader->error = "";
        rv = dsc_loader_script(loader, "ROLLBACK TO trusting");
    }
    if (rv == APR_SUCCESS) {
        rv = dsc_loader_script(loader, "RELEASE trusting");
    }
    return rv == APR_SUCCESS && *done ? note_plain(loader, stage, large, stored) : rv;
}

apr_status_t dsc_merge_run(dsc_loader_t *loader, dsc_stage_t *stage)
{
    int large = stage->rows >= LARGE_LOAD, done = 0, plain;
    dsc_lacking_t lacking;
    apr_status_t rv;

    if (stage->insert.sql == NULL) {
        prepare(loader->pool, stage);
    }
    if ((large && (rv = dsc_analyze_staged(loader, stage, "stage_", 1)) != APR_SUCCESS) ||
        (stage->slow_checks &&
         ((rv = merge_trusting(loader, stage, large, &done)) != APR_SUCCESS || done)) ||
        (rv = refuse_rows(loader, stage, large)) != APR_SUCCESS ||
        (rv = dsc_issuers_find(loader, stage, large, &lacking)) != APR_SUCCESS ||
        (rv = look_at_staged(loader, stage, large, &lacking, &plain)) != APR_SUCCESS ||
        (!plain && (rv = dsc_stage_passes(loader, stage)) != APR_SUCCESS)) {
        return rv;
    }
    return plain ? merge_plain(loader, stage, large) : merge_passes(loader, stage, large);
}
