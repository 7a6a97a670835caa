import type { CompiledModel, SearchModel } from '../../core/model/compiled.ts';
import { FEED_KINDS, type FeedNames } from '../../core/model/feed-names.ts';
import { isNodeList } from '../../core/model/node-list.ts';
import { type Mistake, ModelError } from '../../foundation/errors.ts';

export function isFed(model: CompiledModel, kind: keyof FeedNames, ...names: readonly string[]): boolean {
  const { feed } = model;
  return feed === undefined || names.some((name) => feed[kind]?.includes(name));
}

export function isFedSearch(model: CompiledModel, type: string, search: SearchModel): boolean {
  return isNodeList(search) ? isFed(model, 'lists', type) : isFed(model, 'searches', type, search.indexPartition);
}

export function checkFeedNames(graph: CompiledModel): void {
  const { feed, nodes, edges } = graph;
  if (feed === undefined) return;
  const known: Readonly<Record<keyof FeedNames, readonly string[]>> = {
    views: [...nodes.keys()],
    lists: [
      ...[...edges.values()].flatMap(({ type, inbound }) => {
        return inbound === undefined ? [] : [type, ...[...inbound.orders.keys()].map((order) => `${type}.${order}`)];
      }),
      ...[...nodes.values()].flatMap(({ type, searches }) => ([...searches.values()].some(isNodeList) ? [type] : [])),
    ],
    searches: [...nodes.values()].flatMap(({ type, searches }) => {
      const names = [...searches.values()].flatMap((search) => (isNodeList(search) ? [] : [search.indexPartition]));
      return names.length === 0 ? [] : [type, ...names];
    }),
    counts: [...edges.values()].flatMap(({ type, count, incoming }) => ((count ?? incoming) ? [type] : [])),
  };
  const mistakes = Object.entries(feed).flatMap(([kind, names]: [string, readonly string[] | undefined]): Mistake[] => {
    const path = `feed.${kind}`;
    if (!Object.hasOwn(known, kind)) return [{ path, message: `is unknown: feed takes ${FEED_KINDS.join(', ')}` }];
    const of = known[kind as keyof FeedNames];
    if (!Array.isArray(names ?? [])) return [{ path, message: 'should be a list of names' }];
    const wrong = (names ?? []).filter((name) => !of.includes(name));
    if (wrong.length === 0) return [];
    const listed = of.length === 0 ? 'the model has none' : `the model has ${of.join(', ')}`;
    return [{ path, message: `names ${wrong.join(', ')}: ${listed}` }];
  });
  if (mistakes.length > 0) throw new ModelError(mistakes);
}
