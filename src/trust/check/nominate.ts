import { type Item, stringOf } from '../../core/items/attribute-value.ts';
import { revisionOf } from '../../core/items/derived-item.ts';
import { BEGINNINGS } from '../../core/items/derived-key.ts';
import { isDerivedKey } from '../../core/items/keys.ts';
import { type CopySlot, isSlotRight } from '../../core/kinds/copy.ts';
import { type CompiledModel, layersOf } from '../../core/model/compiled.ts';
import { sourceNodeKeys, sourceNodeOf } from '../../core/model/joined.ts';
import { queriedItems } from '../../core/store-pages.ts';
import type { Store } from '../../core/store-port.ts';
import { slicesOf } from '../../foundation/for-each.ts';
import { type Nominated, type Noted, PartitionComparison } from './partition.ts';

export interface NominateContext {
  graph: CompiledModel;
  store: Pick<Store, 'getMany' | 'query'>;
  /** Leaves out items that other partitions determine, so the nodes that the view copies aren't read. */
  withoutLookUps?: boolean | undefined;
  mostParts?: number;
}

const PARENTS = 100;

/**
 * Yields a partition's derived items that differ, in portions that fit into memory.
 *
 * @param seen the partition as it was just read; it is read again if it has totals. Default: it is read now.
 */
export async function* nominate(
  context: NominateContext,
  source: string,
  seen?: PartitionComparison,
): AsyncGenerator<readonly Nominated[]> {
  const whole = seen === undefined || seen.hasTotals ? await readPartition(context, source) : seen;
  yield whole.suspects(await wrongCopies(context, whole.slots));
  for (const only of whole.differingBuckets) yield (await readPartition(context, source, only)).suspects();
}

async function readPartition(
  context: NominateContext,
  source: string,
  only?: ReadonlySet<string>,
): Promise<PartitionComparison> {
  const { graph, store, withoutLookUps = false, mostParts } = context;
  const totals = await revisionsOfTotals(graph, store, source);
  const keepsSlots = only === undefined && !withoutLookUps;
  const comparison = new PartitionComparison(graph, source, { totals, only, keepsSlots, mostParts });
  for await (const item of queriedItems(store, { partition: source }))
    await addItem(store, comparison, stringOf(item[graph.table.sortKey]) ?? '', item);
  return comparison;
}

/** If an edge depends on a node that hasn't been read, reads the node first. */
export async function addItem(
  store: Pick<Store, 'getMany'>,
  comparison: PartitionComparison,
  sortKey: string,
  item: Item,
): Promise<Noted> {
  const { graph, source } = comparison;
  if (!isDerivedKey(sortKey) && comparison.lacksNode(sortKey)) {
    const keys = sourceNodeKeys(graph, source).map((target) => ({ source, target }));
    const { items } = await store.getMany(keys, { consistent: false });
    comparison.setNode(sourceNodeOf(graph, source, items));
  }
  return comparison.add(sortKey, item);
}

/** Called before the partition is read: a total sorts after its entries, and may change while they are read. */
async function revisionsOfTotals(
  graph: CompiledModel,
  store: Pick<Store, 'query'>,
  source: string,
): Promise<Map<string, string | undefined>> {
  const revisions = new Map<string, string | undefined>();
  const hasTotals = layersOf(graph).some(({ edges }) => [...edges.values()].some(({ incoming }) => incoming));
  if (!hasTotals) return revisions;
  const request = { partition: source, sortKey: { beginsWith: BEGINNINGS.total }, consistent: true };
  for await (const item of queriedItems(store, request))
    revisions.set(stringOf(item[graph.table.sortKey]) ?? '', revisionOf(item));
  return revisions;
}

async function wrongCopies({ graph, store }: NominateContext, slots: readonly CopySlot[]): Promise<string[]> {
  const wrong: string[] = [];
  for (const chunk of slicesOf(slots, PARENTS)) {
    const keys = chunk.map(({ parent = '' }) => ({ source: parent, target: parent }));
    const { items } = await store.getMany(keys, { consistent: false });
    wrong.push(...chunk.filter((slot, i) => !isSlotRight(graph, slot, items[i])).map(({ edge }) => edge));
  }
  return wrong;
}
