/* The formats that rows are served in, and which of them a client accepts (RFC 9110,
 * section 12.5.1). */
#ifndef DSC_MEDIA_H
#define DSC_MEDIA_H

typedef enum {
    DSC_MEDIA_JSON,
    DSC_MEDIA_CSV,    /* RFC 4180, with a header line */
    DSC_MEDIA_NDJSON, /* an item a line */
    DSC_MEDIA_COUNT   /* how many there are; as a choice: none is acceptable */
} dsc_media_t;

typedef struct {
    const char *media_type;   /* as clients ask for it */
    const char *other;        /* another name of it that is in use; NULL: none */
    const char *content_type; /* as it is served */
} dsc_media_row_t;

/* By dsc_media_t. */
extern const dsc_media_row_t dsc_media[DSC_MEDIA_COUNT];

/* The format that an Accept header prefers of the first `count`; of several alike the one named
 * first. `accept` NULL or empty: JSON. DSC_MEDIA_COUNT: it excludes all. */
dsc_media_t dsc_media_choose(const char *accept, int count);

#endif
