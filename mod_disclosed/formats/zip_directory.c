#include "formats/zip_directory.h"

#include "engine/hash.h"

#include <apr_lib.h>
#include <apr_strings.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    END = 22,               /* bytes of the directory's end */
    LONG_END = 56,          /* of zip64's */
    LOCATOR = 20,           /* of what says where that is */
    ENTRY = 46,             /* of a member in the directory, without its name */
    HEADER = 30,            /* of its own header, likewise */
    MOST_COMMENT = 0xffff,  /* and of a name */
    MOST_MEMBERS = 2000000, /* submissions.zip has a million; each takes some 220 bytes */
    DEFLATE = 8,
    DEFLATE_MOST = 1032, /* bytes that a byte of deflated data can stand for */
    MOST_RATIO = 200,    /* of text, which is what is loaded, a tenth of it is usual */
    WINDOW = 16384,
    HEADER_WINDOW = 256
};

#define FREE_BYTES ((uint64_t)1 << 30) /* unpacked, of an archive however small */

#define IS_ENCRYPTED 0x0001
#define HAS_NO_SIZES 0x0008 /* they stand behind the data */
#define MADE_BY_UNIX 3
#define DOS_FOLDER   0x10

/* Where a member is, and what it is called. */
typedef struct {
    uint64_t start, end, name;
} member_t;

/* What the directory, or a member's own header, says of a member. */
typedef struct {
    uint64_t packed, size, offset;
    uint32_t crc;
    unsigned flags, method, name_length, extra_length, comment_length;
    char name[MOST_COMMENT + 1];
} entry_t;

/* A part of the file in memory: headers stand far apart, entries of the directory side by side. */
typedef struct {
    uint64_t start;
    size_t length, most;
    unsigned char bytes[WINDOW];
} window_t;

typedef struct {
    apr_pool_t *pool;
    int fd;
    window_t directory, headers;
    uint64_t size;                 /* of the file */
    uint64_t count, start, length; /* of the directory */
    uint64_t unpacked;             /* bytes of all members */
    entry_t entry, header;
    unsigned char extra[MOST_COMMENT];
    member_t *members;
    int is_sorted;
} zip_t;

static unsigned u16(const unsigned char *at)
{
    return (unsigned)at[0] | (unsigned)at[1] << 8;
}

static uint32_t u32(const unsigned char *at)
{
    return u16(at) | (uint32_t)u16(at + 2) << 16;
}

static uint64_t u64(const unsigned char *at)
{
    return u32(at) | (uint64_t)u32(at + 4) << 32;
}

static int is_marked(const unsigned char *at, const char *mark)
{
    return memcmp(at, mark, 4) == 0;
}

static int read_all(int fd, uint64_t at, unsigned char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t got = pread(fd, bytes, size, (off_t)at);

        if (got == 0 || (got < 0 && errno != EINTR)) {
            return 0;
        }
        if (got > 0) {
            bytes += got;
            at += (uint64_t)got;
            size -= (size_t)got;
        }
    }
    return 1;
}

/* 0: the file has not so many bytes there. */
static int read_at(const zip_t *zip, window_t *window, uint64_t at, void *bytes, size_t size)
{
    if (at > zip->size || size > zip->size - at) {
        return 0;
    }
    if (size > window->most) {
        return read_all(zip->fd, at, bytes, size);
    }
    if (at < window->start || at + size > window->start + window->length) {
        window->start = at;
        window->length = zip->size - at < window->most ? (size_t)(zip->size - at) : window->most;
        if (!read_all(zip->fd, at, window->bytes, window->length)) {
            window->length = 0;
            return 0;
        }
    }
    memcpy(bytes, window->bytes + (at - window->start), size);
    return 1;
}

/* ------------------------------------------------------------------- the directory's end */

static const char breaks_off[] = "the archive breaks off: it has no directory";

/* Looks for the end from behind: it has to reach to the end of the file, or it is a comment's or a
 * member's text. */
