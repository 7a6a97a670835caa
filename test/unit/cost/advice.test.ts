import { expect, it } from 'vitest';
import { defineGraph } from '../../../src/core/model/compile/define-graph.ts';
import { edge, node, part } from '../../../src/core/model/schema.ts';
import { adviceOf } from '../../../src/trust/explain/advice.ts';

const graph = defineGraph({
  table: 'records',
  nodes: {
    USER: node({
      view: 'ALL',
      list: true,
      viewBudgetBytes: 65_536,
      search: { name: {}, city: { shards: 2 }, email: { shards: 'value' } },
      parts: { STATE: part({ search: { status: { shards: 50 } } }) },
    }),
    TEAM: node({ view: 'ALL', viewBudgetBytes: 65_536 }),
  },
  edges: { IN: edge({ from: 'USER', to: 'TEAM' }) },
});

it('says what the shards of a prefix cost, what fewer would, and the change of the model', () => {
  const [name, status] = adviceOf(graph, 900);
  expect(name).toBe(
    'USER.name has 200 shards, so a prefix, a range or latest takes 200 calls and 100 RCU at least; the present 900 records a second need 4, with 4 calls and 2 RCU: write shards: 4 in nodes.USER.search.name, then run edgeloom migrate --yes.',
  );
  expect(status).toContain('write shards: 4 in nodes.USER.parts.STATE.search.status, then run edgeloom migrate');
  expect(adviceOf(graph)[0]).toContain('1 would do up to 250 changes a second, with 1 call and 0.5 RCU');
  // A rate that needs them has no advice.
  expect(adviceOf(graph, 100_000).filter((sentence) => sentence.includes('shards'))).toEqual([]);
});

it('names the node types whose views may become larger than pays', () => {
  expect(adviceOf(graph).filter((sentence) => sentence.includes('viewBudgetBytes'))).toEqual([
    expect.stringMatching(/^A view of USER may have 65536 bytes, so each edge of IN .* takes up to 64 WCU/),
  ]);
});
