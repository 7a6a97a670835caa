import { inspect } from 'node:util';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { isLoopback } from '../../../src/store/client/options.ts';
import type { ReaderCall } from './query.ts';

interface CodeClient {
  endpoint?: string | undefined;
  region?: string | undefined;
}

/** Returns a file to save next to the model file of a project made by `edgeloom init`. */
export function codeOf(call: ReaderCall, client: CodeClient): string {
  const place = Object.entries(client).filter(([, value]) => value !== undefined);
  const question =
    call.method === 'search'
      ? `search(${literal(call.name)}).find(${literal(call.predicate)}, ${literal(call.options)})`
      : `${call.method}(${call.method === 'nodes' ? '' : `${literal(call.id)}, `}${literal(call.type)}, ${literal(call.options)})`;
  return [
    "import { createClient, createReader } from 'edgeloom';",
    "import graph from './edgeloom.config.ts';",
    '',
    `const client = createClient(${place.length === 0 ? '' : literal(Object.fromEntries(place))});`,
    'const reader = createReader(graph, { client });',
    '',
    `const page = await reader.${question};`,
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

function literal(value: unknown): string {
  return inspect(value, { depth: null, maxArrayLength: null, maxStringLength: null });
}

export async function placeOf({ config }: DynamoDBClient): Promise<CodeClient> {
  const endpoint = await config.endpoint?.();
  if (endpoint === undefined) return { region: await config.region() };
  const { protocol, hostname, port, path } = endpoint;
  return { endpoint: `${protocol}//${hostname}${port === undefined ? '' : `:${port}`}${path === '/' ? '' : path}` };
}

export async function isLocal(client: DynamoDBClient): Promise<boolean> {
  const place = await placeOf(client);
  return 'endpoint' in place && isLoopback(place.endpoint);
}
