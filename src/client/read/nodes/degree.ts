import { stringOf } from '../../../core/items/attribute-value.ts';
import { COUNTED } from '../../../core/items/derived-item.ts';
import { typePrefix } from '../../../core/items/keys.ts';
import { elementsByEdge, evictedTypes, storedCount } from '../../../core/items/stored-view.ts';
import type { Derived } from '../../../core/kinds/derived.ts';
import { derivedOf } from '../../../core/plan/derive.ts';
import { queriedItems } from '../../../core/store-pages.ts';
import { EdgeloomError } from '../../../foundation/errors.ts';
import { checkOptions } from '../../../foundation/options.ts';
import { checkSource, edgeTypeFrom } from '../request/lookup.ts';
import { mustReadConsistently } from '../request/own.ts';
import { type ItemReadOptions, READ_OPTIONS, type ReadContext } from '../request/read-context.ts';
import { readUsableViews } from './views.ts';

export async function readDegree(
  context: ReadContext,
  source: string,
  edgeType: string,
  options: ItemReadOptions = {},
): Promise<number> {
  checkOptions('degree', options, { consistent: 'boolean', ...READ_OPTIONS });
  const { consistent = false } = options;
  const { graph, store } = context;
  checkSource(graph, source);
  const edge = edgeTypeFrom(graph, source, edgeType);
  const isCounted = edge.count !== undefined || edge.labels !== undefined;
  if (
    isCounted &&
    mustReadConsistently(context, (key) => key.source === source && typePrefix(key.target) === edge.type)
  ) {
    // A count doesn't tell which edges it includes, so own writes can't correct it.
    return await countBaseEdges(context, source, edgeType, true);
  }
  if (edge.count !== undefined) {
    const places = context.projections.count(edge);
    if (places === undefined) return await countBaseEdges(context, source, edgeType, consistent);
    const { item } = await store.get({ source, target: places.key }, { consistent });
    const count = storedCount(item);
    if (count !== undefined) return count;
    throw new EdgeloomError(
      'invalid-count',
      `The count of ${edgeType} edges of ${source} is not a number.`,
      'Repair it: edgeloom check --repair.',
    );
  }
  if (edge.labels === undefined) {
    throw new EdgeloomError(
      'not-declared',
      `${edgeType} edges are in no edge set and are not counted.`,
      `Give edges.${edgeType} degree: true, then migrate.`,
    );
  }
  const view = (await readUsableViews(context, [source], consistent)).items.get(source);
  if (evictedTypes(view).has(edgeType)) return await countBaseEdges(context, source, edgeType, consistent);
  const prefix = `${edgeType}-`;
  return [...elementsByEdge(view).keys()].filter((name) => name.startsWith(prefix)).length;
}

async function countBaseEdges(
  { graph, store: living, stored }: ReadContext,
  source: string,
  edgeType: string,
  consistent: boolean,
): Promise<number> {
  const request = { partition: source, sortKey: { beginsWith: `${edgeType}-` }, consistent };
  const isCounted = graph.edges.get(edgeType)?.count !== undefined;
  // Like a stored count, include edges that have ended until DynamoDB deletes them.
  const store = isCounted ? stored : living;
  let total = 0;
  for await (const item of queriedItems(store, request)) {
    const sortKey = stringOf(item[graph.table.sortKey]) ?? '';
    if (isInCountOrSet(derivedOf(graph, source, sortKey, item, { item: undefined }))) total += 1;
  }
  return total;

  /** Edges whose labels can't be derived are in no edge set. */
  function isInCountOrSet({ element, indexItems }: Derived): boolean {
    // rule: count-that-is-not-ready-is-of-base-edges
    if (!isCounted) return element !== undefined;
    return [...indexItems.values()].some((fields) => fields[COUNTED] !== undefined);
  }
}
