import { defineGraph, edge, node, type Reader } from '../../../src/index.ts';
import { mappedEdge, mappedNode } from '../../../src/sources/items.ts';
import type { SourceItem } from '../../../src/sources/source.ts';
import { byHand, type ForeignTable, numbers, query, sourcesOf } from './fixture.ts';

/** Layouts that people make by hand, each with a mapping of a few lines. */

const of = (item: SourceItem, name: string): string => String(item[name] ?? '');
const after = (text: string, prefix: string): string => text.slice(prefix.length);

/** One index for several questions: of an office its people, of a project its members. */
export const overloadedIndex: ForeignTable = {
  name: 'an overloaded index',
  keys: { partitionKey: 'PK', sortKey: 'SK' },
  graph: (table) =>
    defineGraph({
      table,
      nodes: { PERSON: node({ view: 'ALL' }), OFFICE: node({ view: 'ALL' }), PROJECT: node({ view: 'ALL' }) },
      edges: {
        SITS_IN: edge({ from: 'PERSON', to: 'OFFICE', inbound: { orders: { gsi0: 'desk' } } }),
        WORKS_ON: edge({ from: 'PERSON', to: 'PROJECT', inbound: { orders: { gsi0: 'since' } } }),
      },
    }),
  layout: byHand(
    (item) => {
      const person = `PERSON-${after(of(item, 'PK'), 'HR#')}`;
      if (item['SK'] === 'PROFILE') {
        const office = of(item, 'GSI1PK');
        return [
          mappedNode(person, { name: item['name'] }),
          mappedEdge(person, 'SITS_IN', `OFFICE-${after(office, 'OFFICE#')}`, { desk: item['GSI1SK'] }),
        ];
      }
      if (!of(item, 'SK').startsWith('PROJECT#')) return [];
      return [
        mappedEdge(person, 'WORKS_ON', `PROJECT-${after(of(item, 'SK'), 'PROJECT#')}`, { since: item['GSI1SK'] }),
      ];
    },
    () => 'a quota is no node',
  ),
  items: (random) =>
    numbers(10).flatMap((i) => [
      {
        PK: `HR#${i}`,
        SK: 'PROFILE',
        name: `Name ${i}`,
        GSI1PK: `OFFICE#${1 + random.below(3)}`,
        GSI1SK: `desk${10 + i}`,
      },
      ...numbers(4).flatMap((project) =>
        random.chance(0.5)
          ? [{ PK: `HR#${i}`, SK: `PROJECT#${project}`, GSI1PK: `PROJECT#${project}`, GSI1SK: `2026-${10 + i}` }]
          : [],
      ),
      { PK: `HR#${i}`, SK: 'QUOTA#2026', amount: random.below(100) },
    ]),
  reasons: ['a quota is no node'],
  questions: (all) => {
    const person = ({ PK }: SourceItem) => `PERSON-${after(String(PK), 'HR#')}`;
    return [
      ...numbers(3).map((office) => ({
        text: `the people of the office ${office}`,
        old: query(all, ['GSI1PK', 'GSI1SK'], `OFFICE#${office}`).map(person),
        ours: (reader: Reader) => sourcesOf(reader, 'SITS_IN', `OFFICE-${office}`),
      })),
      ...numbers(4).map((project) => ({
        text: `the people of the project ${project}`,
        old: query(all, ['GSI1PK', 'GSI1SK'], `PROJECT#${project}`).map(person),
        ours: (reader: Reader) => sourcesOf(reader, 'WORKS_ON', `PROJECT-${project}`),
      })),
    ];
  },
};

