import { describe, expect, it } from 'vitest';
import { derive, edge, node } from '../../src/core/model/schema.ts';
import { DynamoDBStreamSource } from '../../src/projecting/stream/dynamodb-source.ts';
import { createWorker } from '../../src/projecting/worker/worker.ts';
import { type CheckOptions, check } from '../../src/trust/check/check.ts';
import type { Finding } from '../../src/trust/check/finding.ts';
import { observe } from '../../src/trust/observe/observe.ts';
import { follows, user } from '../support/follow-graph.ts';
import { define } from '../support/model.ts';
import { testTable, uniqueTableName } from '../support/table.ts';
import { isAskedByPlainPlanner } from '../support/two-planners.ts';

const LIMITS = { lateMs: 200, skewMs: 100, settleMs: 300, listMs: 500 };

/** A projected table of a model of which the two planners make something else for USER-1, once `isWrong` is set. */
async function disputedTable() {
  const faults = { isWrong: false };
  const textFor = (source: string): string =>
    faults.isWrong && source === 'USER-1' && isAskedByPlainPlanner() ? 'plain' : 'planned';
  const model = define({
    table: uniqueTableName(),
    nodes: { USER: node({ search: { letter: derive((_user, { source }) => textFor(source)) } }) },
    edges: {
      FOLLOWS: edge({
        from: 'USER',
        to: 'USER',
        edgeSet: { mood: derive((_edge, { source }) => textFor(source)) },
        inbound: { gsi0: derive((_edge, { source }) => textFor(source)), projectSource: ['name'] },
      }),
    },
  });
  const table = await testTable(model);
  const { graph, store, streams, streamArn } = table;
  for (const id of ['1', '2']) await store.put(user(id));
  await store.put(follows('1', '2'));
  await store.put(follows('2', '1'));
  await createWorker({ graph, store, streams, streamArn }).run({ untilIdle: true });
  const findings: Finding[] = [];
  const run = async (options: Partial<CheckOptions> = {}) => {
    findings.length = 0;
    return await check({ graph, store, settleMs: 0, onFinding: (finding) => void findings.push(finding), ...options });
  };
  return { ...table, faults, findings, run };
}

describe('a check that asks both planners', () => {
  it('finds nothing where they agree', async () => {
    const { run, findings } = await disputedTable();
    expect(await run({ plainShare: 1 })).toMatchObject({ disputed: 0, drift: { missing: 0, stale: 0, orphan: 0 } });
    expect(findings).toEqual([]);
  });

  it('reports each base item about which they differ, with what each asks for, and repairs nothing', async () => {
    const { faults, run, findings } = await disputedTable();
    faults.isWrong = true;
    const result = await run({ plainShare: 1, mode: 'repair' });
    expect(result).toMatchObject({ disputed: 2, repaired: 0, wcu: 0, drift: { missing: 0, stale: 0, orphan: 0 } });
    const [edgeFinding, nodeFinding] = findings.sort((left, right) => left.target.localeCompare(right.target));
    expect(nodeFinding).toMatchObject({ source: 'USER-1', target: 'USER-1', verdict: 'disputed' });
    expect(nodeFinding!.expected).toContain('~ix/letter');
    expect(nodeFinding!.expected).toContain('planned');
    expect(nodeFinding!.actual).toContain('plain');
    // The element, and the index item that the source node decides too.
    expect(edgeFinding).toMatchObject({ source: 'USER-1', target: 'FOLLOWS-USER-2', verdict: 'disputed' });
    expect(edgeFinding!.expected).toMatch(/~view: .*planned.*~ix\/FOLLOWS-USER-2: /);
  });

  it('reads the node of many edges once', async () => {
    const { store, run } = await disputedTable();
    for (let i = 0; i < 30; i++) await store.put(follows('1', `fan-${i}`));
    const [alone, both] = [await run({ plainShare: 0 }), await run({ plainShare: 1 })];
    expect(both.rcu - alone.rcu).toBeLessThan(5);
  });

  it('asks about a share only, and about none in a rebuild', async () => {
    const { faults, run } = await disputedTable();
    faults.isWrong = true;
    expect((await run({ plainShare: 0 })).disputed).toBe(0);
    expect((await run({ plainShare: 1, mode: 'rebuild' })).disputed).toBe(0);
  });

  it('is the base of an observer that keeps what is disputed as drift', async () => {
    const { faults, graph, store, streams, streamArn } = await disputedTable();
    faults.isWrong = true;
    const deadlineMs = Date.now() + 30_000;
    const result = await observe({
      ...{ graph, store, limits: LIMITS, untilVerified: true, plainShare: 1 },
      source: new DynamoDBStreamSource(streams, streamArn),
      lowMark: async () => Date.now(),
      remainingMs: () => deadlineMs - Date.now(),
    });
    expect(result.endedBy).toBe('verified');
    const disputed = result.drift.filter(({ state }) => state === 'disputed');
    expect(disputed.map(({ suspect }) => suspect.sortKey).sort()).toEqual([
      '~ix/FOLLOWS-USER-2',
      '~ix/letter',
      '~view',
    ]);
  });
});
