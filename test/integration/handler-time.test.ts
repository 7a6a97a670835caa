import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Item } from '../../src/core/items/attribute-value.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { edge, node } from '../../src/core/model/schema.ts';
import type { FunctionLogger } from '../../src/deployment/lambda/function-logger.ts';
import type { InvocationContext, RunEvent, RunHandlerOptions } from '../../src/deployment/lambda/index.ts';
import { migrate } from '../../src/migrate/migrate.ts';
import { mappedNode } from '../../src/sources/items.ts';
import { sourceTable } from '../../src/sources/source.ts';
import type { RawRecord } from '../../src/stream/decode.ts';
import { check } from '../../src/trust/check/check.ts';
import type { RunPlan } from '../../src/trust/check/run/plan.ts';
import { readObserverProgress } from '../../src/trust/observe/memory.ts';
import { recordingLogger } from '../support/follow-graph.ts';
import { MemoryStore } from '../support/memory-store/memory-store.ts';
import { ScriptedStream } from '../support/scripted-stream.ts';

/** Every handler with the least time that a function may have: called again as Lambda and the state machine do, it ends its work. */

/** The time of a function, and of each of its calls to DynamoDB or another service. */
const [TIMEOUT_MS, CALL_MS] = [1_000, 20];
const USERS = 300;

const FOLDER = join(import.meta.dirname, '../../src/deployment/lambda');
const modules = readdirSync(FOLDER).filter((file) => file.endsWith('-handler.ts'));
const exported = await Promise.all(modules.map((file) => import(join(FOLDER, file)) as Promise<object>));
/** The functions that make handlers, by their names. */
const HANDLERS: Readonly<Record<string, (...given: unknown[]) => unknown>> = Object.fromEntries(
  exported.flatMap((module) => Object.entries(module).filter(([name]) => name.endsWith('Handler'))),
);

/** A clock that moves to the end of the next call once nothing else is left to do. */
class CallClock {
  nowMs = Date.now();
  isRunning = false;
  private readonly waiting: { untilMs: number; end: () => void }[] = [];
  readonly now = (): number => this.nowMs;
  readonly wait = (milliseconds: number): Promise<void> =>
    new Promise((end) => {
      this.waiting.push({ untilMs: this.nowMs + milliseconds, end });
    });
  /** A call to a service; before the first function runs, calls take no time. */
  readonly call = async (): Promise<void> => {
    if (this.isRunning) await this.wait(CALL_MS);
  };

  async run<T>(work: Promise<T>): Promise<T> {
    let isDone = false;
    const ended = work.finally(() => {
      isDone = true;
    });
    // The one who awaits it takes its failure.
    ended.catch(() => undefined);
    while (!isDone) {
      await new Promise(setImmediate);
      if (isDone || this.waiting.length === 0) continue;
      const first = this.waiting.reduce((least, one) => (one.untilMs < least.untilMs ? one : least));
      this.waiting.splice(this.waiting.indexOf(first), 1);
      this.nowMs = Math.max(this.nowMs, first.untilMs);
      first.end();
    }
    return await ended;
  }
}

const model = (shards: number) =>
  defineGraph({
    table: 'scripted',
    nodes: { USER: node({ view: 'ALL', search: { name: { shards } } }) },
    edges: { FOLLOWS: edge({ from: 'USER', to: 'USER', expires: 'expiresAt', degree: true }) },
  });
const graph = model(2);

const user = (id: number, more: Item = {}): Item => {
  const key = { S: `USER-${id}` };
  return { source: key, target: key, name: { S: `name ${id}` }, ...more };
};
const ended = (id: number): Item => ({
  ...{ source: { S: `USER-${id}` }, target: { S: `FOLLOWS-USER-${id + 1}` } },
  expiresAt: { N: '1000' },
});