/** Many to many both ways: the index has the keys the other way round. */
export const invertedIndex: ForeignTable = {
  name: 'an inverted index',
  keys: { partitionKey: 'PK', sortKey: 'SK' },
  graph: (table) =>
    defineGraph({
      table,
      nodes: { ACTOR: node({ view: 'ALL' }), FILM: node({ view: 'ALL' }) },
      edges: {
        PLAYS_IN: edge({ from: 'ACTOR', to: 'FILM', edgeSet: ['role'], inbound: { orders: { gsi0: 'actor' } } }),
      },
    }),
  layout: byHand(
    (item) => {
      const [from, to] = [of(item, 'PK').replace('#', '-'), of(item, 'SK').replace('#', '-')];
      if (from === to) return [mappedNode(from, { title: item['title'] })];
      return to.startsWith('FILM-') ? [mappedEdge(from, 'PLAYS_IN', to, { role: item['role'], actor: from })] : [];
    },
    () => 'a session is no node',
  ),
  items: (random) => [
    ...numbers(6).map((i) => ({ PK: `ACTOR#${i}`, SK: `ACTOR#${i}`, title: `Actor ${i}` })),
    ...numbers(5).map((i) => ({ PK: `FILM#${i}`, SK: `FILM#${i}`, title: `Film ${i}` })),
    ...numbers(6).flatMap((actor) =>
      numbers(5).flatMap((film) =>
        random.chance(0.5) ? [{ PK: `ACTOR#${actor}`, SK: `FILM#${film}`, role: `role ${random.below(5)}` }] : [],
      ),
    ),
    { PK: 'ACTOR#1', SK: 'SESSION#1' },
  ],
  reasons: ['a session is no node'],
  questions: (all) => [
    ...numbers(5).map((film) => ({
      text: `the actors of the film ${film}`,
      old: query(all, ['SK', 'PK'], `FILM#${film}`, 'ACTOR#').map(({ PK }) => String(PK).replace('#', '-')),
      ours: (reader: Reader) => sourcesOf(reader, 'PLAYS_IN', `FILM-${film}`),
    })),
    ...numbers(6).map((actor) => ({
      text: `the films of the actor ${actor}`,
      old: query(all, ['PK', 'SK'], `ACTOR#${actor}`, 'FILM#').map(({ SK, role }) => ({
        film: `FILM-${after(String(SK), 'FILM#')}`,
        role,
      })),
      ours: async (reader: Reader) => {
        const [found] = await reader.getViews([`ACTOR-${actor}`]);
        return found!.edgeSet.map(({ target, role }) => ({ film: target, role }));
      },
    })),
  ],
};

/** Nodes and edges of any type side by side. */
export const adjacencyList: ForeignTable = {
  name: 'an adjacency list',
  keys: { partitionKey: 'node', sortKey: 'edge' },
  graph: (table) =>
    defineGraph({
      table,
      nodes: { THING: node({ view: 'ALL', search: { label: { shards: 1 } } }) },
      edges: {
        LIKES: edge({ from: 'THING', to: 'THING', inbound: { orders: { gsi0: 'weight' } } }),
        OWNS: edge({ from: 'THING', to: 'THING', inbound: { orders: { gsi0: 'weight' } } }),
      },
    }),
  layout: byHand(
    (item) => {
      const [id, type = '', other] = of(item, 'edge').split('|');
      const own = `THING-${of(item, 'node')}`;
      if (type === '') return [mappedNode(own, { label: item['label'] })];
      const known = { likes: 'LIKES', owns: 'OWNS' }[type];
      return known === undefined || id === ''
        ? []
        : [mappedEdge(own, known, `THING-${other}`, { weight: item['weight'] })];
    },
    (item) => `edges of the type ${of(item, 'edge').split('|')[1]} are not of the graph`,
  ),
  items: (random) => [
    ...numbers(7).map((i) => ({ node: `n${i}`, edge: `n${i}`, label: `label ${random.below(3)}` })),
    ...numbers(7).flatMap((i) =>
      ['likes', 'owns', 'blocks'].flatMap((type) =>
        numbers(7)
          .filter(() => random.chance(0.4))
          .map((other) => ({
            node: `n${i}`,
            edge: `n${i}|${type}|n${other}`,
            to: `n${other}|${type}`,
            weight: `w${i}`,
          })),
      ),
    ),
    { node: 'n1', edge: 'n1|blocks|n0', to: 'n0|blocks', weight: 'w1' },
  ],
  reasons: ['edges of the type blocks are not of the graph'],
  questions: (all) => [
    ...numbers(7).flatMap((i) =>
      (['likes', 'owns'] as const).map((type) => ({
        text: `what ${type} n${i}`,
        old: query(all, ['to', 'weight'], `n${i}|${type}`).map((item) => `THING-${item['node']}`),
        ours: (reader: Reader) => sourcesOf(reader, type.toUpperCase(), `THING-n${i}`),
      })),
    ),
    {
      text: 'the things with a label',
      old: all
        .filter(({ label }) => label === 'label 1')
        .map((item) => `THING-${item['node']}`)
        .sort(),
      ours: async (reader) =>
        (await reader.search('THING.label').equals('label 1')).items.map(({ id }) => String(id)).sort(),
    },
  ],
};

