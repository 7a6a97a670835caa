import { describe, expect, it } from 'vitest';
import { defineGraph } from '../../../src/core/model/compile/define-graph.ts';
import { node } from '../../../src/core/model/schema.ts';
import type { ScanRequest } from '../../../src/core/store-port.ts';
import { migrateCall, walkCall } from '../../../src/deployment/lambda/migrate-call.ts';
import { migrate } from '../../../src/migrate/migrate.ts';
import { withReplacedCalls } from '../../../src/store/wrapped.ts';
import { StreamedStore } from '../../support/streamed-store.ts';

function model(shards: number) {
  return defineGraph({
    table: 'records',
    nodes: { USER: node({ view: 'ALL', search: { name: { shards } } }) },
    edges: {},
  });
}

const [before, after] = [model(2), model(3)];

/** A table that a walk is dealt out for, and the sizes of the pages that its workers ask for. */
async function dealt() {
  const store = new StreamedStore(before);
  const now = (): number => Date.parse('2026-01-01T00:00:00Z');
  for (let i = 0; i < 5; i++) {
    await store.put({ source: { S: `USER-${i}` }, target: { S: `USER-${i}` }, name: { S: `name ${i}` } });
  }
  await migrate(before, { store, now, wait: async () => undefined });
  const limits: (number | undefined)[] = [];
  const noting = Object.assign(withReplacedCalls(store, {}), {
    scan: async (request: ScanRequest) => {
      limits.push(request.limit);
      return await store.scan(request);
    },
  });
  const table = { store: noting, client: undefined, now };
  const context = { awsRequestId: 'migration-1', getRemainingTimeInMillis: () => 900_000 };
  const walk = async (maxRcu: number, maxWcu: number): Promise<Set<number | undefined>> => {
    const request = { workers: 4, maxRcu, maxWcu };
    const { shares } = await migrateCall(after, table, request, context);
    limits.length = 0;
    expect(await walkCall(after, table, shares[0]!, context)).toEqual({ isDone: true });
    return new Set(limits);
  };
  return { walk };
}

describe('a walk of a migration', () => {
  it.each([
    [0, 200, 18],
    [0, 4, 1],
    [0, 40_000, 500],
    [200, 40_000, 18],
    [40_000, 200, 18],
  ])(
    'at %d read and %d write units a second of 4 workers reads %d items a page, which 8 segments read and write in half a minute',
    async (maxRcu, maxWcu, items) => {
      expect(await (await dealt()).walk(maxRcu, maxWcu)).toEqual(new Set([items]));
      const slowest = Math.min(maxRcu || maxWcu, maxWcu);
      const seconds = (8 * items * 10) / (slowest / 4);
      if (items > 1) expect(seconds).toBeLessThanOrEqual(30);
    },
  );
});
