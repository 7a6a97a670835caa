import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { InvalidBatchError } from '../../src/client/write/batch.ts';
import { importFile } from '../../src/client/write/import.ts';
import type { ConditionFailedError } from '../../src/client/write/item/conditions.ts';
import type { PutManyItem } from '../../src/client/write/put-many.ts';
import type { TransactionFailedError } from '../../src/client/write/transaction.ts';
import { UnfinishedWriteError } from '../../src/client/write/unfinished.ts';
import { createWriter, type Writer } from '../../src/client/write/writer.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import type { CompiledModel } from '../../src/core/model/compiled.ts';
import { edge, node } from '../../src/core/model/schema.ts';
import { StoreError } from '../../src/foundation/errors.ts';
import { withReplacedCalls } from '../../src/store/wrapped.ts';
import { uniqueTableName } from '../support/table.ts';
import { openWriter, racingWriter } from '../support/writer.ts';

function model() {
  return defineGraph({
    table: uniqueTableName(),
    nodes: {
      TASK: node({ view: 'ALL' }),
      DOC: node({ view: 'ALL', versionAttribute: 'v' }),
      NOTE: node({
        view: 'ALL',
        fields: z.object({ text: z.string(), v: z.number().optional() }),
        versionAttribute: 'v',
      }),
    },
    edges: { LINK: edge({ from: 'TASK', to: 'TASK', inbound: { orders: { gsi0: 'since' } } }) },
  });
}

async function open() {
  const table = await openWriter(model());
  // Takes what does not compile.
  return { ...table, anyWriter: table.writer as unknown as Writer<CompiledModel> };
}

async function failureOf(promise: Promise<unknown>): Promise<ConditionFailedError> {
  return promise.then(
    () => expect.fail('it was written'),
    (error: unknown) => error as ConditionFailedError,
  );
}

describe('conditions', () => {
  it('of puts, updates and deletes hold or are an error with the item as it is', async () => {
    const { writer, read } = await open();
    await writer.putNode('TASK-1', { a: 1, b: 'x' }, { ifAbsent: true });
    const present = { code: 'condition-failed', current: { a: 1, b: 'x' } };
    expect(await failureOf(writer.putNode('TASK-1', {}, { ifAbsent: true }))).toMatchObject(present);
    expect(await failureOf(writer.putNode('TASK-1', {}, { if: { a: 2 } }))).toMatchObject(present);
    expect(await failureOf(writer.deleteNode('TASK-1', { if: { a: 1, b: undefined } }))).toMatchObject(present);
    expect(await failureOf(writer.updateNode('TASK-1', { set: { a: 5 } }, { if: { b: 'y' } }))).toMatchObject(present);
    const update = writer.updateNode('TASK-1', (task) => ({ ...task, a: 5 }), { if: { b: 'y' } });
    expect(await failureOf(update)).toMatchObject(present);
    const absent = { code: 'condition-failed', current: null };
    expect(await failureOf(writer.putNode('TASK-2', {}, { ifPresent: true }))).toMatchObject(absent);
    expect(await failureOf(writer.deleteEdge('TASK-1', 'LINK', 'TASK-2', { ifPresent: true }))).toMatchObject(absent);
    expect(await read('TASK-1')).toEqual({ a: { N: '1' }, b: { S: 'x' } });
    await writer.updateNode('TASK-1', { set: { a: 2 } }, { if: { a: 1, c: undefined } });
    await writer.deleteNode('TASK-1', { if: { a: 2 } });
    expect(await read('TASK-1')).toBeUndefined();
  });

  it('that contradict each other are refused', async () => {
    const { writer } = await open();
    const put = writer.putNode('TASK-1', {}, { ifAbsent: true, ifPresent: true });
    await expect(put).rejects.toMatchObject({ code: 'invalid-argument' });
  });
});

