import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { changesOf, type FeedModel } from '../../../src/client/feed/changes-of.ts';
import type { FeedChange, FeedEvent } from '../../../src/client/feed/feed-change.ts';
import { Feeder, type FeederState } from '../../../src/client/feed/feeder.ts';
import type { Item } from '../../../src/core/items/attribute-value.ts';
import { defineGraph } from '../../../src/core/model/compile/define-graph.ts';
import { edge, node } from '../../../src/core/model/schema.ts';
import { derivedOf } from '../../../src/core/plan/derive.ts';
import { deployedFeed } from '../../../src/deployment/lambda/deployed.ts';
import { putEvents } from '../../../src/deployment/lambda/event-bus.ts';
import { feedHandler } from '../../../src/deployment/lambda/feed-handler.ts';
import { feedDeadLetters, feedQueue } from '../../../src/deployment/lambda/feed-queue.ts';
import { losslessNumber, toJson } from '../../../src/foundation/exact-json.ts';
import { projectionsOfModel } from '../../../src/registry/projections-in-force.ts';
import { EVENT_BRIDGE, jsonService, SQS } from '../../../src/store/client/json-service.ts';
import type { StreamSource } from '../../../src/stream/source.ts';
import type { TailRecord } from '../../../src/stream/stream-tail.ts';
import { observe } from '../../../src/trust/observe/observe.ts';
import type { ObserverState } from '../../../src/trust/observe/state.ts';
import { timelessRevision } from '../../support/feed-follower.ts';
import { type FeedServices, startFeedServices } from '../../support/feed-services.ts';
import { MemoryStore } from '../../support/memory-store/memory-store.ts';

const graph = defineGraph({
  table: 'tickets',
  nodes: { USER: node({ view: 'ALL' }), TICKET: node({ view: 'ALL' }) },
  edges: { ASSIGNED: edge({ from: 'TICKET', to: 'USER', inbound: { orders: { gsi0: 'since' }, project: 'ALL' } }) },
});
const model: FeedModel = { graph, projections: projectionsOfModel(graph), readNumber: losslessNumber };

let services: FeedServices;
beforeEach(async () => {
  services = await startFeedServices();
});
afterEach(() => services.stop());

const own = () => ({ endpoint: services.endpoint, answerTimeoutMs: 60_000 });
const quick = { wait: async () => undefined };
const take = () => feedQueue(services.queueUrl, jsonService(SQS, own()), quick);
const silent = { child: () => silent, info() {}, warn() {}, error() {}, debug() {} } as never;
const handler = () =>
  feedHandler({
    ...{ bus: 'own', table: 'arn:aws:dynamodb:eu-central-1:123456789012:table/tickets', ...quick, logger: silent },
    call: jsonService(EVENT_BRIDGE, own()),
    deadLetters: feedDeadLetters(services.deadLettersUrl, jsonService(SQS, own()), quick),
  });
const context = { awsRequestId: 'r', getRemainingTimeInMillis: () => 60_000 };

/** Gives the messages of the queue to the function, until it has put all of them. */
async function drain(): Promise<void> {
  for (let call = 0; services.messages.length > 0; call++) {
    if (call > 500) throw new Error('the queue is not emptied');
    const Records = services.messages.slice(0, 10);
    const { batchItemFailures } = await handler()({ Records }, context);
    const held = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
    services.messages = services.messages.filter((one) => !Records.includes(one) || held.has(one.messageId));
  }
}

const item = (texts: Record<string, string>): Item =>
  Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, { S: text }]));

/** The record of a write to the row of a ticket. */
function rowRecord(ticket: string, revision: number, sequenceNumber: string, shardId: string, note = ''): TailRecord {
  const target = 'ASSIGNED-USER-1';
  const image = (number: number): Item => {
    const base = item({ source: ticket, target, since: `${number}`, note });
    const [[key, fields]] = [...derivedOf(graph, ticket, target, base, undefined).indexItems] as [[string, Item]];
    return { source: { S: ticket }, target: { S: key }, ...fields, r: { N: String(number) } };
  };
  const NewImage = image(revision);
  const { source, target: key } = NewImage;
  const dynamodb = {
    ...{ Keys: { source, target: key }, NewImage, SequenceNumber: sequenceNumber },
    ...(revision > 1 && { OldImage: image(revision - 1) }),
  };
  return { shardId, record: { dynamodb } as never, sequenceNumber, after: undefined, madeMs: 0 };
}

