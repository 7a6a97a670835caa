import * as z from 'zod';
import { stringOf } from '../../../src/core/items/attribute-value.ts';
import { indexSortKey } from '../../../src/core/items/encoding.ts';
import { MAX_FOLDED_CHARACTERS } from '../../../src/core/items/folding.ts';
import { parseNodeId } from '../../../src/core/items/keys.ts';
import type { CompiledModel, SearchModel } from '../../../src/core/model/compiled.ts';
import { NODE_LIST } from '../../../src/core/model/node-list.ts';
import { textFormOf } from '../../../src/core/model/options/option-tables.ts';
import type { RequestContext } from '../base/context.ts';
import { isLocal } from '../base/place-of-table.ts';
import { SAMPLE_UNITS } from '../base/price.ts';
import { input, route } from '../base/route.ts';
import type { LookedAt } from '../base/table-sample.ts';
import { readOnSample, sampleOf } from './live.ts';

/** A node that a few letters may be about. */
export interface Suggestion {
  id: string;
  /** The text that it was found by; null: its id. */
  name: string | null;
  /** The search that found it; null: it is known from the sample, or by its id. */
  by: string | null;
}

/** Nodes that a text may be about, and the places that were looked at for them. */
export interface SuggestAnswer {
  suggestions: Suggestion[];
  /** The part of the table that was read. */
  looked: LookedAt;
  /** Read units that a look at the next part takes at most. */
  nextRcu: number;
  /** True if the next part should be read unasked: nothing is found, and nobody pays for the reads of a local engine. */
  readsOn: boolean;
  /** The node type whose list has all ids that begin with the text; null: no list was asked. */
  listed: string | null;
  /** The node types of which the text may be a whole id: it was asked for. */
  types: string[];
  /** The searches that were asked for a name. */
  searches: string[];
}

/** Nodes that an answer suggests. */
const MOST = 8;
/** Searches that are asked, and the shards that are asked for a beginning: each shard is a Query. */
const SEARCHES = 12;
const MOST_SHARDS = 32;
/** Node types that are asked for an id: each is a GetItem. */
const MOST_TYPES = 40;

/** Nodes as one types. */
export const SUGGEST_ROUTES = [
  route(
    'GET /api/suggest',
    z.object({ text: input.id.max(MAX_FOLDED_CHARACTERS) }),
    async (context, { text }): Promise<SuggestAnswer> => suggest(context, text),
  ),
  // The next part of the table, for ids that no index finds.
  route('POST /api/sample', z.object({}), async (context): Promise<{ looked: LookedAt }> => {
    const { looked } = await readOnSample(context);
    return { looked };
  }),
];

/** The nodes of that id, then nodes of the sample and of a list, then results of searches for names that begin with the text. */
async function suggest(context: RequestContext, text: string): Promise<SuggestAnswer> {
  const { graph, reader, client } = context;
  const searches = searchesByText(graph);
  const start = idText(graph, text);
  const wholes = wholeIds(graph, start);
  const list = listOf(graph, start);
  const [{ nodes, looked }, found, listed, hits] = await Promise.all([
    sampleOf(context),
    Promise.all(wholes.map((id) => reader.getNode(id))),
    list === undefined ? [] : idsOfList(context, list, start),
    Promise.all(searches.map((search) => hitsOf(context, search, text))),
  ]);
  const byId = (id: string): Suggestion => ({ id, name: null, by: null });
  const all = [
    ...found.flatMap((node) => (node === null ? [] : [byId(node.id)])),
    ...likeOf(nodes, text).slice(0, MOST),
    ...listed.map(byId),
    ...hits.flat(),
  ];
  const each = new Map<string, Suggestion>();
  // A node that comes again keeps its place, and gets a name where it had none.
  for (const one of all) each.set(one.id, { ...one, ...nameOf(each.get(one.id)) });
  const suggestions = [...each.values()].slice(0, MOST);
  return {
    suggestions,
    looked,
    nextRcu: SAMPLE_UNITS.more,
    readsOn: suggestions.length === 0 && !looked.isWhole && (await isLocal(client)),
    listed: list === undefined ? null : typeOf(start),
    types: [...new Set(wholes.map(typeOf))],
    searches: searches.map(({ indexPartition }) => indexPartition),
  };
}

