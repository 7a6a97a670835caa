import pino from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { FeedChange, FeedEvent } from '../../src/client/feed/feed-change.ts';
import { SERVICE_PARTITION, VIEW_KEY } from '../../src/core/items/keys.ts';
import { feedHandler } from '../../src/deployment/lambda/feed-handler.ts';
import { feedDeadLetters, feedQueue } from '../../src/deployment/lambda/feed-queue.ts';
import { observeHandler } from '../../src/deployment/lambda/index.ts';
import { EVENT_BRIDGE, jsonService, SQS } from '../../src/store/client/json-service.ts';
import { DynamoDBStreamSource } from '../../src/stream/dynamodb-source.ts';
import { type FeedServices, startFeedServices } from '../support/feed-services.ts';
import { featureGraph } from '../support/stack/feature-graph.ts';
import { damage, fill, guardedTable, keysOf, readOwn, stopProxies } from '../support/stack/guarded-table.ts';
import { testStack } from '../support/stack/parameters.ts';
import { type Access, grantOf } from '../support/stack/policy-proxy.ts';
import { roleStatements } from '../support/stack/statements.ts';
import { type PolicyStatement, type Template, template } from '../support/stack/template.ts';

/**
 * The functions of the feed under the rights that the stack gives them, from the stream to the bus: what a role does not allow is refused,
 * and what it allows has to be used.
 */

const context = { awsRequestId: 'request-1', getRemainingTimeInMillis: () => 60_000 };
const logger = pino({ level: 'silent' });
const BUSES = ['default', 'own/bus.a', 'arn:aws:events:eu-central-1:210987654321:event-bus/theirs'];
/** Lambda's mapping of a queue polls with the role of its function, and needs these. */
const OF_MAPPING = ['sqs:DeleteMessage', 'sqs:GetQueueAttributes', 'sqs:ReceiveMessage'];

let services: FeedServices;
beforeEach(async () => {
  // Metrics go to stdout as they do in Lambda.
  vi.spyOn(process.stdout, 'write').mockImplementation(() => true);
  services = await startFeedServices();
});
afterEach(async () => {
  vi.restoreAllMocks();
  await Promise.all([services.stop(), stopProxies()]);
});

/** What the calls of the feed's services do, as IAM names it. */
function accessesOf(name: string, { QueueUrl, Entries }: Readonly<Record<string, unknown>>): Access[] {
  if (name === 'SendMessageBatch') {
    const [account, queue] = new URL(String(QueueUrl)).pathname.slice(1).split('/');
    return [{ action: 'sqs:SendMessage', resource: `arn:aws:sqs:eu-central-1:${account}:${queue}` }];
  }
  return (Entries as { EventBusName: string }[]).map(({ EventBusName: bus }) => ({
    action: 'events:PutEvents',
    resource: bus.startsWith('arn:') ? bus : `arn:aws:events:eu-central-1:123456789012:event-bus/${bus}`,
  }));
}

/** A role whose rights are enforced, and noted as they are used. */
class EnforcedRole {
  private readonly used = new Set<string>();
  private readonly statements: PolicyStatement[];

  constructor(stack: Template, role: string) {
    this.statements = roleStatements(stack.Resources[role]!);
  }

  allows(access: Access): boolean {
    this.used.add(`${access.action} ${access.resource}`);
    return grantOf(this.statements, access) !== undefined;
  }

  /** The services answer what the role allows. */
  enforce(): void {
    services.faults = {
      call: (name, input) =>
        accessesOf(name, input).every((access) => this.allows(access))
          ? undefined
          : { status: 400, type: 'AccessDeniedException' },
      entry: () => false,
    };
  }

  /** Each right of the feed's services was used. */
  expectExact(): void {
    const feeds = this.statements.flatMap(({ Action, Resource }) =>
      [Action].flat().flatMap((action) => [Resource].flat().map((resource) => `${action} ${resource}`)),
    );
    expect([...this.used].sort()).toEqual(feeds.filter((right) => /^(?:sqs|events):/.test(right)).sort());
  }
}

