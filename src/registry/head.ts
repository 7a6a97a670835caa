import { type Item, numberOf, stringOf } from '../core/items/attribute-value.ts';
import { REVISION } from '../core/items/derived-item.ts';
import { hash128, SERVICE_PARTITION } from '../core/items/keys.ts';
import { type CountingReader, type ReadStats, readItem, readItems } from '../core/store-pages.ts';
import type { ItemKey, Store } from '../core/store-port.ts';
import { EdgeloomError } from '../foundation/errors.ts';
import type { Data } from './data.ts';
import { decodeRegistry, encodeRegistry, projectionsInForce, type Registry } from './registry.ts';
import type { DefinitionData } from './revive.ts';

/**
 * The registry's items are `head`, states that are too large for it, and definitions by fingerprint. Their sort keys
 * are lowercase without `~`, so that neither the stream's filter nor a repair takes them for base or derived items.
 */

const HEAD: ItemKey = { source: SERVICE_PARTITION, target: 'head' };
const STATE_PREFIX = 'states/';
const DEFINITION_PREFIX = 'definitions/';
const STATE = 'state';
const STATE_NAME = 'stateName';
const DEFINITION = 'definition';
/** Every batch reads the head, and reading up to 4 KB costs one unit. */
const MOST_BYTES_IN_HEAD = 3_800;
/** Limits the reads of a head whose state keeps being replaced. */
const MOST_READS = 8;

export interface Head {
  registry: Registry;
  revision: string | undefined;
  text: string;
  stateKey?: ItemKey | undefined;
}

/**
 * Reads the registry consistently. Throws `registry-gone` if the state that the head names stays missing.
 *
 * @param last the head that was read before. If it has the same state, its registry is returned again.
 */
export async function readHead(reader: CountingReader<'get'>, last?: Head): Promise<Head | undefined> {
  for (let reads = 0; reads < MOST_READS; reads++) {
    const item = await readItem(reader, HEAD);
    const name = stringOf(item?.[STATE_NAME]);
    const stateKey = name === undefined ? undefined : stateKeyOf(name);
    const isSame = stateKey !== undefined && last?.stateKey?.target === stateKey.target;
    const holder = stateKey === undefined || isSame ? item : await readItem(reader, stateKey);
    const text = isSame ? last!.text : stringOf(holder?.[STATE]);
    if (item === undefined || (text === undefined && stateKey === undefined)) return undefined;
    if (text === undefined) continue;
    const registry = last?.text === text ? last.registry : decodeRegistry(text);
    return { registry, revision: numberOf(item[REVISION]), text, ...(stateKey && { stateKey }) };
  }
  throw registryGone();
}

function stateKeyOf(name: string): ItemKey {
  return { source: SERVICE_PARTITION, target: STATE_PREFIX + name };
}

export interface CountingWriter<Calls extends 'get' | 'update'> {
  store: Pick<Store, Calls>;
  stats: ReadStats & WriteStats;
}

export interface WriteStats {
  writes: number;
  wcu: number;
}

export async function writeHead(
  writer: CountingWriter<'update'>,
  registry: Registry,
  revision: string | undefined,
): Promise<boolean> {
  const text = encodeRegistry(registry);
  if (Buffer.byteLength(text) <= MOST_BYTES_IN_HEAD) {
    return await writeItem(writer, HEAD, { [STATE]: { S: text } }, revision, [STATE_NAME]);
  }
  const name = hash128(text);
  // Writes the state first, because a head must never name a missing state.
  await writeItem(writer, stateKeyOf(name), { [STATE]: { S: text } }, undefined);
  return await writeItem(writer, HEAD, { [STATE_NAME]: { S: name } }, revision, [STATE]);
}

/** Call this only after replacing the head. No later head names the state again, because versions only rise. */
export async function deleteState(
  { store, stats }: { store: Pick<Store, 'delete'>; stats: WriteStats },
  stateKey: ItemKey,
): Promise<void> {
  stats.writes += 1;
  stats.wcu += (await store.delete(stateKey)).wcu;
}

/** Call this before writing a head that names the definitions. */
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
  unset: readonly string[] = [],
): Promise<boolean> {
  stats.writes += 1;
  // rule: registry-is-written-under-the-revision-read
  const { applied, wcu } = await store.update({ key, set, unset, condition: { kind: 'revision', revision } });
  stats.wcu += wcu;
  return applied;
}

export async function readDefinitions(
  reader: CountingReader<'getMany'>,
  registry: Registry,
  known: Map<string, Data>,
): Promise<DefinitionData> {
  const named = new Set(projectionsInForce(registry).map(({ definition }) => definition));
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

export function registryGone(): EdgeloomError {
  return new EdgeloomError(
    'registry-gone',
    'The table had a registry, and it is gone.',
    'Restore the partition ~edgeloom from a backup, or run edgeloom migrate and restart this process.',
  );
}
