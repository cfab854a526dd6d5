// The unmodified client of the MCP SDK, version 2, in one of its modes: lists all there is and calls every tool.
//     node mcp-v2.mjs URL KEY CALLS.json legacy|auto|VERSION
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { walk } from './walk.mjs';

const [url, key, calls, mode] = process.argv.slice(2);
const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { Authorization: `Bearer ${key}` } } });
const client = new Client({ name: 'test', version: '1' },
    { versionNegotiation: { mode: mode === 'legacy' || mode === 'auto' ? mode : { pin: mode } } });
await client.connect(transport);
const seen = await walk(client, calls);
await client.close();
console.log(JSON.stringify(seen));
