import { describe, expect, it } from 'vitest';
import { createReader } from '../../../src/client/read/reader.ts';
import { defineGraph } from '../../../src/core/model/compile/define-graph.ts';
import { edge, node, rank } from '../../../src/core/model/schema.ts';
import type { QueryRequest, ScanRequest } from '../../../src/core/store-port.ts';
import { migrate } from '../../../src/migrate/migrate.ts';
import type { MigrateOptions } from '../../../src/migrate/migrate-types.ts';
import { registerIfEmpty } from '../../../src/migrate/register-empty.ts';
import type { MigratePlace } from '../../../src/migrate/walks/place.ts';
import { createProjector } from '../../../src/projecting/apply/projector.ts';
import { readHead } from '../../../src/registry/head.ts';
import { LEASE_MS, registryLeases } from '../../../src/registry/reader-lease.ts';
import { withReplacedCalls } from '../../../src/store/wrapped.ts';
import { byOneClock } from '../../support/moments.ts';
import { StreamedStore } from '../../support/streamed-store.ts';

const START = Date.parse('2026-01-01T00:00:00Z');

function model({ shards = 4, lead = 500 }: { shards?: number; lead?: number } = {}) {
  return defineGraph({
    table: 'records',
    nodes: {
      GOAL: node({ view: ['title'] }),
      USER: node({ view: 'ALL', search: { name: { shards } } }),
    },
    edges: {
      MEMBER: edge({
        from: 'GOAL',
        to: 'USER',
        edgeSet: ['role'],
        degree: true,
        inbound: { orders: { gsi0: rank('role', { LEAD: lead, TEAM: 300 }) } },
      }),
    },
  });
}
type Model = ReturnType<typeof model>;

/** A table with a clock of its own: waiting moves it. */
class Bench {
  readonly store = new StreamedStore(model());
  private projected = 0;
  clockMs = 0;

  async goal(id: string, title: string, ...members: string[]): Promise<void> {
    await this.store.put({ source: { S: id }, target: { S: id }, title: { S: title }, status: { S: 'open' } });
    for (const member of members) {
      await this.store.put({ source: { S: id }, target: { S: `MEMBER-${member}` }, role: { S: 'LEAD' } });
    }
  }

  async user(id: string, name: string): Promise<void> {
    await this.store.put({ source: { S: id }, target: { S: id }, name: { S: name } });
  }

  async project(graph: Model): Promise<void> {
    const result = await createProjector(graph, { store: this.store }).project(this.unprojected());
    expect(result.error).toBeUndefined();
  }

  /** The records that were not given to a projector yet. */
  unprojected() {
    const records = this.store.records.slice(this.projected);
    this.projected = this.store.records.length;
    return records;
  }

  migrate(graph: Model, options: Partial<MigrateOptions> = {}) {
    return migrate(graph, {
      ...{ store: this.store, segments: 1, concurrency: 1 },
      clock: () => this.clockMs,
      now: () => START + this.clockMs,
      wait: async (milliseconds) => {
        this.clockMs += milliseconds;
      },
      ...options,
    });
  }

  reader(graph: Model) {
    return createReader(graph, {
      store: this.store,
      leases: registryLeases(
        graph,
        this.store,
        byOneClock(() => this.clockMs),
      ),
    });
  }

  async registry() {
    const head = await readHead({ store: this.store, stats: { rcu: 0 } });
    return head!.registry;
  }
}

/** A store that does something after each page of a scan. */
function replacedScan(store: StreamedStore, after: () => Promise<void>) {
  return Object.assign(withReplacedCalls(store, {}), {
    scan: async (request: ScanRequest) => {
      const page = await store.scan(request);
      await after();
      return page;
    },
  });
}