describe('a version attribute', () => {
  it('refuses a put of an older version and counts up', async () => {
    const { writer, read } = await open();
    await writer.putNode('DOC-1', { text: 'a' });
    expect(await read('DOC-1')).toEqual({ text: { S: 'a' }, v: { N: '1' } });
    expect(await failureOf(writer.putNode('DOC-1', { text: 'b' }))).toMatchObject({ code: 'condition-failed' });
    await writer.putNode('DOC-1', { text: 'b', v: 1 });
    expect(await failureOf(writer.putNode('DOC-1', { text: 'c', v: 1 }))).toMatchObject({
      current: { text: 'b', v: 2 },
    });
    expect(await read('DOC-1')).toEqual({ text: { S: 'b' }, v: { N: '2' } });
  });

  it('is counted up by updates of both forms, and shown to functions', async () => {
    const { writer } = await open();
    await writer.putNode('DOC-1', { text: 'a' });
    expect((await writer.updateNode('DOC-1', { set: { text: 'b' } })).attributes).toEqual({ text: 'b', v: 2 });
    const update = await writer.updateNode('DOC-1', (doc) => ({ ...doc, text: `version ${doc['v']}` }));
    expect(update.attributes).toEqual({ text: 'version 2', v: 3 });
    const set = writer.updateNode('DOC-1', { set: { v: 9 } });
    await expect(set).rejects.toMatchObject({ code: 'invalid-attribute' });
    const stale = writer.updateNode('DOC-1', { set: { text: 'c' } }, { if: { v: 2 } });
    expect(await failureOf(stale)).toMatchObject({ current: { v: 3 } });
  });

  it('goes with fields, whether or not they declare it', async () => {
    const { writer, read } = await open();
    await writer.putNode('NOTE-1', { text: 'a' });
    await writer.putNode('NOTE-1', { text: 'b', v: 1 });
    await writer.updateNode('NOTE-1', { set: { text: 'c' } });
    expect(await read('NOTE-1')).toEqual({ text: { S: 'c' }, v: { N: '3' } });
  });
});

describe('a type with versions', () => {
  it('is written in no way that passes over its version without a word', async () => {
    const { writer, anyWriter, read, graph, store } = await open();
    await writer.putNode('DOC-1', { text: 'a' });
    await writer.putNode('DOC-1', { text: 'b', v: 1 });
    const before = await read('DOC-1');
    const refused = { code: 'versioned-type' };
    await expect(anyWriter.deleteNode('DOC-1')).rejects.toMatchObject(refused);
    await expect(anyWriter.deleteNode('DOC-1', { ifPresent: true })).rejects.toMatchObject(refused);
    await expect(anyWriter.putMany([{ id: 'DOC-1', attributes: { v: 2 } }])).rejects.toMatchObject(refused);
    const bad = { code: 'versioned-type', problems: [{ position: 1, error: refused }] };
    await expect(anyWriter.batch((batch) => batch.putNode('DOC-1', {}))).rejects.toMatchObject(bad);
    await expect(anyWriter.batch((batch) => batch.deleteNode('DOC-1'))).rejects.toMatchObject(bad);
    await expect(anyWriter.transact((transaction) => transaction.deleteNode('DOC-1'))).rejects.toMatchObject(bad);
    const file = join(await mkdtemp(join(tmpdir(), 'edgeloom-')), 'lines.jsonl');
    await writeFile(file, '{"source":"DOC-1","target":"DOC-1","text":"imported","v":1}\n');
    await expect(importFile(graph, { store, file })).rejects.toMatchObject({
      code: 'invalid-lines',
      message: expect.stringContaining('has versions'),
    });
    const failed = { code: 'condition-failed', current: { text: 'b', v: 2 } };
    await expect(writer.deleteNode('DOC-1', { if: { v: 1 } })).rejects.toMatchObject(failed);
    expect(await read('DOC-1')).toEqual(before);
    await importFile(graph, { store, file, force: true });
    expect(await read('DOC-1')).toEqual({ text: { S: 'imported' }, v: { N: '1' } });
    await rm(dirname(file), { recursive: true });
    // The node as it was when its edges were looked up: a change meanwhile is not lost.
    const changing = withReplacedCalls(store, {
      query: async (request) => {
        const page = await store.query(request);
        await writer.updateNode('DOC-1', { set: { text: 'meanwhile' } });
        return page;
      },
    });
    await expect(createWriter(graph, { store: changing }).deleteNodeWithEdges('DOC-1')).rejects.toMatchObject({
      code: 'condition-failed',
      current: { text: 'meanwhile' },
    });
    expect(await writer.deleteNodeWithEdges('DOC-1')).toMatchObject({ nodes: 1 });
    expect(await read('DOC-1')).toBeUndefined();
    await writer.putNode('DOC-2', {});
    await writer.deleteNode('DOC-2', { if: { v: 1 } });
    expect(await read('DOC-2')).toBeUndefined();
  });
});

