import type { Reader } from '../../../src/client/read/reader.ts';
import type { EdgeResult } from '../../../src/client/read/request/result.ts';
import { foldText } from '../../../src/core/items/folding.ts';
import type { BaseKey, BaseState } from './history.ts';
import type { Entry, GivenAnswer, Row } from './judge.ts';
import type { ModelFacts, Traffic } from './models.ts';

/** One question, and what a model says that its answer is. */
export interface Question {
  /** `search name`, `inbound`, ... */
  kind: string;
  /** With its arguments, for people. */
  text: string;
  ask(reader: Reader): Promise<GivenAnswer>;
  /** Which base items can be in the answer. */
  isMeant(key: BaseKey): boolean;
  /** The entry of a base item in the right answer. */
  entryOf(key: BaseKey, attributes: NonNullable<BaseState>): Entry | undefined;
}

/** The subjects of a question: an airport, its name, a city. */
export interface Topic {
  airport: string;
  name: string;
  city: string;
}

const ROUTE = 'ROUTE-';
/** So small that a list takes several pages. */
const PAGE_ITEMS = 12;
/** Nothing else is as low as it in a sort key of an index: it stands before the source. */
const END = '\0';

/** Every question that a model can be asked about an airport. */
export function questionsOf(facts: ModelFacts, { airport, name, city }: Topic): Question[] {
  const named = [
    searchQuestion('name', name, 'equal'),
    searchQuestion('name', name.slice(0, 2), 'beginning'),
    countQuestion('name', name.slice(0, 1)),
    ...(facts.hasCity
      ? [searchQuestion('city', city, 'equal'), searchQuestion('city', city.slice(0, 3), 'beginning')]
      : []),
  ];
  return [
    ...named,
    inboundQuestion(facts, airport),
    inboundQuestion(facts, airport, 'MEDIUM'),
    pageQuestion(facts, airport),
    viewQuestion(facts, airport),
    degreeQuestion(airport),
  ];
}

function foldedText(text: unknown): string {
  return foldText(String(text));
}

function isNode({ source, target }: BaseKey): boolean {
  return source === target;
}

type NodeSearch = 'name' | 'city';

function searchQuestion(attribute: NodeSearch, value: string, how: 'equal' | 'beginning'): Question {
  const folded = foldedText(value);
  return {
    kind: `search ${attribute}`,
    text: `${attribute} ${how === 'equal' ? '=' : 'begins with'} ${value}`,
    isMeant: isNode,
    async ask(reader) {
      const search = reader.search(`AIRPORT.${attribute}`);
      const { items } = await (how === 'equal'
        ? search.equals(value, { limit: 1000 })
        : search.beginsWith(value, { limit: 1000 }));
      return { rows: items.map(({ id, value: found }) => ({ key: { source: id, target: id }, text: String(found) })) };
    },
    entryOf: ({ source }, attributes) => {
      const own = foldedText(attributes[attribute]);
      const isHit = how === 'equal' ? own === folded : own.startsWith(folded);
      return isHit ? { text: String(attributes[attribute]), order: own + END + source } : undefined;
    },
  };
}

function countQuestion(attribute: NodeSearch, prefix: string): Question {
  const { entryOf, isMeant } = searchQuestion(attribute, prefix, 'beginning');
  return {
    kind: `count ${attribute}`,
    text: `how many whose ${attribute} begins with ${prefix}`,
    isMeant,
    entryOf,
    ask: async (reader) => ({
      count: (await reader.search(`AIRPORT.${attribute}`).count({ beginsWith: prefix })).count,
    }),
  };
}

/** The routes to an airport in the order of the model's rank table, page after page. */
function inboundQuestion({ weights }: ModelFacts, airport: string, atLeast?: Traffic): Question {
  return {
    kind: atLeast === undefined ? 'inbound' : 'inbound at least',
    text: `routes to ${airport}${atLeast === undefined ? '' : ` of ${atLeast} traffic at least`}`,
    isMeant: ({ target }) => target === ROUTE + airport,
    async ask(reader) {
      const rows: Row[] = [];
      let cursor: string | undefined;
      do {
        const page = await reader.inbound(airport, 'ROUTE', { limit: PAGE_ITEMS, cursor, ...(atLeast && { atLeast }) });
        rows.push(...page.items.map(edgeRow));
        cursor = page.cursor;
      } while (cursor !== undefined);
      return { rows };
    },
    entryOf: (key, attributes) => {
      const traffic = attributes['traffic'] as Traffic;
      if (atLeast !== undefined && weights[traffic] < weights[atLeast]) return undefined;
      const { flights } = attributes;
      return { text: `${traffic} ${flights}`, order: orderOf(weights, traffic, key) };
    },
  };
}

function edgeRow({ source, target, attributes }: EdgeResult): Row {
  const { traffic, flights } = attributes as Record<string, unknown>;
  return { key: { source, target: ROUTE + target }, text: `${traffic} ${flights}` };
}

function orderOf(weights: ModelFacts['weights'], traffic: Traffic, { source }: BaseKey): string {
  return `${weights[traffic]}-${traffic}${END}${source}`;
}

/** The first page of the airports that fly to one. */
function pageQuestion({ weights }: ModelFacts, airport: string): Question {
  return {
    kind: 'page',
    text: `the first airports that fly to ${airport}`,
    isMeant: ({ target }) => target === ROUTE + airport,
    async ask(reader) {
      const { items, cursor } = await reader.page(airport, 'ROUTE', { limit: PAGE_ITEMS });
      const rows = items.map(({ id }) => ({ key: { source: id, target: ROUTE + airport }, text: '' }));
      return { rows, isCut: cursor !== undefined };
    },
    entryOf: (key, { traffic }) => ({ text: '', order: orderOf(weights, traffic as Traffic, key) }),
  };
}

/** An airport with what the model's view shows of it, and its routes. */
function viewQuestion({ viewed }: ModelFacts, airport: string): Question {
  const viewText = (attributes: Readonly<Record<string, unknown>>): string =>
    JSON.stringify(viewed.map((name) => attributes[name]));
  return {
    kind: 'get',
    text: `the view of ${airport}`,
    isMeant: ({ source }) => source === airport,
    async ask(reader) {
      const { attributes, edgeSet } = (await reader.getView(airport)) ?? { attributes: null, edgeSet: [] };
      const rows: Row[] = edgeSet.map(({ target, traffic }) => ({
        key: { source: airport, target: ROUTE + target },
        text: String(traffic),
      }));
      if (attributes !== null) rows.push({ key: { source: airport, target: airport }, text: viewText(attributes) });
      return { rows };
    },
    entryOf: (key, attributes) => ({
      text: isNode(key) ? viewText(attributes) : String(attributes['traffic']),
      order: '',
    }),
  };
}

function degreeQuestion(airport: string): Question {
  return {
    kind: 'degree',
    text: `how many routes leave ${airport}`,
    isMeant: ({ source, target }) => source === airport && target !== airport,
    ask: async (reader) => ({ count: await reader.degree(airport, 'ROUTE') }),
    entryOf: () => ({ text: '', order: '' }),
  };
}
