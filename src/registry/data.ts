import { hash128 } from '../core/items/keys.ts';
import { byKey } from '../foundation/entries.ts';

export type Data = boolean | number | string | null | readonly Data[] | { readonly [name: string]: Data };

const MAP = '$map';
const SET = '$set';

interface DeriveValue {
  kind: 'derive';
  version?: number;
}

/**
 * Returns plain data with versions instead of `derive` functions. Leaves out properties that are undefined or false, so
 * that a new option with such a default changes no fingerprint.
 */
export function dataOf(value: unknown): Data | undefined {
  if (value === undefined || value === false || typeof value === 'function') return undefined;
  if (value === null || typeof value !== 'object') return value as Data;
  if (isDerive(value)) return { kind: 'derive', version: value.version ?? 1 };
  if (Array.isArray(value)) return value.map((entry) => dataOf(entry) ?? null);
  if (value instanceof Set) return { [SET]: [...value].sort() };
  if (value instanceof Map) {
    const entries = [...value].sort(byKey);
    return { [MAP]: entries.map(([name, entry]): Data => [name, dataOf(entry) ?? null]) };
  }
  const data: Record<string, Data> = {};
  for (const name of Object.keys(value).sort()) {
    const entry = dataOf((value as Record<string, unknown>)[name]);
    if (entry !== undefined) data[name] = entry;
  }
  return data;
}

export type FindCode = (place: string, version: number) => unknown;

export function reviveValue(data: Data, findCode: FindCode, place = ''): unknown {
  if (data === null || typeof data !== 'object') return data;
  if (Array.isArray(data))
    return data.map((entry, i) => reviveValue(entry, findCode, `${place}/${partName(entry, i)}`));
  const object = data as { readonly [name: string]: Data };
  if (isDerive(object)) return findCode(place, object.version ?? 1);
  const set = object[SET];
  if (Array.isArray(set)) return new Set(set);
  const map = object[MAP];
  if (Array.isArray(map)) {
    return new Map(
      (map as [string, Data][]).map(([name, entry]) => [name, reviveValue(entry, findCode, `${place}/${name}`)]),
    );
  }
  return Object.fromEntries(
    Object.entries(object).map(([name, entry]) => [name, reviveValue(entry, findCode, `${place}/${name}`)]),
  );
}

export function derivesOf(value: unknown, place = '', found = new Map<string, object>()): Map<string, object> {
  if (value === null || typeof value !== 'object') return found;
  if (isDerive(value)) return found.set(place, value);
  if (value instanceof Set) return found;
  const entries: Iterable<[unknown, unknown]> = Array.isArray(value)
    ? value.map((entry, i): [string, unknown] => [partName(entry, i), entry])
    : value instanceof Map
      ? value
      : Object.entries(value);
  for (const [name, entry] of entries) derivesOf(entry, `${place}/${String(name)}`, found);
  return found;
}

export function fingerprintOf(data: Data): string {
  return hash128(JSON.stringify(data)).slice(0, 16);
}

/** Names an array element by its `name` or `type`, so that adding an element doesn't change the paths of the others. */
function partName(part: unknown, i: number): string {
  const { name, type } = Object(part) as { name?: unknown; type?: unknown };
  if (typeof name === 'string') return name;
  return typeof type === 'string' ? type : String(i);
}

function isDerive(value: object): value is DeriveValue {
  return 'kind' in value && value.kind === 'derive';
}
