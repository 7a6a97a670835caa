import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createReader } from '../../src/client/read/reader.ts';
import { createWriter } from '../../src/client/write/writer.ts';
import type { Item } from '../../src/core/items/attribute-value.ts';
import { hashedEdgeKey } from '../../src/core/items/hashed-key.ts';
import { toPlainItem } from '../../src/core/items/plain.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { edge, node, part } from '../../src/core/model/schema.ts';
import type { ItemKey } from '../../src/core/store-port.ts';
import { EdgeloomError } from '../../src/foundation/errors.ts';
import { openTable, uniqueTableName } from '../support/table.ts';

/** The moment at which items end, in epoch seconds: long enough from now for engines that delete by themselves. */
const END = 4_000_000_000;

const fields = z.object({
  n: z.number().optional(),
  old: z.string().optional(),
  tags: z.set(z.string()).optional(),
  expiresAt: z.number().optional(),
});

function slotGraph() {
  return defineGraph({
    table: uniqueTableName(),
    nodes: {
      SLOT: node({ expires: 'expiresAt', view: 'ALL' }),
      LOCK: node({ expires: 'expiresAt', view: 'ALL', versionAttribute: 'v' }),
      CART: node({ expires: 'expiresAt', view: 'ALL', fields, maxEntries: { tags: 2 } }),
      USER: node({ view: 'ALL', parts: { STATE: part({ view: 'ALL' }) } }),
    },
    edges: {
      HOLDS: edge({ expires: 'expiresAt', from: 'USER', to: 'SLOT', inbound: { orders: { bySince: 'since' } } }),
      SEES: edge({ expires: 'expiresAt', keys: 'hashed', from: 'USER', to: 'SLOT', fields }),
    },
  });
}

type Graph = ReturnType<typeof slotGraph>;
type Words = { id: string } | { source: string; type: string; target: string };

/** Items of each kind, by a number that keeps keys apart. */
const SUBJECTS: Readonly<Record<string, (i: number) => { words: Words; key: ItemKey; more: Item }>> = {
  node: (i) => subjectOf(`SLOT-${i}`),
  'node with versions': (i) => subjectOf(`LOCK-${i}`, { v: { N: '3' } }),
  'node with fields': (i) => subjectOf(`CART-${i}`),
  edge: (i) => ({
    words: { source: `USER-${i}`, type: 'HOLDS', target: `SLOT-${i}` },
    key: { source: `USER-${i}`, target: `HOLDS-SLOT-${i}` },
    more: {},
  }),
  'edge with a hashed key and fields': (i) => ({
    words: { source: `USER-${i}`, type: 'SEES', target: `SLOT-${i}` },
    key: { source: `USER-${i}`, target: hashedEdgeKey('SEES', `SLOT-${i}`) },
    more: { targetId: { S: `SLOT-${i}` } },
  }),
};

function subjectOf(id: string, more: Item = {}) {
  return { words: { id }, key: { source: id, target: id }, more };
}

type Options = Record<string, unknown>;
type Operations = Record<string, (...parameters: unknown[]) => unknown>;

/** The conditions of ours; `if` names what the ended item holds, and what it does not. */
const CONDITIONS: readonly Options[] = [
  {},
  { ifAbsent: true },
  { ifPresent: true },
  { if: { old: 'attribute' } },
  { if: { old: undefined } },
  { if: { n: 9, old: undefined } },
  { if: { v: 3 } },
];
const CHANGES: readonly unknown[] = [
  { add: { n: 1 } },
  { set: { n: 5 } },
  { set: { expiresAt: END + 50 } },
  { addTo: { tags: ['c'] } },
  { deleteFrom: { tags: ['a'] } },
  { remove: ['expiresAt'] },
];

/** A write of an item by a writer or a transaction. */
interface Write {
  name: string;
  run: (operations: Operations, words: Words) => unknown;
}

function call(what: string, { ...words }: Words, ...rest: unknown[]): [string, unknown[]] {
  return 'id' in words
    ? [`${what}Node`, [words.id, ...rest]]
    : [`${what}Edge`, [words.source, words.type, words.target, ...rest]];
}

function writeOf(what: string, ...rest: unknown[]): Write {
  return {
    name: `${what} ${rest.map((one) => (typeof one === 'function' ? 'by function' : inspect(one))).join(' ')}`,
    run: (operations, words) => {
      const [name, parameters] = call(what, words, ...rest);
      return operations[name]!(...parameters);
    },
  };
}

function inspect(value: unknown): string {
  return JSON.stringify(value, (_, one) => (one === undefined ? 'absent' : one));
}

