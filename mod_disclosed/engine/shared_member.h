/* Members of the objects that the engine writes itself, in the order in which it writes them. */
#ifndef DSC_SHARED_MEMBER_H
#define DSC_SHARED_MEMBER_H

typedef struct {
    const char *schema; /* NULL ends the table */
    const char *name, *type, *format;
    int is_nullable, is_required;
    const char *description;
} dsc_shared_member_t;

/* Names of such objects. */
#define DSC_SCHEMA_VALUE      "Value"
#define DSC_SCHEMA_PROVENANCE "Provenance"

extern const dsc_shared_member_t dsc_shared_members[];

#endif
