import type { Operations, Filing, Deliveries } from './disclosed.js';
type Query<Name extends keyof Operations> = Operations[Name]['query'];
async function get<Name extends keyof Operations>(url: string, key: string, query: Query<Name>): Promise<Operations[Name]['response']> {
    const parameters = new URLSearchParams();
    for (const [name, value] of Object.entries(query as Record<string, unknown>)) {
        for (const one of Array.isArray(value) ? value : [value]) parameters.append(name, String(one));
    }
    const response = await fetch(`${url}?${parameters}`, { headers: { Authorization: `Bearer ${key}` } });
    if (!response.ok) throw new Error(await response.text());
    return await response.json() as Operations[Name]['response'];
}
const page = await get<'list_filings'>('http://x/v1/filings', 'k', { symbols: ['AAPL'], limit: 5, direction: 'desc' });
const one: Filing | undefined = page.data[0];
const cursor: string | null = page.pagination.next_cursor;
console.log(one?.accession, cursor);
// @ts-expect-error there is no such field
console.log(one?.nothing);
// @ts-expect-error a limit is a number
await get<'list_filings'>('x', 'k', { limit: 'five' });
export const told = (body: Deliveries['filing.created']): string => body.data.accession;