describe('a migration', () => {
  it('registers an empty table as ready, and has nothing left to do then', async () => {
    const bench = new Bench();
    const { done, steps } = await bench.migrate(model());
    expect(done).toBe(true);
    expect(steps.map(({ step }) => step)).toEqual(['register', 'look', 'open-empty']);
    expect((await bench.migrate(model())).steps).toEqual([]);
    await bench.user('USER-1', 'Ada');
    await bench.project(model());
    expect((await bench.reader(model()).search('USER.name').equals('Ada')).items).toHaveLength(1);
  });

  it('builds what a producer has written while an empty table is registered, by a consumer of another model', async () => {
    const bench = new Bench();
    const [registered, other] = [model({ shards: 8 }), model({ shards: 4 })];
    const projector = createProjector(other, { store: bench.store });
    // Between the first look and the registration.
    let isRaced = false;
    const racing = replacedScan(bench.store, async () => {
      if (isRaced) return;
      isRaced = true;
      await bench.user('USER-1', 'Ada');
      expect((await projector.project(bench.unprojected())).error).toBeUndefined();
    });
    const waits: number[] = [];
    const wait = async (milliseconds: number) => {
      waits.push(milliseconds);
    };
    const options = { graph: registered, store: racing, segments: 1, now: () => START, wait };
    expect(await registerIfEmpty(options)).toBe(true);
    // A reader that found no registry may ask for what was written meanwhile.
    expect(waits[0]).toBeGreaterThan(LEASE_MS);
    const { items } = await bench.reader(registered).search('USER.name').equals('Ada');
    expect(items.map(({ id }) => id)).toEqual(['USER-1']);
    const generations = [...(await bench.registry()).projections.values()].flatMap((one) => one.generations);
    expect(generations.every(({ state, since }) => state === 'ready' && since! > 0)).toBe(true);
  });

  it('leaves a table with items, tombstones or a registry to edgeloom migrate, and finishes its own registration', async () => {
    const withItem = new Bench();
    await withItem.user('USER-1', 'Ada');
    expect(await registerIfEmpty({ graph: model(), store: withItem.store })).toBe(false);
    const withTombstone = new Bench();
    await withTombstone.user('USER-1', 'Ada');
    await withTombstone.store.delete({ source: 'USER-1', target: 'USER-1' });
    await withTombstone.project(model());
    expect(await registerIfEmpty({ graph: model(), store: withTombstone.store })).toBe(false);
    expect(await readHead({ store: withTombstone.store, stats: { rcu: 0 } })).toBeUndefined();
    const killed = new Bench();
    await killed.migrate(model(), { mostSteps: 1 });
    expect(await registerIfEmpty({ graph: model(), store: killed.store })).toBe(true);
    expect((await killed.registry()).projections.get('view:USER')?.generations).toMatchObject([
      { state: 'ready', since: 0 },
    ]);
    expect(await registerIfEmpty({ graph: model({ shards: 8 }), store: killed.store })).toBe(false);
  });

  it('refuses the list of a type that the table does not keep, and calls it a list', async () => {
    const bench = new Bench();
    await bench.user('USER-1', 'Ada');
    await bench.migrate(model());
    const listed = defineGraph({
      table: 'records',
      nodes: { GOAL: node({ view: 'ALL' }), USER: node({ view: 'ALL', list: true }) },
    });
    await expect(createReader(listed, { store: bench.store }).nodes('USER')).rejects.toThrow(
      'The table has no list of USER nodes as this model defines it.',
    );
  });

  it('stops for want of time while an index is behind, in either way, and goes on from there', async () => {
    const bench = new Bench();
    const [before, after] = [model(), model({ lead: 600, shards: 8 })];
    await bench.migrate(before);
    await bench.user('USER-1', 'Ada');
    await bench.goal('GOAL-1', 'one', 'USER-1');
    await bench.project(before);
    // An index that shows nothing new, and then one that goes on showing what has left the table.
    const stray = {
      ...{ source: { S: 'USER-9' }, target: { S: '~ix/@2/name' } },
      ...{ gsi0pk: { S: 'USER.name@2#1' }, gsi0sk: { S: 'Zoe\u0000USER-9' } },
    };
    let behind: 'nothing new' | 'what is gone' | undefined = 'nothing new';
    let queries = 0;
    const late = Object.assign(
      withReplacedCalls(bench.store, {
        query: async (request: QueryRequest) => {
          queries += 1;
          if (queries > 1_000) throw new Error('it asks without end');
          const page = await bench.store.query(request);
          if (request.index === undefined || behind === undefined) return page;
          if (behind === 'nothing new') return { ...page, items: [], count: 0 };
          return request.partition === stray.gsi0pk.S ? { ...page, items: [stray], count: 1 } : page;
        },
      }),
      {
        scan: async (request: ScanRequest) => {
          const page = await bench.store.scan(request);
          const isShown = behind === 'what is gone' && request.index === 'gsi0';
          return isShown ? { ...page, items: [...page.items, stray] } : page;
        },
      },
    );
    const call = async (resume?: MigratePlace) => {
      const endsAtMs = bench.clockMs + 20_000;
      const result = await bench.migrate(after, {
        ...{ store: late, waitsBetweenCalls: true, remainingMs: () => endsAtMs - bench.clockMs },
        ...(resume && { resume }),
      });
      expect(bench.clockMs).toBeLessThan(endsAtMs + 10_000);
      return result;
    };
    let result = await call();
    for (let calls = 0; calls < 3; calls++) result = await call(result.place);
    expect(result).toMatchObject({ done: false, place: { walk: { name: expect.stringMatching(/^verify /) } } });
    behind = 'what is gone';
    for (let calls = 0; calls < 3; calls++) result = await call(result.place);
    expect(result).toMatchObject({ done: false, place: { walk: { name: expect.stringMatching(/^verify-gsi0 /) } } });
    behind = undefined;
    for (let calls = 0; !result.done && calls < 20; calls++) {
      bench.clockMs += (result.waitSeconds ?? 0) * 1000 + LEASE_MS + 1;
      result = await call(result.place);
    }
    expect(result.done).toBe(true);
    bench.clockMs += LEASE_MS + 1;
    expect((await bench.reader(after).search('USER.name').equals('Ada')).items).toMatchObject([{ id: 'USER-1' }]);
  });

  it('writes no item a second time whose base item wants it', async () => {
    const bench = new Bench();
    await bench.user('USER-1', 'Ada');
    await bench.goal('GOAL-1', 'one', 'USER-1');
    await bench.project(model());
    const { steps } = await bench.migrate(model());
    expect(steps.find(({ step }) => step === 'backfill')).toMatchObject({ writes: 0 });
  });

  it('counts a view that conflicts with those of the model as dropped only if it drops that very generation', async () => {
    const graph = (title: string, ...from: ['GOAL', ...'SITE'[]]) =>
      defineGraph({
        table: 'records',
        nodes: {
          GOAL: node({ view: ['title'] }),
          USER: node({ view: 'ALL' }),
          ...(from.length > 1 && { SITE: node({ view: [title] }) }),
        },
        edges: { MEMBER: edge({ from, to: 'USER', edgeSet: ['role'] }) },
      });
    const bench = new Bench();
    await bench.migrate(graph('title', 'GOAL', 'SITE') as never);
    await bench.migrate(graph('name', 'GOAL', 'SITE') as never);
    const { generations } = (await bench.registry()).projections.get('view:SITE')!;
    expect(generations).toMatchObject([{ id: 2, state: 'ready' }]);
    const drop = (name: string) => bench.migrate(graph('title', 'GOAL') as never, { action: { kind: 'drop', name } });
    await expect(drop('view:SITE@1')).rejects.toMatchObject({ code: 'registry-conflict' });
    expect((await bench.registry()).projections.get('view:GOAL')!.generations).toMatchObject([{ id: 1 }]);
    expect(await drop('view:SITE@2')).toMatchObject({ done: true, leftovers: [] });
  });

  it.each([
    ['view:USER@1', 'view:USER'],
    ['search:USER.name@7', 'search:USER.name'],
    ['search:USER.name@1', 'search:USER.name'],
  ])('that drops %s, which the model does not have, brings the changed one of the model', async (dropped, name) => {
    const bench = new Bench();
    const changed = defineGraph({
      table: 'records',
      nodes: { GOAL: node({ view: ['title'] }), USER: node({ view: ['name'], search: { name: { shards: 8 } } }) },
      edges: {},
    }) as unknown as Model;
    await bench.migrate(model());
    const [first] = (await bench.registry()).projections.get(name)!.generations;
    // The views of a type have one generation; its predecessor is gone.
    if (name === 'view:USER') await bench.migrate(changed).then(() => bench.migrate(model()));
    const action = { kind: 'drop', name: dropped } as const;
    expect(await bench.migrate(changed, { action })).toMatchObject({ done: true });
    const { generations } = (await bench.registry()).projections.get(name)!;
    expect(generations.at(-1)).toMatchObject({ state: 'ready' });
    expect(generations.map(({ definition }) => definition)).not.toContain(first!.definition);
    expect((await bench.migrate(changed)).steps).toEqual([]);
  });

  it.each(['search:USER.name', 'search:USER.name@2', 'view:USER', 'view:USER@1'])(
    'that drops %s, which the model has, does not build it again',
    async (name) => {
      const bench = new Bench();
      await bench.migrate(model({ shards: 8 }));
      await bench.migrate(model());
      const { done } = await bench.migrate(model(), { action: { kind: 'drop', name } });
      expect(done).toBe(true);
      const { generations } = (await bench.registry()).projections.get(name.split('@')[0]!)!;
      expect(generations).toEqual([]);
    },
  );
});