describe('transact', () => {
  it('makes all of its operations or none, and says what failed', async () => {
    const { writer, read } = await open();
    await writer.putNode('TASK-1', { n: 1 });
    const link = () =>
      writer.transact((transaction) => {
        transaction.requireNode('TASK-1');
        transaction.requireNode('TASK-2', { if: { open: true } });
        transaction.putEdge('TASK-1', 'LINK', 'TASK-2', { since: '2026' }, { ifAbsent: true });
        transaction.updateNode('TASK-3', { add: { links: 1 } }, { upsert: true });
      });
    const failure = (await failureOf(link())) as TransactionFailedError;
    expect(failure).toMatchObject({ code: 'condition-failed', failures: [{ position: 2, error: { current: null } }] });
    expect(await read('TASK-3')).toBeUndefined();
    await writer.putNode('TASK-2', { open: true });
    expect(await link()).toMatchObject({ items: 4 });
    expect(await read('TASK-1', 'LINK-TASK-2')).toEqual({ since: { S: '2026' } });
    expect((await failureOf(link())) as TransactionFailedError).toMatchObject({ failures: [{ position: 3 }] });
    expect(await read('TASK-3')).toEqual({ links: { N: '1' } });
  });

  it('deletes, and locks by version', async () => {
    const { writer, read } = await open();
    await writer.putNode('DOC-1', { text: 'a' });
    await writer.putNode('TASK-1', {});
    await writer.transact((transaction) => {
      transaction.putNode('DOC-1', { text: 'b', v: 1 });
      transaction.deleteNode('TASK-1', { ifPresent: true });
    });
    expect([await read('DOC-1'), await read('TASK-1')]).toEqual([{ text: { S: 'b' }, v: { N: '2' } }, undefined]);
    const stale = writer.transact((transaction) => transaction.putNode('DOC-1', { text: 'c', v: 1 }));
    expect(await failureOf(stale)).toMatchObject({ code: 'condition-failed', current: { text: 'b', v: 2 } });
  });

  it('is made once for a token, by whatever writer', async () => {
    const { writer, read, graph, store } = await open();
    const other = createWriter(graph, { store });
    for (const one of [writer, other, writer]) {
      await one.transact((transaction) => transaction.updateNode('TASK-1', { add: { n: 1 } }, { upsert: true }), {
        idempotencyToken: 'order-4711',
      });
    }
    expect(await read('TASK-1')).toEqual({ n: { N: '1' } });
  });

  it('names each condition that failed, whenever it was found to fail, also for a type with fields', async () => {
    const { writer, graph, store } = await open();
    await writer.putNode('NOTE-1', { text: 'a' });
    await writer.putNode('TASK-1', { text: 'a' });
    for (const id of ['NOTE-1', 'TASK-1'] as const) {
      const failure = (await failureOf(
        writer.transact((transaction) => {
          transaction.updateNode(id, { set: { text: 'b' } }, { if: { text: 'other' } });
          transaction.putNode('TASK-2', {});
          transaction.updateNode('NOTE-2', { set: { text: 'b' } });
          transaction.requireNode('TASK-3');
        }),
      )) as TransactionFailedError;
      expect(failure).toMatchObject({ code: 'condition-failed', current: { text: 'a' } });
      expect(failure.failures).toMatchObject([
        { position: 1, error: { current: { text: 'a' }, message: expect.stringContaining('text is not as') } },
        { position: 3, error: { current: null, message: expect.stringContaining('does not exist') } },
        { position: 4, error: { current: null } },
      ]);
    }
    // A condition that did not hold when its item was read, and holds when the table decides.
    let reads = 0;
    const late = withReplacedCalls(store, {
      get: async (...args) => {
        reads += 1;
        return reads === 1 ? { rcu: 1 } : store.get(...args);
      },
    });
    const result = await createWriter(graph, { store: late }).transact((transaction) =>
      transaction.updateNode('NOTE-1', { set: { text: 'c' } }, { if: { text: 'a' } }),
    );
    // It was read twice.
    expect({ ...result, reads }).toMatchObject({ items: 1, reads: 2 });
    expect((await store.get({ source: 'NOTE-1', target: 'NOTE-1' }, { consistent: true })).item).toMatchObject({
      text: { S: 'c' },
    });
  });

  it('refuses an item that is named twice, a function, and more than 100 operations, before it writes', async () => {
    const { writer, read } = await open();
    const twice = writer.transact((transaction) => {
      transaction.putNode('TASK-1', {});
      transaction.requireNode('TASK-1');
    });
    await expect(twice).rejects.toMatchObject({ code: 'invalid-argument', problems: [{ position: 2 }] });
    const called = writer.transact((transaction) =>
      transaction.updateNode('TASK-1', ((task: object) => task) as never),
    );
    await expect(called).rejects.toMatchObject({ code: 'invalid-argument', problems: [{ position: 1 }] });
    const many = writer.transact((transaction) => {
      for (let i = 0; i < 101; i++) transaction.putNode(`TASK-${i}`, {});
    });
    await expect(many).rejects.toMatchObject({ code: 'invalid-argument', message: expect.stringContaining('101') });
    expect(await read('TASK-1')).toBeUndefined();
  });
});

