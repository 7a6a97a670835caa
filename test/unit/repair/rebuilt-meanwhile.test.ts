import { describe, expect, it } from 'vitest';
import { defineGraph } from '../../../src/core/model/compile/define-graph.ts';
import { node } from '../../../src/core/model/schema.ts';
import { rebuiltEntry } from '../../../src/core/plan/quarantine-entry.ts';
import { createProjector } from '../../../src/projecting/apply/projector.ts';
import { noteRebuild } from '../../../src/registry/rebuilt.ts';
import { redrive } from '../../../src/trust/repair/redrive.ts';
import { StreamedStore } from '../../support/streamed-store.ts';

const graphOf = (search: object) =>
  defineGraph({ table: 'records', nodes: { USER: node({ view: 'ALL', search }) }, edges: {} });
/** The model of a consumer that still works, and the one that the table was rebuilt by. */
const OLD = graphOf({ city: {} });
const NEW = graphOf({ name: {} });
const U = 'USER-1';

/** A table without a registry that the new model was rebuilt by, after its one node was put. */
async function rebuilt() {
  const table = new StreamedStore(OLD);
  const record = await table.producer(U, U, { name: { S: 'Ann' }, city: { S: 'Rome' } });
  const nowMs = Date.now() + 3_600_000;
  await noteRebuild(table, NEW, nowMs);
  return { table, record: record!, now: () => nowMs };
}

describe('a batch by another model than the one of a rebuild', () => {
  it('puts what it has written into quarantine also where the rebuild was known at its start, as in a second attempt', async () => {
    const { table, record, now } = await rebuilt();
    const result = await createProjector(OLD, { store: table, now }).project([record]);
    expect(result.quarantines).toMatchObject([{ code: 'rebuilt-meanwhile' }]);

    expect(await table.derived(U, '~ix/city')).toHaveProperty('gsi0pk');

    const byOld = await redrive(OLD, { store: table, now });
    expect(byOld).toMatchObject({ repaired: 0, left: result.quarantined });
    expect(byOld.reasons[0]).toContain('the table was rebuilt by another model');

    expect(await redrive(NEW, { store: table, now })).toMatchObject({ repaired: result.quarantined, left: 0 });
    expect(await table.derived(U, '~ix/city')).not.toHaveProperty('gsi0pk');
  });
});

describe('an entry that someone has forged', () => {
  it.each([
    ['a base item', U, U],
    ['an item of the service', '~edgeloom', 'rebuilt'],
  ])('deletes nothing where it names %s', async (_, source, target) => {
    const { table, record, now } = await rebuilt();
    await table.put(rebuiltEntry(NEW, { source, target }, [record], now()));
    expect(await redrive(NEW, { store: table, now })).toMatchObject({ repaired: 1, left: 0 });
    expect((await table.get({ source, target }, { consistent: true })).item).toBeDefined();
  });
});
