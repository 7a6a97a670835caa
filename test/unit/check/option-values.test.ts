import { expect, it } from 'vitest';
import { defineGraph, node } from '../../../src/index.ts';
import { migrate } from '../../../src/migrate/migrate.ts';
import { check } from '../../../src/trust/check/check.ts';
import { eraseSubject } from '../../../src/trust/subject/erase-subject.ts';
import { exportSubject } from '../../../src/trust/subject/export-subject.ts';
import { MemoryStore } from '../../support/memory-store/memory-store.ts';

it.each([
  ['graceMs', Number.NaN],
  ['graceMs', -1],
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

it.each([
  ['migrate', migrate, { maxRcu: 0 }],
  ['migrate', migrate, { maxWcu: Number.NaN }],
  ['eraseSubject', eraseSubject, { id: 'USER-1', maxRcu: 0 }],
  ['eraseSubject', eraseSubject, { id: 'USER-1', maxWcu: -1 }],
  ['exportSubject', exportSubject, { id: 'USER-1', onItem: () => undefined, maxRcu: '5' }],
])('%s refuses a rate at which it would wait for ever', async (name, run, options) => {
  const graph = defineGraph({ table: 'records', nodes: { USER: node({ view: 'ALL' }) }, edges: {} });
  const store = new MemoryStore(graph.table);
  await expect(run(graph, { store, ...options } as never)).rejects.toMatchObject({
    code: 'invalid-option',
    message: expect.stringMatching(new RegExp(`^max[RW]cu of ${name} `)),
  });
});
