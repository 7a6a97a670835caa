import { expect, it } from 'vitest';
import { createWorker } from '../../src/projecting/worker/worker.ts';
import { DynamoDBStreamSource } from '../../src/stream/dynamodb-source.ts';
import { type CheckOptions, check } from '../../src/trust/check/check.ts';
import { lagSecondsOf, positionOfStream } from '../../src/trust/explain/position.ts';
import { sweep } from '../../src/trust/repair/sweep.ts';
import { goalGraph } from '../support/contracts-model.ts';
import { testTable, uniqueTableName } from '../support/table.ts';

const USERS = 40;
const DAMAGED = 31;

/** A table of users with the position of its stream, as the command line asks for it. */
async function usersTable() {
  const table = await testTable(goalGraph(uniqueTableName()));
  const { graph, store, streams, streamArn } = table;
  await store.writeMany(
    Array.from({ length: USERS }, (_, i) => ({
      put: { source: { S: `USER-${i}` }, target: { S: `USER-${i}` }, name: { S: `name ${i}` } },
    })),
  );
  const source = new DynamoDBStreamSource(streams, streamArn);
  const position = positionOfStream(graph, store, source);

  async function damage(count: number): Promise<void> {
    for (let i = 0; i < count; i++) await store.delete({ source: `USER-${i}`, target: '~view' });
  }

  async function checked(options: Partial<CheckOptions> = {}) {
    return await check(graph, {
      ...{ store, consumer: position.consumer(2_000), graceMs: 2_000 },
      ...options,
    });
  }

  return { ...table, source, position, damage, checked };
}

it('finds and mends all damage of a quiet table whose consumer is at its end', async () => {
  const { graph, store, streams, streamArn, position, damage, checked } = await usersTable();
  await createWorker(graph, { store, streams, streamArn, pollIntervalMs: 20 }).run({ untilIdle: true });
  await damage(DAMAGED);
  expect(lagSecondsOf(await position.look())).toBe(0);
  const found = await checked({ mode: 'repair' });
  expect(found).toMatchObject({ pending: 0, drift: { missing: DAMAGED, stale: 0 }, repaired: DAMAGED });
  expect(await checked()).toMatchObject({ pending: 0, drift: { missing: 0 } });
});

it('is blinded by a consumer that never claims its last records only until a sweep', async () => {
  const { graph, store, source, projectAll, damage, checked } = await usersTable();
  // As a function that froze after its last call.
  await projectAll();
  await damage(DAMAGED);
  expect(await checked()).toMatchObject({ drift: { missing: 0 } });
  expect((await checked()).pending).toBeGreaterThan(0);
  const now = () => Date.now() + 600_000;
  expect(await sweep({ graph, store, source, now })).toMatchObject({ left: 0, repaired: USERS });
  await store.delete({ source: `USER-${USERS - 1}`, target: '~view' });
  expect(await checked()).toMatchObject({ pending: 0, drift: { missing: 1 } });
});
