import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from 'vitest';
import { startLocal } from '../../packages/local/local.ts';
import { createFeedModels } from '../../src/client/feed/feed-models.ts';
import { startFeed } from '../../src/client/feed/start-feed.ts';
import { createReader, type Reader } from '../../src/client/read/reader.ts';
import { scanNodes } from '../../src/client/read/scan-nodes.ts';
import { importFile } from '../../src/client/write/import.ts';
import type { TransactionOperations } from '../../src/client/write/operations.ts';
import { createWriter, type Writer } from '../../src/client/write/writer.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import type { CompiledModel } from '../../src/core/model/compiled.ts';
import { edge, node } from '../../src/core/model/schema.ts';
import { createProjector } from '../../src/projecting/apply/projector.ts';
import { runAbortable } from '../../src/store/abortable.ts';
import { MemoryStore } from '../support/memory-store/memory-store.ts';

const graph = defineGraph({
  table: 'records',
  nodes: { USER: node({ view: 'ALL', search: { name: {}, born: { type: 'date', shards: 1 } } }) },
  edges: { KNOWS: edge({ from: 'USER', to: 'USER', inbound: { orders: { gsi0: 'since' } } }) },
});

/** JavaScript that no type checker has seen. */
const unchecked = (value: unknown): never => value as never;
const makers = { createReader, createWriter, createProjector };
const store = new MemoryStore(graph.table);
const reader = createReader(graph, { store }) as unknown as Reader<CompiledModel>;

describe('options that are not what they should be', () => {
  it('say what a signal is instead, also in work on a store', async () => {
    const work = runAbortable(new MemoryStore(graph.table), { signal: unchecked('now') }, async () => 'done');
    await expect(work).rejects.toMatchObject({
      code: 'invalid-argument',
      message: 'The option signal should be an AbortSignal, but is "now".',
    });
  });

  it.each(Object.entries(makers))('%s without a store says what to give', (name, make) => {
    for (const options of [{}, { store: undefined }, { store: 'records' }]) {
      expect(() => make(graph, unchecked(options))).toThrow(
        expect.objectContaining({ code: 'invalid-argument', message: `${name} needs a store.` }),
      );
    }
    expect(() => make(graph, unchecked(undefined))).toThrow(`${name} needs a store.`);
    expect(() => make(graph, unchecked(new MemoryStore(graph.table)))).toThrow(
      expect.objectContaining({ code: 'invalid-argument', message: expect.stringContaining('no option') }),
    );
  });

  it.each([
    ['createReader', 'store or client, cursorKey, concurrency, readNumber, replica, telemetry, feed, now'],
    ['createWriter', 'store or client, now, telemetry, onWrite'],
    ['createProjector', 'store, concurrency, fanOutPageSize, model, telemetry'],
  ] as const)('%s names the documented options', (name, listed) => {
    const options = unchecked({ store: new MemoryStore(graph.table), conncurrency: 1 });
    expect(() => makers[name](graph, options)).toThrow(expect.objectContaining({ hint: `It takes ${listed}.` }));
  });

  it.each([
    ['desc', 'reverse'],
    ['orderBy', 'order'],
    ['gte', 'atLeast'],
    ['take', 'limit'],
    ['filter', 'where'],
    ['scanIndexForward', 'reverse'],
    ['sort', 'order'],
  ])('%s, a word of other libraries, is told the name that it has here: %s', async (word, name) => {
    const asked = reader.inbound('USER-1', 'FOLLOWS' as never, unchecked({ [word]: 1 }));
    await expect(asked).rejects.toMatchObject({
      code: 'invalid-argument',
      hint: expect.stringContaining(`Did you mean ${name}?`),
    });
  });

  it.each(['desc', 'DESC', 'ascending'])(
    'the order %s, which is a direction, is refused with a hint at reverse',
    async (order) => {
      await expect(reader.inbound('USER-1', 'KNOWS' as never, unchecked({ order }))).rejects.toMatchObject({
        code: 'unknown-name',
        hint: expect.stringMatching(/`reverse: true`.*gsi0/),
      });
    },
  );

  it('a word of every object is one like others', async () => {
    const asked = reader.inbound('USER-1', 'FOLLOWS' as never, unchecked({ constructor: 1 }));
    await expect(asked).rejects.toMatchObject({
      code: 'invalid-argument',
      message: expect.stringContaining('"constructor"'),
    });
  });

  const limt = unchecked({ limt: 1 });
  const reads: [string, () => Promise<unknown>][] = [
    ['getViews', () => reader.getViews(['USER-1'], limt)],
    ['getView', () => reader.getView('USER-1', limt)],
    ['has', () => reader.has('USER-1', 'KNOWS', 'USER-2', limt)],
    ['degree', () => reader.degree('USER-1', 'KNOWS', limt)],
    ['edges', () => reader.edges('USER-1', 'KNOWS', limt)],
    ['inbound', () => reader.inbound('USER-1', 'KNOWS', limt)],
    ['page', () => reader.page('USER-1', 'KNOWS', limt)],
    ['waitForProjection', () => reader.waitForProjection('USER-1', limt)],
    ['search USER.name', () => reader.search('USER.name').equals('Ada', limt)],
    ['search USER.name', () => reader.search('USER.name').all(limt)],
    ['latest', () => reader.search('USER.name').latest(limt)],
    ['latest', () => reader.search('USER.name').latest(unchecked({ reverse: false }))],
    ['search USER.name', () => reader.search('USER.name').count({}, limt)],
    ['search USER.name', () => reader.search('USER.name').find(unchecked({ beginWith: 'A' }))],
    ['search USER.name', () => reader.shards('USER.name', limt)],
  ];
  it.each(reads)('%s names the option that it does not have', async (name, read) => {
    // Some throw before there is a promise.
    const error: unknown = await (async () => read())().catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'invalid-argument' });
    expect((error as Error).message).toMatch(new RegExp(`^${name} has no option "(limt|reverse|beginWith)"\\.$`));
  });

  it('a transaction refuses a condition that it does not have', async () => {
    const writer = createWriter(graph, { store: new MemoryStore(graph.table) }) as unknown as Writer<CompiledModel>;
    const misspelt = unchecked({ ifAbsnt: true });
    const operations: ((transaction: TransactionOperations<CompiledModel>) => void)[] = [
      (transaction) => transaction.putNode('USER-1', {}, misspelt),
      (transaction) => transaction.putEdge('USER-1', 'KNOWS', 'USER-2', {}, misspelt),
      (transaction) => transaction.updateNode('USER-1', { set: { a: 1 } }, misspelt),
      (transaction) => transaction.deleteNode('USER-1', misspelt),
      (transaction) => transaction.requireNode('USER-1', misspelt),
    ];
    for (const operation of operations) {
      await expect(writer.transact(operation)).rejects.toThrow('has no option "ifAbsnt"');
    }
  });
});

