#include "engine/shared_member.h"

#include <stddef.h>

const dsc_shared_member_t dsc_shared_members[] = {
    {DSC_SCHEMA_VALUE, "raw", "number", NULL, 0, 1, "As reported."},
    {DSC_SCHEMA_VALUE, "normalized", "number", NULL, 0, 1,
     "In the unit asked for: raw times the factor."},
    {DSC_SCHEMA_VALUE, "unit", "string", NULL, 0, 1, "Unit of normalized."},
    {DSC_SCHEMA_VALUE, "original_unit", "string", NULL, 0, 1, "Unit of raw."},
    {DSC_SCHEMA_VALUE, "conversion_factor", "number", NULL, 0, 1, "normalized / raw."},
    {DSC_SCHEMA_PROVENANCE, "src_id", "string", NULL, 0, 1,
     "src_<dataset>_<32 hex>; see /v1/src/{src_id}."},
    {DSC_SCHEMA_PROVENANCE, "source_provider", "string", NULL, 0, 1,
     "Who published it: sec, finra, ..."},
    {DSC_SCHEMA_PROVENANCE, "source_url", "string", NULL, 1, 1, "Address at the source."},
    {DSC_SCHEMA_PROVENANCE, "accession", "string", NULL, 1, 1, "EDGAR accession number."},
    {DSC_SCHEMA_PROVENANCE, "quote", "string", NULL, 1, 1, "Verbatim text."},
    {DSC_SCHEMA_PROVENANCE, "content_hash", "string", NULL, 1, 1,
     "sha256:<hex> of the file that it was read from."},
    {DSC_SCHEMA_PROVENANCE, "extracted_at", "string", "date-time", 1, 1,
     "When it was read from the source."},
    {DSC_SCHEMA_PROVENANCE, "citation_url", "string", NULL, 1, 0, "Address to cite."},
    {"Pagination", "next_cursor", "string", NULL, 1, 1, "Pass it back as cursor; null at the end."},
    {"Pagination", "has_more", "boolean", NULL, 0, 1, "Whether there is a next page."},
    {"Problem", "type", "string", "uri", 0, 1, "What kind of problem."},
    {"Problem", "title", "string", NULL, 0, 1, "The kind in words."},
    {"Problem", "status", "integer", NULL, 0, 1, "HTTP status."},
    {"Problem", "detail", "string", NULL, 0, 1, "What to do about it."},
    {"Problem", "request_id", "string", NULL, 0, 0, "req_<hex>."},
    {"Problem", "instance", "string", NULL, 0, 0, "Path of the request."},
    {"Problem", "required_tier", "string", NULL, 0, 0, "Plan that is needed."},
    {NULL, NULL, NULL, NULL, 0, 0, NULL},
};
