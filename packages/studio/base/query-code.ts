import type { Literal, ReaderCall } from './query.ts';

export interface CodeClient {
  endpoint?: string | undefined;
  region?: string | undefined;
}

const LINE = 76;
const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;

/** A file to save next to the model file of a project made by `edgeloom init`. */
export function codeOf(call: ReaderCall, client: CodeClient): string {
  const place = Object.entries(client).filter(([, value]) => value !== undefined) as [string, string][];
  const shown = place.length === 0 ? '' : literal(Object.fromEntries(place));
  const question =
    call.method === 'search'
      ? `reader.search(${literal(call.name)}).find(${literal(call.predicate)}, ${wrapped(call.options)})`
      : `reader.${call.method}(${call.method === 'nodes' ? '' : `${literal(call.id)}, `}${literal(call.type)}, ${wrapped(call.options)})`;
  return [
    "import { createClient, createReader } from 'edgeloom';",
    "import graph from './edgeloom.config.ts';",
    '',
    `const client = createClient(${shown});`,
    'const reader = createReader(graph, { client });',
    '',
    `const page = await ${question};`,
    PRINTED[call.method],
    "if (page.cursor !== undefined) console.log('more:', page.cursor);",
    'client.destroy();',
    '',
  ].join('\n');
}

const PRINTED: Readonly<Record<ReaderCall['method'], string>> = {
  inbound: 'for (const { source, attributes } of page.items) console.log(source, attributes);',
  nodes: 'for (const { id, attributes } of page.items) console.log(id, attributes);',
  search: 'for (const { id, value, attributes } of page.items) console.log(id, value, attributes);',
};

function wrapped(options: Record<string, Literal>): string {
  const line = literal(options);
  if (line.length <= LINE) return line;
  return `{\n${Object.entries(options)
    .map(([name, value]) => `  ${property(name)}: ${literal(value)},\n`)
    .join('')}}`;
}

function literal(value: Literal): string {
  if (typeof value === 'string') return quoted(value);
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return String(value);
  const entries = Object.entries(value).map(([name, one]) => `${property(name)}: ${literal(one as Literal)}`);
  return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`;
}

/** `__proto__` as a plain property. */
function property(name: string): string {
  if (name === '__proto__') return `['__proto__']`;
  return IDENTIFIER.test(name) ? name : quoted(name);
}

function quoted(text: string): string {
  const inner = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'");
  return `'${inner}'`;
}
