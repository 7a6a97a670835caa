import type { Item } from '../../core/items/attribute-value.ts';
import { kindOfTarget } from '../../core/kinds/in-target.ts';
import type { Problem } from '../../core/kinds/parts/subject.ts';
import type { CompiledModel } from '../../core/model/compiled.ts';
import { needsSource, type SourceNode, sourceNodeKeys, sourceNodeOf } from '../../core/model/joined.ts';
import { derivedOf } from '../../core/plan/derive.ts';
import { isBaseSortKey } from '../../core/plan/stream-filter.ts';
import { type CountingReader, readItems } from '../../core/store-pages.ts';
import type { ItemKey } from '../../core/store-port.ts';
import type { WalkedItem } from '../../store/table-walk.ts';

export interface ExpectedItem {
  base: ItemKey;
  source: string;
  sortKey: string;
  fields: Item;
}

export function keyOfExpected({ source, sortKey }: ExpectedItem): ItemKey {
  return { source, target: sortKey };
}

interface ExpectedContext extends CountingReader<'getMany'> {
  graph: CompiledModel;
}

export async function readSourceNodes(
  context: ExpectedContext,
  items: readonly ItemKey[],
): Promise<ReadonlyMap<string, SourceNode>> {
  const ids = [
    ...new Set(items.filter(({ target }) => needsSource(context.graph, target)).map(({ source }) => source)),
  ];
  // rule: build-reads-parts-with-their-node
  const keys = ids.map((source) => sourceNodeKeys(context.graph, source).map((target) => ({ source, target })));
  const read = await readItems(context, keys.flat());
  const nodes = new Map<string, SourceNode>();
  let next = 0;
  for (const [i, source] of ids.entries()) {
    const items = read.slice(next, next + keys[i]!.length);
    next += items.length;
    nodes.set(source, sourceNodeOf(context.graph, source, items));
  }
  return nodes;
}

const OF_THE_ITEM: ReadonlySet<Problem['code']> = new Set(['misfit', 'edge-between-tenants', 'malformed']);

const NO_NODE: SourceNode = { item: undefined };

export async function readExpectedItems(
  context: ExpectedContext,
  { source, target }: ItemKey,
): Promise<ExpectedItem[]> {
  const [item] = await readItems(context, [{ source, target }]);
  if (item === undefined) return [];
  return expectedItemsOf(context.graph, { source, target, item }, await readSourceNodes(context, [{ source, target }]));
}

export function expectedItemsOf(
  graph: CompiledModel,
  { source, target, item }: WalkedItem,
  nodes: ReadonlyMap<string, SourceNode>,
  onProblems?: (base: ItemKey, problems: readonly Problem[]) => void,
): ExpectedItem[] {
  if (!isBaseSortKey(target)) return [];
  const derived = derivedOf(graph, source, target, item, nodes.get(source) ?? NO_NODE);
  const { indexItems, inTarget = [], problems } = derived;
  const ofProjections = problems.filter(({ code, isOfTotal }) => isOfTotal !== true && !OF_THE_ITEM.has(code));
  if (ofProjections.length > 0) onProblems?.({ source, target }, ofProjections);
  const base = { source, target };
  return [
    ...[...indexItems].map(([sortKey, fields]) => ({ base, source, sortKey, fields })),
    // Other items, such as reverse items, are built with the views.
    ...inTarget
      .filter(({ key }) => kindOfTarget(key.target)!.lifetime.of === 'generation')
      .map(({ key, fields }) => ({ base, source: key.source, sortKey: key.target, fields })),
  ];
}