static const char *find_end(zip_t *zip, unsigned char end[END], uint64_t *at)
{
    size_t tail = zip->size < END + MOST_COMMENT ? (size_t)zip->size : END + MOST_COMMENT, i;
    unsigned char *bytes = apr_palloc(zip->pool, tail + 1);
    uint64_t behind = 0;

    if (!read_at(zip, &zip->directory, zip->size - tail, bytes, tail)) {
        return "it cannot be read";
    }
    for (i = tail < END ? 0 : tail - END + 1; i-- > 0;) {
        if (is_marked(bytes + i, "PK\005\006")) {
            uint64_t left = tail - i - END, comment = u16(bytes + i + 20);

            if (left == comment) {
                memcpy(end, bytes + i, END);
                *at = zip->size - tail + i;
                return NULL;
            }
            behind = behind == 0 && left > comment ? left - comment : behind;
        }
    }
    return behind == 0 ? breaks_off
                       : apr_psprintf(zip->pool,
                                      "%" APR_UINT64_T_FMT " bytes follow the end of the archive's "
                                      "directory, with which the archive has to end",
                                      behind);
}

/* The end of zip64, if there is one: its numbers stand for those of the other, which have to say
 * the same or nothing. */
static const char *read_long_end(zip_t *zip, const unsigned char end[END], uint64_t *at)
{
    unsigned char locator[LOCATOR], record[LONG_END];
    uint64_t where;

    if (*at < LOCATOR || !read_at(zip, &zip->directory, *at - LOCATOR, locator, LOCATOR) ||
        !is_marked(locator, "PK\006\007")) {
        return NULL;
    }
    where = u64(locator + 8);
    if (!read_at(zip, &zip->directory, where, record, LONG_END) ||
        !is_marked(record, "PK\006\006") || u64(record + 4) != *at - LOCATOR - where - 12) {
        return apr_psprintf(zip->pool,
                            "the end of the archive's directory says that zip64's is at byte "
                            "%" APR_UINT64_T_FMT ", where there is none",
                            where);
    }
    zip->count = u64(record + 32);
    zip->length = u64(record + 40);
    zip->start = u64(record + 48);
    if ((u16(end + 10) != 0xffff && u16(end + 10) != zip->count) ||
        (u32(end + 12) != 0xffffffff && u32(end + 12) != zip->length) ||
        (u32(end + 16) != 0xffffffff && u32(end + 16) != zip->start)) {
        return "the two ends of the archive's directory, that of zip64 and the other, differ";
    }
    *at = where;
    return NULL;
}

static const char *read_end(zip_t *zip)
{
    unsigned char end[END] = {0};
    const char *error;
    uint64_t at = 0;

    if ((error = find_end(zip, end, &at)) != NULL) {
        return error;
    }
    if ((u16(end + 4) != 0 && u16(end + 4) != 0xffff) || u16(end + 8) != u16(end + 10)) {
        return "it is a part of an archive that is in several files";
    }
    zip->count = u16(end + 10);
    zip->length = u32(end + 12);
    zip->start = u32(end + 16);
    if ((error = read_long_end(zip, end, &at)) != NULL) {
        return error;
    }
    if (zip->start > at || zip->length != at - zip->start) {
        return apr_psprintf(zip->pool,
                            "the archive's directory should have %" APR_UINT64_T_FMT
                            " bytes from byte %" APR_UINT64_T_FMT ", and it ends at byte "
                            "%" APR_UINT64_T_FMT,
                            zip->length, zip->start, at);
    }
    if (zip->count > MOST_MEMBERS) {
        return apr_psprintf(zip->pool,
                            "the archive's directory says that it has %" APR_UINT64_T_FMT
                            " members: %d are the most that are read",
                            zip->count, MOST_MEMBERS);
    }
    return zip->count == 0 ? "the archive has no member" : NULL;
}

/* ------------------------------------------------------------------------------- members */

