import pino from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Item } from '../../src/core/items/attribute-value.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { edge, node } from '../../src/core/model/schema.ts';
import type { Store } from '../../src/core/store-port.ts';
import { streamHandler } from '../../src/deployment/lambda/index.ts';
import type { StreamHandlerOptions } from '../../src/deployment/lambda/stream-handler.ts';
import { StoreError } from '../../src/foundation/errors.ts';
import { withReplacedCalls } from '../../src/store/wrapped.ts';
import type { RawRecord } from '../../src/stream/decode.ts';
import { testTable, uniqueTableName } from '../support/table.ts';

/** The stream of the table that was made last. */
let streamArn = '';

/** A table of users, with the function that projects it, and the lines that this logs. */
async function followTable(options: Partial<StreamHandlerOptions> & { level?: string } = {}) {
  const { level = 'info', ...rest } = options;
  const graph = defineGraph({
    table: uniqueTableName(),
    nodes: { USER: node({ view: ['name', 'picture'] }) },
    edges: { FOLLOWS: edge({ from: 'USER', to: 'USER', inbound: { orders: { gsi0: 'since' } } }) },
  });
  const table = await testTable(graph);
  const { store } = table;
  ({ streamArn } = table);
  const lines: Record<string, unknown>[] = [];
  const logger = pino({ level }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const handlerOver = (own: Store) => streamHandler(graph, { store: own, logger, ...rest });
  const view = async (id: string) =>
    (await store.get({ source: `USER-${id}`, target: '~view' }, { consistent: true })).item;
  return { graph, store, handlerOver, handler: handlerOver(store), lines, view };
}

/** A stream record as Lambda hands it over: seconds, and binary as base64 text. */
function lambdaInsert(
  sequence: number,
  image: Record<string, unknown> & { source: { S: string }; target: { S: string } },
): RawRecord {
  return {
    eventName: 'INSERT',
    eventSourceARN: streamArn,
    dynamodb: {
      Keys: { source: image.source, target: image.target },
      NewImage: image,
      SequenceNumber: `${10 ** 21 + sequence}`.replace('e+21', '000000000000000000000'),
      ApproximateCreationDateTime: 1_767_225_600,
    },
  };
}

function user(sequence: number, id: string, rest: Record<string, unknown> = {}): RawRecord {
  return lambdaInsert(sequence, { source: { S: `USER-${id}` }, target: { S: `USER-${id}` }, ...rest });
}

/** Puts the items that records tell of: base items alone say what derived items hold. */
async function put(store: Store, records: readonly RawRecord[]): Promise<void> {
  for (const { dynamodb } of records) {
    const { picture, ...image } = dynamodb!.NewImage as Item;
    const binary = picture !== undefined && {
      picture: { B: Buffer.from((picture as { B: unknown }).B as string, 'base64') },
    };
    await store.put({ ...image, ...binary });
  }
}

const context = { awsRequestId: 'request-1', getRemainingTimeInMillis: () => 60_000 };

describe('streamHandler', () => {
  let emitted: string[];
  beforeEach(() => {
    emitted = [];
    vi.spyOn(process.stdout, 'write').mockImplementation((line) => {
      emitted.push(String(line));
      return true;
    });
  });
  afterEach(() => vi.restoreAllMocks());

  it("projects Lambda's records, base64 binaries included, and reports no failure", async () => {
    const { store, handler, lines, view } = await followTable({ now: () => 1_767_225_607_000 });
    const picture = Buffer.from([0, 1, 254]).toString('base64');
    const Records = [
      user(1, 'A', { name: { S: 'secret name' }, picture: { B: picture } }),
      lambdaInsert(2, { source: { S: 'USER-A' }, target: { S: 'FOLLOWS-USER-B' }, since: { S: '2026' } }),
    ];
    await put(store, Records);
    const response = await handler({ Records }, context);
    expect(response).toEqual({ batchItemFailures: [] });
    const item = await view('A');
    expect(item).toMatchObject({ edgeSet: { SS: ['FOLLOWS-USER-B'] } });
    expect(item).toMatchObject({ attributes: { M: { picture: { B: new Uint8Array([0, 1, 254]) } } } });
    expect(lines).toMatchObject([{ requestId: 'request-1', records: 2, touches: 2, msg: 'batch applied' }]);
    expect(JSON.stringify(lines)).not.toContain('secret name');
  });

  it('emits the batch as EMF metrics', async () => {
    const { graph, handler } = await followTable({ now: () => 1_767_225_607_000 });
    await handler({ Records: [user(1, 'A'), user(2, 'B'), user(3, 'B', { name: { S: 'b' } })] }, context);
    const document = JSON.parse(emitted.at(-1)!) as Record<string, unknown>;
    expect(document).toMatchObject({
      Records: 3,
      Touches: 2,
      Writes: 2,
      WriteCapacityUnits: 2,
      CoalescingRatio: 1.5,
      Conflicts: 0,
      LagSeconds: 7,
    });
    expect(document).toMatchObject({ table: graph.table.name, RetriedBatches: 0, Quarantined: 0 });
    expect(document).toHaveProperty('_aws.CloudWatchMetrics');
  });

  it('reports exactly one identifier, the lowest unapplied, when the time is over', async () => {
    const { store, handlerOver, view } = await followTable();
    // The time is over when each has been tried.
    const tried = new Set<string>();
    const throttled = withReplacedCalls(store, {
      update: async (update: Parameters<Store['update']>[0]) => {
        if (update.key.source === 'USER-B' || update.key.source === 'USER-C') {
          tried.add(update.key.source);
          throw new StoreError('retryable', 'ProvisionedThroughputExceededException', 'throttled');
        }
        const result = await store.update(update);
        tried.add(update.key.source);
        return result;
      },
    });
    const handler = handlerOver(throttled);
    const isOver = (): boolean => ['USER-A', 'USER-B', 'USER-C', 'USER-D'].every((source) => tried.has(source));
    const short = { awsRequestId: 'request-2', getRemainingTimeInMillis: () => (isOver() ? 0 : 60_000) };
    const records = [user(1, 'A'), user(2, 'B'), user(3, 'C'), user(4, 'D')];
    await put(store, records);
    expect(await handler({ Records: records }, short)).toEqual({
      batchItemFailures: [{ itemIdentifier: records[1]!.dynamodb!.SequenceNumber }],
    });
    // The good ones were applied all the same.
    for (const id of ['A', 'D']) expect(await view(id)).toBeDefined();
  });

  it('tries a first step where only the reserve is left, and reports the record after it with both times', async () => {
    const { store, handler, lines, view } = await followTable();
    const records = Array.from({ length: 150 }, (_, i) => user(i + 1, `${i + 1}`));
    await put(store, records);
    const left = [60_000];
    const late = { awsRequestId: 'request-3', getRemainingTimeInMillis: () => left.shift() ?? 4_900 };
    const response = await handler({ Records: records }, late);
    expect(response.batchItemFailures).toEqual([{ itemIdentifier: records[100]!.dynamodb!.SequenceNumber }]);
    expect(await view('1')).toBeDefined();
    expect(await view('150')).toBeUndefined();
    expect(lines.filter(({ level }) => level === 40)).toMatchObject([
      { timeoutMs: 60_000, reserveMs: 5_000, reason: { code: 'out-of-time' } },
    ]);
  });

  it('logs keys but no contents, at the level debug too', async () => {
    const { handler, lines } = await followTable({ level: 'debug' });
    await handler({ Records: [user(1, 'A', { name: { S: 'secret name' } })] }, context);
    const debug = lines.filter(({ msg }) => msg === 'batch received');
    expect(debug).toMatchObject([{ keys: [['USER-A', 'USER-A']] }]);
    expect(JSON.stringify(lines)).not.toContain('secret name');
  });

  it('takes a stream that carries no images, where its model needs none', async () => {
    const { store, handler, view } = await followTable();
    const bare = user(1, 'A');
    await put(store, [bare]);
    delete bare.dynamodb!.NewImage;
    expect(await handler({ Records: [bare] }, context)).toEqual({ batchItemFailures: [] });
    expect(await view('A')).toBeDefined();
  });
});
