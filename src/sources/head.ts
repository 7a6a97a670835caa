import { attributeOf, type Item, numberOf, stringOf } from '../core/items/attribute-value.ts';
import { REVISION } from '../core/items/derived-item.ts';
import { SERVICE_PARTITION } from '../core/items/keys.ts';
import type { CompiledModel } from '../core/model/compiled.ts';
import { queriedItems, type ReadStats } from '../core/store-pages.ts';
import type { ItemKey, Store } from '../core/store-port.ts';
import { EdgeloomError } from '../foundation/errors.ts';

/** The head of a source names the mapping and the database that are in force. */

const PREFIX = 'source/';

/** The head of a source. */
export interface Head {
  /** The version of the source in force. */
  version: string;
  /** When it came into force, in milliseconds since 1970; 0: no other was before it. */
  since: number;
  revision: string;
  /** True once the source is taken away: nobody mirrors it. */
  isRetired: boolean;
}

/** Reads the head of a source; undefined: nobody has mirrored it yet. */
export async function readHead(store: Pick<Store, 'get'>, source: string): Promise<Head | undefined> {
  const { item } = await store.get(keyOfHead(source), { consistent: true });
  return item && headOf(item);
}

/** Writes the head of a source if it is as it was read; undefined: it is not. */
export async function writeHead(
  { graph, store }: { graph: CompiledModel; store: Pick<Store, 'change'> },
  source: string,
  before: Head | undefined,
  { version, since, isRetired }: Pick<Head, 'version' | 'since' | 'isRetired'>,
): Promise<Head | undefined> {
  const revision = String(Number(before?.revision ?? 0) + 1);
  const key = keyOfHead(source);
  const item: Item = {
    [graph.table.partitionKey]: { S: key.source },
    [graph.table.sortKey]: { S: key.target },
    version: { S: version },
    since: { N: String(since) },
    [REVISION]: { N: revision },
    ...(isRetired && { retired: { BOOL: true } }),
  };
  const condition = before === undefined ? { present: false } : { equal: { [REVISION]: { N: before.revision } } };
  const { applied } = await store.change({ kind: 'put', key, item, condition });
  return applied ? { version, since, isRetired, revision } : undefined;
}

/** The head by which a touch may go on; the first touch of a source writes one. Throws `mapping-not-in-force`. */
export async function requireInForce(
  context: { graph: CompiledModel; store: Pick<Store, 'get' | 'change'> },
  { name, version }: { name: string; version: string },
): Promise<void> {
  for (;;) {
    const head = await readHead(context.store, name);
    // rule: source-another-mapping-leaves-the-touch
    if (head !== undefined && (head.isRetired || head.version !== version)) throw notInForce(name, version, head);
    if (head !== undefined) return;
    await writeHead(context, name, undefined, { version, since: 0, isRetired: false });
  }
}

/** The error of a touch by a mapping that is not in force: it has to come again. */
export function notInForce(name: string, version: string, head: Head | undefined): EdgeloomError {
  const isInForce = head?.isRetired !== false ? 'no version is' : `version ${head.version} is`;
  return new EdgeloomError(
    'mapping-not-in-force',
    `The source ${name} is mapped by version ${version} here, but ${isInForce} in force: the touch has to come again.`,
    `Run edgeloom mirror sync ${name} with the model file that is deployed.`,
  );
}

/** The heads of all sources of a table, retired ones too, by name. */
export async function heads(
  { table }: CompiledModel,
  store: Pick<Store, 'query'>,
  stats?: ReadStats,
): Promise<Map<string, Head>> {
  const found = new Map<string, Head>();
  const request = { partition: SERVICE_PARTITION, sortKey: { beginsWith: PREFIX }, consistent: true };
  for await (const item of queriedItems(store, request, stats)) {
    const target = stringOf(attributeOf(item, table.sortKey)) ?? '';
    found.set(target.slice(PREFIX.length), headOf(item));
  }
  return found;
}

function headOf(item: Item): Head {
  return {
    version: stringOf(attributeOf(item, 'version')) ?? '',
    since: Number(numberOf(attributeOf(item, 'since')) ?? 0),
    revision: numberOf(attributeOf(item, REVISION)) ?? '0',
    isRetired: attributeOf(item, 'retired') !== undefined,
  };
}

function keyOfHead(source: string): ItemKey {
  return { source: SERVICE_PARTITION, target: PREFIX + source };
}
