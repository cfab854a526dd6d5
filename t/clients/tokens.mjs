// How many tokens the tools' names, descriptions and inputs have: node tokens.mjs <TOOLS.json
import { encode } from 'gpt-tokenizer';
import { readFileSync } from 'node:fs';

const tools = JSON.parse(readFileSync(0)).map(({ name, title, description, inputSchema }) => ({ name, title, description, inputSchema }));
console.log(encode(JSON.stringify(tools)).length);
