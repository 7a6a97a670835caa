import { check, decodeRecords } from 'edgeloom/admin';
import { type Local, startLocal } from 'edgeloom/local';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import graph from '../edgeloom.config.ts';
import { createFollows } from '../src/follows.ts';

describe('follows', () => {
  let local: Local;
  let follows: ReturnType<typeof createFollows>;

  beforeAll(async () => {
    local = await startLocal(graph, {});
    follows = createFollows(local.store);
  });
  afterAll(() => local.stop());

  it('are read from both sides, and found by name', async () => {
    await follows.signUp('1', 'Ada');
    await follows.signUp('2', 'Grace');
    await follows.signUp('3', 'adele');
    await follows.follow('1', '2', '2026-01-01');
    await follows.follow('3', '2', '2026-02-01');
    await follows.follow('1', '3', '2026-03-01');
    await follows.unfollow('1', '3');
    await local.worker.idle();

    expect(await follows.profile('1')).toEqual({ name: 'Ada', follows: ['USER-2'] });
    expect(await follows.followers('2')).toEqual(['USER-3', 'USER-1']);
    expect(await follows.find('AD')).toEqual(['Ada', 'adele']);
    expect((await check(graph, { store: local.store, settleMs: 0 })).drift).toEqual({
      missing: 0,
      stale: 0,
      orphan: 0,
    });
  });

  it('are projected by the handler too', async () => {
    process.env['AWS_ENDPOINT_URL_DYNAMODB'] = local.endpoint;
    process.env['AWS_REGION'] ??= 'local';
    process.env['AWS_ACCESS_KEY_ID'] ??= 'local';
    process.env['AWS_SECRET_ACCESS_KEY'] ??= 'local';
    const { handler } = await import('../src/handler.ts');
    const item = { source: { S: 'USER-9' }, target: { S: 'USER-9' }, name: { S: 'Zoe' } };
    const record = {
      eventName: 'INSERT',
      eventSourceARN: local.streamArn,
      dynamodb: {
        Keys: { source: item.source, target: item.target },
        NewImage: item,
        SequenceNumber: '900000000000000000000000',
        StreamViewType: 'NEW_AND_OLD_IMAGES',
      },
    };
    const context = { awsRequestId: 'test', getRemainingTimeInMillis: () => 30_000 };

    expect(decodeRecords(graph, [record])).toHaveLength(1);
    expect(await handler({ Records: [record] }, context)).toEqual({ batchItemFailures: [] });
    expect(await follows.profile('9')).toEqual({ name: 'Zoe', follows: [] });
  });
});
