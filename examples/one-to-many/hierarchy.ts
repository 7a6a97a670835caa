import { createReader, createWriter, defineGraph, node } from 'edgeloom';
import type { Example } from './example.ts';

const graph = defineGraph({
  table: 'stores',
  nodes: {
    STORE: node({
      view: 'ALL',
      // One index item answers queries at four levels: country, state, city and zip.
      search: { location: { partition: 'country', path: ['state', 'city', 'zip'], shards: 1 } },
    }),
  },
  edges: {},
});

const STORES: [id: `STORE-${string}`, state: string, city: string, zip: string][] = [
  ['STORE-1', 'CA', 'San Jose', '95112'],
  ['STORE-2', 'CA', 'San Jose', '95125'],
  ['STORE-3', 'CA', 'San Francisco', '94103'],
  ['STORE-4', 'WA', 'Seattle', '98101'],
];

/** Joins the ancestors' names into the sort key, so each level is a prefix of whole segments. */
export const hierarchy: Example = {
  title: 'composite sort key: stores by country, state, city and zip',
  graph,
  async run({ store, projected }) {
    const writer = createWriter(graph, { store });
    const reader = createReader(graph, { store });
    await writer.batch((batch) => {
      for (const [id, state, city, zip] of STORES) batch.putNode(id, { country: 'US', state, city, zip });
    });
    await projected();
    const at = async (...path: string[]): Promise<string[]> => {
      const { items } = await reader.search('STORE.location').path(path, { partition: 'US' });
      return items.map(({ id }) => id);
    };
    return {
      'in the US': await at(),
      'in California': await at('CA'),
      'in San Jose': await at('CA', 'San Jose'),
      'at 95112': await at('CA', 'San Jose', '95112'),
      'in San (no whole segment)': await at('CA', 'San'),
    };
  },
};
