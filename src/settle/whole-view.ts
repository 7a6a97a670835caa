import { type Item, stringOf } from '../core/items/attribute-value.ts';
import { CHILD } from '../core/items/derived-item.ts';
import { escapedEdge } from '../core/items/element.ts';
import { BASE_ITEMS } from '../core/items/keys.ts';
import { keysInTargetOfView } from '../core/kinds/in-target.ts';
import { readCopies } from '../core/kinds/parent-copies.ts';
import { derivedOf } from '../core/plan/derive.ts';
import type { WholeView } from '../core/plan/writes/whole-view.ts';
import { queriedItems, readItems } from '../core/store-pages.ts';
import { type ApplyContext, checkTime } from './context.ts';
import { applyIndexUnitByBaseItem } from './index-item.ts';

/**
 * Reads everything that the base items of a partition ask for in its view, consistently. Writes the missing reverse items of the edges
 * first, and then reads the copied nodes: the fan-out of a later change of these nodes finds the edge.
 */
export async function writeReverseItemsAndReadView(context: ApplyContext, source: string): Promise<WholeView> {
  const { graph, store, stats } = context;
  const elements = new Map<string, string[]>();
  const targets: string[] = [];
  let attributes: Item | undefined;
  const request = { partition: source, sortKey: BASE_ITEMS, consistent: true };
  for await (const item of queriedItems(store, request, stats)) {
    const target = stringOf(item[graph.table.sortKey]) ?? '';
    const derived = derivedOf(graph, source, target, item);
    if (target === source) attributes = derived.attributes;
    if (derived.element === undefined) continue;
    elements.set(escapedEdge(target), [derived.element]);
    targets.push(target);
  }
  // rule: reverse-items-before-the-copies-of-a-view-made-whole, first
  await writeReverseItems(context, source, targets);
  // rule: reverse-items-before-the-copies-of-a-view-made-whole, then
  const copies = await readCopies(context, targets);
  return { elements, attributes, copies };
}

/** Writes the missing items of edges in their targets' partitions: the reverse items of those that copy. */
async function writeReverseItems(context: ApplyContext, source: string, targets: readonly string[]): Promise<void> {
  const edges = targets.flatMap((target) => {
    const base = { source, target };
    return keysInTargetOfView(context.graph, base).map((key) => ({ base, key }));
  });
  const items = await readItems(
    context,
    edges.map(({ key }) => key),
  );
  for (const [i, { base, key }] of edges.entries()) {
    if (items[i]?.[CHILD] !== undefined) continue;
    checkTime(context);
    // No record asks for the write, so the actual watermark stays.
    const position = { oldest: '', newest: '' };
    await applyIndexUnitByBaseItem(context, {
      kind: 'index',
      source: key.source,
      sortKey: key.target,
      base,
      records: [],
      ...position,
    });
  }
}
