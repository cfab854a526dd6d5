/* The shape of a row: which fields a response's object has, of what type, and the SQL that yields
 * each. The select list, the JSON and the OpenAPI schema are derived from it. */
#ifndef DSC_SHAPE_H
#define DSC_SHAPE_H

typedef enum {
    DSC_FIELD_INTEGER,
    DSC_FIELD_DECIMAL,
    DSC_FIELD_TEXT,
    DSC_FIELD_BOOLEAN,
    DSC_FIELD_DATE,
    DSC_FIELD_DATETIME,
    DSC_FIELD_CIK,       /* a number, shown with ten digits */
    DSC_FIELD_JSON,      /* SQL that yields JSON text; `items` says of what */
    DSC_FIELD_OBJECT,    /* an object of `shape`, from the same row */
    DSC_FIELD_VALUE,     /* {raw, normalized, unit, original_unit, conversion_factor} */
    DSC_FIELD_PROVENANCE /* the provenance columns of the table behind alias `sql` */
} dsc_field_type_t;

enum {
    DSC_NULLABLE = 1,
    DSC_CITED = 2,     /* DSC_FIELD_PROVENANCE: with citation_url */
    DSC_ARRAY = 4,     /* DSC_FIELD_JSON: an array of `items` */
    DSC_INTEGERS = 16, /* DSC_FIELD_JSON with DSC_ARRAY: of integers */
    DSC_SOURCES = 32,  /* DSC_FIELD_JSON: a provenance, or an array of them */
    /* DSC_FIELD_TEXT: what `sql` says is written from the columns of the fields behind it, and not
     * asked for: any text, start_date, end_date and the kind of the period. */
    DSC_CALENDAR = 64,
    DSC_OPTIONAL = 8 /* may be left out; DSC_FIELD_OBJECT of rows: unless its `sql` is true */
};

struct dsc_shape_t;
struct dsc_writer_t;

typedef struct dsc_field_t {
    const char *name;
    dsc_field_type_t type;
    unsigned flags;
    const char *sql;
    const char *unit;     /* DSC_FIELD_VALUE: the unit, e.g. "USD" */
    const char *unit_sql; /* DSC_FIELD_VALUE: SQL that yields it, if it is not constant */
    /* DSC_FIELD_PROVENANCE: names the src_id. DSC_FIELD_JSON with DSC_SOURCES and DSC_ARRAY: if
     * `sql` yields NULL, it is an array of one, of the provenance columns behind alias t. */
    const char *dataset;
    const char *dataset_sql; /* DSC_FIELD_PROVENANCE: SQL of the dataset's name, if it differs by
                                row; with `filer` */
    const char *filer;       /* SQL of the issuer's CIK for a provenance; NULL: it is looked up */
    const char *document; /* with `dataset_sql`: SQL of the name of the filing's document; NULL: of
                             the filing's index */
    const struct dsc_writer_t
        *writer; /* DSC_FIELD_JSON: NULL unless more than `sql` is needed to write it */
    const struct dsc_shape_t *shape; /* DSC_FIELD_OBJECT; DSC_FIELD_JSON: of its items, or NULL */
    const char *description;
} dsc_field_t;

typedef struct dsc_shape_t {
    const char *name; /* schema name in OpenAPI: "InsiderTransaction" */
    const char *description;
    const dsc_field_t *fields;
    int field_count;
} dsc_shape_t;

/* An order that a client may choose by the parameter `sort`. */
typedef struct dsc_order_t {
    const char *choice; /* value of `sort`; NULL ends the table */
    const char *sql;    /* never null */
    const char *type;   /* its SQL type, to bind a cursor's value */
} dsc_order_t;

/* Where rows come from and what orders them. In `from`, `where`, `orders`, predicates and fields,
 * "{now:x}" stands for the condition that the version behind alias x is the one in force (now, or
 * at as_of),
 * "{value:name}" for the value of a parameter, NULL when it is absent, "{company}" for the
 * issuer_id of the company that a DSC_RESOLVED parameter means, and "{account}" for the number of
 * the caller's account. "{present:...}" stands for its text if nothing is asked as of an instant,
 * and "{past:...}" for its text if something is; "{given:name:...}" and "{absent:name:...}"
 * likewise if the parameter is present or absent. "{shown:...}" of a list's `from` joins what
 * fields alone ask for, to each row exactly one: it is joined to the rows of the page, no others. A
 * literal percent sign is written "%%". */
typedef struct dsc_source_t {
    const char *from;       /* FROM and JOIN text; the dataset's own table has alias t */
    const char *where;      /* condition that always holds; NULL: none beyond {now:t} */
    const char *order;      /* SQL of the primary order column, never null: "t.filing_date" */
    const char *order_type; /* its SQL type, to bind a cursor's value: "date" */
    const char *tie;        /* SQL of the unique bigint tie-breaker: "t.id"; if there are no
                             * pages, of any columns */
    int unversioned;        /* rows have no known_at and superseded_at */
    int unkept; /* of a child: no dataset keeps its table, so that no tag can stand for it: the
                 * endpoint is DSC_BY_CLOCK, and as of an instant there is none of it */
    const char *plain; /* of an item: SQL, true if children may be read from their `plain_source` */
    const dsc_order_t *orders; /* NULL, or what `sort` chooses from in place of `order` */
} dsc_source_t;

#define DSC_COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))
/* The number of initialisers of that type. */
#define DSC_COUNT_OF(type, ...) ((int)(sizeof((const type[]){__VA_ARGS__}) / sizeof(type)))

#endif
