import { expect, it, vi } from 'vitest';
import { importFile } from '../../../src/client/write/import.ts';
import { createReader, createSession, createWriter, defineGraph, edge, node } from '../../../src/index.ts';
import { migrate } from '../../../src/migrate/migrate.ts';
import { createProjector } from '../../../src/projecting/apply/projector.ts';
import { deleteEnded } from '../../../src/projecting/ended/delete-ended.ts';
import { createWorker } from '../../../src/projecting/worker/worker.ts';
import { check } from '../../../src/trust/check/check.ts';
import { redrive } from '../../../src/trust/repair/redrive.ts';
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
    code: 'invalid-argument',
    message: expect.stringContaining(option),
  });
});

it('a check of some partitions reads pages of the size that it is given', async () => {
  const graph = defineGraph({ table: 'records', nodes: { USER: node({ view: 'ALL' }) }, edges: {} });
  const store = new MemoryStore(graph.table);
  await store.put({ source: { S: 'USER-1' }, target: { S: 'USER-1' } });
  const query = vi.spyOn(store, 'query');
  await check(graph, { store, sources: ['USER-1'], pageItems: 7, graceMs: 0 });
  const pages = query.mock.calls.map(([request]) => request).filter(({ partition }) => partition === 'USER-1');
  expect(pages.map(({ limit }) => limit)).toContain(7);
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
    code: 'invalid-argument',
    message: expect.stringMatching(new RegExp(`^max[RW]cu of ${name} `)),
  });
});

it.each([
  ['putMany', 'concurrency', 0],
  ['putMany', 'concurrency', Number.NaN],
  ['importFile', 'concurrency', 0],
  ['importFile', 'fromLine', 1.5],
  ['createReader', 'concurrency', '5'],
  ['createWorker', 'pollIntervalMs', Number.NaN],
  ['createWorker', 'pollIntervalMs', Number.POSITIVE_INFINITY],
  ['createWorker', 'endedIntervalMs', 2 ** 31],
  ['createWorker', 'maxBatchRecords', 0],
  ['createProjector', 'concurrency', 0],
  ['deleteEnded', 'concurrency', -1],
  ['redrive', 'concurrency', 0],
  ['migrate', 'segments', 0],
  ['createSession', 'indexGraceMs', -1],
])('%s refuses %s: %s', async (name, option, value) => {
  const graph = defineGraph({ table: 'records', nodes: { USER: node({ view: 'ALL' }) }, edges: {} });
  const store = new MemoryStore(graph.table);
  const given = { store, [option]: value } as never;
  const calls: Record<string, () => unknown> = {
    putMany: () => createWriter(graph, { store }).putMany([], { [option]: value } as never),
    importFile: () => importFile(graph, { file: 'none.jsonl', ...(given as object) } as never),
    createReader: () => createReader(graph, given),
    createWorker: () => createWorker(graph, { streams: {}, streamArn: 'arn', ...(given as object) } as never),
    createProjector: () => createProjector(graph, given),
    deleteEnded: () => deleteEnded(graph, given),
    redrive: () => redrive(graph, given),
    migrate: () => migrate(graph, given),
    createSession: () => createSession({ [option]: value } as never),
  };
  await expect((async () => await calls[name]!())()).rejects.toMatchObject({
    code: 'invalid-argument',
    message: expect.stringMatching(new RegExp(`^${option} of ${name} should be a (whole )?number`)),
  });
});

it.each([
  ['reverse', '""', ''],
  ['reverse', '5', 5n],
  ['limit', '"5"', '5'],
  ['limit', '[]', []],
  ['maxRcu', '[]', []],
  ['between', '[]', []],
  ['between', '["a"]', ['a']],
])('a list shows the wrong value of %s as %s', async (option, name, value) => {
  const graph = defineGraph({
    table: 'records',
    nodes: { USER: node({ view: 'ALL' }) },
    edges: { KNOWS: edge({ from: 'USER', to: 'USER', inbound: { orders: { byAt: 'at' } } }) },
  });
  const reader = createReader(graph, { store: new MemoryStore(graph.table) });
  const list = reader.inbound('USER-1', 'KNOWS', { [option]: value } as never);
  await expect(list).rejects.toMatchObject({
    code: expect.stringMatching(/^invalid-/),
    message: expect.stringContaining(` is ${name}.`),
  });
});