/** A table with its stream, and what calls a function as Lambda does. */
async function world() {
  const clock = new CallClock();
  const store = new MemoryStore(graph.table, { indexes: graph.indexes, beforeCall: clock.call });
  const stream = new ScriptedStream(store);
  stream.beforeRead = clock.call;
  stream.open('one');
  await migrate(graph, { store, wait: async () => undefined });
  const logger: FunctionLogger = { ...recordingLogger(), child: () => logger };
  const shared = { store, logger, now: clock.now };
  const { wait } = clock;
  const make = <Handler>(name: string, ...given: unknown[]): Handler => HANDLERS[name]!(...given) as Handler;
  /** One call. Lambda would end one that takes longer. */
  const call = async <E, R>(
    handler: (event: E, context: InvocationContext) => Promise<R>,
    event: E,
    timeoutMs = TIMEOUT_MS,
  ): Promise<R> => {
    clock.isRunning = true;
    const untilMs = clock.nowMs + timeoutMs;
    const context = { awsRequestId: 'r', getRemainingTimeInMillis: () => untilMs - clock.nowMs };
    const answer = await clock.run(handler(event, context));
    expect(clock.nowMs).toBeLessThanOrEqual(untilMs);
    clock.isRunning = false;
    return JSON.parse(JSON.stringify(answer)) as R;
  };
  const putUsers = async (count = USERS) => {
    for (let id = 0; id < count; id++) await stream.put('one', user(id));
  };
  const records = (): RawRecord[] =>
    stream.recordsOf('one').map((record) => ({ ...record, eventSourceARN: stream.streamArn }) as RawRecord);
  /** @param progress whether the records are claimed. */
  const project = async (progress: boolean) => {
    const context = { awsRequestId: 'r', getRemainingTimeInMillis: () => 900_000 };
    await make<Handler<object, Failures>>('streamHandler', graph, { ...shared, progress })(
      { Records: records() },
      context,
    );
  };
  const isRight = async () => {
    const { drift } = await check(graph, { store, graceMs: 0, now: clock.now });
    expect(drift).toEqual({ missing: 0, stale: 0, orphan: 0 });
  };
  return { clock, wait, store, stream, shared, make, call, putUsers, records, project, isRight };
}

/** Gives the records of a stream from the one that a call reports, as a mapping does; returns the number of calls. */
async function deliver(
  all: readonly RawRecord[],
  give: (records: readonly RawRecord[]) => Promise<{ batchItemFailures: { itemIdentifier: string }[] }>,
): Promise<number> {
  let calls = 0;
  for (let left = all; left.length > 0; calls++) {
    const { batchItemFailures } = await give(left);
    const first = batchItemFailures[0]?.itemIdentifier;
    left = first === undefined ? [] : left.slice(left.findIndex(({ dynamodb }) => dynamodb?.SequenceNumber === first));
    expect(calls).toBeLessThan(100);
  }
  return calls;
}

type Caller = Awaited<ReturnType<typeof world>>;
type Handler<E, R> = (event: E, context: InvocationContext) => Promise<R>;
type Failures = { batchItemFailures: { itemIdentifier: string }[] };

/** A mirror of a table of which one item makes so many nodes. */
function mirrorOf({ shared, clock, make }: Caller, outputs: number, options: object = {}) {
  const arn = 'arn:aws:dynamodb:eu-central-1:123456789012:table/app-table';
  const ours = defineGraph({ table: 'mirrored', nodes: { ISSUE: node({}) }, mirrored: ['ISSUE'] });
  const store = new MemoryStore(ours.table, { beforeCall: clock.call });
  const handler = make<Handler<object, Failures>>('mirrorHandler', ours, {
    ...{ ...shared, wait: clock.wait, store },
    sources: [
      sourceTable('app-table', {
        map: ({ sk }) => Array.from({ length: outputs }, (_, i) => mappedNode(`ISSUE-${sk}-${i}`)),
      }),
    ],
    openSource: () => ({
      get: async (key: Item) => {
        await clock.call();
        return { item: key, rcu: 1 };
      },
    }),
    ...options,
  });
  const batch = (count: number): RawRecord[] =>
    Array.from({ length: count }, (_, i) => ({
      eventSourceARN: `${arn}/stream/2026-01-01T00:00:00.000`,
      dynamodb: { Keys: { pk: { S: 'issue' }, sk: { S: String(i) } }, SequenceNumber: String(1_000 + i) },
    }));
  const made = () => [...store.items()].filter(({ target }) => 'S' in target! && target.S.startsWith('ISSUE-')).length;
  return { handler, batch, made };
}

