import { numbers, type SampledTable } from './fixture.ts';

/** Layouts by hand whose keys say little: an attribute tells types apart, or holds the key of another item. */

const idOf = (i: number): string => ((i * 2_654_435_761) % 4_294_967_296).toString(36);

/** Nodes and edges side by side under keys that are bare ids; `entity` says of which type they are. */
export const entityAttribute: SampledTable = {
  name: 'an adjacency list with an entity attribute',
  keys: { partitionKey: 'pk', sortKey: 'sk' },
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
};

const [USERS, TEAMS, TASKS] = [8, 3, 12];

/** Each item under its type and number, and `META`; what it belongs to is in an attribute, or a key of an index, as a whole key. */
export const metaItems: SampledTable = {
  name: 'items under TYPE#n and META',
  keys: { partitionKey: 'PK', sortKey: 'SK' },
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
};