/* The numbers of zip64 that stand for those that have no room; 0: they are not there. */
static int take_long_numbers(const zip_t *zip, entry_t *entry, int is_own)
{
    uint64_t *const numbers[] = {&entry->size, &entry->packed, &entry->offset};
    const unsigned char *at = zip->extra, *end = zip->extra + entry->extra_length;
    size_t i, count = is_own ? 2 : 3;
    int is_wanted = 0;

    for (i = 0; i < count; i++) {
        is_wanted |= *numbers[i] == 0xffffffff;
    }
    while (is_wanted && end - at >= 4) {
        const unsigned char *field = at + 4;
        unsigned length = u16(at + 2);

        if (length > end - field) {
            return 0;
        }
        at = field + length;
        if (u16(field - 4) != 1) {
            continue;
        }
        for (i = 0; i < count; i++) {
            if (*numbers[i] == 0xffffffff) {
                if (at - field < 8) {
                    return 0;
                }
                *numbers[i] = u64(field);
                field += 8;
            }
        }
        return 1;
    }
    return !is_wanted;
}

/* The name and what else follows the fields; 0: it does not fit. */
static int read_rest(zip_t *zip, entry_t *entry, uint64_t at, int is_own)
{
    window_t *window = is_own ? &zip->headers : &zip->directory;

    if (!read_at(zip, window, at, entry->name, entry->name_length) ||
        !read_at(zip, window, at + entry->name_length, zip->extra, entry->extra_length)) {
        return 0;
    }
    entry->name[entry->name_length] = '\0';
    return take_long_numbers(zip, entry, is_own);
}

/* As it can be shown. */
static const char *shown(const zip_t *zip, const entry_t *entry)
{
    char *text = apr_pstrmemdup(zip->pool, entry->name, entry->name_length);
    unsigned i;

    for (i = 0; i < entry->name_length; i++) {
        text[i] = (char)(apr_iscntrl(text[i]) ? '?' : text[i]);
    }
    return text;
}

static const char *wrong_member(const zip_t *zip, const char *rule)
{
    return apr_pstrcat(zip->pool, "its member ", shown(zip, &zip->entry), ": ", rule, NULL);
}

/* No name is ever one of a file here, but if it says so, the archive is none that a publisher
 * makes. */
static const char *name_rule(const entry_t *entry)
{
    const char *name = entry->name, *part;

    if (entry->name_length == 0) {
        return "it has no name";
    }
    for (part = name; part < name + entry->name_length; part++) {
        if (apr_iscntrl(*part)) {
            return "its name has a control character";
        }
    }
    if (name[0] == '/' || name[0] == '\\' || (apr_isalpha(name[0]) && name[1] == ':')) {
        return "its name is a path from the root";
    }
    for (part = name; part != NULL; part = strpbrk(part, "/\\")) {
        part += part != name;
        if (strncmp(part, "..", 2) == 0 && strchr("/\\", part[2]) != NULL) {
            return "its name leads out of the archive";
        }
    }
    return NULL;
}

/* A folder is one by its name, too, or a file would be passed over for one. */
static const char *kind_rule(const entry_t *entry, const unsigned char fields[ENTRY])
{
    uint32_t attributes = u32(fields + 38);
    unsigned type = fields[5] == MADE_BY_UNIX ? attributes >> 16 & S_IFMT : 0;
    int is_folder = entry->name[entry->name_length - 1] == '/';

    if (type == S_IFLNK) {
        return "it is a link";
    }
    if (type != 0 && type != S_IFREG && type != S_IFDIR) {
        return "it is neither a file nor a folder";
    }
    if (is_folder) {
        return entry->size > 0 ? "it is a folder, and has bytes" : NULL;
    }
    return type == S_IFDIR || (type == 0 && (attributes & DOS_FOLDER) != 0)
               ? "it is a folder, and not named as one"
               : NULL;
}