/** Small numbers that look like chance, the same in each run. */
function chance(seed: number): (below: number) => number {
  let state = seed * 7_919 + 1;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff;
    return (state >> 9) % below;
  };
}

it('a message that is none of the feed goes to the dead letters, and its group goes on', async () => {
  const letters: string[] = [];
  const put: unknown[] = [];
  const run = feedHandler({
    ...{ bus: 'own', table: 'arn:aws:dynamodb:eu-central-1:123456789012:table/tickets', ...quick, logger: silent },
    call: async (_action, body) => {
      put.push(body);
      return { FailedEntryCount: 0, Entries: [{ EventId: '1' }] };
    },
    deadLetters: async ({ text }) => {
      letters.push(text);
    },
  });
  const bodies = ['hello', 'null', '', JSON.stringify({ kind: 'view', item: 'TICKET-1' })];
  const Records = bodies.map((body, i) => ({ messageId: `m${i}`, body, attributes: { MessageGroupId: 'g' } }));
  expect(await run({ Records }, context)).toEqual({ batchItemFailures: [] });
  expect(letters).toEqual(bodies.slice(0, 3));
  expect(put).toHaveLength(1);
});

it('refuses options that a feed handler does not have', () => {
  const options = { bus: 'own', table: 'arn', call: async () => ({}), deadLetters: async () => undefined };
  expect(() => feedHandler({ ...options, reserveMS: 5 } as never)).toThrow(/reserveMS/);
});

