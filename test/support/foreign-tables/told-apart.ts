import { defineGraph, edge, node, type Reader } from '../../../src/index.ts';
import { mappedEdge, mappedNode } from '../../../src/sources/items.ts';
import type { SourceItem } from '../../../src/sources/source.ts';
import { byHand, type ForeignTable, numbers, query, sourcesOf } from './fixture.ts';

/** Layouts by hand whose keys say little: an attribute tells types apart, or holds the key of another item. */

const idOf = (i: number): string => ((i * 2_654_435_761) % 4_294_967_296).toString(36);

/** Nodes and edges side by side under keys that are bare ids; `entity` says of which type they are. */
export const entityAttribute: ForeignTable = {
  name: 'an adjacency list with an entity attribute',
  keys: { partitionKey: 'pk', sortKey: 'sk' },
  graph: (table) =>
    defineGraph({
      table,
      nodes: { AUTHOR: node({ view: ['name'] }), BOOK: node({ view: 'ALL' }) },
      edges: {
        WROTE: edge({ from: 'AUTHOR', to: 'BOOK', edgeSet: ['year'], inbound: { orders: { gsi0: 'year' } } }),
        KNOWS: edge({ from: 'AUTHOR', to: 'AUTHOR', edgeSet: false, inbound: { orders: { gsi0: 'since' } } }),
      },
    }),
  layout: byHand(
    ({ pk, sk, entity, name, title, year, since }) => {
      if (entity === 'author') return [mappedNode(`AUTHOR-${pk}`, { name })];
      if (entity === 'book') return [mappedNode(`BOOK-${pk}`, { title })];
      if (entity === 'wrote') return [mappedEdge(`AUTHOR-${pk}`, 'WROTE', `BOOK-${sk}`, { year })];
      return entity === 'knows' ? [mappedEdge(`AUTHOR-${pk}`, 'KNOWS', `AUTHOR-${sk}`, { since })] : [];
    },
    ({ entity }) => `a ${entity} is not of the graph`,
  ),
  items: (random) => {
    const [authors, books] = [numbers(6).map((i) => idOf(i)), numbers(9).map((i) => idOf(50 + i))];
    const own = (id: string, entity: string): { pk: string; sk: string; entity: string } => ({
      ...{ pk: id, sk: id, entity },
    });
    return [
      ...authors.map((id, i) => ({ ...own(id, 'author'), name: `Name ${i}` })),
      ...books.map((id, i) => ({ ...own(id, 'book'), title: `Title ${i}` })),
      ...authors.flatMap((pk, i) =>
        books.flatMap((sk) => (random.chance(0.4) ? [{ pk, sk, entity: 'wrote', year: `${1990 + i}` }] : [])),
      ),
      ...authors.flatMap((pk, i) =>
        authors.flatMap((sk) =>
          pk !== sk && random.chance(0.4) ? [{ pk, sk, entity: 'knows', since: `${1990 + i}` }] : [],
        ),
      ),
      { pk: authors[0]!, sk: 'draft', entity: 'draft', text: 'Once' },
    ];
  },
  reasons: ['a draft is not of the graph'],
  questions: (all) => [
    ...all
      .filter(({ entity }) => entity === 'book')
      .map(({ pk: book }) => ({
        text: `the authors of ${book}`,
        old: query(all, ['sk', 'year'], String(book))
          .filter(({ entity }) => entity === 'wrote')
          .map(({ pk }) => `AUTHOR-${pk}`),
        ours: (reader: Reader) => sourcesOf(reader, 'WROTE', `BOOK-${book}`),
      })),
    ...all
      .filter(({ entity }) => entity === 'author')
      .map(({ pk: author, name }) => ({
        text: `the author ${author}, with books`,
        old: [
          { name },
          ...query(all, ['pk', 'sk'], String(author))
            .filter(({ entity }) => entity === 'wrote')
            .map(({ sk, year }) => ({ target: `BOOK-${sk}`, year })),
        ],
        ours: async (reader: Reader) => {
          const view = await reader.getView(`AUTHOR-${author}`);
          return [view!.attributes, ...view!.edgeSet.map(({ target, year }) => ({ target, year }))];
        },
      })),
  ],
};

