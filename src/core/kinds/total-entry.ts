import { edgeOfEntry, isKeptEntry } from './counted.ts';
import { oddities } from './form.ts';
import { INDEXED } from './index-item.ts';
import { type KindOfTarget, origin } from './kind.ts';

/** The entry of an edge in a total of the edges that enter a node. It is in that node's partition; the edge is in another one. */
export const totalEntry: KindOfTarget<'total-entry'> = {
  name: 'total-entry',
  askedBy: 'inbound.total (entry)',
  edgeOf: edgeOfEntry,
  // rule: entries-belong-to-their-generation
  lifetime: {
    of: 'generation',
    projectionOf: (_source, { edgeType, generation }) => ({ of: 'edge', edgeType, generation }),
  },
  decidedBy: 'edge-elsewhere',
  hasBase: true,
  attributes: INDEXED.attributes,
  hasTombstones: true,
  isKept: (graph, { edgeType }, sortKey) => isKeptEntry(graph, edgeType, sortKey),
  isLive: INDEXED.isLive,
  oddities: (context, item) => oddities(totalEntry, context, item),
  addTo: (content, _sortKey, item) => content.addCountedItem(item),
  originsOf(graph, key, { edgeType }, item) {
    const edge = edgeOfEntry(graph, key, item);
    const reason = `The edge whose part in the total of ${key.source} it is.`;
    return edge === undefined ? [] : [origin(edge, `edges.${edgeType}.inbound.total`, reason)];
  },
};