describe('the feed', () => {
  it('reads, queues and puts changes with exactly the rights of its two functions, whatever the name of the bus', async () => {
    const parameters = { observe: true, feedEventBus: BUSES[0]! };
    const table = await guardedTable(featureGraph);
    const stack = template(testStack(table.graph, parameters));
    const [queue, deadLetters] = ['FeedQueue', 'FeedDeadLetterQueue'].map((id) =>
      String(stack.Resources[id]!.Properties['QueueName']),
    );
    const observer = new EnforcedRole(stack, 'ObserveRole');
    const ofServices = { endpoint: services.endpoint, maxAttempts: 1 };

    observer.enforce();
    const { client, store, expectExact } = await table.as('ObserveRole', parameters);
    let laterMs = 0;
    const observe = observeHandler(table.graph, {
      ...{ client, logger, limits: { lateMs: 50, skewMs: 20, graceMs: 20, listMs: 50 } },
      ...{ indexShare: 1, now: () => Date.now() + laterMs },
      stream: new DynamoDBStreamSource(table.streams, table.streamArn),
      feed: feedQueue(`${services.endpoint}/123456789012/${queue}`, jsonService(SQS, ofServices), {}),
    });
    await observe({}, context);
    await fill(table);
    await table.projectAll();
    await damage(table);
    expect((await observe({}, context)).records).toBeGreaterThan(0);
    // The indexes are asked a minute later.
    laterMs = 61_000;
    await observe({}, context);
    observer.expectExact();
    // What the observer does seldom: see the test of all roles.
    await store.put(keysOf(SERVICE_PARTITION, 'mark/shard'));
    const seldom = ['USER-1', VIEW_KEY].map((target) => ({ source: 'USER-1', target }));
    await store.getMany(seldom, { consistent: true });
    await readOwn(store);
    expectExact();

    for (const [i, bus] of BUSES.entries()) {
      const feed = new EnforcedRole(template(testStack(table.graph, { observe: true, feedEventBus: bus })), 'FeedRole');
      feed.enforce();
      const put = feedHandler({
        ...{ bus, table: table.streamArn.split('/stream/')[0]!, logger },
        call: jsonService(EVENT_BRIDGE, ofServices),
        deadLetters: feedDeadLetters(
          `${services.endpoint}/123456789012/${deadLetters}`,
          jsonService(SQS, ofServices),
          {},
        ),
      });
      for (let from = 0; from < services.messages.length; from += 10) {
        const Records = services.messages.slice(from, from + 10);
        expect(await put({ Records }, context)).toEqual({ batchItemFailures: [] });
      }
      const before = services.deadLetters.length;
      services.faults.entry = (name) => name === 'PutEvents' && 'MalformedDetail';
      expect(await put({ Records: services.messages.slice(i, i + 1) }, context)).toEqual({ batchItemFailures: [] });
      expect(services.deadLetters.length).toBeGreaterThan(before);
      const resource = `arn:aws:sqs:eu-central-1:123456789012:${queue}`;
      for (const action of OF_MAPPING) expect(feed.allows({ action, resource }), action).toBe(true);
      feed.expectExact();
    }
    const told = services.events.map((text) => JSON.parse(text) as FeedEvent);
    const kinds = new Set(told.map(({ kind }) => kind));
    expect([...kinds].sort()).toEqual(['count', 'list', 'resync', 'search', 'view']);
    expect(told.find((event): event is FeedChange => event.kind === 'view' && event.id === 'USER-2')).toMatchObject({
      attributes: { name: 'User 2' },
    });
  });
});

describe('a function of the feed', () => {
  it('keeps what it may not send or put, and another bus is refused', async () => {
    const table = await guardedTable(featureGraph);
    const stack = template(testStack(table.graph, { observe: true, feedEventBus: 'default' }));
    new EnforcedRole(stack, 'FeedRole').enforce();
    const wait = async (): Promise<void> => undefined;
    const take = feedQueue(
      `${services.endpoint}/123456789012/theirs.fifo`,
      jsonService(SQS, { endpoint: services.endpoint }),
      { wait },
    );
    const resync = { kind: 'resync', reason: 'The feed begins.', eventId: 'resync/1' } as const;
    await expect(take([resync])).rejects.toThrow('AccessDenied');
    const put = feedHandler({
      ...{ bus: 'other', table: 'arn', logger, wait },
      call: jsonService(EVENT_BRIDGE, { endpoint: services.endpoint }),
      deadLetters: async () => undefined,
    });
    const message = { messageId: 'm1', body: JSON.stringify(resync) };
    expect(await put({ Records: [message] }, context)).toEqual({ batchItemFailures: [{ itemIdentifier: 'm1' }] });
    expect([services.messages, services.events]).toEqual([[], []]);
  });
});
