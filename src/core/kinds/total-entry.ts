import { type Item, stringOf } from '../items/attribute-value.ts';
import { CHILD } from '../items/derived-item.ts';
import { parseDerivedKey } from '../items/derived-key.ts';
import { isWithinBytes, SORT_KEY_BYTES } from '../items/keys.ts';
import { sortKeyOfEdge } from '../model/base-item.ts';
import { type CompiledModel, layersOf } from '../model/compiled.ts';
import type { ItemKey } from '../store-port.ts';
import { countHolding } from './count.ts';
import { WITH_BASE } from './index-item.ts';
import { type KindOfTarget, origin } from './kind.ts';
import { countedFields, lineOfTotal } from './parts/totals.ts';

/**
 * An edge's entry in its target's total of incoming edges. The entry is in the target's partition, the edge in its
 * source's.
 */
export const totalEntry: KindOfTarget<'total-entry'> = {
  ...WITH_BASE,
  name: 'total-entry',
  lineOf: (edge) => `${lineOfTotal(edge)} (entry)`,
  isAskedBy: ({ incoming }) => incoming !== undefined,
  keyOf: ({ incoming }, source) => incoming!.places.itemKey({ source }),
  // A hashed key doesn't contain the edge's source, so a field holds it.
  fieldsOf: ({ incoming }, source, subject) => ({ ...countedFields(incoming!, subject), [CHILD]: { S: source } }),
  totalOf: ({ incoming }) => incoming!,
  edgeOf: edgeOfEntry,
  // rule: entries-belong-to-their-generation
  lifetime: {
    of: 'generation',
    projectionOf: (_source, { edgeType, generation }) => ({ of: 'edge', edgeType, generation }),
  },
  decidedBy: 'edge-elsewhere',
  isKept: (graph, { edgeType }, sortKey) =>
    layersOf(graph).some(({ edges }) => {
      const [prefix] = edges.get(edgeType)?.incoming?.places.itemPrefixes ?? [];
      return prefix !== undefined && sortKey.startsWith(prefix);
    }),
  addTo: (content, _sortKey, item) => content.addCountedItem(item),
  originsOf(graph, key, { edgeType }, item) {
    const edge = edgeOfEntry(graph, key, item);
    const reason = `The edge whose part in the total of ${key.source} it is.`;
    return edge === undefined
      ? []
      : [origin(edge, lineOfTotal({ ...graph.edges.get(edgeType), type: edgeType }), reason)];
  },
};

function edgeOfEntry(graph: CompiledModel, { source, target }: ItemKey, item: Item | undefined): ItemKey | undefined {
  const key = parseDerivedKey(target);
  if (key?.kind !== 'total-entry') return undefined;
  const edge = layersOf(graph)
    .map(({ edges }) => edges.get(key.edgeType))
    .find((one) => one?.incoming !== undefined);
  const child = key.source.hash === undefined ? key.source.text : stringOf(item?.[CHILD]);
  if (edge === undefined || child === undefined || child === '') return undefined;
  const base = { source: child, target: sortKeyOfEdge(edge, source) };
  return isWithinBytes(base.target, SORT_KEY_BYTES) && countHolding(graph, base, target) !== undefined
    ? base
    : undefined;
}