/* A stored one has what it takes, a deflated one no more than that can be. */
static const char *size_rule(const entry_t *entry)
{
    if (entry->method == 0 && (entry->flags & IS_ENCRYPTED) == 0 && entry->size != entry->packed) {
        return "it is stored as it is, in another size than its own";
    }
    return entry->method == DEFLATE && entry->size / DEFLATE_MOST > entry->packed
               ? "it cannot have so many bytes as the directory says"
               : NULL;
}

/* The header that stands before its data has to say what the directory says. */
static const char *header_rule(zip_t *zip, uint64_t *end)
{
    const entry_t *entry = &zip->entry;
    entry_t *header = &zip->header;
    unsigned char fields[HEADER];

    if (entry->offset >= zip->start ||
        !read_at(zip, &zip->headers, entry->offset, fields, HEADER) ||
        !is_marked(fields, "PK\003\004")) {
        return "no header of its own is where the directory says";
    }
    header->flags = u16(fields + 6);
    header->method = u16(fields + 8);
    header->crc = u32(fields + 14);
    header->packed = u32(fields + 18);
    header->size = u32(fields + 22);
    header->name_length = u16(fields + 26);
    header->extra_length = u16(fields + 28);
    if (!read_rest(zip, header, entry->offset + HEADER, 1)) {
        return "its header does not fit";
    }
    if (header->name_length != entry->name_length ||
        memcmp(header->name, entry->name, entry->name_length) != 0) {
        return apr_pstrcat(zip->pool, "its own header calls it ", shown(zip, header), NULL);
    }
    if (header->method != entry->method || ((header->flags ^ entry->flags) & IS_ENCRYPTED) != 0 ||
        ((header->flags & HAS_NO_SIZES) == 0 &&
         (header->crc != entry->crc || header->packed != entry->packed ||
          header->size != entry->size))) {
        return "its own header has another size, checksum or method than the directory";
    }
    *end = entry->offset + HEADER + header->name_length + header->extra_length;
    if (*end > zip->start || entry->packed > zip->start - *end) {
        return "it has more bytes than there are before the directory";
    }
    *end += entry->packed;
    return NULL;
}

/* One of the directory, at `*at`, which goes behind it. */
static const char *read_member(zip_t *zip, uint64_t number, uint64_t *at)
{
    unsigned char fields[ENTRY];
    entry_t *entry = &zip->entry;
    member_t *member = &zip->members[number];
    const char *rule;

    if (*at + ENTRY > zip->start + zip->length ||
        !read_at(zip, &zip->directory, *at, fields, ENTRY) || !is_marked(fields, "PK\001\002")) {
        return apr_psprintf(zip->pool,
                            "the archive's directory has %" APR_UINT64_T_FMT
                            " members by its end, and after %" APR_UINT64_T_FMT
                            " of them, at byte %" APR_UINT64_T_FMT ", no other",
                            zip->count, number, *at);
    }
    entry->flags = u16(fields + 8);
    entry->method = u16(fields + 10);
    entry->crc = u32(fields + 16);
    entry->packed = u32(fields + 20);
    entry->size = u32(fields + 24);
    entry->name_length = u16(fields + 28);
    entry->extra_length = u16(fields + 30);
    entry->comment_length = u16(fields + 32);
    entry->offset = u32(fields + 42);
    if (!read_rest(zip, entry, *at + ENTRY, 0)) {
        return apr_psprintf(zip->pool,
                            "the archive's directory: the entry at byte %" APR_UINT64_T_FMT
                            " does not fit",
                            *at);
    }
    *at += ENTRY + entry->name_length + entry->extra_length + entry->comment_length;
    if ((rule = name_rule(entry)) == NULL && (rule = kind_rule(entry, fields)) == NULL &&
        (rule = size_rule(entry)) == NULL) {
        rule = header_rule(zip, &member->end);
    }
    member->start = entry->offset;
    /* Who makes two names alike has his archive refused. */
    member->name = dsc_hash_bytes(DSC_HASH_START, entry->name, entry->name_length);
    zip->is_sorted &= number == 0 || zip->members[number - 1].start < member->start;
    zip->unpacked += entry->size < UINT64_MAX - zip->unpacked ? entry->size : 0;
    return rule == NULL ? NULL : wrong_member(zip, rule);
}