function nameOf(known: Suggestion | undefined): Partial<Suggestion> {
  return known === undefined || known.name === null ? {} : known;
}

/** Nodes whose id or name has the text: those whose id begins with it come first. */
function likeOf(nodes: ReadonlyMap<string, ReadonlyMap<string, string | null>>, text: string): Suggestion[] {
  const small = text.toLowerCase();
  const rankOf = (id: string, name: string | null): number => {
    const places = [id, id.slice(id.indexOf('-') + 1), name ?? ''].map((one) => one.toLowerCase().indexOf(small));
    const first = places.indexOf(0);
    if (first >= 0) return first;
    return places.some((place) => place > 0) ? places.length : -1;
  };
  return [...nodes.values()]
    .flatMap((known) => [...known].map(([id, name]) => ({ id, name, by: null, rank: rankOf(id, name) })))
    .filter(({ rank }) => rank >= 0)
    .sort((left, right) => left.rank - right.rank || (left.id < right.id ? -1 : 1))
    .map(({ rank: _, ...node }) => node);
}

/** The text as an id of the model begins: its type in capitals. */
function idText({ nodes }: CompiledModel, text: string): string {
  const type = typeOf(text).toUpperCase();
  return nodes.has(type) ? type + text.slice(type.length) : text;
}

/** The ids that a text may be as a whole: itself, and where it names no type, with each type before it. */
function wholeIds({ nodes }: CompiledModel, text: string): string[] {
  if (!nodes.has(typeOf(text))) return [...nodes.keys()].slice(0, MOST_TYPES).map((type) => `${type}-${text}`);
  return parseNodeId(text) === undefined ? [] : [text];
}

function typeOf(id: string): string {
  return id.slice(0, id.indexOf('-'));
}

/** The list of the type that the text begins with. */
function listOf({ nodes }: CompiledModel, text: string): SearchModel | undefined {
  return nodes.get(typeOf(text))?.searches.get(NODE_LIST);
}

/** The first ids of a list that begin with the text: the index sorts them. */
async function idsOfList({ graph, store, leases }: RequestContext, list: SearchModel, text: string): Promise<string[]> {
  return await leases.hold(async (projections) => {
    const { places } = projections.search(list).inForce;
    const sortKey = { beginsWith: indexSortKey('', text) };
    const pages = await Promise.all(
      places
        .partitions(undefined)
        .map((partition) => store.query({ index: 'gsi0', partition, sortKey, itemKeys: places.itemKeys, limit: MOST })),
    );
    const ids = pages.flatMap(({ items }) => items.map((item) => stringOf(item[graph.table.partitionKey]) ?? ''));
    return ids.sort().slice(0, MOST);
  });
}

/** Searches that find a text in few calls: its beginning over few shards, or the whole text in the shard of its value. */
function searchesByText({ nodes }: CompiledModel): SearchModel[] {
  const all = [...nodes.values()].flatMap(({ searches }) => [...searches.values()]);
  return all
    .filter(({ name, order, shards, shardBy, partition }) => {
      const isText = order.kind === 'attribute' && order.type === 'string';
      return (
        name !== NODE_LIST &&
        isText &&
        partition === undefined &&
        shards !== 'value' &&
        (shards <= MOST_SHARDS || shardBy === 'value')
      );
    })
    .slice(0, SEARCHES);
}

async function hitsOf({ reader }: RequestContext, search: SearchModel, text: string): Promise<Suggestion[]> {
  const { indexPartition: by, shards } = search;
  const isWhole = typeof shards === 'number' && shards > MOST_SHARDS;
  // Spellings of the same form find the same.
  for (const one of new Set(spellingsOf(text).map(textFormOf(search)))) {
    const { items } = await reader.search(by).find(isWhole ? { equals: one } : { beginsWith: one }, { limit: MOST });
    if (items.length > 0)
      return items.map(({ id, value }) => ({ id, name: typeof value === 'string' ? value : null, by }));
  }
  return [];
}

/** A text as it is typed, then as names and as codes are often written: a search that knows small from large letters has only one of them. */
function spellingsOf(text: string): string[] {
  return [...new Set([text, text.charAt(0).toUpperCase() + text.slice(1), text.toUpperCase()])];
}