/** Streams of events by version, with snapshots. */
export const eventStore: ForeignTable = {
  name: 'an event store',
  keys: { partitionKey: 'stream', sortKey: 'version' },
  graph: (table) =>
    defineGraph({
      table,
      nodes: { STREAM: node({ view: 'ALL' }), EVENT: node({ view: ['kind'], search: { kind: { shards: 2 } } }) },
      edges: {
        HAPPENED_TO: edge({
          from: 'EVENT',
          to: 'STREAM',
          inbound: { orders: { gsi0: 'version', byKind: ['kind', 'version'] } },
        }),
      },
    }),
  layout: byHand(
    (item) => {
      const [stream, version] = [of(item, 'stream'), of(item, 'version')];
      if (!version.startsWith('v')) return [];
      const [id, { kind }] = [`EVENT-${stream}.${version}`, item];
      return [
        mappedNode(id, { kind, payload: item['payload'] }),
        mappedEdge(id, 'HAPPENED_TO', `STREAM-${stream}`, { kind, version }),
      ];
    },
    (item) => `${of(item, 'version').split('#')[0]} is made of events`,
  ),
  items: (random) =>
    numbers(4).flatMap((stream) => [
      ...numbers(3 + random.below(8)).map((version) => ({
        ...{ stream: `s${stream}`, version: `v${String(version).padStart(6, '0')}` },
        ...{ kind: random.oneOf(['opened', 'changed', 'closed']), payload: { by: random.below(9) } },
      })),
      { stream: `s${stream}`, version: 'snapshot#1', state: { open: true } },
    ]),
  reasons: ['snapshot is made of events'],
  questions: (all) =>
    numbers(4).flatMap((stream) => {
      const events = query(all, ['stream', 'version'], `s${stream}`, 'v');
      const idOf = ({ version }: SourceItem) => `EVENT-s${stream}.${version}`;
      return [
        {
          text: `the events of s${stream}`,
          old: events.map(idOf),
          ours: (reader: Reader) => sourcesOf(reader, 'HAPPENED_TO', `STREAM-s${stream}`),
        },
        {
          text: `the changes of s${stream}`,
          old: events.filter(({ kind }) => kind === 'changed').map(idOf),
          ours: (reader: Reader) =>
            sourcesOf(reader, 'HAPPENED_TO', `STREAM-s${stream}`, { order: 'byKind', path: ['changed'] }),
        },
      ];
    }),
};

/** Several tenants in one table, each in partitions of its own. */
export const multiTenant: ForeignTable = {
  name: 'several tenants',
  keys: { partitionKey: 'PK', sortKey: 'SK' },
  graph: (table) =>
    defineGraph({
      table,
      tenantSeparator: '.',
      nodes: { TICKET: node({ view: 'ALL' }), AGENT: node({ view: ['name'] }) },
      edges: { ASSIGNED: edge({ from: 'TICKET', to: 'AGENT', inbound: { orders: { gsi0: 'opened' } } }) },
    }),
  layout: byHand(
    (item) => {
      const tenant = after(of(item, 'PK'), 'TENANT#');
      const [kind, id] = of(item, 'SK').split('#');
      if (kind === 'AGENT') return [mappedNode(`AGENT-${tenant}.${id}`, { name: item['name'] })];
      if (kind !== 'TICKET') return [];
      const ticket = `TICKET-${tenant}.${id}`;
      const { agent, opened } = item;
      const edges = agent === undefined ? [] : [mappedEdge(ticket, 'ASSIGNED', `AGENT-${tenant}.${agent}`, { opened })];
      return [mappedNode(ticket, { opened }), ...edges];
    },
    () => 'the settings of a tenant are not of the graph',
  ),
  items: (random) =>
    ['acme', 'zeta'].flatMap((tenant) => [
      { PK: `TENANT#${tenant}`, SK: 'SETTINGS', plan: 'gold' },
      ...numbers(3).map((i) => ({ PK: `TENANT#${tenant}`, SK: `AGENT#${i}`, name: `${tenant} ${i}` })),
      ...numbers(9).map((i) => {
        const opened = `2026-${String(10 + i)}`;
        const agent = random.chance(0.8) ? String(1 + random.below(3)) : undefined;
        const assigned = agent === undefined ? {} : { agent, GSI1PK: `${tenant}#${agent}`, GSI1SK: opened };
        return { PK: `TENANT#${tenant}`, SK: `TICKET#${i}`, opened, ...assigned };
      }),
    ]),
  reasons: ['the settings of a tenant are not of the graph'],
  questions: (all) =>
    ['acme', 'zeta'].flatMap((tenant) =>
      numbers(3).map((agent) => ({
        text: `the tickets of the agent ${agent} of ${tenant}`,
        old: query(all, ['GSI1PK', 'GSI1SK'], `${tenant}#${agent}`).map(
          ({ SK }) => `TICKET-${tenant}.${after(String(SK), 'TICKET#')}`,
        ),
        ours: (reader: Reader) => sourcesOf(reader, 'ASSIGNED', `AGENT-${tenant}.${agent}`),
      })),
    ),
};
