import { describe, expect, it } from 'vitest';
import { EXAMPLES } from '../../examples/one-to-many/index.ts';
import { withTableName } from '../../src/core/model/compile/define-graph.ts';
import { testTable, uniqueTableName } from '../support/table.ts';

/** The examples of docs/how-to/modeling.md run, and give what they say. */

async function answers(name: string): Promise<Record<string, unknown>> {
  const example = EXAMPLES[name]!;
  // Examples name their tables themselves; here each run needs one of its own.
  const graph = withTableName(example.graph, uniqueTableName());
  const { store, projectAll } = await testTable(graph);
  return await example.run({ store, projected: projectAll });
}

const EXPECTED: Record<string, Record<string, unknown>> = {
  'complex-attribute': {
    'the customer': { name: 'Ines', addresses: [{ city: 'Lisbon', street: 'Rua Augusta 1' }, { city: 'Porto' }] },
    'with 21 addresses':
      'Node "CUSTOMER-1": attribute "addresses" has 21 entries; its model allows 20. The item has 378 bytes.',
  },
  'duplicated-data': {
    'the shelf': ['Emma: Jane Austen', 'It: Steven King', 'The Shining: Steven King'],
    'after the author was corrected': ['Emma: Jane Austen', 'It: Stephen King', 'The Shining: Stephen King'],
    'the authors, from the copies': {
      'AUTHOR-austen': { name: 'Jane Austen', birthYear: 1775 },
      'AUTHOR-king': { name: 'Stephen King', birthYear: 1947 },
    },
    'calls for the page': 2,
  },
  'item-collection': {
    'the whole collection': ['MEMBER USER-ada', 'MEMBER USER-grace', 'OWNS ROOM-1'],
    'members only': [
      { target: 'USER-ada', since: '2026-01-01' },
      { target: 'USER-grace', since: '2026-01-01' },
    ],
    'the organization and all of it, in one Query': [{ name: 'Acme' }, 'USER-ada', 'USER-grace', 'ROOM-1'],
    "one user's item": { type: 'MEMBER', source: 'ORG-acme', target: 'USER-ada', attributes: { since: '2026-01-01' } },
    'is ada a member': true,
  },
  'secondary-index': {
    'the owner and the two newest, in one Query': [
      { id: 'USER-ada', attributes: { name: 'Ada' } },
      { title: 'Slow search' },
      { title: 'Typo' },
    ],
    'since January 5': ['TICKET-2', 'TICKET-3'],
    'the longest': ['TICKET-3'],
  },
  hierarchy: {
    'in the US': ['STORE-3', 'STORE-1', 'STORE-2', 'STORE-4'],
    'in California': ['STORE-3', 'STORE-1', 'STORE-2'],
    'in San Jose': ['STORE-1', 'STORE-2'],
    'at 95112': ['STORE-1'],
    'in San (no whole segment)': [],
  },
};

describe('the one-to-many examples', () => {
  it('are all tested', () => {
    expect(Object.keys(EXPECTED).sort()).toEqual(Object.keys(EXAMPLES).sort());
  });

  it.each(Object.entries(EXPECTED))('%s gives what it says', async (name, expected) => {
    expect(await answers(name)).toEqual(expected);
  });
});
