import { describe, expect, it } from 'vitest';
import type { Item } from '../../../src/core/items/attribute-value.ts';
import type { ChangeRecord } from '../../../src/core/items/change-record.ts';
import { defineGraph } from '../../../src/core/model/compile/define-graph.ts';
import { node } from '../../../src/core/model/schema.ts';
import { LeftoverFilter } from '../../../src/stream/leftovers.ts';
import { MemoryStore } from '../../support/memory-store/memory-store.ts';

const graph = defineGraph({ table: 'records', nodes: { USER: node({ view: 'ALL' }) } });
const BEGAN = 1_795_219_437;
const EPOCH_STREAM = `arn:aws:dynamodb:dynoxide:000000000000:table/records/stream/${BEGAN}.965871572`;
const DATED_STREAM = 'arn:aws:dynamodb:us-east-1:000000000000:table/records/stream/2026-11-21T00:03:57.965';

let sequence = 0;

function record(id: string, createdAtSeconds: number | undefined, newImage: Item | undefined = user(id)): ChangeRecord {
  sequence += 1;
  const sequenceNumber = String(sequence);
  const key = `USER-${id}`;
  return { source: key, target: key, newImage, stream: '2026', sequenceNumber, createdAtSeconds };
}

function user(id: string, name = id): Item {
  return { source: { S: `USER-${id}` }, target: { S: `USER-${id}` }, name: { S: name } };
}

function ids(records: readonly ChangeRecord[]): string[] {
  return records.map(({ source }) => source.replace('USER-', ''));
}

describe('records of an earlier table', () => {
  it('are dropped where they were made before the stream was', async () => {
    const filter = new LeftoverFilter(new MemoryStore(graph.table), EPOCH_STREAM, false);
    const sifted = await filter.dropLeftovers([
      record('old', BEGAN - 1),
      record('older', BEGAN - 86_400),
      record('new', BEGAN + 1),
    ]);
    expect(ids(sifted.records)).toEqual(['new']);
    expect(sifted).toMatchObject({ dropped: 2, rcu: 0 });
  });

  it('are settled by the base item where they may be of either table', async () => {
    const store = new MemoryStore(graph.table);
    await store.put(user('both', 'as it is now'));
    const filter = new LeftoverFilter(store, EPOCH_STREAM, false);
    const sifted = await filter.dropLeftovers([
      record('old', BEGAN - 1),
      record('ghost', BEGAN),
      record('both', BEGAN, user('both', 'as the old table had it')),
      { ...record('removed', BEGAN), newImage: undefined },
      record('new', BEGAN + 1),
    ]);
    expect(ids(sifted.records)).toEqual(['both', 'removed', 'new']);
    expect(sifted.records[0]?.newImage).toEqual(user('both', 'as it is now'));
    expect(sifted).toMatchObject({ dropped: 2, rcu: expect.any(Number) });
    expect(sifted.rcu).toBeGreaterThan(0);
  });

  it('stay suspected in later batches of the same second', async () => {
    const filter = new LeftoverFilter(new MemoryStore(graph.table), EPOCH_STREAM, false);
    await filter.dropLeftovers([record('old', BEGAN - 1)]);
    expect(ids((await filter.dropLeftovers([record('ghost', BEGAN)])).records)).toEqual([]);
  });

  it('are suspected from the start where an earlier table is known of', async () => {
    const filter = new LeftoverFilter(new MemoryStore(graph.table), EPOCH_STREAM, true);
    expect(ids((await filter.dropLeftovers([record('ghost', BEGAN), record('new', BEGAN + 1)])).records)).toEqual([
      'new',
    ]);
  });

  it('are not suspected in a new table: its first second costs no read', async () => {
    const filter = new LeftoverFilter(new MemoryStore(graph.table), EPOCH_STREAM, false);
    const sifted = await filter.dropLeftovers([record('a', BEGAN), record('b', BEGAN), record('c', BEGAN + 2)]);
    expect(ids(sifted.records)).toEqual(['a', 'b', 'c']);
    expect(sifted).toMatchObject({ dropped: 0, rcu: 0 });
  });

  it('do not exist in streams with other labels, whatever the records say of their time', async () => {
    const filter = new LeftoverFilter(new MemoryStore(graph.table), DATED_STREAM, true);
    const sifted = await filter.dropLeftovers([record('a', 1), record('b', undefined)]);
    expect(ids(sifted.records)).toEqual(['a', 'b']);
    expect(sifted.dropped).toBe(0);
  });
});
