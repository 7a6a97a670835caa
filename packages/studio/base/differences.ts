import type { Item } from '../../../src/core/items/attribute-value.ts';
import { compareKeys } from '../../../src/core/items/encoding.ts';
import { itemKindOf } from '../../../src/core/kinds/all-kinds.ts';
import type { Part, Suspect } from '../../../src/core/kinds/part.ts';
import type { CompiledModel } from '../../../src/core/model/compiled.ts';
import type { ItemKey, QueryRequest, Store } from '../../../src/core/store-port.ts';
import { standingOf } from '../../../src/registry/standing.ts';
import { nominate } from '../../../src/trust/check/nominate.ts';
import { isWrong, observe } from '../../../src/trust/check/observe.ts';
import { isJudged } from '../../../src/trust/observe/drift.ts';
import type { PartitionItems } from './history.ts';

/** A part of a derived item that is not as the base items of its partition ask; null is nothing. */
export interface PartDifference {
  /** Sort key of the derived item. */
  target: string;
  /** The part of it, such as `attributes`. */
  part: string;
  expected: string | null;
  stored: string | null;
}

/**
 * The differences of a partition at one moment, by the comparison of `edgeloom check`. Copies of other nodes are left out: their nodes lie in
 * other partitions.
 */
export async function differencesOf(
  graph: CompiledModel,
  source: string,
  items: PartitionItems,
): Promise<PartDifference[]> {
  const store = storeOfItems(source, items);
  const suspects: Suspect[] = [];
  const nominations = nominate(graph, store, source, { withoutLookUps: true });
  for await (const suspect of nominations) if (isJudged(suspect.part)) suspects.push(suspect);
  const observations = await observe({ graph, store }, suspects);
  return observations.flatMap(({ expected, stored }, i) => {
    const { sortKey, part } = suspects[i]!;
    return isWrong({ expected, stored }) ? [{ target: sortKey, part: partText(part), expected, stored }] : [];
  });
}

/** True if the comparison of a partition tells whether a derived item is right: base items of other partitions decide some of them. */
export function isCompared(graph: CompiledModel, source: string, target: string, image: Item): boolean {
  return (
    itemKindOf(graph, target).decidedBy === 'partition' && standingOf(graph, source, target, image).kind === 'compared'
  );
}

function partText(part: Part): string {
  const name = part.kind.replaceAll('-', ' ');
  return part.kind === 'element' || part.kind === 'copy' ? `${name} ${part.target}` : name;
}

/** Reads of the items of one partition as they were: all other partitions are empty. */
function storeOfItems(source: string, items: PartitionItems): Pick<Store, 'get' | 'getMany' | 'query'> {
  const keys = [...items.keys()].sort(compareKeys);
  const itemOf = (key: ItemKey) => (key.source === source ? items.get(key.target) : undefined);
  return {
    get: async (key) => ({ item: itemOf(key), rcu: 0 }),
    getMany: async (asked) => ({ items: asked.map(itemOf), rcu: 0, calls: 0 }),
    query: async ({ partition, sortKey }) => {
      const found = partition === source ? keys.filter((key) => isWithin(key, sortKey)) : [];
      return { items: found.map((key) => items.get(key)!), count: found.length, scanned: found.length, rcu: 0 };
    },
  };
}

function isWithin(key: string, range: QueryRequest['sortKey'] = {}): boolean {
  if ('beginsWith' in range) return key.startsWith(range.beginsWith);
  const { from = key, to = key } = range;
  return compareKeys(from, key) <= 0 && compareKeys(key, to) <= 0;
}
