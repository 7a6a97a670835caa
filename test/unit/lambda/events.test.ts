import { expect, it } from 'vitest';
import { defineGraph } from '../../../src/core/model/compile/define-graph.ts';
import { node } from '../../../src/core/model/schema.ts';
import { checkRunHandler } from '../../../src/deployment/lambda/check-run-handler.ts';
import { feedHandler } from '../../../src/deployment/lambda/feed-handler.ts';
import { mirrorHandler } from '../../../src/deployment/lambda/mirror-handler.ts';
import { redriveHandler } from '../../../src/deployment/lambda/redrive-handler.ts';
import { streamHandler } from '../../../src/deployment/lambda/stream-handler.ts';
import { WRONG_INPUT } from '../../../src/foundation/errors.ts';
import { MemoryStore } from '../../support/memory-store/memory-store.ts';

const graph = defineGraph({ table: 'records', nodes: { USER: node({ view: 'ALL' }) } });
const share = { mode: 'check', worker: 0, repair: false, untilMs: null, maxRcu: 10, maxWcu: 10 };
const context = { awsRequestId: '1', getRemainingTimeInMillis: () => 60_000 };

it.each([
  [{}, /no field plan, migrate, walk or mode/],
  [null, /no field/],
  ['check', /no field/],
  [[], /no field/],
  [{ source: 'aws.events', detail: {} }, /no field/],
  [{ ...share, mode: '__proto__' }, /is wrong: mode: /],
  [{ ...share, mode: 'repair' }, /is wrong: mode: /],
  [{ ...share, worker: -1 }, /is wrong: worker: /],
  [{ ...share, worker: '0' }, /is wrong: worker: /],
  [{ ...share, untilMs: undefined }, /is wrong: untilMs: /],
  [{ ...share, maxRcu: -1 }, /is wrong: maxRcu: /],
  [{ mode: 'check' }, /is wrong: worker: /],
  [{ plan: 'check' }, /is wrong: plan: /],
  [{ plan: { mode: 'constructor', hours: 6, repair: false } }, /mode that there is not/],
  [{ plan: { mode: 'check', hours: 'six', repair: false } }, /is wrong: plan\.hours: /],
  [{ plan: { mode: 'check', hours: 6, repair: 'no' } }, /is wrong: plan\.repair: /],
  [{ migrate: null }, /is wrong: migrate: /],
  [{ walk: { plan: 'x', share: 'all' } }, /is wrong: walk\.share: /],
])('the check function refuses %j, and does not say that it is done', async (event, message) => {
  const handler = checkRunHandler(graph, { store: new MemoryStore(graph.table) as never });
  await expect(handler(event as never, context as never)).rejects.toMatchObject({
    ...{ name: WRONG_INPUT, code: 'invalid-argument', message: expect.stringMatching(message) },
  });
});

const store = new MemoryStore(graph.table) as never;
const handlers = {
  redrive: redriveHandler(graph, { store }),
  mirror: mirrorHandler(graph, { store, sources: [] }),
  stream: streamHandler(graph, { store }),
  feed: feedHandler({ bus: 'own', table: 'arn', call: async () => ({}), deadLetters: async () => undefined }),
};

it.each<[keyof typeof handlers, unknown, RegExp, RegExp]>([
  ['redrive', { watch: 'true' }, /redrive function is wrong: watch: /, /"watch": true/],
  ['redrive', { ended: 1 }, /is wrong: ended: /, /"ended": true/],
  ['redrive', { wacth: true }, /is wrong: .*wacth/, /"watch": true/],
  ['redrive', { Records: {} }, /an object with other Records/, /mapping/],
  ['redrive', { Records: [{ eventSource: 'aws:s3' }] }, /records with the eventSource aws:s3/, /mapping/],
  ['mirror', { watch: false }, /mirror function is wrong: watch: /, /"watch": true/],
  ['mirror', { watch: 'now' }, /is wrong: watch: /, /"watch": true/],
  ['mirror', null, /The event is null/, /mapping/],
  ['mirror', { wacth: true }, /an object without Records/, /mapping/],
  ['mirror', { Records: [{ eventSource: 'aws:kinesis' }] }, /eventSource aws:kinesis/, /mapping/],
  ['stream', { Records: [{ eventSource: 'aws:sqs' }] }, /records with the eventSource aws:sqs/, /mapping/],
  ['feed', { Records: [{ eventSource: 'aws:dynamodb' }] }, /eventSource aws:dynamodb/, /mapping/],
])('the %s function refuses %j, names the field and says what to give', async (name, event, message, hint) => {
  const call = handlers[name] as (event: unknown, context: unknown) => Promise<unknown>;
  await expect(call(event, context)).rejects.toMatchObject({
    ...{ message: expect.stringMatching(message), hint: expect.stringMatching(hint) },
  });
});

it('a schedule that gives no input starts a redrive, whatever fields of EventBridge its event has', async () => {
  const event = { 'detail-type': 'Scheduled Event', source: 'aws.events', detail: {} };
  expect(await handlers.redrive(event as never, context as never)).toMatchObject({ entries: 0, left: 0 });
});
