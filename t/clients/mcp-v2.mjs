// The unmodified client of the MCP SDK, version 2, in one of its modes: lists all there is and calls every tool.
//     node mcp-v2.mjs URL KEY CALLS.json legacy|auto|VERSION
import { readFileSync } from 'node:fs';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

const [url, key, calls, mode] = process.argv.slice(2);
const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { Authorization: `Bearer ${key}` } } });
const client = new Client({ name: 'test', version: '1' },
    { versionNegotiation: { mode: mode === 'legacy' || mode === 'auto' ? mode : { pin: mode } } });
await client.connect(transport);
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
await client.close();
console.log(JSON.stringify(seen));
