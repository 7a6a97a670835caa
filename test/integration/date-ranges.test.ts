import { beforeAll, describe, expect, it } from 'vitest';
import { createReader, type Reader } from '../../src/client/read/reader.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import type { CompiledModel } from '../../src/core/model/compiled.ts';
import { date, edge, node, source } from '../../src/core/model/schema.ts';
import { openTable, uniqueTableName } from '../support/table.ts';

const at = date('at');
const graph: CompiledModel = defineGraph({
  table: uniqueTableName(),
  nodes: {
    EVENT: node({
      view: 'ALL',
      search: { at: { type: 'date', shards: 2 }, text: { caseInsensitive: true, shards: 1 } },
    }),
    DAY: node({ view: 'ALL' }),
  },
  edges: {
    ON: edge({
      from: 'EVENT',
      to: 'DAY',
      inbound: { orders: { gsi0: at, byKind: ['kind', at], bySource: date(source('at')) } },
    }),
  },
});

/** Times around the ends of a day. */
const TIMES = [
  '2026-08-20T23:59:59.999999999Z',
  '2026-08-21',
  '2026-08-21T00:00:00.000000001Z',
  '2026-08-21T09:30:00Z',
  '2026-08-22T01:59:59.999+02:00',
  '2026-08-21T23:59:59.999999999Z',
  '2026-08-22',
];
const WHOLE_DAY = ['1', '2', '3', '4', '5'];

let reader: Reader;

beforeAll(async () => {
  const { store, projectAll, writer } = await openTable(graph);
  for (const [i, time] of TIMES.entries()) {
    await writer.putNode(`EVENT-${i}`, { at: time, text: time });
    await writer.putEdge(`EVENT-${i}`, 'ON', 'DAY-1', { at: time, kind: 'talk' });
  }
  await projectAll();
  reader = createReader(graph, { store });
});

const numbers = (ids: string[]): string[] => ids.map((id) => id.slice('EVENT-'.length)).sort();

describe('a date without a time that ends a range is the whole day in UTC', () => {
  it('of a search', async () => {
    const search = reader.search('EVENT.at');
    const found = async (from: string | undefined, to: string) =>
      numbers((await search.between(from, to)).items.map(({ id }) => id));
    expect(await found('2026-08-21', '2026-08-21')).toEqual(WHOLE_DAY);
    expect(await found('2026-08-21T09:30:00Z', '2026-08-21')).toEqual(['3', '4', '5']);
    expect(await found(undefined, '2026-08-21')).toEqual(['0', ...WHOLE_DAY]);
    expect(await found(undefined, '2026-08-21T00:00')).toEqual(['0', '1']);
    expect((await search.count({ between: ['2026-08-21', '2026-08-21'] })).count).toBe(5);
    expect(numbers((await search.equals('2026-08-21')).items.map(({ id }) => id))).toEqual(['1']);
    await expect(search.between('2026-08-22', '2026-08-21')).rejects.toThrow('nothing lies between them');
    await expect(search.between(undefined, '2026-08-32')).rejects.toThrow('a date that exists');
  });

  it('of a search by text, whatever form its digits have', async () => {
    for (const day of ['2026-08-21', '２０２６-０８-２１']) {
      const { items } = await reader.search('EVENT.text').between(day, day);
      expect(numbers(items.map(({ id }) => id)), day).toEqual(['1', '2', '3', '5']);
    }
  });

  it('of incoming edges, in an order by one value and by several', async () => {
    const range = { between: ['2026-08-21', '2026-08-21'] } as const;
    for (const options of [{}, { order: 'byKind', path: ['talk'] }, { order: 'bySource' }]) {
      const { items } = await reader.inbound('DAY-1', 'ON', { ...range, ...options });
      expect(numbers(items.map(({ source }) => source)), JSON.stringify(options)).toEqual(WHOLE_DAY);
      expect((await reader.inDegree('DAY-1', 'ON', { ...range, ...options })).count).toBe(5);
    }
  });
});
