import { type Item, numberOf, stringOf } from '../core/items/attribute-value.ts';
import { REVISION } from '../core/items/derived-item.ts';
import { SERVICE_PARTITION } from '../core/items/keys.ts';
import { type CountingReader, type ReadStats, readItem, readItems } from '../core/store-pages.ts';
import type { ItemKey, Store } from '../core/store-port.ts';
import { EdgeloomError } from '../foundation/errors.ts';
import type { Data } from './data.ts';
import { decodeRegistry, encodeRegistry, type Registry } from './registry.ts';
import type { DefinitionData } from './revive.ts';

/**
 * The registry's items, in a partition of their own: `head`, and the definitions by their fingerprints. Their sort keys are
 * in lower case and without `~`: neither the stream's filter nor a repair by earlier software takes them for its own.
 */

const HEAD: ItemKey = { source: SERVICE_PARTITION, target: 'head' };
const DEFINITION_PREFIX = 'definitions/';
const STATE = 'state';
const DEFINITION = 'definition';

/** A head as it was read. */
export interface Head {
  registry: Registry;
  /** The revision that a write of the next head compares. */
  revision: string | undefined;
  /** The text of the registry. */
  text: string;
}

/**
 * A consistent read of the head; undefined where the table has no registry.
 *
 * @param last the head that was read before: a text that is still the same is not taken apart again.
 */
export async function readHead(reader: CountingReader<'get'>, last?: Head): Promise<Head | undefined> {
  const item = await readItem(reader, HEAD);
  const text = stringOf(item?.[STATE]);
  if (item === undefined || text === undefined) return undefined;
  const registry = last?.text === text ? last.registry : decodeRegistry(text);
  return { registry, revision: numberOf(item[REVISION]), text };
}

/** A store to write the registry to, and where its calls are counted. */
export interface CountingWriter<Calls extends 'get' | 'update'> {
  store: Pick<Store, Calls>;
  stats: ReadStats & WriteStats;
}

/** The counters to which writes add. */
export interface WriteStats {
  writes: number;
  /** Write capacity units. */
  wcu: number;
}

/** Writes the next head, if nothing has changed it since `revision` was read; false where something has. */
export async function writeHead(
  writer: CountingWriter<'update'>,
  registry: Registry,
  revision: string | undefined,
): Promise<boolean> {
  return await writeItem(writer, HEAD, { [STATE]: { S: encodeRegistry(registry) } }, revision);
}

/** Puts definitions next to the head, before a head names them. Each is named by its content, so that none changes. */
export async function writeDefinitions(
  writer: CountingWriter<'get' | 'update'>,
  definitions: ReadonlyMap<string, Data>,
): Promise<void> {
  for (const [fingerprint, data] of definitions) {
    const key = definitionKey(fingerprint);
    const item = await readItem(writer, key);
    if (item?.[DEFINITION] !== undefined) continue;
    await writeItem(writer, key, { [DEFINITION]: { S: JSON.stringify(data) } }, undefined);
  }
}

async function writeItem(
  { store, stats }: CountingWriter<'update'>,
  key: ItemKey,
  set: Item,
  revision: string | undefined,
): Promise<boolean> {
  stats.writes += 1;
  // rule: registry-is-written-under-the-revision-read
  const { applied, wcu } = await store.update({ key, set, unset: [], condition: { kind: 'revision', revision } });
  stats.wcu += wcu;
  return applied;
}

/** Reads definitions that are not in `known` yet, and adds them to it: they never change. */
export async function readDefinitions(
  reader: CountingReader<'getMany'>,
  { projections, shapes }: Registry,
  known: Map<string, Data>,
): Promise<DefinitionData> {
  const named = new Set<string>();
  for (const { generations } of projections.values()) for (const { definition } of generations) named.add(definition);
  for (const { shape } of shapes.values()) if (shape !== undefined) named.add(shape.definition);
  const unread = [...named].filter((fingerprint) => !known.has(fingerprint));
  if (unread.length === 0) return known;
  const items = await readItems(reader, unread.map(definitionKey));
  for (const [i, fingerprint] of unread.entries()) {
    const text = stringOf(items[i]?.[DEFINITION]);
    if (text !== undefined) known.set(fingerprint, JSON.parse(text) as Data);
  }
  return known;
}

function definitionKey(fingerprint: string): ItemKey {
  return { source: SERVICE_PARTITION, target: DEFINITION_PREFIX + fingerprint };
}

/** A registry that was there is gone: what readers and writers have relied on is not known any more. */
export function registryGone(): EdgeloomError {
  return new EdgeloomError(
    'registry-gone',
    'The table had a registry, and it is gone.',
    'Restore the partition ~edgeloom from a backup, or run edgeloom migrate and restart this process.',
  );
}
