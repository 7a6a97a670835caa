import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { type Load, type MonthlyPart, monthlyCost } from '../../../packages/cost/monthly.ts';
import { type Prices, readPrices } from '../../../packages/cost/prices.ts';
import { defineGraph } from '../../../src/core/model/compile/define-graph.ts';
import type { CompiledModel } from '../../../src/core/model/compiled.ts';
import { edge, node, sum } from '../../../src/core/model/schema.ts';
import { functionLogger } from '../../../src/deployment/lambda/function-logger.ts';
import { emitBatch, metricsOf } from '../../../src/deployment/lambda/metrics.ts';
import { stackFixtures } from '../../../src/deployment/stack/stack.ts';
import * as edgeloom from '../../../src/index.ts';
import { ROOT } from '../../support/command.ts';
import { howTo } from '../../support/how-to.ts';

/** A put of a user: 1 unit for the base item, 1 for the view. Of an edge: 1 and 1, and 2 for an index item. Each derived item is read, and the base item. */
const graph = defineGraph({
  table: 'follows',
  nodes: { USER: node({ view: 'ALL' }) },
  edges: { FOLLOWS: edge({ from: 'USER', to: 'USER', inbound: { orders: { gsi0: 'since' } } }) },
});
const prices = readPrices(undefined, undefined);
const FIXTURES = { alarms: 20, metrics: 10, dashboards: 1 };
const LOAD: Load = { putsPerSecond: 1000, gigabytes: 50, shares: new Map() };
const SECONDS_A_MONTH = 730 * 3600;

/** A month of so many units for each put. */
function usdOf(writes: number, reads: number): number {
  const { millionWriteUnits, millionReadUnits } = prices.dynamodb;
  return ((1000 * SECONDS_A_MONTH) / 1e6) * (writes * millionWriteUnits + reads * millionReadUnits);
}

function cost(load: Partial<Load> = {}, own: Prices = prices, model: CompiledModel = graph) {
  const { monthly, monthlyProvisioned, ...rest } = monthlyCost(model, { ...LOAD, ...load }, FIXTURES, own);
  const byPart = (parts: MonthlyPart[]) => Object.fromEntries(parts.map(({ part, usd }) => [part, usd]));
  return { onDemand: byPart(monthly), provisioned: byPart(monthlyProvisioned), ...rest };
}

