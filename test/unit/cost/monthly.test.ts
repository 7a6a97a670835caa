import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Load, type MonthlyPart, monthlyCost } from '../../../src/cost/monthly.ts';
import { type Prices, readPrices } from '../../../src/cost/prices.ts';
import { defineGraph } from '../../../src/model/compile/define-graph.ts';
import { edge, node } from '../../../src/model/schema.ts';
import { stackFixtures } from '../../../src/stack/stack.ts';

/** A put of a user: 1 unit for the base item, 1 for the view. Of an edge: 1 and 1, and 2 for an index item. */
const graph = defineGraph({
  table: 'follows',
  nodes: { USER: node() },
  edges: { FOLLOWS: edge({ from: 'USER', to: 'USER', inbound: { gsi0: 'since' } }) },
});
const prices = readPrices(undefined, undefined);
const FIXTURES = { alarms: 20, metrics: 10, dashboards: 1 };
const LOAD: Load = { putsPerSecond: 1000, gigabytes: 50, shares: new Map() };
const SECONDS_A_MONTH = 730 * 3600;

function cost(load: Partial<Load> = {}, own: Prices = prices) {
  const { monthly, monthlyProvisioned, ...rest } = monthlyCost(graph, { ...LOAD, ...load }, FIXTURES, own);
  const byPart = (parts: MonthlyPart[]) => Object.fromEntries(parts.map(({ part, usd }) => [part, usd]));
  return { onDemand: byPart(monthly), provisioned: byPart(monthlyProvisioned), ...rest };
}

describe('the cost of a month', () => {
  it('is write units by their price: of puts, and of what is derived from them', () => {
    const units = (a: number) => ((1000 * a * SECONDS_A_MONTH) / 1e6) * prices.dynamodb.millionWriteUnits;
    const { onDemand } = cost({ shares: new Map([['USER', 1]]) });
    expect(onDemand['puts']).toBeCloseTo(units(1));
    expect(onDemand['projections']).toBeCloseTo(units(1));
    expect(cost({ shares: new Map([['FOLLOWS', 3]]) }).onDemand['projections']).toBeCloseTo(units(3));
    // A mix by its shares, and all types equally where none is named.
    const mixed = cost({
      shares: new Map([
        ['USER', 1],
        ['FOLLOWS', 3],
      ]),
    });
    expect(mixed.onDemand['projections']).toBeCloseTo(units(2.5));
    expect(cost().onDemand['projections']).toBeCloseTo(units(2));
  });
  it('is hours of units at 70 % of use where capacity is provisioned', () => {
    const { provisioned } = cost({ shares: new Map([['USER', 1]]) });
    expect(provisioned['puts']).toBeCloseTo((1000 / 0.7) * 730 * prices.dynamodb.writeUnitHour);
    expect(provisioned['puts']!).toBeLessThan(cost().onDemand['puts']!);
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
  it('refuses a share of what is no type of the model', () => {
    expect(() => cost({ shares: new Map([['GOAL', 1]]) })).toThrow(/no type GOAL/);
  });
  it('counts what a stack of the model has', () => {
    const { alarms, dashboards, metrics } = stackFixtures(graph);
    expect(alarms).toBeGreaterThan(20);
    expect(dashboards).toBe(1);
    expect(metrics).toBeGreaterThan(15);
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
      cloudwatch: { ...prices.cloudwatch, alarmMonth: 1 },
    };
    const read = readPrices(written(own), 'eu-central-1');
    expect(cost({}, read)).toMatchObject({ priceDate: '2026-11-01', priceRegion: 'eu-central-1' });
    expect(cost({}, read).onDemand['alarms']).toBeCloseTo(20 + 10 * 0.3 + 3);
  });
  it('of another region than the one that is asked for are refused, as are incomplete ones', () => {
    expect(() => readPrices(undefined, 'eu-central-1')).toThrow(/not of eu-central-1/);
    expect(() => readPrices(written({ region: 'x' }), undefined)).toThrow(/incomplete: date:.*dynamodb:/);
    expect(() => readPrices('/nowhere/prices.json', undefined)).toThrow(/cannot be read/);
  });
});
