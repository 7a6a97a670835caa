import { FEED_KINDS, type FeedNames } from '../compiled.ts';
import { isNodeList } from '../node-list.ts';
import { exactObject, listOf, optional, text } from '../options/shape.ts';
import type { NamingModel } from './attribute-uses.ts';
import type { Mistakes } from './mistakes.ts';
import { checkShape } from './schemas.ts';

const names = optional(listOf(text, 'should be a list of names'));
const feedSchema = exactObject({ views: names, lists: names, searches: names, counts: names } satisfies Record<
  keyof FeedNames,
  unknown
>);

export function checkFeed(input: unknown, { nodes, edges }: NamingModel, mistakes: Mistakes): void {
  const feed = checkShape(feedSchema, input, mistakes);
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
      const ofType = [...searches.values()].flatMap((search) => (isNodeList(search) ? [] : [search.indexPartition]));
      return ofType.length === 0 ? [] : [type, ...ofType];
    }),
    counts: [...edges.values()].flatMap(({ type, count, incoming }) => ((count ?? incoming) ? [type] : [])),
  };
  for (const kind of FEED_KINDS) {
    const wrong = (feed[kind] ?? []).filter((name) => !known[kind].includes(name));
    if (wrong.length === 0) continue;
    const listed = known[kind].length === 0 ? 'the model has none' : `the model has ${known[kind].join(', ')}`;
    mistakes.at(kind).note(`names ${wrong.join(', ')}: ${listed}`);
  }
}
