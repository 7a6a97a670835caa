import { describe, expect, it } from 'vitest';
import { createReader } from '../../../src/client/read/reader.ts';
import { defineGraph } from '../../../src/core/model/compile/define-graph.ts';
import { node } from '../../../src/core/model/schema.ts';
import { migrate } from '../../../src/migrate/migrate.ts';
import type { MigrateOptions } from '../../../src/migrate/migrate-types.ts';
import { createProjector } from '../../../src/projecting/apply/projector.ts';
import { readHead } from '../../../src/registry/head.ts';
import { LEASE_MS, registryLeases } from '../../../src/registry/reader-lease.ts';
import type { TableIdentity } from '../../../src/registry/registry.ts';
import { decodeRegistry, encodeRegistry } from '../../../src/registry/registry.ts';
import { identityOf } from '../../../src/store/table-description.ts';
import { byOneClock } from '../../support/moments.ts';
import { LABEL } from '../../support/records.ts';
import { StreamedStore } from '../../support/streamed-store.ts';

const graph = defineGraph({
  table: 'records',
  nodes: { USER: node({ view: 'ALL', search: { name: { shards: 2 } } }) },
  edges: {},
});

/** A table of one user that is projected, in a region. */
async function bench(options: Pick<MigrateOptions, 'table' | 'regions'> = {}, region = 'eu-west-1') {
  const store = Object.assign(new StreamedStore(graph), { region: async () => region });
  const run = (more: Partial<MigrateOptions> = {}) =>
    migrate(graph, { store, wait: async () => undefined, ...options, ...more });
  await run();
  const put = (id: string) => store.put({ source: { S: id }, target: { S: id }, name: { S: 'Ada' } });
  const project = async (records = store.records) => await createProjector(graph, { store }).project(records);
  await put('USER-1');
  return { store, run, put, project, registry: async () => (await readHead({ store, stats: { rcu: 0 } }))?.registry };
}

const TABLE: TableIdentity = { id: 'table-1', streamLabel: LABEL };
const LATER = '2026-02-01T00:00:00.000';

describe('a table that is another than the registered one', () => {
  it('is taken from readers by the first consumer that meets a record of a later stream', async () => {
    const { store, run, project, registry } = await bench({ table: TABLE });
    await project();
    const reader = createReader(graph, { store });
    expect((await reader.search('USER.name').all()).items).toHaveLength(1);
    const moved = store.records.map((record) => ({ ...record, stream: LATER }));
    expect((await project(moved)).error).toBeUndefined();
    expect((await registry())?.table).toEqual({ id: 'table-1', streamLabel: LATER });
    await expect(createReader(graph, { store }).search('USER.name').all()).rejects.toMatchObject({
      code: 'projection-not-ready',
    });
    expect(await createReader(graph, { store }).getViews(['USER-1'])).toMatchObject([{ attributes: { name: 'Ada' } }]);
    expect((await run({ table: { ...TABLE, streamLabel: LATER } })).done).toBe(true);
    expect((await createReader(graph, { store }).search('USER.name').all()).items).toHaveLength(1);
    // What is left of the earlier stream takes nothing away again.
    expect((await project()).error).toBeUndefined();
    expect((await createReader(graph, { store }).search('USER.name').all()).items).toHaveLength(1);
  });
});

describe('a registry that was deleted by hand', () => {
  it('is an error for a reader that has seen it, and a lasting one for a consumer', async () => {
    const { store, put, project } = await bench();
    await project();
    let clockMs = 0;
    const reader = createReader(graph, {
      store,
      leases: registryLeases(
        graph,
        store,
        byOneClock(() => clockMs),
      ),
    });
    const projector = createProjector(graph, { store });
    expect((await reader.search('USER.name').all()).items).toHaveLength(1);
    expect((await projector.project(store.records)).error).toBeUndefined();
    await store.delete({ source: '~edgeloom', target: 'head' });
    clockMs += LEASE_MS + 1;
    await expect(reader.search('USER.name').all()).rejects.toMatchObject({ code: 'registry-gone' });
    await expect(reader.getViews(['USER-1'])).rejects.toMatchObject({ code: 'registry-gone' });
    await put('USER-2');
    const result = await projector.project(store.records.slice(1));
    expect(result).toMatchObject({ writes: 0, error: { code: 'registry-gone' } });
    // One that has never seen it knows of none.
    expect((await createReader(graph, { store }).search('USER.name').all()).items).toHaveLength(1);
  });
});

describe('a table with replicas', () => {
  const describedIn = (region: string, ...others: string[]) =>
    identityOf({
      TableId: 'table-1',
      LatestStreamArn: `arn:aws:dynamodb:${region}:123456789012:table/records/stream/${LABEL}`,
      StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
      Replicas: [region, ...others].map((RegionName) => ({ RegionName, ReplicaStatus: 'ACTIVE' })),
    });

  it('is described with its other regions, and one without replicas with none', () => {
    expect(describedIn('eu-west-1', 'us-east-1').regions).toEqual({ region: 'eu-west-1', replicas: ['us-east-1'] });
    expect(describedIn('eu-west-1').regions).toBeUndefined();
  });

  it('is at home where it was registered: migrations and consumers are refused in another region', async () => {
    const { store, run, project, registry } = await bench(describedIn('eu-west-1', 'us-east-1'));
    expect((await registry())?.table?.home).toBe('eu-west-1');
    expect(decodeRegistry(encodeRegistry((await registry())!)).table?.home).toBe('eu-west-1');
    expect((await project()).error).toBeUndefined();
    const elsewhere = describedIn('us-east-1', 'eu-west-1');
    await expect(run(elsewhere)).rejects.toMatchObject({ code: 'not-home-region' });
    store.region = async () => 'us-east-1';
    expect(await project()).toMatchObject({ writes: 0, error: { code: 'not-home-region' } });
    expect((await registry())?.table?.home).toBe('eu-west-1');
  });

  it('is read at home, or at a replica that the reader names', async () => {
    const { store, project } = await bench(describedIn('eu-west-1', 'us-east-1'));
    await project();
    const search = async (replica?: string) =>
      (await createReader(graph, { store, replica }).search('USER.name').all()).items.length;
    expect(await search()).toBe(1);
    store.region = async () => 'us-east-1';
    await expect(search()).rejects.toMatchObject({
      code: 'replica-read',
      hint: expect.stringContaining("'us-east-1'"),
    });
    await expect(search('ap-south-1')).rejects.toMatchObject({ code: 'replica-read' });
    expect(await search('us-east-1')).toBe(1);
  });

  it('gets a home when it gets its first replica, and another one when the home is gone', async () => {
    const { run, registry } = await bench({ ...describedIn('eu-west-1') });
    expect((await registry())?.table?.home).toBeUndefined();
    expect((await run(describedIn('eu-west-1', 'us-east-1'))).steps.map(({ step }) => step)).toEqual(['note-home']);
    expect((await registry())?.table?.home).toBe('eu-west-1');
    // The replica of the home region was deleted, and this one has another stream.
    const { table, regions } = describedIn('us-east-1', 'ap-south-1');
    const { steps, done } = await run({ table: { ...table!, streamLabel: LATER }, regions });
    expect({ done, first: steps[0]?.step }).toEqual({ done: true, first: 'doubt' });
    expect((await registry())?.table?.home).toBe('us-east-1');
  });
});