describe('the cost of a month', () => {
  it('is units by their price: of puts, and of what is read and written for what is derived from them', () => {
    const { onDemand } = cost({ shares: new Map([['USER', 1]]) });
    expect(onDemand['puts']).toBeCloseTo(usdOf(1, 0));
    expect(onDemand['projections']).toBeCloseTo(usdOf(1, 1.5));
    expect(cost({ shares: new Map([['FOLLOWS', 3]]) }).onDemand['projections']).toBeCloseTo(usdOf(3, 2));
    // A mix by its shares, and all types equally where none is named.
    const mixed = cost({
      shares: new Map([
        ['USER', 1],
        ['FOLLOWS', 3],
      ]),
    });
    expect(mixed.onDemand['projections']).toBeCloseTo(usdOf(2.5, 1.875));
    expect(cost().onDemand['projections']).toBeCloseTo(usdOf(2, 1.75));
  });
  it('has the entries of totals, which are read before they are written', () => {
    const of = (inbound: object) => {
      const edges = { FOLLOWS: edge({ from: 'USER', to: 'USER', inbound: inbound as { orders: { gsi0: string } } }) };
      const model = defineGraph({ table: 'follows', nodes: { USER: node({ view: 'ALL' }) }, edges });
      const { onDemand, streamShards } = cost({ shares: new Map([['FOLLOWS', 1]]), gigabytes: 0 }, prices, model);
      return { projections: onDemand['projections']!, streamShards };
    };
    const [without, counted] = [
      of({ orders: { gsi0: 'since' } }),
      of({ orders: { gsi0: 'since' }, total: { hours: sum('hours') } }),
    ];
    // Two units for the entry, two for the total, and a read of the entry.
    expect(counted.projections - without.projections).toBeCloseTo(usdOf(4, 0.5));
    expect([without.streamShards, counted.streamShards]).toEqual([4, 7]);
  });
  it('has the nightly check by the size of the table, storage with its backups, and alarms by their number', () => {
    const { onDemand } = cost();
    const units = ((50 * 1024 ** 3) / 8192) * (730 / 24);
    expect(onDemand['check']).toBeGreaterThan((units / 1e6) * prices.dynamodb.millionReadUnits);
    // The function runs only while it reads.
    expect(onDemand['check']).toBeLessThan(1.5 * (units / 1e6) * prices.dynamodb.millionReadUnits);
    expect(onDemand['storage']).toBeCloseTo(50 * 0.45);
    expect(onDemand['alarms']).toBeCloseTo(20 * 0.1 + 10 * 0.3 + 3);
    const { total, ...parts } = onDemand;
    expect(total).toBeCloseTo(Object.values(parts).reduce((sum, usd) => sum + usd, 0));
  });
  it('grows with the load, part by part, and is that of a stack at rest where nothing is written', () => {
    const at = (putsPerSecond: number) => cost({ putsPerSecond, gigabytes: 0 }).onDemand;
    expect(at(0)).toMatchObject({ puts: 0, projections: 0, 'stream function': 0, check: 0, storage: 0 });
    expect(at(0)['total']).toBe(at(0)['alarms']);
    expect(at(2000)['puts']).toBeCloseTo(2 * at(1000)['puts']!);
    expect(at(2000)['stream function']!).toBeGreaterThan(at(1000)['stream function']!);
  });
  it('has a batch a second for each shard of the stream', () => {
    const { lambda } = prices;
    const small = { putsPerSecond: 100, gigabytes: 0 };
    const [one, ten] = [1, 10].map((streamShards) => cost({ ...small, streamShards }).onDemand);
    const ofBatches = 9 * SECONDS_A_MONTH * (lambda.millionRequests / 1e6 + 0.02 * lambda.gigabyteSecond);
    expect(ten!['stream function']! - one!['stream function']!).toBeCloseTo(ofBatches);
    expect(ten!['logs']).toBeCloseTo(10 * one!['logs']!);
    // One for each partition: 1,000 write units or 10 GB, and four in a new table.
    expect(cost(small).streamShards).toBe(4);
    expect(cost({ ...small, gigabytes: 95 }).streamShards).toBe(10);
    expect(cost({ putsPerSecond: 8_000, gigabytes: 0, shares: new Map([['USER', 1]]) }).streamShards).toBe(16);
  });
  it('has the observer apart: more while the table is written to, by what has to be read, with its alarms', () => {
    const observed = (load: Partial<Load>, model: CompiledModel = graph) => cost(load, prices, model).observer;
    const [rest, busy] = [observed({ putsPerSecond: 0 }), observed({ putsPerSecond: 10 })];
    expect(busy.usd).toBeGreaterThan(2 * rest.usd);
    expect(busy.millionStreamReads).toBeCloseTo((730 * 60 * 50 * cost({ putsPerSecond: 10 }).streamShards) / 1e6);
    expect([rest.millionFeedEvents, busy.millionFeedEvents > 0]).toEqual([0, true]);
    // An event, three calls of the queue, and a call of the function; at rest the pollers.
    expect((busy.feedUsd - rest.feedUsd) / busy.millionFeedEvents).toBeCloseTo(1 + 3 * 0.5 + 0.2 + 0.17, 2);
    expect(rest.feedUsd).toBeCloseTo(0.33, 2);
    expect(observed({ putsPerSecond: 20 }).millionFeedEvents).toBeCloseTo(2 * busy.millionFeedEvents);
    const shards = { streamShards: 4, shares: new Map([['FOLLOWS', 1]]) };
    // What a record touched is read.
    const usdOfReads = (rcu: number): number => ((10 * SECONDS_A_MONTH * rcu) / 1e6) * prices.dynamodb.millionReadUnits;
    const [listed, twice] = [10, 20].map((putsPerSecond) => observed({ ...shards, putsPerSecond }).usd);
    expect(twice! - listed!).toBeCloseTo(usdOfReads(4.5));
    const copying = defineGraph({
      ...{ table: 'follows', nodes: { USER: node({ view: ['name'] }) } },
      edges: { FOLLOWS: edge({ from: 'USER', to: 'USER', copy: ['name'] }) },
    });
    const [few, many] = [10, 20].map((putsPerSecond) => observed({ ...shards, putsPerSecond }, copying).usd);
    expect(many! - few!).toBeCloseTo(usdOfReads(11.3));
    const withObserver = { ...FIXTURES, alarms: FIXTURES.alarms + 5 };
    const more = monthlyCost(graph, LOAD, { ...FIXTURES, withObserver }, prices).observer.usd - cost().observer.usd;
    expect(more).toBeCloseTo(5 * prices.cloudwatch.alarmMonth);
    const { checkUsd, monthlyCheckUsd } = cost().observer;
    expect(checkUsd).toBeCloseTo(cost().onDemand['check']!);
    expect(monthlyCheckUsd).toBeCloseTo((checkUsd * 24) / 730);
  });
  it('has views by their size: an edge of a view of 60 KB writes 60 units, and reads 7.5', () => {
    const edges = { shares: new Map([['FOLLOWS', 1]]) };
    expect(cost({ ...edges, viewKilobytes: 60 }).onDemand['projections']).toBeCloseTo(usdOf(3 + 59, 2 + 7));
  });
  it('has the reads that the load names', () => {
    expect(cost().onDemand['reads']).toBe(0);
    const reads = new Map([
      ['get', 200],
      ['inbound FOLLOWS by gsi0', 60],
    ]);
    // 130 units a second, with 1,000 puts.
    expect(cost({ reads }).onDemand['reads']).toBeCloseTo(usdOf(0, 0.13));
    expect(() => cost({ reads: new Map([['sort', 1]]) })).toThrow(/No query/);
    expect(() => cost({ reads: new Map([['', 1]]) })).toThrow(/More than one query/);
    // A range search of 200 shards is 100 units.
    const searched = defineGraph({
      table: 'users',
      nodes: { USER: node({ view: 'ALL', search: { name: {} } }) },
      edges: {},
    });
    const load = { ...LOAD, reads: new Map([['search USER.name prefix', 1000]]) };
    const { monthly } = monthlyCost(searched, load, FIXTURES, prices);
    expect(monthly.find(({ part }) => part === 'reads')!.usd).toBeCloseTo(32_850);
  });
  it('counts as many bytes of logs for a batch as its lines have', () => {
    const lines: string[] = [];
    vi.spyOn(process.stdout, 'write').mockImplementation((line) => lines.push(String(line)) > 0);
    const counts = {
      records: 100,
      touches: 80,
      writes: 80,
      wcu: 200,
      rcu: 10,
      conflicts: 1,
      quarantined: 0,
    };
    emitBatch(metricsOf('edgeloom-prod-records'), counts, 900);
    functionLogger('info')
      .child({ requestId: 'c'.repeat(36) })
      .info(counts, 'batch applied');
    vi.restoreAllMocks();
    const ofPlatform = 90 + 60 + 150;
    const bytes = lines.join('').length + ofPlatform;
    const gigabytes = ((SECONDS_A_MONTH * 4) / 1024 ** 3) * bytes;
    const logs = cost({ streamShards: 4 }).onDemand['logs']!;
    expect(logs / (gigabytes * prices.cloudwatch.logGigabyte)).toBeGreaterThan(0.7);
    expect(logs / (gigabytes * prices.cloudwatch.logGigabyte)).toBeLessThan(1.4);
  });
  it('refuses a share of what is no type of the model', () => {
    expect(() => cost({ shares: new Map([['GOAL', 1]]) })).toThrow(/no type GOAL/);
  });
  it('is what the pages on costs and feeds say, for the model of the quick start', () => {
    const [quickStart, costs] = ['start/quick-start', 'explain/costs'].map((name) =>
      readFileSync(join(ROOT, `docs/${name}.md`), 'utf8'),
    );
    const [, code] = /```ts\n(.*?)```/s.exec(quickStart!)!;
    const model = new Function(
      ...Object.keys(edgeloom),
      code!.replace(/^import .*/m, '').replace('export default', 'return'),
    )(...Object.values(edgeloom)) as CompiledModel;
    const [, rate, gigabytes, gets, lists] =
      /cost --rate (\d+)\/s --gb (\d+) --read get=(\d+)\/s --read inbound=(\d+)\/s/.exec(costs!)!;
    const reads = new Map([
      ['get', Number(gets)],
      ['inbound', Number(lists)],
    ]);
    const load: Load = { putsPerSecond: Number(rate), gigabytes: Number(gigabytes), shares: new Map(), reads };
    const fixtures = { ...stackFixtures(model), withObserver: stackFixtures(model, { observe: true }) };
    const { monthly, monthlyProvisioned, alternatives, observer } = monthlyCost(model, load, fixtures, prices);
    const [usdOfFeed, usdOfObserver] = [observer.feedUsd, observer.usd].map((usd) => Math.round(usd));
    expect(howTo(['feeds']).replace(/\s+/g, ' ')).toContain(
      `and ${rate} writes a second, the feed costs at most ${usdOfFeed} US dollars a month, and the observer, which the feed needs, costs another ${usdOfObserver}.`,
    );
    const columns = [monthly, monthlyProvisioned, alternatives.documentClient, alternatives.openSearch];
    const [, ...rows] = /```\n(a month .*?)\n```/s.exec(costs!)![1]!.split('\n');
    expect(rows.length).toBeGreaterThan(8);
    for (const row of rows) {
      const [part, ...figures] = row.split(/ {2,}/);
      const usd = columns.flatMap((column) => column.find((one) => one.part === part)?.usd ?? []);
      expect(figures, row).toEqual(
        usd.map((one) => one.toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 })),
      );
    }
  });
  it('counts what a stack of the model has', () => {
    const { alarms, dashboards, metrics } = stackFixtures(graph);
    expect(alarms).toBeGreaterThan(20);
    expect(dashboards).toBe(1);
    // Every metric of the reference, and six of each mapping of a stream.
    const listed = readFileSync(`${ROOT}docs/reference/metrics.md`, 'utf8').split('## Metrics of OpenTelemetry')[0]!;
    const names = [...listed.matchAll(/^\| `(\w+)`/gm)].map(([, name]) => name!);
    const ofObserver = names.filter((name) => /^(Verified|Observed|Index)/.test(name)).length;
    const ofMirror = names.filter((name) => /^(Mirror|Source)/.test(name)).length;
    expect(metrics).toBe(names.length - ofObserver - ofMirror + 6);
    const sourceStreamArns = ['app', 'other'].map(
      (name) => `arn:aws:dynamodb:us-east-1:123456789012:table/${name}/stream/2026-01-01T00:00:00.000`,
    );
    expect(stackFixtures(graph, { observe: true, sourceStreamArns }).metrics).toBe(names.length + 3 * 6);
  });
});

