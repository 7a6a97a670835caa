import validate from 'asl-validator';
import { afterEach, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import packagedModel from '../../edgeloom.config.ts';
import { SERVICE_PARTITION } from '../../src/core/items/keys.ts';
import { defineGraph, withTableName } from '../../src/core/model/compile/define-graph.ts';
import { node } from '../../src/core/model/schema.ts';
import type { Store } from '../../src/core/store-port.ts';
import { isDrift, VERDICT_NAMES } from '../../src/core/verdicts.ts';
import { migrate } from '../../src/migrate/migrate.ts';
import { LAST_CHECK, readLastCheck } from '../../src/trust/check/last-check.ts';
import { savedPlaces } from '../../src/trust/check/run/places.ts';
import { checkedTable } from '../support/checked-table.ts';
import type { goalGraph } from '../support/contracts-model.ts';
import { loadFunction, type PackagedHandler } from '../support/stack/functions.ts';
import { type Machine, runMachine } from '../support/stack/state-machine.ts';
import { rawTemplate, template } from '../support/stack/template.ts';

function definition(stage: 'dev' | 'prod') {
  const { DefinitionString } = template(rawTemplate(inject('packages')[stage])).Resources['CheckMachine']!.Properties;
  return JSON.parse(DefinitionString) as Machine & { TimeoutSeconds: number };
}

describe.each(['dev', 'prod'] as const)('the state machine of the check, stage %s', (stage) => {
  it('is valid in the Amazon States Language', () => {
    const { errors } = validate(definition(stage), { checkPaths: true, checkArn: true });
    expect(errors).toEqual([]);
  });
});

describe('a call that fails', () => {
  it.each([
    ['WrongInput', 1],
    ['Error', 9],
    ['Lambda.TooManyRequestsException', 9],
  ])('with %s is made %d times: a wrong input stays wrong', async (name, calls) => {
    let made = 0;
    const call = async (): Promise<never> => {
      made += 1;
      throw Object.assign(new Error('it failed'), { name });
    };
    await expect(runMachine(definition('prod'), { mode: 'migrate' }, { call })).rejects.toThrow('it failed');
    expect(made).toBe(calls);
  });
});

describe('a run of the state machine with the packaged functions', () => {
  beforeEach(() => {
    vi.spyOn(process.stdout, 'write').mockImplementation(() => true);
  });
  afterEach(() => vi.restoreAllMocks());

  const GRACE_SECONDS = 1;
  const ARN = 'arn:aws:lambda:eu-central-1:123456789012:function:edgeloom-dev-';

  const lastCheckOf = async (store: Store) => readLastCheck((await store.get(LAST_CHECK, { consistent: true })).item);

  /** A table with drift, and the machine's functions on it, each of which has hardly any time every second call. */
  async function nightly() {
    // The packaged functions have the model of this repository's own model file.
    const table = await checkedTable(12, (name) => withTableName(packagedModel, name) as ReturnType<typeof goalGraph>);
    for (const id of ['GOAL-G1', 'GOAL-G3', 'GOAL-G8'])
      await table.corrupt(id, '~view', ({ edgeSet: _, ...item }) => item);
    const environment = {
      EDGELOOM_TABLE: table.graph.table.name,
      AWS_ENDPOINT_URL: table.endpoint,
      EDGELOOM_GRACE_SECONDS: String(GRACE_SECONDS),
      EDGELOOM_LOG_LEVEL: 'silent',
    };
    // Pauses of the machine pass in no time.
    const { now, parse } = Date;
    let passedMs = 0;
    vi.spyOn(Date, 'now').mockImplementation(() => now() + passedMs);
    // They pass on the table's clock too, which stands in the header of each answer.
    vi.spyOn(Date, 'parse').mockImplementation((text) => parse(text) + (text.endsWith(' GMT') ? passedMs : 0));
    const handlers: Record<string, PackagedHandler> = {
      [`${ARN}check`]: await loadFunction('check', environment),
      [`${ARN}rebuild`]: await loadFunction('rebuild', environment),
    };
    const calls: string[] = [];
    const waits: number[] = [];
    const run = (input: unknown, change: (payload: never) => unknown = (payload) => payload) =>
      runMachine(definition('dev'), input, {
        onWait: (seconds) => {
          waits.push(seconds);
          passedMs += seconds * 1000;
        },
        call: async (arn, payload) => {
          calls.push(arn);
          expect(calls.length).toBeLessThan(200);
          let asked = 0;
          const isShort = calls.length % 2 === 0;
          const getRemainingTimeInMillis = () => (!isShort || asked++ < 3 ? 300_000 : 0);
          return await handlers[arn]!(change(payload as never), { awsRequestId: 'night-1', getRemainingTimeInMillis });
        },
      });
    return { ...table, calls, waits, nightly: run };
  }

  it('plans, carries the cursor from call to call, pauses between calls, and comes to the totals of one whole check', async () => {
    const { run, nightly: night, calls, waits, store } = await nightly();
    const whole = await run();
    const totals = await night({});
    const { partitions, baseItems, derivedItems, drift } = whole;
    expect(totals).toMatchObject({
      partitions,
      baseItems,
      derivedItems,
      drift,
      repaired: 0,
      quarantined: 0,
      unknown: 0,
    });
    expect(drift).toEqual({ missing: 0, stale: 3, orphan: 0 });
    const others = VERDICT_NAMES.filter((verdict) => !isDrift(verdict));
    expect(Object.keys(totals as object)).toEqual(expect.arrayContaining(others));
    expect(new Set(calls)).toEqual(new Set([`${ARN}check`]));
    expect(waits.length).toBe(calls.length - 2);
    // Nothing is left to do for the next night, and the table says what this one has come to.
    expect(await savedPlaces(store, 'check')).toEqual([]);
    expect(await lastCheckOf(store)).toMatchObject({ verdict: 'drift', drift: 3, quarantined: 0 });
  });

  it('stops when its hours are over, and the next night goes on where it stopped', async () => {
    const { run, nightly: night, store } = await nightly();
    const whole = await run();
    let calls = 0;
    // The night ends after the first part of the worker's share.
    const first = (await night({ mode: 'check' }, (payload: { untilMs?: number }) =>
      payload.untilMs === undefined || ++calls < 2 ? payload : { ...payload, untilMs: 0 },
    )) as { partitions: number };
    expect(await savedPlaces(store, 'check')).toHaveLength(1);
    expect(first.partitions).toBeLessThan(whole.partitions);
    expect(await lastCheckOf(store)).toBeUndefined();
    const second = (await night({ mode: 'check' })) as { partitions: number; drift: object };
    expect(second.partitions).toBeLessThan(whole.partitions);
    // A partition that a night ended in is looked at whole by the next.
    expect(first.partitions + second.partitions).toBeGreaterThanOrEqual(whole.partitions);
    expect(await savedPlaces(store, 'check')).toEqual([]);
    // What the first night found counts too.
    const { drift } = (await lastCheckOf(store))!;
    expect(drift).toBeGreaterThanOrEqual(3);
  });

  it('rebuilds with the function that may write, and the check finds nothing then', async () => {
    const { nightly: night, calls, store } = await nightly();
    expect(await night({ mode: 'rebuild' })).toMatchObject({ repaired: 3 });
    expect(await lastCheckOf(store)).toBeUndefined();
    expect(new Set(calls)).toEqual(new Set([`${ARN}rebuild`]));
    expect(await night({ mode: 'check' })).toMatchObject({ drift: { missing: 0, stale: 0, orphan: 0 } });
    expect(await lastCheckOf(store)).toMatchObject({ verdict: 'clean', drift: 0 });
  });

  it('goes on with a rebuild until it is done, however long that takes, at the rate that its input names', async () => {
    const { nightly: night, store } = await nightly();
    const rates = new Set<number>();
    const share = (payload: { maxWcu?: number; untilMs?: number | null }) => {
      if (payload.maxWcu !== undefined) rates.add(payload.maxWcu);
      // The hours of a check are over from the first call on.
      return typeof payload.untilMs === 'number' ? { ...payload, untilMs: 0 } : payload;
    };
    const totals = await night({ mode: 'rebuild', maxWcu: 37 }, share);
    expect(totals).toMatchObject({ repaired: 3 });
    expect(await savedPlaces(store, 'rebuild')).toEqual([]);
    expect([...rates]).toEqual([37]);
  });

  it.each([
    [{ mode: 'rebuild', maxWcu: 'much' }, 'maxWcu'],
    [{ mode: 'migrate', workers: 1_000 }, 'workers'],
    [{ mode: 'rebuilt' }, 'mode'],
  ])('fails at its first call where its input is wrong: %j', async (input, name) => {
    const { nightly: night, calls } = await nightly();
    await expect(night(input)).rejects.toThrow(name);
    expect(calls).toHaveLength(1);
  });

  it('goes on with a migration where an execution has failed, in shares that several workers walk', async () => {
    const { nightly: night, graph, store, calls } = await nightly();
    const nodes = { USER: node({ view: 'ALL', search: { name: { shards: 3 } } }) };
    const before = defineGraph({ table: graph.table.name, nodes, edges: {} });
    expect(await migrate(before, { store, wait: async () => undefined })).toMatchObject({ done: true });
    const walked: string[] = [];
    const input = { mode: 'migrate', workers: 3 };
    const failing = (payload: { walk?: { plan: string; share: number } }) => {
      if (payload.walk?.share === 2) throw new Error('the function is gone');
      if (payload.walk) walked.push(`${payload.walk.plan}/${payload.walk.share}`);
      return payload;
    };
    await expect(night(input, failing)).rejects.toThrow('the function is gone');
    const first = [...new Set(walked)];
    expect(first).toHaveLength(2);
    calls.length = 0;
    walked.length = 0;
    const whole = (payload: { walk?: { plan: string; share: number } }) => {
      if (payload.walk) walked.push(`${payload.walk.plan}/${payload.walk.share}`);
      return payload;
    };
    expect(await night(input, whole)).toEqual({ migrated: true });
    // The shares that were done are not walked again.
    expect(walked.filter((share) => first.includes(share))).toEqual([]);
    expect(walked[0]).toBe(first[0]!.replace(/0$/, '2'));
    expect(await migrate(graph, { store, mostSteps: 0 })).toMatchObject({ done: true });
    const { items } = await store.query({ partition: SERVICE_PARTITION, consistent: true });
    const left = items.map(({ target }) => (target as { S: string }).S).filter((key) => /migrate/.test(key));
    expect(left).toEqual([]);
  });

  it('migrates with the function that may write, which waits for no reader, and does nothing where nothing is to do', async () => {
    const { nightly: night, calls, waits, graph, store } = await nightly();
    // The table keeps less than the model, so that there is something to build.
    const nodes = { USER: node({ view: 'ALL', search: { name: { shards: 3 } } }) };
    const before = defineGraph({ table: graph.table.name, nodes, edges: {} });
    expect(await migrate(before, { store, wait: async () => undefined })).toMatchObject({ done: true });
    expect(await night({ mode: 'migrate' })).toEqual({ migrated: true });
    expect(new Set(calls)).toEqual(new Set([`${ARN}rebuild`]));
    expect(Math.max(...waits)).toBeGreaterThan(30);
    expect(await migrate(graph, { store, mostSteps: 0 })).toMatchObject({ done: true });
    calls.length = 0;
    expect(await night({ mode: 'migrate' })).toEqual({ migrated: true });
    expect(calls).toHaveLength(1);
  });

  it('begins anew where the model is another one than that of the night before', async () => {
    const { nightly: night, store, run } = await nightly();
    const whole = await run();
    const place = { worker: 3, segments: 9, onlySegments: [1], model: 'of-another-model', cursor: null };
    await store.put({
      source: { S: SERVICE_PARTITION },
      target: { S: 'places/check/0003' },
      place: { S: JSON.stringify(place) },
    });
    await store.put({
      source: { S: SERVICE_PARTITION },
      target: { S: 'places/check/0004' },
      place: { S: 'unreadable' },
    });
    expect(await night({})).toMatchObject({ partitions: whole.partitions });
  });
});
