import { describe, expect, it } from 'vitest';
import type { Item } from '../../src/core/items/attribute-value.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { node } from '../../src/core/model/schema.ts';
import { mirrorHandler } from '../../src/deployment/lambda/mirror-handler.ts';
import { StoreError } from '../../src/foundation/errors.ts';
import { mappedNode } from '../../src/sources/items.ts';
import { sourceTable } from '../../src/sources/source.ts';
import { sourcesStatus } from '../../src/sources/status.ts';
import { DynamoDBSourceStore } from '../../src/store/source-table.ts';
import type { RawRecord } from '../../src/stream/raw-record.ts';
import { testTable, uniqueTableName } from '../support/table.ts';

/** The function that mirrors, with the records of an engine's stream as Lambda gives them. */

async function rig() {
  const app = await testTable(
    defineGraph({
      table: { name: uniqueTableName(), partitionKey: 'pk', sortKey: 'sk', ttl: 'ttl' },
      nodes: { X: node({ view: 'ALL' }) },
    }),
  );
  const ours = await testTable(
    defineGraph({ table: uniqueTableName(), nodes: { ISSUE: node({ view: 'ALL' }) }, edges: {}, mirrored: ['ISSUE'] }),
  );
  const lines: [level: string, details: object, message: string][] = [];
  const log = (level: string) => (details: object, message: string) => void lines.push([level, details, message]);
  const logger = {
    ...{ debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') },
    child: () => logger,
  };
  const options = {
    sources: [
      sourceTable(app.graph.table.name, {
        map: ({ sk, is, bad }) => {
          if (bad) throw new Error('bad');
          return [mappedNode(`ISSUE-${is ?? sk}`, { of: sk })];
        },
      }),
    ],
    streamArns: [app.streamArn],
    store: ours.store,
    openSource: () => new DynamoDBSourceStore(app.client, app.graph.table.name),
    logger,
  };
  const handler = mirrorHandler(ours.graph, options);
  let read = 0;
  const fresh = async (): Promise<RawRecord[]> => {
    const all = await app.rawRecords();
    const records = all.slice(read).map((record) => ({ ...record, eventSourceARN: app.streamArn }));
    read = all.length;
    return records;
  };
  const context = { awsRequestId: 'r', getRemainingTimeInMillis: () => 60_000 };
  const put = (sk: string, more: Item = {}) => app.store.put({ pk: { S: 'issue' }, sk: { S: sk }, ...more });
  return { app, ours, options, handler, fresh, context, put, lines };
}

describe('mirrorHandler', () => {
  it('touches what batches name, sets an item aside by its key, and its watch tells of what needs a person', async () => {
    const { app, ours, handler, fresh, context, put, lines } = await rig();
    await put('1');
    await put('2', { bad: { BOOL: true } });
    await put('3', { is: { S: '1' } });
    const batch = await fresh();
    expect(await handler({ Records: batch }, context)).toEqual({ batchItemFailures: [] });
    // The same again changes nothing, and finds the conflict again.
    expect(await handler({ Records: batch }, context)).toEqual({ batchItemFailures: [] });
    await handler({ watch: true }, context);
    const warnings = lines.filter(([level]) => level === 'warn').map(([, details]) => details);
    const name = (sk: string): string => `${app.graph.table.name}/{"pk":{"S":"issue"},"sk":{"S":"${sk}"}}`;
    expect(warnings).toEqual([
      { source: app.graph.table.name, key: '{"pk":{"S":"issue"},"sk":{"S":"2"}}', code: 'invalid-mapping' },
      { source: 'ISSUE-1', target: 'ISSUE-1', shown: expect.any(String), makers: [name('1'), name('3')] },
    ]);
    const states = await sourcesStatus(ours);
    expect(states).toMatchObject({
      sources: [{ source: app.graph.table.name, refused: 1, seen: expect.any(String) }],
      conflicts: [{ source: 'ISSUE-1', makers: [name('1'), name('3')] }],
    });
    await put('2');
    await app.store.delete({ source: 'issue', target: '3' });
    await handler({ Records: await fresh() }, context);
    await handler({ watch: true }, context);
    expect(await sourcesStatus(ours)).toMatchObject({ sources: [{ refused: 0 }], conflicts: [] });
    // The watch has taken the note away.
    const notes = await ours.store.query({ partition: '~edgeloom', sortKey: { beginsWith: 'source-conflict/' } });
    expect(notes.items).toEqual([]);
  });

  it('reports the first record that is left where the time ends, and comes again from there', async () => {
    const { ours, handler, fresh, context, put } = await rig();
    for (const sk of ['1', '2', '3']) await put(sk);
    const batch = await fresh();
    const short = { ...context, getRemainingTimeInMillis: () => 0 };
    const { batchItemFailures } = await handler({ Records: batch }, short);
    expect(batchItemFailures).toEqual([{ itemIdentifier: batch[0]!.dynamodb!.SequenceNumber }]);
    expect(await handler({ Records: batch }, context)).toEqual({ batchItemFailures: [] });
    expect((await ours.store.get({ source: 'ISSUE-3', target: 'ISSUE-3' }, { consistent: true })).item).toBeDefined();
  });

  it('gives a batch back that is throttled, and goes on when a note of its progress fails', async () => {
    const { ours, options, fresh, context, put, lines } = await rig();
    await put('1');
    let refuses = true;
    const { store } = ours;
    const throttled = new StoreError('retryable', 'ThrottlingException', 'The table is asked for too much.');
    const refusing = new Proxy(store, {
      get: (target, name) =>
        name === 'change'
          ? async (change: Parameters<typeof store.change>[0]) => {
              const { target: sortKey } = change.key;
              if (sortKey.startsWith('source-progress/') || (refuses && sortKey === 'ISSUE-1')) throw throttled;
              return target.change(change);
            }
          : (target as never)[name],
    });
    const handler = mirrorHandler(ours.graph, { ...options, store: refusing, wait: async () => undefined });
    const batch = await fresh();
    expect((await handler({ Records: batch }, context)).batchItemFailures).toHaveLength(1);
    refuses = false;
    expect(await handler({ Records: batch }, context)).toEqual({ batchItemFailures: [] });
    expect(lines.map(([, , message]) => message)).toContain('the progress could not be noted');
  });

  it('says when the stream of a source is another one, and refuses batches of other tables', async () => {
    const { app, ours, options, context, lines } = await rig();
    const before = app.streamArn.replace(/[^/]+$/, '2020-01-01T00:00:00.000');
    const handler = mirrorHandler(ours.graph, { ...options, streamArns: [before] });
    await handler({ watch: true }, context);
    expect(lines.filter(([level]) => level === 'error')).toEqual([
      ['error', { reads: before, has: app.streamArn }, 'the stack does not read the stream of the source'],
    ]);
    const of = (eventSourceARN: string): RawRecord => ({ eventSourceARN, dynamodb: { SequenceNumber: '1' } });
    await expect(handler({ Records: [of(ours.streamArn)] }, context)).rejects.toThrow(/not a source/);
    await expect(handler({ Records: [of(app.streamArn), of(ours.streamArn)] }, context)).rejects.toThrow(/several/);
    await expect(handler([] as never, context)).rejects.toThrow(/an array/);
    expect(await handler({ Records: [] }, context)).toEqual({ batchItemFailures: [] });
  });
});
