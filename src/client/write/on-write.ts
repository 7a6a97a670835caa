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
  for (const [name, keys] of Object.entries(KEYS)) {
    const operation = members.get(name);
    if (operation === undefined) continue;
    const withAdded: Operation = (...parameters) => {
      const key = Object.fromEntries(keys.map((part, i) => [part, parameters[i]]));
      const given = parameters[keys.length];
      const next = name.startsWith('put')
        ? putAttributes(onWrite, key, given)
        : changeWith((attributes) => added(onWrite, 'update', key, attributes), given);
      return operation(...parameters.slice(0, keys.length), next, ...parameters.slice(keys.length + 1));
    };
    // A writer's methods reject rather than throw. A batch's operations throw in the function that lists them.
    members.set(name, members.has('batch') ? async (...parameters) => withAdded(...parameters) : withAdded);
  }
  for (const name of ['batch', 'transact']) {
    const run = members.get(name);
    if (run === undefined) continue;
    members.set(name, (build, ...options) =>
      // A value that isn't a function is passed on, and the writer refuses it.
      run(typeof build === 'function' ? (builder: object) => build(withOnWrite(builder, onWrite)) : build, ...options),
    );
  }
  const putMany = members.get('putMany');
  if (putMany !== undefined) {
    members.set('putMany', async (entries, ...options) => {
      // `putMany` checks an array as a whole before the first write, so keep it an array.
      const isArray = Array.isArray(entries);
      checkIterable(entries);
      return putMany(
        isArray ? entries.map((one) => entryWith(onWrite, one)) : entriesWith(onWrite, entries as never),
        ...options,
      );
    });
  }
  return Object.fromEntries(members) as T;
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
  return isPlainObject(given) ? { ...given, ...added(onWrite, 'put', key, given) } : given;
}

type Add = (attributes: object) => Readonly<Record<string, unknown>> | undefined;

function changeWith(add: Add, change: unknown): unknown {
  if (typeof change === 'function') {
    return async (attributes: unknown) => {
      const next: unknown = await change(attributes);
      if (!isPlainObject(next)) return next;
      const more = add(next);
      return marked({ ...next, ...more }, more);
    };
  }
  if (!isPlainObject(change)) return change;
  const { set = {} } = change as { set?: unknown };
  if (!isPlainObject(set)) return change;
  const more = add(set);
  return marked({ ...withoutNames(change, more), set: { ...set, ...more } }, more);
}

/** An update may name an attribute only once, and added ones win. */
function withoutNames(change: object, more: object = {}): object {
  const added = new Set(Object.entries(more).flatMap(([name, value]) => (value === undefined ? [] : [name])));
  const parts = Object.entries(change).map(([part, names]: [string, unknown]) => {
    if (Array.isArray(names)) return [part, names.filter((name) => !added.has(name))];
    if (!isPlainObject(names)) return [part, names];
    return [part, Object.fromEntries(Object.entries(names).filter(([name]) => !added.has(name)))];
  });
  return Object.fromEntries(parts);
}

function marked(change: object, more: object | undefined): object {
  if (more !== undefined) namesOfOnWrite.set(change, new Set(Object.keys(more)));
  return change;
}

function added(
  onWrite: OnWrite,
  operation: WrittenItem['operation'],
  key: Record<string, unknown>,
  attributes: object,
): ReturnType<OnWrite> {
  const type = key['type'] ?? (typeof key['id'] === 'string' ? parseNodeId(key['id'])?.type : undefined);
  // A key without a type is passed on, and the writer refuses it.
  if (typeof type !== 'string') return undefined;
  const more: unknown = onWrite({ ...key, operation, type, attributes: attributes as Record<string, unknown> });
  if (more === undefined || isPlainObject(more)) return more as ReturnType<OnWrite>;
  throw new EdgeloomError(
    'invalid-argument',
    `onWrite should give attributes, a plain object, for ${operation} of ${type}.`,
    'Return { updatedAt: new Date().toISOString() }, or undefined for none; it may not be async.',
  );
}
