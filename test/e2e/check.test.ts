import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Item } from '../../src/core/items/attribute-value.ts';
import { createClient } from '../../src/store/client.ts';
import { DynamoDBStore } from '../../src/store/dynamodb.ts';
import { createTable } from '../../src/store/table-description.ts';
import type { Finding } from '../../src/trust/check/finding.ts';
import { MAIN, ROOT } from '../support/command.ts';
import { goalGraph } from '../support/contracts-model.ts';
import { devCommands } from '../support/dev-commands.ts';
import { writeExport } from '../support/export.ts';
import { uniqueTableName } from '../support/table.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const { dev, run } = devCommands();
const folder = temporaryFolder();
let store: DynamoDBStore;

beforeAll(async () => {
  store = new DynamoDBStore(createClient({ endpoint: dev.endpoint }), goalGraph(dev.table).table);
  expect((await run('import', 'examples/goals/goals.jsonl')).code).toBe(0);
  // What no consumer has noted as applied may be on its way, so a check calls it pending: one note comes in ten seconds.
  await setTimeout(11_000);
});

async function json(code: number, ...args: string[]): Promise<Record<string, unknown>> {
  const result = await run(...args, '--json');
  expect(result.code, result.stdout).toBe(code);
  return JSON.parse(result.stdout) as Record<string, unknown>;
}

/** How many quarantine entries `status` counts. */
async function entries(): Promise<number> {
  const { stdout } = await run('status', '--json');
  const { quarantined } = JSON.parse(stdout) as { quarantined: Record<string, number> };
  return Object.values(quarantined).reduce((sum, count) => sum + count, 0);
}

/** Takes the edge set out of a view, which nothing but a check will notice. */
async function breakView(): Promise<void> {
  const { item } = await store.get({ source: 'GOAL-G1', target: '~view' }, { consistent: true });
  const { edgeSet: _, ...rest } = item!;
  await store.put(rest as Item);
}

describe('edgeloom check beside a consumer', () => {
  it('takes what is not projected yet for pending, not for drift', async () => {
    const graph = goalGraph(uniqueTableName());
    const client = createClient({ endpoint: dev.endpoint });
    try {
      await createTable(graph, { client });
      const own = ['--table', graph.table.name];
      expect((await run('import', 'examples/goals/goals.jsonl', ...own)).code).toBe(0);
      const behind = await json(0, 'check', '--grace', '100ms', ...own);
      expect(behind).toMatchObject({ drift: { missing: 0, stale: 0, orphan: 0 } });
      expect(behind['pending']).toBeGreaterThan(0);
      expect((await run('project', '--until-idle', '--checkpoint', join(folder, 'own.json'), ...own)).code).toBe(0);
      expect(await json(0, 'check', '--grace', '100ms', ...own)).toMatchObject({ pending: 0, findings: [] });
      expect(await json(0, 'status', ...own)).toMatchObject({ lastCheck: { verdict: 'clean' }, problems: [] });
    } finally {
      client.destroy();
    }
  });
});

