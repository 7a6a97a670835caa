import { describe, expect, it } from 'vitest';
import { SAMPLE_UNITS } from '../../packages/studio/base/price.ts';
import { TableSample } from '../../packages/studio/base/table-sample.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { node } from '../../src/core/model/schema.ts';
import type { ScanSource } from '../../src/core/store-port.ts';

const graph = defineGraph({ table: 'records', nodes: { GOAL: node({ view: ['title'] }) }, edges: {} });
const SEGMENTS = 16;

/** A table of so many goals a segment, each of so many units, that counts what is read of it. */
function tableOf({ goals, rcu }: { goals: number; rcu: number }) {
  const read = { items: 0, rcu: 0, atOnce: 0, mostAtOnce: 0 };
  const scan = async (page: { segment: number; limit: number; startKey?: { at: { N: string } } }) => {
    const { segment, limit, startKey } = page;
    read.atOnce += 1;
    read.mostAtOnce = Math.max(read.mostAtOnce, read.atOnce);
    await new Promise(setImmediate);
    read.atOnce -= 1;
    const from = Number(startKey?.at.N ?? 0);
    const to = Math.min(goals, from + limit);
    const items = Array.from({ length: to - from }, (_, i) => {
      const id = { S: `GOAL-${segment}-${from + i}` };
      return { source: id, target: id, title: { S: `Goal ${from + i}` } };
    });
    read.items += items.length;
    read.rcu += items.length * rcu;
    return { items, rcu: items.length * rcu, ...(to < goals && { lastKey: { at: { N: String(to) } } }) };
  };
  const store = { scan } as unknown as ScanSource;
  return { read, table: { graph, store, itemCount: async () => SEGMENTS * goals } };
}

describe('the sample of the studio', () => {
  it('reads a part of a large table, and the next part where it is asked to, until it has all', async () => {
    const { read, table } = tableOf({ goals: 100, rcu: 0.5 });
    const sample = new TableSample();
    const first = await sample.read(table);
    expect(first.answer).toMatchObject({ of: 1_600, isWhole: false });
    expect(first.nodes.get('GOAL')!.get('GOAL-0-0')).toBe('Goal 0');
    expect(read.rcu).toBeLessThanOrEqual(SAMPLE_UNITS.first + 2);
    // It is kept: another question reads nothing.
    const { items } = read;
    await sample.read(table);
    expect(read.items).toBe(items);
    const second = await sample.readOn(table);
    expect(second.answer.isWhole).toBe(false);
    expect(second.nodes.get('GOAL')!.size).toBe(read.items);
    expect(read.rcu).toBeLessThanOrEqual(SAMPLE_UNITS.first + SAMPLE_UNITS.more + 4);
    await sample.readOn(table);
    const whole = await sample.read(table);
    expect(whole.answer).toMatchObject({ items: 1_600, of: 1_600, isWhole: true });
    expect(read.items).toBe(1_600);
  });

  it.each([0.01, 0.5, 2])('takes 100 units at most unasked, whatever an item takes: %s', async (rcu) => {
    const { read, table } = tableOf({ goals: 2_000, rcu });
    await new TableSample().read(table);
    expect(read.rcu).toBeGreaterThan(SAMPLE_UNITS.first * 0.9);
    expect(read.rcu).toBeLessThanOrEqual(SAMPLE_UNITS.first + 4 * rcu);
  });

  it('reads one part after the other for two that ask at once', async () => {
    const { read, table } = tableOf({ goals: 1_000, rcu: 0.5 });
    const sample = new TableSample();
    const [left, right] = await Promise.all([sample.readOn(table), sample.readOn(table)]);
    expect(right.answer.items - left.answer.items).toBeGreaterThan(900);
    expect(read.mostAtOnce).toBe(4);
  });

  it('begins anew after a read that failed', async () => {
    const { table } = tableOf({ goals: 4, rcu: 1 });
    const sample = new TableSample();
    const broken = { ...table, store: { scan: () => Promise.reject(new Error('throttled')) } as unknown as ScanSource };
    await expect(sample.read(broken)).rejects.toThrow('throttled');
    expect((await sample.read(table)).answer.isWhole).toBe(true);
  });
});
