// Lists all that an MCP client is offered and calls every tool. Returns what it saw.
import { readFileSync } from 'node:fs';

export async function walk(client, calls) {
    const seen = { tools: (await client.listTools()).tools, results: {} };
    for (const [name, args] of Object.entries(JSON.parse(readFileSync(calls)))) {
        const result = await client.callTool({ name, arguments: args });
        seen.results[name] = { isError: result.isError, text: result.content[0].text, structured: result.structuredContent !== undefined };
    }
    seen.resources = (await client.listResources()).resources;
    seen.templates = (await client.listResourceTemplates()).resourceTemplates;
    seen.coverage = (await client.readResource({ uri: 'disclosed://coverage' })).contents[0].mimeType;
    seen.prompts = (await client.listPrompts()).prompts.map(p => p.name);
    seen.brief = (await client.getPrompt({ name: 'company_brief', arguments: { symbol: 'ZEMRUZ' } })).messages.length;
    seen.unknown = await client.callTool({ name: 'nothing', arguments: {} }).then(() => 'no error', error => error.code);
    seen.bad = (await client.callTool({ name: 'insider_trades', arguments: { start_date: 'x' } })).isError;
    return seen;
}