describe('prices', () => {
  const written = (content: unknown): string => {
    const file = join(mkdtempSync(join(tmpdir(), 'edgeloom-prices-')), 'prices.json');
    writeFileSync(file, JSON.stringify(content));
    return file;
  };

  it('have a date and a region, and can be replaced', () => {
    const own = {
      ...prices,
      region: 'eu-central-1',
      date: '2026-11-01',
      otherDates: { logs: '2026-11-02' },
      cloudwatch: { ...prices.cloudwatch, alarmMonth: 1 },
    };
    const read = readPrices(written(own), 'eu-central-1');
    const dates = { priceDate: '2026-11-01', otherPriceDates: { logs: '2026-11-02' } };
    expect(cost({}, read)).toMatchObject({ ...dates, priceRegion: 'eu-central-1' });
    expect(cost({}, { ...prices, otherDates: undefined }).otherPriceDates).toEqual({});
    expect(cost({}, read).onDemand['alarms']).toBeCloseTo(20 + 10 * 0.3 + 3);
  });
  it('of another region than the one that is asked for are refused, as are incomplete ones', () => {
    expect(() => readPrices(undefined, 'eu-central-1')).toThrow(/not of eu-central-1/);
    expect(() => readPrices(written({ region: 'x' }), undefined)).toThrow(/incomplete: date:.*dynamodb:/);
    expect(() => readPrices('/nowhere/prices.json', undefined)).toThrow(/cannot be read/);
  });
});