/* ------------------------------------------------------------------------- all of them */

static int by_start(const void *one, const void *other)
{
    const member_t *a = one, *b = other;

    return a->start < b->start ? -1 : a->start > b->start;
}

static int by_name(const void *one, const void *other)
{
    const member_t *a = one, *b = other;

    return a->name < b->name ? -1 : a->name > b->name;
}

/* The name that a member's own header has. */
static const char *name_at(zip_t *zip, uint64_t start)
{
    unsigned char fields[HEADER];

    if (!read_at(zip, &zip->headers, start, fields, HEADER)) {
        return "?";
    }
    zip->header.name_length = u16(fields + 26);
    return read_at(zip, &zip->headers, start + HEADER, zip->header.name, zip->header.name_length)
               ? shown(zip, &zip->header)
               : "?";
}

/* No byte is two members', and no name. */
static const char *check_together(zip_t *zip)
{
    member_t *members = zip->members;
    uint64_t i;

    if (!zip->is_sorted) {
        qsort(members, (size_t)zip->count, sizeof(*members), by_start);
    }
    for (i = 1; i < zip->count; i++) {
        if (members[i].start < members[i - 1].end) {
            return apr_pstrcat(zip->pool, "its members ", name_at(zip, members[i - 1].start),
                               " and ", name_at(zip, members[i].start), " overlap", NULL);
        }
    }
    qsort(members, (size_t)zip->count, sizeof(*members), by_name);
    for (i = 1; i < zip->count; i++) {
        if (members[i].name == members[i - 1].name) {
            return apr_pstrcat(zip->pool, "it has two members that are called ",
                               name_at(zip, members[i].start), NULL);
        }
    }
    return NULL;
}

static const char *check_members(zip_t *zip)
{
    uint64_t i, at = zip->start;
    const char *error;

    zip->is_sorted = 1;
    for (i = 0; i < zip->count; i++) {
        if ((error = read_member(zip, i, &at)) != NULL) {
            return error;
        }
    }
    if (at != zip->start + zip->length) {
        return apr_psprintf(zip->pool,
                            "the archive's directory has %" APR_UINT64_T_FMT
                            " members by its end, and more follow at byte %" APR_UINT64_T_FMT,
                            zip->count, at);
    }
    if (zip->unpacked > FREE_BYTES && zip->unpacked / MOST_RATIO > zip->size) {
        return apr_psprintf(zip->pool,
                            "it has %" APR_UINT64_T_FMT " bytes, and %" APR_UINT64_T_FMT
                            " unpacked: more than %d times as many",
                            zip->size, zip->unpacked, MOST_RATIO);
    }
    return check_together(zip);
}

static const char *check(zip_t *zip)
{
    char begin[2] = "";
    struct stat info;
    const char *error;

    if (fstat(zip->fd, &info) != 0) {
        return "it cannot be read";
    }
    zip->size = (uint64_t)info.st_size;
    if (!read_at(zip, &zip->headers, 0, begin, sizeof(begin)) || memcmp(begin, "PK", 2) != 0) {
        return "no zip archive";
    }
    if ((error = read_end(zip)) != NULL) {
        return error;
    }
    zip->members = malloc((size_t)zip->count * sizeof(*zip->members));
    if (zip->members == NULL) {
        return "there is not enough memory for the archive's directory";
    }
    error = check_members(zip);
    free(zip->members);
    return error;
}

const char *dsc_zip_error(apr_pool_t *pool, const char *path)
{
    zip_t *zip = apr_pcalloc(pool, sizeof(*zip));
    const char *error;

    zip->pool = pool;
    zip->directory.most = WINDOW;
    zip->headers.most = HEADER_WINDOW;
    zip->fd = open(path, O_RDONLY | O_CLOEXEC);
    if (zip->fd < 0) {
        return "it cannot be read";
    }
    error = check(zip);
    close(zip->fd);
    return error;
}
