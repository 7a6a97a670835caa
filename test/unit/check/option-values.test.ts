import { expect, it } from 'vitest';
import { defineGraph, node } from '../../../src/index.ts';
import { check } from '../../../src/trust/check/check.ts';
import { MemoryStore } from '../../support/memory-store/memory-store.ts';

it.each([
  ['settleMs', Number.NaN],
  ['settleMs', -1],
  ['segments', 0],
  ['segments', 1.5],
  ['pageItems', 0],
  ['mostSuspects', Number.NaN],
  ['maxRcu', 0],
  ['maxWcu', '5'],
  ['mode', 'repiar'],
])('a check refuses %s: %s, with which it would wait for ever or do something else', async (option, value) => {
  const graph = defineGraph({ table: 'records', nodes: { USER: node({ view: 'ALL' }) }, edges: {} });
  const options = { store: new MemoryStore(graph.table), [option]: value };
  await expect(check(graph, options as never)).rejects.toMatchObject({
    code: 'invalid-option',
    message: expect.stringContaining(option),
  });
});