describe('edgeloom check', () => {
  it('is clean where all is projected: exit 0', async () => {
    // The settle time is long enough for the projector to come.
    const result = await json(0, 'check', '--grace', '3s');
    expect(result).toMatchObject({
      ...{ drift: { missing: 0, stale: 0, orphan: 0 }, pending: 0, unknown: 0, quarantined: 0, repaired: 0, wcu: 0 },
      ...{ baseItems: 11, findings: [] },
      ...{ rcu: expect.any(Number) as number, seconds: expect.any(Number) as number },
    });
  });

  it('finds drift (exit 1), plans, repairs it (exit 0), and finds no more', async () => {
    await breakView();
    const found = await json(1, 'check', '--grace', '100ms');
    expect(found['findings']).toEqual([
      {
        ...{ source: 'GOAL-G1', target: '~view', verdict: 'stale', actual: null },
        expected: expect.stringContaining('GOALMEMBERSHIP-USER-U1|memberRole=LEAD') as string,
      },
    ]);
    const text = await run('check', '--grace', '100ms');
    expect(text.stdout).toContain('drift: 0 missing, 1 stale, 0 orphan\n');
    expect(text.stdout).toContain('stale GOAL-G1 ~view\n  expected: GOALMEMBERSHIP-');
    expect(await json(1, 'check', '--grace', '100ms', '--repair', '--dry-run')).toMatchObject({
      ...{ plan: ['would repair GOAL-G1 ~view'], repaired: 0, wcu: 0 },
    });
    expect(await json(0, 'check', '--grace', '100ms', '--repair')).toMatchObject({ repaired: 1 });
    expect(await json(0, 'check', '--grace', '100ms')).toMatchObject({ findings: [] });
  });

  it('exits 1 for types outside the model with --strict only, and looks for missing nodes with --dangling only', async () => {
    const put = (source: string, target: string): Promise<unknown> =>
      store.put({ source: { S: source }, target: { S: target } });
    await put('GOAL-G1', 'GOALMEMBERSIHP-USER-U1');
    await put('GOAL-G9', 'NEAR-GOAL-G9');
    const unknownTypes = expect.arrayContaining([
      { type: 'GOALMEMBERSIHP', kind: 'edge', items: 1, nearest: 'GOALMEMBERSHIP' },
    ]) as unknown;
    expect(await json(0, 'check', '--grace', '100ms')).toMatchObject({ unknown: 2, unknownTypes, dangling: 0 });
    expect(await json(1, 'check', '--grace', '100ms', '--strict')).toMatchObject({ unknown: 2, maintenance: 0 });
    expect(await json(0, 'check', '--grace', '100ms', '--dangling')).toMatchObject({ drift: { orphan: 0 } });
    const text = await run('check', '--grace', '100ms');
    expect(text.stdout).toContain(
      'unknown edge type GOALMEMBERSIHP: 1 item, such as GOAL-G1 GOALMEMBERSIHP-USER-U1; is GOALMEMBERSHIP meant?',
    );
    await store.delete({ source: 'GOAL-G1', target: 'GOALMEMBERSIHP-USER-U1' });
    await store.delete({ source: 'GOAL-G9', target: 'NEAR-GOAL-G9' });
  });

  it('looks at parts of a table: some partitions, a segment, a sample', async () => {
    expect(await json(0, 'check', '--source', 'GOAL-G1', 'USER-U1')).toMatchObject({ partitions: 2 });
    const halves = await Promise.all(['1/2', '2/2'].map((part) => json(0, 'check', '--segment', part)));
    expect(halves.reduce((sum, { baseItems }) => sum + Number(baseItems), 0)).toBe(11);
    expect(await json(0, 'check', '--sample', '100%')).toMatchObject({ baseItems: 11 });
  });

  it('writes reports for build servers and machines', async () => {
    await breakView();
    const junit = join(folder, 'drift.xml');
    await json(1, 'check', '--grace', '100ms', '--report', 'junit', junit);
    const xml = await readFile(junit, 'utf8');
    expect(xml).toContain('<testsuite name="edgeloom check" tests="1" failures="1">');
    expect(xml).toContain('<testcase classname="GOAL-G1" name="~view">');
    const file = join(folder, 'drift.json');
    await json(0, 'check', '--grace', '100ms', '--repair', '--report', 'json', file);
    expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ repaired: 1, drift: { stale: 1 } });
    await json(0, 'check', '--report', 'junit', junit);
    expect(await readFile(junit, 'utf8')).toContain('tests="1" failures="0"');
  });

  it('goes on from the place that a file keeps, and takes the file away at its end', async () => {
    const place = join(folder, 'place.json');
    const drift = { missing: 0, stale: 0, orphan: 0 };
    const counted = {
      partitions: 7,
      baseItems: 70,
      derivedItems: 0,
      drift,
      pending: 0,
      superseded: 0,
      dangling: 0,
      unregistered: 0,
      maintenance: 0,
      unknownTypes: [],
      changing: [],
    };
    const totals = { ...counted, unknown: 0, quarantined: 0, repaired: 0, rcu: 1, wcu: 0 };
    await writeFile(place, JSON.stringify({ version: 1, segments: 2, open: [{ segment: 1 }], suspects: [], totals }));
    const half = await json(0, 'check', '--segment', '2/2');
    expect(await json(0, 'check', '--resume', place)).toMatchObject({ baseItems: 70 + Number(half['baseItems']) });
    await expect(readFile(place)).rejects.toMatchObject({ code: 'ENOENT' });
    await writeFile(place, '{"version":9}');
    expect(await json(2, 'check', '--resume', place)).toMatchObject({ error: { code: 'invalid-cursor' } });
  });

  it('stops a slow check at once, and goes on to the findings and counts of one that is not stopped', async () => {
    const graph = goalGraph(uniqueTableName());
    const client = createClient({ endpoint: dev.endpoint });
    try {
      await createTable(graph, { client });
      const own = ['--table', graph.table.name];
      const table = new DynamoDBStore(client, graph.table);
      for (let i = 0; i < 40; i++) {
        await table.put({ source: { S: `GOAL-${i}` }, target: { S: `GOAL-${i}` }, dueDate: { S: 'soon' } });
        await table.put({ source: { S: `OTHER-${i}` }, target: { S: `OTHER-${i}` } });
      }
      await run('project', '--until-idle', '--checkpoint', join(folder, 'stopped.json'), ...own);
      const whole = await json(1, 'check', ...own);
      expect(whole).toMatchObject({ quarantined: 40, unknown: 40 });
      const place = join(folder, 'stopped-place.json');
      // More segments than are read at once, so that some wait for the rate.
      const args = ['check', '--max-rcu', '3', '--segments', '256', '--resume', place, ...own];
      const child = spawn(process.execPath, [MAIN, ...args, '--endpoint', dev.endpoint], {
        cwd: ROOT,
        stdio: 'ignore',
      });
      const closed = once(child, 'close');
      const isCounted = async () => (await readFile(place, 'utf8').catch(() => '')).includes('"quarantined"');
      await expect.poll(isCounted, { timeout: 60_000 }).toBe(true);
      await setTimeout(3_000);
      child.kill('SIGINT');
      expect(await closed).toEqual([2, null]);
      const { open, totals } = JSON.parse(await readFile(place, 'utf8'));
      expect(open.length).toBeGreaterThan(0);
      expect(totals.partitions).toBeGreaterThan(0);
      const report = join(folder, 'stopped.xml');
      const resumed = await json(1, 'check', '--resume', place, '--report', 'junit', report, ...own);
      const { seconds: _, rcu: __, lagSeconds: ___, findings, ...counts } = resumed;
      expect(whole).toMatchObject(counts);
      const quarantined = (list: unknown) =>
        (list as Finding[]).flatMap(({ verdict, source }) => (verdict === 'quarantined' ? [source] : [])).sort();
      expect(quarantined(findings)).toEqual(quarantined(whole['findings']));
      expect(await readFile(report, 'utf8')).toContain('failures="40"');
    } finally {
      client.destroy();
    }
  });

  it('checks an export without the table, and confirms in it', async () => {
    const { items } = await store.scan({ segment: 0, segments: 1 });
    const exported = join(folder, 'export');
    await writeExport(exported, items);
    expect(await json(0, 'check', '--export', exported)).toMatchObject({ baseItems: 11, rcu: 0 });
    const drifted = join(folder, 'drifted');
    const isView = (item: Item): boolean => 'S' in item['target']! && item['target'].S === '~view';
    await writeExport(
      drifted,
      items.filter((item) => !isView(item)),
    );
    expect(await json(1, 'check', '--export', drifted)).toMatchObject({ rcu: 0, wcu: 0 });
    // The table itself is right.
    expect(await json(0, 'check', '--export', drifted, '--confirm', '--grace', '100ms')).toMatchObject({
      findings: [],
    });
    expect(await json(2, 'check', '--export', drifted, '--repair')).toMatchObject({
      error: { code: 'invalid-argument' },
    });
  });

  it.each([
    [['--grace', 'soon']],
    [['--segment', '3/2']],
    [['--sample', '200%']],
    [['--max-rcu', '0']],
    [['--report', 'pdf', 'x']],
    [['--export', '/none-such']],
  ])('%j: exit 2 and one JSON document', async (args) => {
    expect(await json(2, 'check', ...args)).toHaveProperty('error');
  });
});