const upserts = [{}, { upsert: true }];
const puts = CONDITIONS.map((conditions) => writeOf('put', { n: 1, expiresAt: END + 100 }, conditions));
const deletions = CONDITIONS.map((conditions) => writeOf('delete', conditions));
const updates = CHANGES.flatMap((change) =>
  CONDITIONS.flatMap((conditions) => upserts.map((upsert) => writeOf('update', change, { ...conditions, ...upsert }))),
);
const functions = upserts.map((upsert) =>
  writeOf('update', (all: { n?: number }) => ({ ...all, n: (all.n ?? 0) + 1 }), upsert),
);
const looks = CONDITIONS.map((conditions) => writeOf('require', conditions));

/** How a write is made: alone, once, or in a transaction. */
const WAYS: readonly { way: string; writes: readonly Write[]; idempotent?: boolean; transact?: boolean }[] = [
  { way: 'alone', writes: [...puts, ...deletions, ...updates, ...functions] },
  { way: 'once', writes: [...updates.filter((_, i) => i % 3 === 0), ...functions], idempotent: true },
  { way: 'in a transaction', writes: [...puts, ...deletions, ...updates, ...looks], transact: true },
];

async function outcomeOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    (result) => ({ result }),
    (error: unknown) => {
      if (!(error instanceof EdgeloomError)) throw error;
      const { code, current, failures, problems } = error as EdgeloomError & Record<string, unknown>;
      const codes = (list: unknown): unknown =>
        (list as { error: EdgeloomError }[] | undefined)?.map((one) => [one.error.code, Object(one.error).current]);
      return { code, current, failures: codes(failures), problems: codes(problems) };
    },
  );
}

/** A table whose readers and writers take it for a second after the end, and its items as plain objects without keys. */
async function afterTheEnd(graph: Graph = slotGraph()) {
  const { store } = await openTable(graph);
  const now = () => (END + 1) * 1000;
  const writer = createWriter(graph, { store, now, wait: async () => undefined });
  const stored = async (key: ItemKey) => {
    const { item } = await store.get(key, { consistent: true });
    if (item === undefined) return undefined;
    const { source: _s, target: _t, targetId: _id, ...attributes } = toPlainItem(item);
    return attributes;
  };
  const end = async ({ key, more }: { key: ItemKey; more: Item }, seconds = END): Promise<void> => {
    const keys = { source: { S: key.source }, target: { S: key.target } };
    const attributes = { n: { N: '9' }, old: { S: 'attribute' }, tags: { SS: ['a', 'b'] } };
    await store.put({ ...keys, ...attributes, ...more, expiresAt: { N: String(seconds) } });
  };
  return { graph, store, writer, reader: createReader(graph, { store, now }), stored, end };
}

