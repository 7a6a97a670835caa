import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import type { TransactionFailedError } from '../../src/client/write/transaction.ts';
import { createWriter } from '../../src/client/write/writer.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { edge, node } from '../../src/core/model/schema.ts';
import type { Store } from '../../src/core/store-port.ts';
import { withReplacedCalls } from '../../src/store/wrapped.ts';
import { uniqueTableName } from '../support/table.ts';
import { openWriter } from '../support/writer.ts';

const fields = z.object({
  status: z.string().optional(),
  views: z.number().optional(),
  seen: z.string().optional(),
  tags: z.set(z.string()).optional(),
});

function model() {
  return defineGraph({
    table: uniqueTableName(),
    nodes: {
      TASK: node({ view: 'ALL', fields }),
      DOC: node({ view: 'ALL', fields: fields.extend({ v: z.number().optional() }), versionAttribute: 'v' }),
      BAG: node({ view: 'ALL', maxEntries: { tags: 200 } }),
    },
    edges: { LINK: edge({ from: 'TASK', to: 'TASK', fields }) },
  });
}

/** With a writer that waits between its attempts. */
async function open() {
  const table = await openWriter(model());
  return { ...table, writer: createWriter(table.graph, { store: table.store }) };
}

/** Updates of types whose transactions read before they write, each with what it adds one to. */
const GUARDED = {
  'a type with fields': (each: Each) => each.updateNode('TASK-1', { add: { views: 1 } }, { upsert: true }),
  'a type with versions': (each: Each) => each.updateNode('DOC-1', { add: { views: 1 } }, { upsert: true }),
  'an edge with fields': (each: Each) =>
    each.updateEdge('TASK-1', 'LINK', 'TASK-2', { add: { views: 1 } }, { upsert: true }),
} as const;

type Writer = Awaited<ReturnType<typeof open>>['writer'];
type Each = Parameters<Parameters<Writer['transact']>[0]>[0];

describe('a transaction that reads before it writes', () => {
  it.each(Object.entries(GUARDED))('is made each time, also beside others of its kind: %s', async (_, update) => {
    const { writer, read } = await open();
    await Promise.all(Array.from({ length: 20 }, () => writer.transact(update)));
    const items = [await read('TASK-1'), await read('DOC-1'), await read('TASK-1', 'LINK-TASK-2')];
    expect(items.map((item) => item?.['views']).filter((views) => views !== undefined)).toEqual([{ N: '20' }]);
  });

  it('is made each time where a set has a bound', async () => {
    const { writer, read } = await open();
    const add = (i: number) =>
      writer.transact((each) => each.updateNode('BAG-1', { addTo: { tags: [`t${i}`] } }, { upsert: true }));
    await Promise.all(Array.from({ length: 12 }, (_, i) => add(i)));
    expect((await read('BAG-1'))?.['tags']).toMatchObject({ SS: expect.objectContaining({ length: 12 }) });
  });

  it('is no failure of a condition that holds, beside one update of an attribute that only its validator reads', async () => {
    const { writer, read } = await open();
    for (let i = 0; i < 10; i++) {
      await writer.putNode('TASK-1', { status: 'Open', views: 0 });
      await Promise.all([
        writer.transact((each) => each.updateNode('TASK-1', { set: { status: 'Closed' } }, { if: { status: 'Open' } })),
        writer.updateNode('TASK-1', { add: { views: 1 } }),
      ]);
      expect(await read('TASK-1')).toMatchObject({ status: { S: 'Closed' }, views: { N: '1' } });
    }
  });

  it('says which conditions of the caller failed, and names only their attributes', async () => {
    const { writer } = await open();
    await writer.putNode('TASK-1', { status: 'Open', views: 1, seen: 'no' });
    const transaction = writer.transact((each) => {
      each.updateNode('TASK-1', { set: { seen: 'yes' } }, { if: { status: 'Closed', views: 1, seen: 'no' } });
      each.putNode('TASK-2', {}, { if: { status: undefined } });
    });
    const failure = (await transaction.catch((error: unknown) => error)) as TransactionFailedError;
    expect(failure).toMatchObject({ code: 'condition-failed', current: { status: 'Open' } });
    expect(failure.failures).toMatchObject([
      { position: 1, error: { message: 'Node "TASK-1": status is not as the condition has it.' } },
    ]);
    const alone = writer.updateNode(
      'TASK-1',
      { set: { seen: 'yes' } },
      { if: { status: 'Open', views: 2, seen: 'x' } },
    );
    await expect(alone).rejects.toThrow('views, seen are not as the condition has it');
  });

  it('leaves an item as it was read where nothing of it changes', async () => {
    const { graph, store, writer, read } = await open();
    await writer.putNode('TASK-1', { status: 'Closed' });
    let isFirst = true;
    const racing = createWriter(graph, {
      store: withReplacedCalls(store, {
        changeAll: async (changes, token) => {
          if (isFirst) await writer.putNode('TASK-1', { status: 'Open' });
          isFirst = false;
          return store.changeAll(changes, token);
        },
      }),
    });
    await racing.transact((each) => {
      each.updateNode('TASK-1', { set: { status: 'Closed' } });
      each.putNode('TASK-2', { seen: 'closed TASK-1' });
    });
    expect(await read('TASK-1')).toMatchObject({ status: { S: 'Closed' } });
  });

  it('says that it should be sent again where others never stop', async () => {
    const { graph, store, writer } = await open();
    await writer.putNode('TASK-1', { views: 0 });
    let milliseconds = 0;
    // Three seconds for each look at the clock.
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => (milliseconds += 3_000));
    const changeAll: Store['changeAll'] = async (changes, token) => {
      await writer.updateNode('TASK-1', { add: { views: 1 } });
      return await store.changeAll(changes, token);
    };
    const losing = createWriter(graph, {
      store: withReplacedCalls(store, { changeAll }),
      wait: async () => undefined,
    });
    const transaction = losing.transact((each) => each.updateNode('TASK-1', { add: { views: 1 } }));
    await expect(transaction).rejects.toMatchObject({ code: 'too-much-contention' });
    clock.mockRestore();
  });
});
