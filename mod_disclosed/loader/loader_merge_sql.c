/* The SQL by which the rows of a dataset are merged: see loader_merge.c. */
#include "loader/loader_internal.h"

#include <apr_strings.h>
#include <string.h>

/* A condition that the versions behind `version` are of the record of that issuer and key: what the
 * indexes of current and of past versions are read by. */
static void append_same_record(dsc_buffer_t *sql, const char *version, const char *issuer,
                               const char *key)
{
    dsc_buffer_printf(sql,
                      "%s.issuer_id = %s.issuer_id AND disclosed.key_hash(%s.record_key)"
                      " = disclosed.key_hash(%s.record_key) AND %s.record_key = %s.record_key"
                      " AND (%s.superseded_at IS NULL OR %s.superseded_at IS NOT NULL)",
                      version, issuer, version, key, version, key, version, version);
}

/* Joins the versions of the record of that issuer and key, as "v.row_id". A query of its own: in a
 * join of several tables PostgreSQL would not read both indexes, but all rows of the issuer. */
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

/* The order in which rows are written and numbered, whatever the plan: rows of one day are listed
 * by their numbers. */
static const char *writing_order(apr_pool_t *pool, const dsc_dataset_t *dataset)
{
    return dataset->flags & DSC_WRITTEN_BY_DAY
               ? apr_pstrcat(pool, "s.", dataset->date_column, ", s.row_order", NULL)
               : "s.row_order";
}

static const char *insert_plain_sql(apr_pool_t *pool, const dsc_stage_t *stage)
{
    dsc_buffer_t *sql = dsc_buffer_create(pool, 2048);

    append_names(sql, stage, stage->dataset->expected);
    dsc_buffer_append_text(sql, " SELECT nextval('disclosed.record_id'), " ISSUER_ID
                                ", s.record_key, s.known_at, ");
    dsc_buffer_append_text(sql, stage->dataset->expect != NULL ? "e.superseded_at, "
                                                               : "NULL::timestamptz, ");
    append_values(sql, stage, NULL);
    dsc_buffer_printf(sql, " FROM pg_temp.stage_%s s" ISSUER_JOIN "%s ORDER BY %s",
                      stage->dataset->name, expected_join(pool, stage),
                      writing_order(pool, stage->dataset));
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

/* Whether a version says it already: the one in force (or, if keys move between issuers, one still
 * in force), one of the same instant that was put aside or replaced within its file, or, if the
 * file replaces the row itself, the one before. */
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

/* When what the version before says is stated again, before the next version: there an inserted one
 * ends. */
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

/* Staged rows of which a version is stored. Those of issuers of which nothing is stored are not
 * looked up one by one; an issuer is by its first row, because a plan that reads the table for any
 * row of it reads all if there is none. */
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

static const char *note_sql(apr_pool_t *pool, const dsc_stage_t *stage)
{
    dsc_buffer_t *condition = dsc_buffer_create(pool, 256);

    append_same_record(condition, "v", "a", "s");
    return dsc_note_sql(pool, stage->dataset, dsc_buffer_text(condition));
}

/* Whatever version is in force at the new one's time ends there: it need not be the one before,
 * which a reconciling function may have put aside. What is closed earlier stays closed. */
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
        "%sINSERT INTO pg_temp.touched SELECT %d, issuer_id FROM pg_temp.act_%s WHERE kind <> 'u'"
        " UNION SELECT %d, holder_issuer FROM pg_temp.act_%s"
        " WHERE kind = 'i' AND holder_issuer IS NOT NULL",
        note_sql(pool, stage), stage->slot, name, stage->slot, name);
    stage->touch_plain.sql =
        apr_psprintf(pool,
                     "%sINSERT INTO pg_temp.touched SELECT DISTINCT %d, " ISSUER_ID
                     " FROM pg_temp.stage_%s s" ISSUER_JOIN,
                     dsc_note_plain_sql(pool, stage->dataset), stage->slot, name);
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

/* Two files that say the same, known at the same time or of the same filing: the version comes from
 * the one with the lesser accession number, address and content hash, whichever came first. One
 * without takes those of the file that says it again. What is derived of it follows. Sources are
 * looked up one by one, or a plan may read all of them for each row. Kind 'u' as the one that is
 * left: PostgreSQL takes a kind that is asked for to be one row in 200, and would compare each row
 * with each of the staged ones. */
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
        " CROSS JOIN LATERAL (SELECT k.content_hash FROM disclosed.source k"
        " WHERE k.source_id = s.source_id OFFSET 0) k"
        " CROSS JOIN LATERAL (SELECT v.* FROM disclosed.%s v WHERE ",
        table, name, name, table);
    append_same_record(sql, "v", "a", "s");
    dsc_buffer_append_text(sql, " AND (v.known_at = a.known_at OR (v.row_id = a.previous_row"
                                " AND v.accession = s.accession)) AND ");
    append_equal(sql, stage, "v", 1);
    dsc_buffer_printf(
        sql,
        " OFFSET 0) v CROSS JOIN LATERAL (SELECT o.provider, o.url, o.content_hash"
        " FROM disclosed.source o WHERE o.source_id = v.source_id OFFSET 0) o"
        " WHERE a.kind NOT IN ('i', 'm') AND f.content_hash = '" DSC_HASH_OF_FILE "'"
        " AND o.provider = f.provider"
        " AND (coalesce(s.accession, '~') COLLATE \"C\","
        " coalesce(f.url, '~') COLLATE \"C\","
        " disclosed.content_hash_text(k.content_hash) COLLATE \"C\")"
        " < (coalesce(v.accession, '~'), coalesce(o.url, '~'),"
        " coalesce(disclosed.content_hash_text(o.content_hash), '~')) OFFSET 0) c"
        " WHERE t.issuer_id = c.issuer_id AND t.row_id = c.row_id"
        " RETURNING t.issuer_id, c.row_order%s),%s"
        " noted AS (INSERT INTO pg_temp.touched SELECT DISTINCT %d, issuer_id FROM changed)" DSC_COUNT_BY_FILE,
        dsc_returned_note_sql(pool, stage->dataset), dsc_note_changed_sql(pool, stage->dataset),
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

void dsc_merge_prepare(apr_pool_t *pool, dsc_stage_t *stage)
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
