#include "describe/llms.h"

#include "describe/tag.h"

#include <string.h>

/* The operations of a surface, in the groups of their tags. */
static void write_operations(dsc_buffer_t *out, const dsc_service_t *service,
                             const dsc_surface_t *surface)
{
    const dsc_registry_t *registry = service->registry;
    const char *tag = NULL;
    int i;
    for (i = 0; i < registry->count; i++) {
        const dsc_operation_t *one = &registry->operations[i];
        const dsc_endpoint_t *endpoint = one->endpoint;
        if (one->surface != surface ||
            (service->enabled && !service->enabled(one, service->enabled_baton))) {
            continue;
        }
        if (!tag || strcmp(tag, endpoint->tag) != 0) {
            tag = endpoint->tag;
            dsc_buffer_printf(out, "\n## %s\n\n%s\n\n", tag, dsc_tag_description(tag));
        }
        dsc_buffer_printf(out, "- [%s %s](%s/reference.html#%s): %s\n", endpoint->method,
                          endpoint->path, service->docs_url, endpoint->name, endpoint->summary);
    }
}

void dsc_llms_write(dsc_buffer_t *out, const dsc_service_t *service, const dsc_surface_t *surface)
{
    const char *base = service->base_url;
    dsc_buffer_printf(out, "# %s\n\n> %s\n\n", surface->title, surface->description);
    dsc_buffer_printf(
        out,
        "Requests carry an API key, `Authorization: Bearer <API_KEY>`. Lists come in pages "
        "(`limit`, `cursor`), as JSON, CSV or NDJSON (`Accept`). `as_of` returns what was "
        "public at an instant. Every item has its provenance: cite its src_id or "
        "source_url.\n\n- [OpenAPI 3.1](%s" DSC_PUBLIC
        "/openapi.json): every operation, readable without a key\n"
        "- [TypeScript](%s" DSC_PUBLIC "/disclosed.d.ts): the same as definitions\n"
        "- [MCP](%s/mcp): the Model Context Protocol, with the same keys\n"
        "- [Documentation](%s)\n",
        base, base, base, service->docs_url);
    write_operations(out, service, surface);
}