describe('an item that is over is absent for every condition', () => {
  it.each(Object.keys(SUBJECTS).flatMap((kind) => WAYS.map((way) => ({ kind, ...way }))))(
    'of a $kind, $way',
    async ({ kind, writes, idempotent = false, transact = false }) => {
      const { writer, stored, end } = await afterTheEnd();
      const operations = writer as unknown as Operations;
      let written = 0;
      for (const [i, { name, run }] of writes.entries()) {
        const over = SUBJECTS[kind]!(2 * i);
        const absent = SUBJECTS[kind]!(2 * i + 1);
        await end(over);
        const make = ({ words }: { words: Words }): Promise<unknown> => {
          if (transact) return writer.transact((each) => void run(each as unknown as Operations, words));
          if (!idempotent) return Promise.resolve(run(operations, words));
          const once = Object.fromEntries(
            ['updateNode', 'updateEdge'].map((method) => [
              method,
              (...parameters: unknown[]) =>
                operations[method]!(...parameters.slice(0, -1), {
                  ...(parameters.at(-1) as Options),
                  idempotent: true,
                }),
            ]),
          );
          return Promise.resolve(run(once, words));
        };
        const before = await stored(over.key);
        const [ofOver, ofAbsent] = [await outcomeOf(make(over)), await outcomeOf(make(absent))];
        expect(ofOver, name).toEqual(ofAbsent);
        const [after, made] = [await stored(over.key), await stored(absent.key)];
        // What could not be written stays as it was; what was written holds nothing of the item that was over.
        const isLeft = made === undefined && !(name.startsWith('delete') && 'result' in Object(ofOver));
        expect(after, name).toEqual(isLeft ? before : made);
        if (!isLeft) written += 1;
      }
      expect(written).toBeGreaterThan(3);
    },
  );

  it('and still there a moment before', async () => {
    const { writer, end } = await afterTheEnd();
    for (const kind of Object.keys(SUBJECTS)) {
      const subject = SUBJECTS[kind]!(1);
      await end(subject, END + 2);
      for (const { run } of [writeOf('put', {}, { ifAbsent: true })]) {
        const failed = Promise.resolve(run(writer as unknown as Operations, subject.words));
        await expect(failed).rejects.toMatchObject({ code: 'condition-failed', current: { n: 9 } });
      }
      await writer.transact((each) => void writeOf('require').run(each as unknown as Operations, subject.words));
    }
  });

  it('as reads have it at every moment', async () => {
    const graph = slotGraph();
    const { store } = await openTable(graph);
    let nowMs = END * 1000 - 1;
    const now = () => nowMs;
    const [writer, reader] = [createWriter(graph, { store, now }), createReader(graph, { store, now })];
    await writer.putNode('SLOT-1', { n: 1, expiresAt: END });
    for (; nowMs <= END * 1000 + 1; nowMs++) {
      const isThere = (await reader.getNode('SLOT-1')) !== null;
      const isRequired = await writer
        .transact((each) => each.requireNode('SLOT-1'))
        .then(
          () => true,
          () => false,
        );
      expect(isRequired).toBe(isThere);
    }
  });

  it('also if it ends between the look of an update and its write', async () => {
    const graph = slotGraph();
    const { store } = await openTable(graph);
    let nowMs = END * 1000 - 1;
    const writer = createWriter(graph, { store, now: () => nowMs, wait: async () => undefined });
    await writer.putNode('SLOT-1', { n: 9, old: 'attribute', expiresAt: END });
    const runs: unknown[] = [];
    const { attributes } = await writer.updateNode(
      'SLOT-1',
      (all) => {
        runs.push(all['n']);
        nowMs = END * 1000;
        return { ...all, n: ((all['n'] as number | undefined) ?? 0) + 1 };
      },
      { upsert: true },
    );
    expect({ attributes, runs }).toEqual({ attributes: { n: 1 }, runs: [9, undefined] });
  });

  it('for a transaction with a token, which is made once although the time moves on', async () => {
    const graph = slotGraph();
    const { store } = await openTable(graph);
    let nowMs = END * 1000;
    const writer = createWriter(graph, { store, now: () => nowMs++ });
    for (let i = 0; i < 3; i++) {
      await writer.transact(
        (each) => {
          each.updateNode('SLOT-1', { add: { n: 1 } }, { upsert: true });
          each.updateNode('CART-1', { add: { n: 1 } }, { upsert: true });
        },
        { idempotencyToken: `order-${graph.table.name.slice(-20)}` },
      );
    }
    const reader = createReader(graph, { store });
    const nodes = [await reader.getNode('SLOT-1'), await reader.getNode('CART-1')];
    expect(nodes).toMatchObject([{ attributes: { n: 1 } }, { attributes: { n: 1 } }]);
  });

  it('and no part of a node is over with it: reads show none, and the part is there for its own conditions', async () => {
    const graph = defineGraph({
      table: uniqueTableName(),
      nodes: { SLOT: node({ expires: 'expiresAt', view: 'ALL', parts: { STATE: part({ view: 'ALL' }) } }) },
      edges: {},
    });
    const { store } = await openTable(graph);
    const now = () => END * 1000;
    const writer = createWriter(graph, { store, now });
    await writer.putNode('SLOT-1', { expiresAt: END });
    await writer.putPart('SLOT-1', 'STATE', { a: 1 });
    await writer.transact((each) => each.requirePart('SLOT-1', 'STATE'));
    expect((await writer.updatePart('SLOT-1', 'STATE', { add: { a: 1 } })).attributes).toEqual({ a: 2 });
    await expect(writer.putPart('SLOT-1', 'STATE', {}, { ifAbsent: true })).rejects.toMatchObject({
      code: 'condition-failed',
    });
  });
});

it('takes a soft-deleted item for present, and says that it is soft-deleted', async () => {
  const graph = defineGraph({
    table: uniqueTableName(),
    nodes: { TASK: node({ deletedWhen: 'deletedAt', view: 'ALL' }) },
    edges: { LINK: edge({ from: 'TASK', to: 'TASK', deletedWhen: 'deletedAt' }) },
  });
  const { store, writer } = await openTable(graph);
  await writer.putNode('TASK-1', { n: 1, deletedAt: '2026' });
  await writer.putEdge('TASK-1', 'LINK', 'TASK-2', { deletedAt: '2026' });
  const taken = { code: 'condition-failed', message: expect.stringContaining('it exists already, soft-deleted') };
  await expect(writer.putNode('TASK-1', {}, { ifAbsent: true })).rejects.toMatchObject(taken);
  await expect(writer.putEdge('TASK-1', 'LINK', 'TASK-2', {}, { ifAbsent: true })).rejects.toMatchObject(taken);
  const transaction = writer.transact((each) => each.putNode('TASK-1', {}, { ifAbsent: true }));
  await expect(transaction).rejects.toMatchObject({ failures: [{ error: taken }] });
  await writer.transact((each) => each.requireNode('TASK-1'));
  await writer.updateNode('TASK-1', { add: { n: 1 } });
  // Made anew in its place, unless somebody has brought it back.
  await writer.putNode('TASK-1', { n: 1 }, { if: { deletedAt: '2026' } });
  expect(await createReader(graph, { store }).getNode('TASK-1')).toMatchObject({ attributes: { n: 1 } });
});
