import type { Item } from '../../src/core/items/attribute-value.ts';
import { INDEX_KEYS } from '../../src/core/items/derived-item.ts';
import type { DerivedUpdate, ItemKey } from '../../src/core/store-port.ts';
import type { Operation } from './operations.ts';

/** The operation with a prefix before each partition, of the table and of the indexes: runs on one table do not meet. */
export function underPrefix(prefix: string, given: Operation): Operation {
  const place = ({ source, target }: ItemKey): ItemKey => ({ source: prefix + source, target });
  const changed = (update: DerivedUpdate): DerivedUpdate => {
    const key = place(update.key);
    return { ...update, key, set: indexed(prefix, update.set, key) };
  };
  switch (given.kind) {
    case 'put':
      return { ...given, item: placed(prefix, given.item) };
    case 'delete':
    case 'get':
      return { ...given, key: place(given.key) };
    case 'getMany':
      return { ...given, keys: given.keys.map(place) };
    case 'update':
      return { kind: 'update', update: changed(given.update) };
    case 'updateMany':
      return { kind: 'updateMany', updates: given.updates.map(changed) };
    case 'writeMany':
      return {
        kind: 'writeMany',
        writes: given.writes.map((entry) =>
          'put' in entry ? { put: placed(prefix, entry.put) } : { delete: place(entry.delete) },
        ),
      };
    case 'query': {
      const { startKey, partition } = given.request;
      return {
        kind: 'query',
        request: {
          ...given.request,
          partition: prefix + partition,
          ...(startKey && { startKey: { ...startKey, source: { S: prefix + partition } } }),
        },
      };
    }
  }
}

function placed(prefix: string, given: Item): Item {
  const { source, target } = given as { source: { S: string }; target: { S: string } };
  const itemKey = { source: prefix + source.S, target: target.S };
  return { ...indexed(prefix, given, itemKey), source: { S: itemKey.source } };
}

/** Index sort keys end with the item's key, as real ones do: DynamoDB does not say how ties are ordered. */
function indexed(prefix: string, given: Item, { source, target }: ItemKey): Item {
  const copy = { ...given };
  for (const { partition, sort } of Object.values(INDEX_KEYS)) {
    for (const [name, change] of [
      [partition, (text: string) => prefix + text],
      [sort, (text: string) => `${text}${source} ${target}`],
    ] as const) {
      const present = copy[name];
      if (present !== undefined && 'S' in present && present.S !== '') copy[name] = { S: change(present.S) };
    }
  }
  return copy;
}