describe('putMany', () => {
  it('takes a stream as fast as it is written, and keeps the order of one key', async () => {
    const { writer, graph, store, read } = await open();
    let taken = 0;
    let written = 0;
    let most = 0;
    async function* entries(): AsyncGenerator<PutManyItem> {
      for (let i = 0; i < 400; i++) {
        taken += 1;
        most = Math.max(most, taken - written);
        yield i % 40 === 0 ? { id: 'TASK-same', attributes: { i } } : { id: `TASK-${i}`, attributes: { i } };
      }
    }
    const slow = createWriter(graph, {
      store: withReplacedCalls(store, {
        writeMany: async (writes) => {
          await new Promise((resolve) => setTimeout(resolve, Math.random() * 20));
          return store.writeMany(writes);
        },
      }),
    });
    const progress: number[] = [];
    const result = await slow.putMany(entries(), {
      concurrency: 2,
      onProgress: (items) => {
        written = items;
        progress.push(items);
      },
    });
    expect(result.items).toBe(400);
    expect(most).toBeLessThanOrEqual(3 * 25 + 10);
    expect(progress).toEqual([...progress].sort((a, b) => a - b));
    expect(await read('TASK-same')).toEqual({ i: { N: '360' } });
    expect(await read('TASK-399')).toEqual({ i: { N: '399' } });
    await writer.putMany([{ source: 'TASK-1', type: 'LINK', target: 'TASK-2', attributes: { since: '1' } }]);
    expect(await read('TASK-1', 'LINK-TASK-2')).toEqual({ since: { S: '1' } });
  });

  const entriesWithBad = () => [
    ...Array.from({ length: 40 }, (_, i) => ({ id: `TASK-${i}` })),
    { id: 'NONE-1' },
    ...Array.from({ length: 19 }, (_, i) => ({ id: `TASK-late${i}` })),
    null as never,
  ];

  it('writes nothing of an array with bad entries, and names all of them', async () => {
    const { writer, read } = await open();
    const error = await failureOf(writer.putMany(entriesWithBad()));
    expect(error).toBeInstanceOf(InvalidBatchError);
    expect(error).toMatchObject({
      code: 'invalid-batch',
      message: expect.stringContaining('2 of the 61 operations of the putMany'),
      problems: [
        { position: 41, error: { code: 'unknown-type' } },
        { position: 61, error: { code: 'invalid-argument' } },
      ],
    });
    expect(await read('TASK-0')).toBeUndefined();
    const noting = createWriter((await open()).graph, { store: (await open()).store, onWrite: () => ({ at: 1 }) });
    await expect(noting.putMany(entriesWithBad())).rejects.toBeInstanceOf(InvalidBatchError);
  });

  it('of a stream ends at a bad entry: what came before it is written, and the error says how far', async () => {
    const { writer, read } = await open();
    async function* entries() {
      yield* entriesWithBad();
    }
    const error = await failureOf(writer.putMany(entries()));
    expect(error).toBeInstanceOf(UnfinishedWriteError);
    expect(error).toMatchObject({ code: 'unknown-type', position: 41, items: 40, done: 40 });
    expect(error.message).toMatch(/^Entry 41: .* 40 items were written before putMany ended\.$/);
    expect([await read('TASK-39'), await read('TASK-late0')]).toEqual([{}, undefined]);
  });

  it('can go on from where it says that it came, whatever call fails', async () => {
    const { graph, store, read } = await open();
    const all = Array.from({ length: 200 }, (_, i) => ({ id: `TASK-${i % 150}`, attributes: { i } }));
    let calls = 0;
    const failing = createWriter(graph, {
      store: withReplacedCalls(store, {
        writeMany: async (writes, waits) => {
          calls += 1;
          if (calls % 3 === 0) throw new StoreError('retryable', 'ThrottlingException', 'Slow down.');
          return store.writeMany(writes, waits);
        },
      }),
    });
    let from = 0;
    let failures = 0;
    while (from < all.length) {
      const rest = all.slice(from);
      const seen: number[] = [];
      const onProgress = (_: number, done: number) => seen.push(done);
      const error = await failing.putMany(rest, { concurrency: 2, onProgress }).then(
        () => undefined,
        (reason: UnfinishedWriteError) => reason,
      );
      if (error === undefined) break;
      failures += 1;
      expect(error).toMatchObject({ code: 'ThrottlingException', kind: 'retryable', done: seen.at(-1) ?? 0 });
      expect(error.items).toBeGreaterThanOrEqual(0);
      from += error.done!;
    }
    expect(failures).toBeGreaterThan(0);
    for (let i = 0; i < 150; i++) expect(await read(`TASK-${i}`)).toEqual({ i: { N: String(i < 50 ? i + 150 : i) } });
  });

  it('and a batch and a deletion say how much they have written when a call fails', async () => {
    const { graph, store } = await open();
    let calls = 0;
    const failing = createWriter(graph, {
      store: withReplacedCalls(store, {
        writeMany: async (writes) => {
          calls += 1;
          if (calls === 2) throw new StoreError('retryable', 'ThrottlingException', 'Slow down.');
          return store.writeMany(writes);
        },
      }),
    });
    const links = (batch: { putEdge: (...words: never[]) => void }) => {
      for (let i = 0; i < 60; i++) batch.putEdge(...(['TASK-1', 'LINK', `TASK-${i}`, { since: '1' }] as never[]));
    };
    const unfinished = { code: 'ThrottlingException', kind: 'retryable' };
    await expect(failing.batch(links as never)).rejects.toMatchObject({ ...unfinished, items: 25 });
    await failing.batch(links as never);
    calls = 0;
    // A deletion makes its calls side by side: the third one is answered after the second has failed.
    await expect(failing.deleteNodeWithEdges('TASK-1')).rejects.toMatchObject({ ...unfinished, items: 35 });
    expect(await failing.deleteNodeWithEdges('TASK-1')).toMatchObject({ edges: 25 });
  });

  it('rejects with the error of onProgress, after the calls in flight', async () => {
    const { writer, read } = await open();
    let taken = 0;
    /** The calls are answered while the next entry is waited for. */
    async function* entries(count: number): AsyncGenerator<PutManyItem> {
      for (let i = 0; i < count; i++) {
        if (i % 25 === 0) await new Promise((resolve) => setTimeout(resolve, 50));
        taken += 1;
        yield { id: `TASK-${i}` };
      }
    }
    const onProgress = (): void => {
      throw new Error('The display is gone.');
    };
    for (const count of [3, 26, 10_000])
      await expect(writer.putMany(entries(count), { onProgress })).rejects.toThrow('The display is gone.');
    expect(await read('TASK-24')).toEqual({});
    expect(taken).toBeLessThan(1_000);
  });

  it('stops where its signal is aborted', async () => {
    const { writer } = await open();
    const controller = new AbortController();
    let taken = 0;
    function* entries(): Generator<PutManyItem> {
      for (;;) {
        taken += 1;
        yield { id: `TASK-${taken}` };
      }
    }
    const stop = { signal: controller.signal, onProgress: () => controller.abort(new Error('enough')) };
    await expect(writer.putMany(entries(), stop)).rejects.toThrow('enough');
    expect(taken).toBeLessThan(1000);
  });
});

describe('a signal', () => {
  it('stops an update that waits for its next attempt', async () => {
    const { writer, ...table } = await open();
    await writer.putNode('TASK-1', { n: 1 });
    const controller = new AbortController();
    const racing = racingWriter(table, async () => {
      await writer.updateNode('TASK-1', { add: { n: 1 } });
      controller.abort(new Error('too late'));
    });
    const update = racing.updateNode('TASK-1', (task) => ({ ...task, done: true }), { signal: controller.signal });
    await expect(update).rejects.toThrow('too late');
  });

  it('stops a delete of a node with its edges before its next call', async () => {
    const { writer, read } = await open();
    await writer.putNode('TASK-1', {});
    const deletion = writer.deleteNodeWithEdges('TASK-1', { signal: AbortSignal.abort(new Error('no')) });
    await expect(deletion).rejects.toThrow('no');
    expect(await read('TASK-1')).toEqual({});
  });
});
