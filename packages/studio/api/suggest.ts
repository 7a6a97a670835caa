import * as z from 'zod';
import { TooLongError } from '../../../src/core/items/attribute-value.ts';
import { MAX_FOLDED_CHARACTERS } from '../../../src/core/items/folding.ts';
import { isWithinBytes, PARTITION_KEY_BYTES, parseNodeId } from '../../../src/core/items/keys.ts';
import type { CompiledModel, SearchModel } from '../../../src/core/model/compiled.ts';
import { NODE_LIST } from '../../../src/core/model/node-list.ts';
import { textFormOf } from '../../../src/core/model/options/option-tables.ts';
import type { RequestContext } from '../base/context.ts';
import { isLocal } from '../base/query-code.ts';
import { input, route } from '../base/route.ts';
import type { LookedAt, SampleAnswer } from '../base/table-sample.ts';
import { typeOf } from '../base/type-of.ts';
import { readOnSample, sampleOf } from './live.ts';

export interface Suggestion {
  id: string;
  /** The node's name, or the value that the search found. Null if unknown. */
  name: string | null;
  by: string | null;
}

export interface SuggestAnswer {
  suggestions: Suggestion[];
  looked: LookedAt;
  /** True if the page should read on without asking: nothing is found yet, and reads of a local engine are free. */
  readsOn: boolean;
}

const MOST = 8;
/** Each shard of a search costs a Query. */
const SEARCHES = 12;
const MOST_SHARDS = 32;
/** Each type costs a GetItem. */
const MOST_TYPES = 40;

export const SUGGEST_ROUTES = [
  route(
    'GET /api/suggest',
    z.object({ text: input.id.max(MAX_FOLDED_CHARACTERS) }),
    async (context, { text }): Promise<SuggestAnswer> => suggest(context, text),
  ),
  route(
    'POST /api/sample',
    z.object({}),
    async (context): Promise<SampleAnswer> => (await readOnSample(context)).answer,
  ),
];

async function suggest(context: RequestContext, text: string): Promise<SuggestAnswer> {
  const { graph, reader, client } = context;
  const searches = searchesByText(graph);
  const wholes = wholeIds(graph, idText(graph, text)).filter((id) => isWithinBytes(id, PARTITION_KEY_BYTES));
  const [{ nodes, answer }, found, hits] = await Promise.all([
    sampleOf(context),
    Promise.all(wholes.map((id) => reader.getNode(id))),
    Promise.all(searches.map((search) => hitsOf(context, search, text))),
  ]);
  const { atMs, items, of, isWhole } = answer;
  const all = [
    ...found.flatMap((node) => (node === null ? [] : [{ id: node.id, name: null, by: null }])),
    ...similarNodes(nodes, text).slice(0, MOST),
    ...hits.flat(),
  ];
  const each = new Map<string, Suggestion>();
  // A repeated node keeps its place, and gets a name if it had none.
  for (const one of all) each.set(one.id, { ...one, name: each.get(one.id)?.name ?? one.name });
  const suggestions = [...each.values()].slice(0, MOST);
  return {
    suggestions,
    looked: { atMs, items, of, isWhole },
    readsOn: suggestions.length === 0 && !isWhole && (await isLocal(client)),
  };
}

function similarNodes(nodes: ReadonlyMap<string, ReadonlyMap<string, string | null>>, text: string): Suggestion[] {
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

function idText({ nodes }: CompiledModel, text: string): string {
  const type = typeOf(text).toUpperCase();
  return nodes.has(type) ? type + text.slice(type.length) : text;
}

/** Text without a type may belong to an id of any type. */
function wholeIds({ nodes }: CompiledModel, text: string): string[] {
  if (!nodes.has(typeOf(text))) return [...nodes.keys()].slice(0, MOST_TYPES).map((type) => `${type}-${text}`);
  return parseNodeId(text) === undefined ? [] : [text];
}

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
  for (const one of distinctSpellings(search, text)) {
    const { items } = await reader.search(by).find(isWhole ? { equals: one } : { beginsWith: one }, { limit: MOST });
    if (items.length > 0)
      return items.map(({ id, value }) => ({ id, name: typeof value === 'string' ? value : null, by }));
  }
  return [];
}

/** Returns one spelling for each form that the search distinguishes. Skips forms that are too long for its keys. */
function distinctSpellings(search: SearchModel, text: string): Iterable<string> {
  const form = textFormOf(search);
  const byForm = new Map<string, string>();
  for (const spelling of spellingsOf(text)) {
    try {
      const formed = form(spelling);
      if (!byForm.has(formed)) byForm.set(formed, spelling);
    } catch (error) {
      if (!(error instanceof TooLongError)) throw error;
    }
  }
  return byForm.values();
}

/** Returns likely spellings of names and codes, because a case-sensitive search matches only one. */
function spellingsOf(text: string): string[] {
  return [...new Set([text, text.charAt(0).toUpperCase() + text.slice(1), text.toUpperCase()])];
}