const [USERS, TEAMS, TASKS] = [8, 3, 12];

/** Each item under its type and number, and `META`; what it belongs to is in an attribute, or a key of an index, as a whole key. */
export const metaItems: ForeignTable = {
  name: 'items under TYPE#n and META',
  keys: { partitionKey: 'PK', sortKey: 'SK' },
  graph: (table) =>
    defineGraph({
      table,
      nodes: { USER: node({ view: 'ALL' }), TEAM: node({ view: 'ALL' }), TASK: node({ view: 'ALL' }) },
      edges: {
        IN: edge({ from: 'USER', to: 'TEAM', inbound: { orders: { gsi0: 'name' } } }),
        LED_BY: edge({ from: 'TEAM', to: 'USER' }),
        OF: edge({ from: 'TASK', to: 'TEAM', inbound: { orders: { gsi0: 'due' } } }),
        WATCHES: edge({ from: 'TASK', to: 'USER', edgeSet: false, inbound: { orders: { gsi0: 'at' } } }),
      },
    }),
  layout: byHand(
    (item) => {
      const of = (name: string): string => String(item[name]).replace('#', '-');
      const [id, kind] = [of('PK'), String(item['PK']).split('#')[0]];
      if (String(item['SK']).startsWith('WATCHER#'))
        return [mappedEdge(id, 'WATCHES', of('SK').slice('WATCHER-'.length).replace('#', '-'), { at: item['at'] })];
      if (item['SK'] !== 'META') return [];
      const { name, title, due } = item;
      if (kind === 'USER') return [mappedNode(id, { name }), mappedEdge(id, 'IN', of('team'), { name })];
      if (kind === 'TEAM') return [mappedNode(id, { title }), mappedEdge(id, 'LED_BY', of('lead'))];
      return [mappedNode(id, { due }), mappedEdge(id, 'OF', of('GSI1PK'), { due })];
    },
    () => 'a setting is not of the graph',
  ),
  items: (random) => [
    ...numbers(USERS).map((i) => ({
      ...{ PK: `USER#${i}`, SK: 'META', name: `Name ${i}`, team: `TEAM#${1 + random.below(TEAMS)}` },
    })),
    ...numbers(TEAMS).map((i) => ({
      ...{ PK: `TEAM#${i}`, SK: 'META', title: `Title ${i}`, lead: `USER#${1 + random.below(USERS)}` },
    })),
    ...numbers(TASKS).flatMap((i) => {
      const due = `2026-${10 + i}`;
      const [PK, GSI1PK] = [`TASK#${i}`, `TEAM#${1 + random.below(TEAMS)}`];
      return [
        { PK, SK: 'META', due, GSI1PK, GSI1SK: due },
        { PK, SK: `WATCHER#USER#${1 + random.below(USERS)}`, at: `2026-${30 - i}` },
      ];
    }),
    { PK: 'USER#1', SK: 'SETTINGS', theme: 'dark' },
  ],
  reasons: ['a setting is not of the graph'],
  questions: (all) => {
    const id = ({ PK }: SourceItem): string => String(PK).replace('#', '-');
    return [
      ...numbers(TEAMS).flatMap((i) => [
        {
          text: `the tasks of the team ${i}`,
          old: query(all, ['GSI1PK', 'GSI1SK'], `TEAM#${i}`).map(id),
          ours: (reader: Reader) => sourcesOf(reader, 'OF', `TEAM-${i}`),
        },
        {
          text: `the users of the team ${i}`,
          old: query(all, ['team', 'name'], `TEAM#${i}`).map(id),
          ours: (reader: Reader) => sourcesOf(reader, 'IN', `TEAM-${i}`),
        },
      ]),
      ...numbers(USERS).map((i) => ({
        text: `what the user ${i} watches`,
        old: query(all, ['SK', 'at'], `WATCHER#USER#${i}`).map(id),
        ours: (reader: Reader) => sourcesOf(reader, 'WATCHES', `USER-${i}`),
      })),
    ];
  },
};