describe('the way of changes to EventBridge', () => {
  it.each([1, 2])('loses none and keeps the order of each item, whatever fails (%i)', async (seed) => {
    const below = chance(seed);
    const shards = ['shard-a', 'shard-b'].map((shardId, s) => {
      const revisions = new Map<string, number>();
      return Array.from({ length: 60 }, (_, i) => {
        const ticket = `TICKET-${s}${below(5)}`;
        const revision = (revisions.get(ticket) ?? 0) + 1;
        revisions.set(ticket, revision);
        return rowRecord(ticket, revision, String(90 + i), shardId);
      });
    });
    const all = shards.flat();
    const isFault = (of: number): boolean => below(of) === 0;
    services.faults = {
      call: () => {
        const kind = below(12);
        if (kind === 0) return { status: 400, type: 'ThrottlingException' };
        if (kind === 1) return { status: 503, type: 'ServiceUnavailable' };
        return kind === 2 ? 'lost' : undefined;
      },
      entry: () => isFault(8),
    };
    // An observer that crashes anywhere: the saved state is older than what was told.
    let saved: { positions: number[]; feed: FeederState | undefined } = { positions: [0, 0], feed: undefined };
    for (let run = 0; saved.positions.some((position, s) => position < shards[s]!.length); run++) {
      if (run > 400) throw new Error('it does not end');
      // The observer goes back to what it still judges.
      const positions = saved.positions.map((position) => Math.max(0, position - below(6)));
      const feeder = new Feeder({ model: async () => model, take: take(), now: () => run }, saved.feed);
      try {
        for (let turn = 0; turn < 3; turn++) {
          const pages = positions.map((position, s) => shards[s]!.slice(position, position + 1 + below(9)));
          await feeder.tell(pages.flat());
          for (const [s, page] of pages.entries()) positions[s]! += page.length;
          if (isFault(4)) throw new Error('it crashes');
          const feed = await feeder.tellGaps(new Set(['shard-a', 'shard-b']));
          if (isFault(6)) throw new Error('it crashes');
          saved = { positions: [...positions], feed };
        }
      } catch (error) {
        if (!(error instanceof Error)) throw error;
      }
      if (isFault(3)) await drain();
    }
    await drain();
    const told = services.events.map((text) => JSON.parse(text) as FeedEvent);
    const changes = told.filter((event): event is FeedChange => event.kind !== 'resync');
    const seen = new Set<string>();
    const first = changes.filter(({ eventId, item: of }) => !seen.has(eventId + of) && seen.add(eventId + of));
    const expected = all.flatMap(({ record }) => changesOf(model, record));
    const byKey = (left: FeedChange, right: FeedChange): number =>
      `${left.item} ${left.revision}` < `${right.item} ${right.revision}` ? -1 : 1;
    expect([...first].sort(byKey)).toEqual(expected.sort(byKey).map((change) => JSON.parse(toJson(change))));
    for (const name of new Set(first.map((change) => change.item))) {
      const revisions = first.filter((change) => change.item === name).map(({ revision }) => revision);
      expect(revisions, name).toEqual(revisions.map((_, i) => timelessRevision(i + 1)));
    }
    expect(told).toContainEqual(expect.objectContaining({ kind: 'resync', reason: 'The feed begins.' }));
  });

  it('tells after a restart what the observer reads again only where it was not told', async () => {
    const told: FeedEvent[] = [];
    const feederFrom = (state: FeederState | undefined) =>
      new Feeder({ model: async () => model, take: async (events) => void told.push(...events), now: () => 0 }, state);
    const records = [1, 2, 3].map((i) => rowRecord('TICKET-1', i, String(98 + i), 'shard-a'));
    const feeder = feederFrom(undefined);
    await feeder.tell(records.slice(0, 2));
    const state = await feeder.tellGaps(new Set(['shard-a']));
    expect(state.told).toEqual({ 'shard-a': '100' });
    expect(told.map(({ kind }) => kind)).toEqual(['resync', 'list', 'list']);
    // 99 and 100 come again; 101 has more digits than the first had.
    await feederFrom(state).tell(records);
    expect(told.slice(3)).toMatchObject([
      { revision: timelessRevision(3), eventId: expect.stringMatching(/^101\.3\.[0-9a-f]{8}\/gsi0$/) },
    ]);
    expect((await feederFrom(state).tellGaps(new Set(['shard-b']))).told).toEqual({});
  });

  it('begins again after a restart with the first change of a shard that has told nothing, and says nothing while there is none', async () => {
    const { name } = graph.table;
    const store = new MemoryStore(graph.table, {});
    const open: TailRecord[] = [];
    const shards = [{ shardId: 'closed' }, { shardId: 'open', parentShardId: 'closed' }];
    const source: StreamSource = {
      streamArn: `arn:aws:dynamodb:eu-central-1:123456789012:table/${name}/stream/2026-01-01T00:00:00.000`,
      describe: async () => ({ status: 'ENABLED', shards }),
      isClosed: async (shardId) => shardId === 'closed',
      iterator: async () => '0',
      latest: async () => '0',
      read: async (iterator) => ({
        records: open.slice(Number(iterator)).map(({ record }) => record),
        next: String(open.length),
      }),
    };
    let state: ObserverState | undefined;
    let nowMs = 1_800_000_000_000;
    const told: FeedEvent[] = [];
    const run = async (): Promise<string[]> => {
      const endMs = nowMs + 5_000;
      await observe({
        ...{ graph, store, source, checks: false, now: () => nowMs, remainingMs: () => endMs - nowMs },
        wait: async (ms) => {
          nowMs += ms;
        },
        lowWatermark: async () => nowMs,
        feed: async (events) => void told.push(...events),
        memory: {
          open: async () => state,
          save: async (saved) => {
            state = structuredClone(saved);
            return true;
          },
          close: async () => undefined,
        },
      });
      return told.splice(0).map((event) => (event.kind === 'resync' ? event.reason : event.kind));
    };
    expect(await run()).toEqual(['The feed begins.']);
    expect(await run()).toEqual([]);
    expect(await run()).toEqual([]);
    open.push(rowRecord('TICKET-1', 1, '17', 'open'));
    expect(await run()).toEqual(['The feed begins again.', 'list']);
    expect(await run()).toEqual([]);
  });

  it('says what may have been missed: a gap, and a projection in another place', async () => {
    const told: FeedEvent[] = [];
    const feeder = new Feeder(
      { model: async () => model, take: async (events) => void told.push(...events), now: () => 0 },
      { told: {}, places: { 'view USER': 'ready', 'view TICKET': 'ready', 'order gsi0 of ASSIGNED': '~ix/@7/x' } },
    );
    await feeder.tellGaps(new Set());
    expect(told).toMatchObject([{ kind: 'resync', of: ['order gsi0 of ASSIGNED'] }]);
    feeder.noteGap('Shard 7 has left the stream.');
    await feeder.tell([rowRecord('TICKET-1', 1, '17', 'shard-a')]);
    expect(told.slice(1)).toMatchObject([{ kind: 'resync', reason: 'Shard 7 has left the stream.' }, { kind: 'list' }]);
    expect(told[1]).not.toHaveProperty('of');
    await feeder.tellGaps(new Set());
    expect(told).toHaveLength(3);
  });

  it('keeps a gap that could not be told', async () => {
    const told: FeedEvent[] = [];
    let isDown = true;
    const feeder = new Feeder(
      {
        ...{ model: async () => model, now: () => 0 },
        async take(events) {
          if (isDown) throw new Error('the queue is down');
          told.push(...events);
        },
      },
      undefined,
    );
    await expect(feeder.tell([])).rejects.toThrow('the queue is down');
    await expect(feeder.tellGaps(new Set())).rejects.toThrow('the queue is down');
    isDown = false;
    await feeder.tellGaps(new Set());
    expect(told).toMatchObject([{ kind: 'resync', reason: 'The feed begins.' }]);
  });

  it('says how many messages or events were not taken', async () => {
    services.faults = { call: () => undefined, entry: () => true };
    const [change] = changesOf(model, rowRecord('TICKET-1', 1, '17', 's').record);
    await expect(take()([change!])).rejects.toThrow('did not take 1 message: InternalError.');
    const bus = { bus: 'own', table: 'arn', call: jsonService(EVENT_BRIDGE, own()) };
    const event = { kind: 'view', item: 'a', text: '{}' } as const;
    const events = [event, { ...event, item: 'b' }];
    await expect(putEvents(events, bus, quick, async () => undefined)).rejects.toThrow(
      'did not take 2 events: ThrottlingException.',
    );
  });

  it('signs its calls as each service wants it, and names bus, kind and table', async () => {
    await take()(changesOf(model, rowRecord('TICKET-1', 1, '17', 's').record));
    await drain();
    const [sent, put] = services.calls;
    expect(sent!.headers).toMatchObject({ 'content-type': 'application/x-amz-json-1.0' });
    expect(sent!.headers.authorization).toContain('/us-east-1/sqs/aws4_request');
    expect(put!.headers).toMatchObject({
      'content-type': 'application/x-amz-json-1.1',
      'x-amz-target': 'AWSEvents.PutEvents',
    });
    expect(put!.headers.authorization).toContain('/us-east-1/events/aws4_request');
    expect(put!.input['Entries']).toMatchObject([
      {
        ...{ Source: 'edgeloom', DetailType: 'list', EventBusName: 'own' },
        Resources: ['arn:aws:dynamodb:eu-central-1:123456789012:table/tickets'],
      },
    ]);
  });

  it('leaves the contents of what no event has room for out, and says so', async () => {
    const long = 'x'.repeat(300_000);
    const records = [
      rowRecord('TICKET-1', 1, '17', 's', long),
      rowRecord('TICKET-2', 1, '18', 's', long.slice(0, 150_000)),
    ];
    const more = Array.from({ length: 9 }, (_, i) =>
      rowRecord(`TICKET-9${i}`, 1, String(20 + i), 's', long.slice(0, 60_000)),
    );
    await take()([...records, ...more].flatMap(({ record }) => changesOf(model, record)));
    await drain();
    const told = services.events.map((text) => JSON.parse(text) as FeedChange);
    expect(told).toHaveLength(11);
    expect(told.find(({ eventId }) => eventId.startsWith('17.'))).toMatchObject({ truncated: true, attributes: {} });
    expect(told.filter(({ truncated }) => truncated === true)).toHaveLength(1);
    expect(told.find(({ eventId }) => eventId.startsWith('18.'))!.attributes).toHaveProperty('note');
  });

  it('runs with the environment that the stack gives, and says what it lacks', async () => {
    const environment = {
      EDGELOOM_TABLE: 'tickets',
      EDGELOOM_LOG_LEVEL: 'silent',
      EDGELOOM_STREAM_ARN: 'arn:aws:dynamodb:eu-central-1:123456789012:table/tickets/stream/2026-01-01T00:00:00.000',
      AWS_REGION: 'eu-central-1',
      AWS_ACCESS_KEY_ID: 'AKIA',
      AWS_SECRET_ACCESS_KEY: 'secret',
      AWS_SESSION_TOKEN: 'token',
      AWS_ENDPOINT_URL_EVENTBRIDGE: services.endpoint,
    };
    for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
    expect(() => deployedFeed(graph)).toThrow('EDGELOOM_FEED_EVENT_BUS should be the name or the ARN of an event bus');
    vi.stubEnv('EDGELOOM_FEED_EVENT_BUS', 'own');
    expect(() => deployedFeed(graph)).toThrow('EDGELOOM_FEED_DEAD_LETTER_QUEUE_URL should be the URL of the queue');
    vi.stubEnv('EDGELOOM_FEED_DEAD_LETTER_QUEUE_URL', services.deadLettersUrl);
    await take()(changesOf(model, rowRecord('TICKET-1', 1, '17', 's').record));
    await deployedFeed(graph)({ Records: services.messages }, context);
    vi.unstubAllEnvs();
    const { headers, input } = services.calls.at(-1)!;
    expect(headers).toMatchObject({ 'x-amz-security-token': 'token' });
    expect(headers.authorization).toContain('/eu-central-1/events/aws4_request');
    expect(input['Entries']).toMatchObject([
      { EventBusName: 'own', Resources: ['arn:aws:dynamodb:eu-central-1:123456789012:table/tickets'] },
    ]);
  });

  it('sends no character that SQS refuses, and loses none of them', async () => {
    const note = `a\uFFFE\uFFFF\u0001\n\u{10FFFF}"\ud800`;
    await take()(changesOf(model, rowRecord('TICKET-1', 1, '17', 's', note).record));
    expect(services.messages[0]!.body).not.toMatch(/[^\n\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u);
    await drain();
    expect((JSON.parse(services.events[0]!) as FeedChange).attributes).toMatchObject({ note });
  });

  it('puts what EventBridge refuses for ever into the dead-letter queue, and goes on with what follows', async () => {
    const records = [1, 2, 3].map((i) => rowRecord('TICKET-1', i, String(16 + i), 's', i === 2 ? 'malformed' : ''));
    await take()(records.flatMap(({ record }) => changesOf(model, record)));
    services.faults.entry = (name, { Detail = '' }) =>
      name === 'PutEvents' &&
      Detail.includes('malformed') &&
      JSON.parse(Detail).revision === timelessRevision(2) &&
      'MalformedDetail';
    await drain();
    const revisions = (texts: readonly string[]) => texts.map((text) => (JSON.parse(text) as FeedChange).revision);
    expect(revisions(services.events)).toEqual([timelessRevision(1), timelessRevision(3)]);
    expect(revisions(services.deadLetters.map(({ body }) => body))).toEqual([timelessRevision(2)]);
    expect(services.deadLetters[0]!.attributes).toEqual({ MessageGroupId: expect.stringMatching(/^items-/) });
  });

  it.each(['ThrottlingException', 'InternalFailure', 'NotAuthorizedForSource'])(
    'holds what may be taken later: %s',
    async (code) => {
      await take()(changesOf(model, rowRecord('TICKET-1', 1, '17', 's').record));
      services.faults.entry = (name) => name === 'PutEvents' && code;
      const { batchItemFailures } = await handler()({ Records: services.messages }, context);
      expect([batchItemFailures.length, services.deadLetters]).toEqual([1, []]);
    },
  );

  it('keeps what the dead-letter queue does not take', async () => {
    await take()(changesOf(model, rowRecord('TICKET-1', 1, '17', 's').record));
    services.faults.entry = (name) => (name === 'PutEvents' ? 'MalformedDetail' : true);
    expect((await handler()({ Records: services.messages }, context)).batchItemFailures).toHaveLength(1);
    expect(services.deadLetters).toEqual([]);
  });

  it('gives up a call that is refused, and puts nothing when no time is left', async () => {
    await take()(changesOf(model, rowRecord('TICKET-1', 1, '17', 's').record));
    services.faults.call = () => ({ status: 400, type: 'AccessDeniedException' });
    const Records = [...services.messages];
    services.calls = [];
    expect((await handler()({ Records }, context)).batchItemFailures).toHaveLength(1);
    expect(services.calls).toHaveLength(1);
    const denied = take()(changesOf(model, rowRecord('TICKET-1', 1, '17', 's').record));
    await expect(denied).rejects.toMatchObject({ kind: 'fatal', message: expect.stringContaining('no "room"') });
    services.calls = [];
    const left = [60_000];
    const late = { ...context, getRemainingTimeInMillis: () => left.shift() ?? 9_000 };
    expect((await handler()({ Records }, late)).batchItemFailures).toHaveLength(1);
    expect(services.calls).toEqual([]);
    const short = { ...context, getRemainingTimeInMillis: () => 9_000 };
    expect((await handler()({ Records }, short)).batchItemFailures).toHaveLength(1);
    expect(services.calls).not.toEqual([]);
  });
});
