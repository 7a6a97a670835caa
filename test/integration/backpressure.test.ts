import { expect, it } from 'vitest';
import { seededRandom } from '../../bench/support/random.ts';
import { createProjector } from '../../src/projecting/apply/projector.ts';
import { createClient } from '../../src/store/client.ts';
import { DynamoDBStore } from '../../src/store/dynamodb.ts';
import { check } from '../../src/trust/check/check.ts';
import { type Refuses, startThrottlingProxy } from '../contract/proxy.ts';
import { DERIVED_WRITES } from '../support/calls.ts';
import { followGraph, follows, user } from '../support/follow-graph.ts';
import { testTable } from '../support/table.ts';

/** A table that throttles: the projector slows down, loses nothing, and gives up when its time is over, not after a count. */

const USERS = 20;

const NO_DRIFT = { missing: 0, stale: 0, orphan: 0 };

/** A table with records that are not projected, and a projector that reaches it through a proxy. */
async function throttledTable(refuses: Refuses) {
  const table = await testTable(followGraph());
  for (let i = 0; i < USERS; i++) {
    await table.store.put(user(`${i}`));
    await table.store.put(follows(`${i}`, `${(i + 1) % USERS}`));
  }
  const proxy = await startThrottlingProxy(table.endpoint, (entries) => entries, refuses);
  const client = createClient({ endpoint: proxy.endpoint, maxAttempts: 1 });
  const projector = createProjector(table.graph, { store: new DynamoDBStore(client, table.graph.table) });
  const { graph, store } = table;
  const drift = async () => (await check(graph, { store, graceMs: 0 })).drift;
  return { ...table, records: await table.allRecords(), throttled: projector, proxy, drift };
}

it('a table that refuses two writes in three slows the projector down, and nothing is lost', async () => {
  const random = seededRandom(7);
  let refused = 0;
  const { records, throttled, proxy, drift } = await throttledTable((operation, statements) => {
    if (!DERIVED_WRITES.has(operation) || random.below(3) === 0) return false;
    refused += statements;
    return true;
  });
  const result = await throttled.project(records);
  await proxy.stop();
  expect(result).toMatchObject({ failedFrom: undefined, quarantined: 0 });
  expect(refused).toBeGreaterThan(USERS);
  expect(result.writes).toBe(result.touches + refused);
  expect(await drift()).toEqual(NO_DRIFT);
});

it('a table that refuses for longer than there is time fails the batch, which is right when it comes again', async () => {
  let isClosed = true;
  let refused = 0;
  const { records, throttled, proxy, drift } = await throttledTable((operation, statements) => {
    if (!isClosed || !DERIVED_WRITES.has(operation)) return false;
    refused += statements;
    return true;
  });
  // Time passes by tries, so that a slow machine has as many of them.
  const result = await throttled.project(records, { remainingMs: () => (refused < records.length * 4 ? 60_000 : 0) });
  expect(result.failedFrom).toBe(records[0]);
  expect(result.error).toMatchObject({ code: 'ProvisionedThroughputExceededException' });
  // Not after a count: each item is tried as often as its time allows.
  expect(result.writes).toBeGreaterThan(result.touches * 2);
  isClosed = false;
  expect(await throttled.project(records)).toMatchObject({ failedFrom: undefined, quarantined: 0 });
  await proxy.stop();
  expect(await drift()).toEqual(NO_DRIFT);
});
