import { afterAll, beforeAll, expect, it } from 'vitest';
import { modelCost } from '../../packages/cost/capacity.ts';
import { changedModel, type ModelChange } from '../../packages/cost/what-if.ts';
import type { WhatIfAnswer } from '../../packages/studio/api/what-if.ts';
import { studioClient } from '../support/studio/client.ts';
import { openStudio } from '../support/studio/table.ts';

const GOALS = 12;
const COUNT: ModelChange = { kind: 'count', edge: 'MEMBER', isCounted: true };
const FEWER: ModelChange = { kind: 'search-shards', node: 'USER', search: 'name', shards: 2 };

let opened: Awaited<ReturnType<typeof openStudio>>;
let client: ReturnType<typeof studioClient>;

beforeAll(async () => {
  opened = await openStudio({ page: 'stub' });
  client = studioClient(opened.studio.url);
  const { writer, worker } = opened;
  for (let i = 0; i < GOALS; i++) {
    await writer.putNode(`GOAL-G${i}`, { title: `Goal ${i}`, status: 'OPEN', due: '2026-01-01' });
    await writer.putEdge(`GOAL-G${i}`, 'MEMBER', 'USER-U1', { role: 'LEAD', since: '2026-01-01' });
  }
  await worker.idle();
});

afterAll(() => opened?.close());

async function whatIf(changes: ModelChange[], more: object = {}): Promise<WhatIfAnswer> {
  const { status, answer } = await client.post('/api/what-if', { changes, putsPerSecond: 100, ...more });
  expect(status).toBe(200);
  return answer;
}

it('tells what differs, with the figures that the changed model has', async () => {
  const { writes, queries, dollars, migration } = await whatIf([COUNT, FEWER]);
  const costs = [opened.graph, changedModel(opened.graph, [COUNT, FEWER])].map((model) => modelCost(model));
  const [before, after] = costs.map(
    (cost) => cost.writes.find(({ type, write }) => type === 'MEMBER' && write === 'create')!,
  );
  expect(writes).toContainEqual({ name: 'MEMBER: create', before: before!.total, after: after!.total });
  expect(after!.total).toBeGreaterThan(before!.total);
  expect(queries).toContainEqual({ name: 'degree of MEMBER', before: null, after: 0.5 });
  expect(queries).toContainEqual({ name: 'search USER.name prefix, range, latest', before: 10, after: 1 });
  expect(dollars.after).toBeGreaterThan(dollars.before!);
  const read = await whatIf([FEWER], { readsPerSecond: 1_000 });
  const unread = await whatIf([FEWER]);
  expect(unread.dollars.after).toBe(unread.dollars.before);
  // A prefix is asked for in 2 shards instead of 20.
  const ofReads = (['before', 'after'] as const).map((at) => read.dollars[at]! - unread.dollars[at]!);
  expect(ofReads[0]! / ofReads[1]!).toBeCloseTo(10, 6);
  expect(migration).toBeNull();
  expect(await whatIf([])).toMatchObject({ writes: [], queries: [], diff: [] });
});

it('plans the migration when asked, and writes nothing', async () => {
  const calls: string[] = [];
  const { middlewareStack } = opened.client;
  middlewareStack.add(
    (next, { commandName }) =>
      (args) => {
        calls.push(String(commandName));
        return next(args);
      },
    { step: 'initialize', name: 'calls' },
  );
  try {
    const { migration } = await whatIf([COUNT], { isPlanned: true });
    expect(migration!.estimate.items).toBeGreaterThanOrEqual(2 * GOALS);
    expect(migration!.changes.join()).toContain('inbound:MEMBER');
    expect(calls).toContain('DescribeTableCommand');
    expect(calls.filter((name) => !/^(Describe|Get|BatchGet|Query|Scan)/.test(name))).toEqual([]);
  } finally {
    middlewareStack.remove('calls');
  }
});

it('refuses what does not fit the model, and names it', async () => {
  const ask = (body: object) => client.post('/api/what-if', body);
  expect(await ask({ changes: [{ ...COUNT, edge: 'MEMBERS' }], putsPerSecond: 1 })).toMatchObject({
    status: 400,
    error: { code: 'unknown-type', message: 'The model has no edge type "MEMBERS".' },
  });
  expect(await ask({ changes: [{ ...FEWER, shards: 0 }], putsPerSecond: 1 })).toMatchObject({
    status: 400,
    error: { code: 'invalid-model', message: expect.stringContaining('nodes.USER.search.name.shards') },
  });
  expect(await ask({ changes: [{ kind: 'rename' }], putsPerSecond: 1 })).toMatchObject({
    status: 400,
    error: { code: 'invalid-argument', message: expect.stringContaining('changes.0') },
  });
  expect(await ask({ changes: [], putsPerSecond: 0 })).toMatchObject({ status: 400 });
});