/** What each handler is given, and how long it takes: the work has to end, over several calls. */
const WORK: Record<string, (caller: Caller) => Promise<void>> = {
  async streamHandler(caller) {
    const { make, shared, call, putUsers, records, isRight } = caller;
    await putUsers();
    const handler = make<Handler<object, Failures>>('streamHandler', graph, shared);
    await deliver(records(), (Records) => call(handler, { Records }));
    await isRight();
  },

  async mirrorHandler(caller) {
    const { call } = caller;
    const many = mirrorOf(caller, 1);
    await deliver(many.batch(USERS), (Records) => call(many.handler, { Records }));
    expect(many.made()).toBe(USERS);
    // One item that makes more than one call can write.
    const large = mirrorOf(caller, 1_500);
    expect(await deliver(large.batch(1), (Records) => call(large.handler, { Records }))).toBeGreaterThan(1);
    expect(large.made()).toBe(1_500);
    const whole = mirrorOf(caller, 1_500);
    expect(await deliver(whole.batch(1), (Records) => call(whole.handler, { Records }, 8_000))).toBe(1);
    // More notes of items that are set aside than one call can look at.
    const refusing = mirrorOf(caller, 1, {
      sources: [
        sourceTable('app-table', {
          map: () => {
            throw new Error('bad');
          },
        }),
      ],
    });
    await deliver(refusing.batch(1_000), (Records) => call(refusing.handler, { Records }));
    await call(refusing.handler, { watch: true });
  },

  async checkRunHandler(caller) {
    const { clock, make, shared, wait, call, putUsers, isRight, store } = caller;
    await putUsers();
    const options: RunHandlerOptions = { ...shared, wait, graceMs: 0 };
    const run = make<Handler<RunEvent, never>>('checkRunHandler', graph, options);
    const limits = { workers: 100, maxRcu: 0, maxWcu: 100_000 };
    for (const mode of ['rebuild', 'check'] as const) {
      const { shares } = (await call(run, { plan: { mode, hours: 6, repair: false, ...limits } })) as RunPlan;
      expect(shares).toHaveLength(100);
      for (const share of shares) {
        let cursor: unknown;
        for (let calls = 0; cursor !== null; calls++) {
          const answer: { cursor: unknown; waitSeconds: number } = await call(run, { ...share, cursor });
          ({ cursor } = answer);
          clock.nowMs += answer.waitSeconds * 1000;
          expect(calls).toBeLessThan(100);
        }
      }
    }
    await isRight();
    const next = make<Handler<RunEvent, never>>('checkRunHandler', model(3), options);
    for (let calls = 0, isDone = false; !isDone; calls++) {
      const { done, shares, waitSeconds } = (await call(next, { migrate: limits })) as {
        done: boolean;
        shares: { plan: string; share: number; maxRcu: number; maxWcu: number }[];
        waitSeconds: number;
      };
      for (const walk of shares) {
        for (let isWalked = false; !isWalked; ) ({ isDone: isWalked } = await call(next, { walk }));
      }
      clock.nowMs += waitSeconds * 1000;
      isDone = done;
      expect(calls).toBeLessThan(100);
    }
    const { drift } = await check(model(3), { store, graceMs: 0, now: clock.now });
    expect(drift).toEqual({ missing: 0, stale: 0, orphan: 0 });
  },

  async redriveHandler(caller) {
    const { clock, store, stream, make, shared, call, records, project, isRight } = caller;
    for (let id = 0; id < USERS; id++) await stream.put('one', user(id, { name: { N: String(id) } }));
    for (let id = 0; id < USERS; id++) await stream.put('one', ended(id));
    await project(false);
    const handler = make<Handler<object, { left: number; swept: number }>>('redriveHandler', graph, {
      ...{ ...shared, stream },
    });
    // Half of the entries have a cause that remains: they must not keep the others, or the sweep, from their time.
    for (let id = 0; id < USERS / 2; id++) await store.put(user(id));
    clock.nowMs += 3_600_000;
    let swept = 0;
    for (let calls = 0, left = USERS; left > USERS / 2 || swept < records().length; calls++) {
      const answer = await call(handler, {});
      left = answer.left;
      swept += answer.swept;
      clock.nowMs += 3_600_000;
      expect(calls).toBeLessThan(100);
    }
    for (let id = USERS / 2; id < USERS; id++) await store.put(user(id));
    for (let calls = 0; (await call(handler, {})).left > 0; calls++) expect(calls).toBeLessThan(100);
    await call(handler, { watch: true });
    const edges = () => [...store.items()].filter(({ target }) => 'S' in target! && target.S.startsWith('FOLLOWS-'));
    for (let calls = 0; edges().length > 0; calls++) {
      await call(handler, { ended: true });
      // The projector takes what is deleted out of the due-lists; here a repair does.
      await check(graph, { store, mode: 'repair', graceMs: 0, now: clock.now });
      expect(calls).toBeLessThan(100);
    }
    await isRight();
  },

  async observeHandler(caller) {
    const { clock, wait, store, stream, make, shared, call, putUsers, project } = caller;
    await putUsers(1);
    const handler = make<Handler<object, { endedBy: string; records: number }>>('observeHandler', graph, {
      ...{ ...shared, wait, stream },
    });
    await call(handler, {});
    await putUsers();
    await project(true);
    let seen = 0;
    for (let calls = 0, endedBy = ''; endedBy !== 'rest'; calls++) {
      const answer = await call(handler, {});
      ({ endedBy } = answer);
      seen += answer.records;
      clock.nowMs += 60_000;
      expect(calls).toBeLessThan(100);
    }
    expect(seen).toBeGreaterThanOrEqual(USERS);
    expect(await readObserverProgress(store)).toBeDefined();
  },

  async feedHandler(caller) {
    const { clock, make, shared, call } = caller;
    const put: unknown[] = [];
    const handler = make<Handler<object, Failures>>('feedHandler', {
      ...{ bus: 'own', table: 'arn', logger: shared.logger, wait: clock.wait, deadLetters: clock.call },
      call: async (_action: string, { Entries }: { Entries: unknown[] }) => {
        await clock.call();
        put.push(...Entries);
        return { Entries: Entries.map(() => ({ EventId: '1' })) };
      },
    });
    const body = (message: number): string =>
      Array.from({ length: 50 }, (_, i) => JSON.stringify({ kind: 'view', item: `USER-${message}-${i}` })).join('\n');
    const messages = Array.from({ length: 10 }, (_, i) => ({
      ...{ messageId: `m${i}`, body: body(i), attributes: { MessageGroupId: `g${i}` } },
    }));
    for (let calls = 0, left = messages; left.length > 0; calls++) {
      const { batchItemFailures } = await call(handler, { Records: left });
      left = left.filter(({ messageId }) =>
        batchItemFailures.some(({ itemIdentifier }) => itemIdentifier === messageId),
      );
      expect(calls).toBeLessThan(100);
    }
    expect(put.length).toBeGreaterThanOrEqual(500);
  },
};

describe('a function with a timeout of 1 s', () => {
  beforeEach(() => {
    vi.spyOn(process.stdout, 'write').mockImplementation(() => true);
  });
  afterEach(() => vi.restoreAllMocks());

  it('is tried with every handler', () => {
    expect(Object.keys(WORK).sort()).toEqual(Object.keys(HANDLERS).sort());
  });

  it.each(Object.keys(HANDLERS))('ends its work by calls of %s that are made again', async (name) => {
    await WORK[name]!(await world());
  });
});