it('a text is no list of ids', async () => {
  await expect((async () => reader.getViews(unchecked('USER-1')))()).rejects.toMatchObject({
    code: 'invalid-argument',
    message: 'getViews takes a list of ids, but is given "USER-1".',
  });
});

describe('a search that can find nothing', () => {
  const born = reader.search('USER.born');
  const refused = ['2026-13', '2026-00', '2026-02-3', '2026-04-31', '2026-07-01T24', '2026-07-01T09:6', '26-', 'x'];
  it.each(refused)('by the date prefix %s, which no date begins with, is refused', async (prefix) => {
    await expect((async () => born.beginsWith(prefix))()).rejects.toMatchObject({ code: 'invalid-argument' });
  });

  const asked = ['', '2', '2026', '2026-', '2026-0', '2026-1', '2026-02-2', '2026-04-3', '2026-07-3', '2026-07-01T2'];
  it.each([...asked, '2026-07-01T09:5', '2026-07-01T09:59:59.10'])('by the date prefix %j is asked', async (prefix) => {
    expect(await born.beginsWith(prefix)).toEqual({ items: [] });
  });
});

it.each<[string, () => unknown]>([
  ['startLocal', () => startLocal(undefined as never)],
  ['createReader', () => createReader(undefined as never, { store })],
  ['createReader', () => createReader({} as never, { client: new DynamoDBClient() })],
  ['createWriter', () => createWriter(undefined as never, { store })],
  ['scanNodes', () => scanNodes(undefined as never, { store, type: 'USER' }).next()],
  ['createFeedModels', () => createFeedModels(undefined as never, { store })],
  ['importFile', () => importFile(undefined as never, { store, file: 'items.jsonl' })],
  ['startFeed', () => startFeed(undefined as never, {} as never)],
])('%s says that it needs a model', async (name, call) => {
  await expect((async () => call())()).rejects.toMatchObject({
    code: 'invalid-argument',
    message: `${name} needs a model as its first argument.`,
    hint: expect.stringContaining('defineGraph'),
  });
});
