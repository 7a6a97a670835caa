import { numbers, type SampledTable } from './fixture.ts';

/** Layouts that people make by hand. */

/** One index for several questions: of an office its people, of a project its members. */
export const overloadedIndex: SampledTable = {
  name: 'an overloaded index',
  keys: { partitionKey: 'PK', sortKey: 'SK' },
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
};

/** Many to many both ways: the index has the keys the other way round. */
export const invertedIndex: SampledTable = {
  name: 'an inverted index',
  keys: { partitionKey: 'PK', sortKey: 'SK' },
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
};

/** Nodes and edges of any type side by side. */
export const adjacencyList: SampledTable = {
  name: 'an adjacency list',
  keys: { partitionKey: 'node', sortKey: 'edge' },
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
};

/** Streams of events by version, with snapshots. */
export const eventStore: SampledTable = {
  name: 'an event store',
  keys: { partitionKey: 'stream', sortKey: 'version' },
  items: (random) =>
    numbers(4).flatMap((stream) => [
      ...numbers(3 + random.below(8)).map((version) => ({
        ...{ stream: `s${stream}`, version: `v${String(version).padStart(6, '0')}` },
        ...{ kind: random.oneOf(['opened', 'changed', 'closed']), payload: { by: random.below(9) } },
      })),
      { stream: `s${stream}`, version: 'snapshot#1', state: { open: true } },
    ]),
};

/** Several tenants in one table, each in partitions of its own. */
export const multiTenant: SampledTable = {
  name: 'several tenants',
  keys: { partitionKey: 'PK', sortKey: 'SK' },
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
};
