import { describe, expect, it } from 'vitest';
import { MOST_RCU, TableSample } from '../../packages/studio/base/table-sample.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { node } from '../../src/core/model/schema.ts';
import type { ScanSource } from '../../src/core/store-port.ts';

const graph = defineGraph({ table: 'records', nodes: { GOAL: node({ view: ['title'] }) }, edges: {} });
const SEGMENTS = 16;
const PAGES = 4;

/** A table of four pages a segment, a goal on each, that counts what is read of it. `rcu`: the units of a page. */
function pagedTable(rcu: number) {
  const read = { pages: 0, atOnce: 0, mostAtOnce: 0 };
  const scan = async ({ segment, startKey }: { segment: number; startKey?: { page: { N: string } } }) => {
    read.pages += 1;
    read.atOnce += 1;
    read.mostAtOnce = Math.max(read.mostAtOnce, read.atOnce);
    await new Promise(setImmediate);
    read.atOnce -= 1;
    const page = Number(startKey?.page.N ?? 0);
    const id = { S: `GOAL-${segment}-${page}` };
    const lastKey = page + 1 < PAGES ? { lastKey: { page: { N: String(page + 1) } } } : {};
    return { items: [{ source: id, target: id, title: { S: `Goal ${page}` } }], rcu, ...lastKey };
  };
  const store = { scan } as unknown as ScanSource;
  return { read, table: { graph, store, itemCount: async () => SEGMENTS * PAGES } };
}

describe('the sample of the studio', () => {
  it('reads a part of a large table, and the next part where it is asked to, until it has all', async () => {
    const { read, table } = pagedTable(MOST_RCU / SEGMENTS);
    const sample = new TableSample();
    const first = await sample.read(table);
    expect(first.looked).toMatchObject({ items: SEGMENTS, of: SEGMENTS * PAGES, isWhole: false });
    expect(first.nodes.get('GOAL')!.get('GOAL-3-0')).toBe('Goal 0');
    // It is kept: another question reads nothing.
    await sample.read(table);
    expect(read.pages).toBe(SEGMENTS);
    const second = await sample.readOn(table);
    expect(second.looked).toMatchObject({ items: 2 * SEGMENTS, isWhole: false });
    expect(second.nodes.get('GOAL')!.size).toBe(2 * SEGMENTS);
    for (let i = 0; i < 4; i++) await sample.readOn(table);
    const whole = await sample.read(table);
    expect(whole.looked).toMatchObject({ items: SEGMENTS * PAGES, of: SEGMENTS * PAGES, isWhole: true });
    expect(whole.answer.precision).toBe('exact');
    expect(read.pages).toBe(SEGMENTS * PAGES);
  });

  it('reads one part after the other for two that ask at once', async () => {
    const { read, table } = pagedTable(MOST_RCU / SEGMENTS);
    const sample = new TableSample();
    const [left, right] = await Promise.all([sample.readOn(table), sample.readOn(table)]);
    expect([left.looked.items, right.looked.items]).toEqual([2 * SEGMENTS, 3 * SEGMENTS]);
    expect(read.mostAtOnce).toBe(4);
  });

  it('begins anew after a read that failed', async () => {
    const { table } = pagedTable(1);
    const sample = new TableSample();
    const broken = { ...table, store: { scan: () => Promise.reject(new Error('throttled')) } as unknown as ScanSource };
    await expect(sample.read(broken)).rejects.toThrow('throttled');
    expect((await sample.read(table)).looked.isWhole).toBe(true);
  });
});