describe('edgeloom rebuild', () => {
  it('makes what is derived from the base items: exit 0, and nothing to do the second time', async () => {
    await breakView();
    await store.delete({ source: 'USER-U1', target: '~ix/name' });
    expect(await json(0, 'rebuild')).toMatchObject({ writes: 2, refusals: [] });
    expect(await json(0, 'rebuild', '--max-rcu', '1000')).toMatchObject({ writes: 0, wcu: 0 });
    expect(await json(0, 'check', '--grace', '100ms')).toMatchObject({ findings: [] });
  });
});

describe('edgeloom redrive', () => {
  it('says what is left (exit 1); the consumer clears the entry of a base item that is put again, corrected', async () => {
    const bad = { source: { S: 'GOAL-BAD' }, target: { S: 'GOAL-BAD' }, dueDate: { S: 'soon' } };
    await store.put(bad);
    await expect.poll(entries, { timeout: 120_000 }).toBe(1);
    expect(await json(1, 'redrive')).toMatchObject({ entries: 1, repaired: 0, left: 1 });
    expect(await json(1, 'redrive', 'GOAL-BAD')).toMatchObject({ entries: 1, left: 1, swept: 0 });
    expect(await json(0, 'redrive', 'GOAL-G1')).toMatchObject({ entries: 0 });
    expect(await json(1, 'redrive', 'GOAL-OTHER')).toMatchObject({ entries: 0 });
    expect(await json(1, 'check', '--grace', '100ms')).toMatchObject({ quarantined: 1 });
    await store.put({ ...bad, dueDate: { S: '2026-01-01' } });
    await expect.poll(entries, { timeout: 120_000 }).toBe(0);
    expect(await json(0, 'redrive')).toMatchObject({ entries: 0, repaired: 0, left: 0 });
  });

  it('clears what is right by its base item before a consumer comes (exit 0)', async () => {
    const graph = goalGraph(uniqueTableName());
    const client = createClient({ endpoint: dev.endpoint });
    try {
      await createTable(graph, { client });
      const own = ['--table', graph.table.name];
      const table = new DynamoDBStore(client, graph.table);
      const bad = { source: { S: 'GOAL-BAD' }, target: { S: 'GOAL-BAD' }, dueDate: { S: 'soon' } };
      await table.put(bad);
      await run('project', '--until-idle', '--checkpoint', join(folder, 'redriven.json'), ...own);
      await table.put({ ...bad, dueDate: { S: '2026-01-01' } });
      expect(await json(0, 'redrive', ...own)).toMatchObject({ entries: 1, repaired: 1, left: 0 });
      expect(await json(0, 'redrive', ...own)).toMatchObject({ entries: 0 });
    } finally {
      client.destroy();
    }
  });

  it('refuses a message that is none: exit 2', async () => {
    const file = join(folder, 'message.json');
    await writeFile(file, '{}');
    expect(await json(2, 'redrive', '--from-failure', file)).toMatchObject({
      error: { code: 'invalid-failure-message' },
    });
    expect(await json(2, 'redrive', '--from-failure', join(folder, 'none'))).toMatchObject({
      error: { code: 'file-failed' },
    });
    expect(await json(2, 'redrive', 'GOAL-1', '--from-failure', file)).toMatchObject({
      error: { code: 'invalid-argument' },
    });
  });
});
