import { parseNodeId } from '../../core/items/keys.ts';
import { EdgeloomError } from '../../foundation/errors.ts';
import { isPlainObject } from './checks/values.ts';
import { checkIterable, type PutManyItem } from './put-many.ts';
import { namesOfOnWrite } from './update/attribute-change.ts';

/** An item that is about to be written. A node has `id`, a part `id` and `part`, an edge `source` and `target`. */
export interface WrittenItem {
  /** `'put'` writes the whole item, `'update'` some of its attributes. */
  operation: 'put' | 'update';
  /** The node or edge type. */
  type: string;
  id?: string;
  part?: string;
  source?: string;
  target?: string;
  /** The attributes that the put or update sets, or all that an update's function returns. */
  attributes: Readonly<Record<string, unknown>>;
}

/** Returns additional attributes to write, which win over the given ones. */
export type OnWrite = (item: WrittenItem) => Readonly<Record<string, unknown>> | undefined;

type Operation = (...parameters: unknown[]) => unknown;
const KEYS = {
  putNode: ['id'],
  updateNode: ['id'],
  putPart: ['id', 'part'],
  updatePart: ['id', 'part'],
  putEdge: ['source', 'type', 'target'],
  updateEdge: ['source', 'type', 'target'],
} as const;

export function withOnWrite<T extends object>(operations: T, onWrite: OnWrite): T {
  const members = new Map(Object.entries(operations) as [string, Operation][]);
  const isWriter = members.has('batch');
  const replace = (name: string, replacement: (operation: Operation) => Operation): void => {
    const operation = members.get(name);
    if (operation !== undefined) members.set(name, replacement(operation));
  };
  for (const [name, keys] of Object.entries(KEYS)) {
    replace(name, (operation) => {
      const withAttributes = addingAttributes(onWrite, name, keys, operation);
      // A writer's methods reject rather than throw. A batch's operations throw in the function that lists them.
      return isWriter ? async (...parameters) => withAttributes(...parameters) : withAttributes;
    });
  }
  for (const name of ['batch', 'transact']) {
    replace(name, (run) => (build, ...options) => {
      if (typeof build !== 'function') return run(build, ...options);
      return run((builder: object) => build(withOnWrite(builder, onWrite)), ...options);
    });
  }
  replace('putMany', (putMany) => async (entries, ...options) => {
    checkIterable(entries);
    // `putMany` checks an array as a whole before the first write, so keep it an array.
    const added = Array.isArray(entries)
      ? entries.map((one) => entryWith(onWrite, one))
      : entriesWith(onWrite, entries as never);
    return putMany(added, ...options);
  });
  return Object.fromEntries(members) as T;
}

function addingAttributes(onWrite: OnWrite, name: string, keys: readonly string[], operation: Operation): Operation {
  return (...parameters) => {
    const key = Object.fromEntries(keys.map((part, i) => [part, parameters[i]]));
    const given = parameters[keys.length];
    const next = name.startsWith('put')
      ? putAttributes(onWrite, key, given)
      : changeWith((attributes) => attributesToAdd(onWrite, 'update', key, attributes), given);
    return operation(...parameters.slice(0, keys.length), next, ...parameters.slice(keys.length + 1));
  };
}

async function* entriesWith(
  onWrite: OnWrite,
  entries: Iterable<PutManyItem> | AsyncIterable<PutManyItem>,
): AsyncGenerator<PutManyItem> {
  for await (const entry of entries) yield entryWith(onWrite, entry);
}

function entryWith(onWrite: OnWrite, entry: PutManyItem): PutManyItem {
  if (!isPlainObject(entry)) return entry;
  const { attributes, ...key } = entry;
  return { ...key, attributes: putAttributes(onWrite, key, attributes) } as PutManyItem;
}

function putAttributes(onWrite: OnWrite, key: Record<string, unknown>, given: unknown = {}): unknown {
  return isPlainObject(given) ? { ...given, ...attributesToAdd(onWrite, 'put', key, given) } : given;
}

type Add = (attributes: object) => Readonly<Record<string, unknown>> | undefined;

function changeWith(add: Add, change: unknown): unknown {
  if (typeof change === 'function') {
    return async (attributes: unknown) => {
      const next: unknown = await change(attributes);
      if (!isPlainObject(next)) return next;
      const more = add(next);
      return notingNames({ ...next, ...more }, more);
    };
  }
  if (!isPlainObject(change)) return change;
  const { set = {} } = change as { set?: unknown };
  if (!isPlainObject(set)) return change;
  const more = add(set);
  return notingNames({ ...withoutNames(change, more), set: { ...set, ...more } }, more);
}

/** An update may name each attribute only once, and the attributes that `onWrite` adds win. */
function withoutNames(change: object, more: object = {}): object {
  const added = new Set(Object.entries(more).flatMap(([name, value]) => (value === undefined ? [] : [name])));
  const parts = Object.entries(change).map(([part, names]: [string, unknown]) => {
    if (Array.isArray(names)) return [part, names.filter((name) => !added.has(name))];
    if (!isPlainObject(names)) return [part, names];
    return [part, Object.fromEntries(Object.entries(names).filter(([name]) => !added.has(name)))];
  });
  return Object.fromEntries(parts);
}

function notingNames(change: object, more: object | undefined): object {
  if (more !== undefined) namesOfOnWrite.set(change, new Set(Object.keys(more)));
  return change;
}

function attributesToAdd(
  onWrite: OnWrite,
  operation: WrittenItem['operation'],
  key: Record<string, unknown>,
  attributes: object,
): ReturnType<OnWrite> {
  const type = key['type'] ?? (typeof key['id'] === 'string' ? parseNodeId(key['id'])?.type : undefined);
  if (typeof type !== 'string') return undefined;
  const more: unknown = onWrite({ ...key, operation, type, attributes: attributes as Record<string, unknown> });
  if (more === undefined || isPlainObject(more)) return more as ReturnType<OnWrite>;
  throw new EdgeloomError(
    'invalid-argument',
    `onWrite should give attributes, a plain object, for ${operation} of ${type}.`,
    'Return { updatedAt: new Date().toISOString() }, or undefined for none; it may not be async.',
  );
}
