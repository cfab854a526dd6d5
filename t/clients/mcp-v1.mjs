// The unmodified client of the MCP SDK, version 1: lists all there is and calls every tool. Prints what it saw as JSON.
//     node mcp-v1.mjs URL KEY CALLS.json
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { walk } from './walk.mjs';

const [url, key, calls] = process.argv.slice(2);
const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { Authorization: `Bearer ${key}` } } });
const client = new Client({ name: 'test', version: '1' });
await client.connect(transport);
const seen = { server: client.getServerVersion(), ...(await walk(client, calls)) };
await client.ping();
await client.close();
console.log(JSON.stringify(seen));
