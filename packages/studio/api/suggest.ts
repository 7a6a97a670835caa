import * as z from 'zod';
import { parseNodeId } from '../../../src/core/items/keys.ts';
import type { CompiledModel, SearchModel } from '../../../src/core/model/compiled.ts';
import type { RequestContext } from '../base/context.ts';
import { input, route } from '../base/route.ts';
import { sampleOf } from './live.ts';

/** A node that a few letters may be about. */
export interface Suggestion {
  id: string;
  /** The text that it was found by; null: its id. */
  name: string | null;
  /** The search that found it; null: it is known from the sample, or by its id. */
  by: string | null;
}

/** Nodes that an answer suggests. */
const MOST = 8;
/** Searches that are asked, and the shards that are asked for a beginning: each shard is a Query. */
const SEARCHES = 12;
const MOST_SHARDS = 32;

/** Nodes as one types. */
export const SUGGEST_ROUTES = [
  route(
    'GET /api/suggest',
    z.object({ text: input.id }),
    async (context, { text }): Promise<{ suggestions: Suggestion[] }> => ({
      suggestions: await suggest(context, text),
    }),
  ),
];

/** The node of that id, then nodes of the sample, then what searches find that begins with the text. */
async function suggest(context: RequestContext, text: string): Promise<Suggestion[]> {
  const { graph, reader } = context;
  const [{ nodes }, itself, hits] = await Promise.all([
    sampleOf(context),
    isNodeId(graph, text) ? reader.getNode(text) : null,
    Promise.all(searchesByText(graph).map((search) => hitsOf(context, search, text))),
  ]);
  const small = text.toLowerCase();
  const isLike = (one: string | null): boolean => one?.toLowerCase().includes(small) === true;
  const met = [...nodes.values()].flatMap((known) =>
    [...known].filter(([id, name]) => isLike(id) || isLike(name)).map(([id, name]) => ({ id, name })),
  );
  const all = [
    ...(itself === null ? [] : [{ id: text, name: null, by: null }]),
    ...met.slice(0, MOST).map((node) => ({ ...node, by: null })),
    ...hits.flat(),
  ];
  const byId = new Map<string, Suggestion>();
  // A node that comes again keeps its place, and gets a name where it had none.
  for (const one of all) byId.set(one.id, { ...one, ...nameOf(byId.get(one.id)) });
  return [...byId.values()].slice(0, MOST);
}

function nameOf(known: Suggestion | undefined): Partial<Suggestion> {
  return known === undefined || known.name === null ? {} : known;
}

function isNodeId(graph: CompiledModel, text: string): boolean {
  return graph.nodes.has(parseNodeId(text)?.type ?? '');
}

/** Searches that find a text in few calls: its beginning over few shards, or the whole text in the shard of its value. */
function searchesByText({ nodes }: CompiledModel): SearchModel[] {
  const all = [...nodes.values()].flatMap(({ searches }) => [...searches.values()]);
  return all
    .filter(({ name, order, shards, shardBy, partition }) => {
      const isText = order.kind === 'attribute' && order.type === 'string';
      return (
        name !== '' &&
        isText &&
        partition === undefined &&
        shards !== 'value' &&
        (shards <= MOST_SHARDS || shardBy === 'value')
      );
    })
    .slice(0, SEARCHES);
}

async function hitsOf(
  { reader }: RequestContext,
  { indexPartition: by, shards, caseInsensitive }: SearchModel,
  text: string,
): Promise<Suggestion[]> {
  const isWhole = typeof shards === 'number' && shards > MOST_SHARDS;
  for (const one of caseInsensitive ? [text] : spellingsOf(text)) {
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
