import { describe, expect, it } from 'vitest';
import type { Item } from '../../../src/core/items/attribute-value.ts';
import type { ChangeRecord } from '../../../src/core/items/change-record.ts';
import { defineGraph } from '../../../src/core/model/compile/define-graph.ts';
import { edge, node } from '../../../src/core/model/schema.ts';
import { createProjector } from '../../../src/projecting/apply/projector.ts';
import { fixedModel } from '../../../src/registry/writer-model.ts';
import { HookedStore, type StoreCall } from '../../support/hooked-store.ts';
import { at } from '../../support/records.ts';
import { StreamedStore } from '../../support/streamed-store.ts';

const graph = defineGraph({
  table: 'records',
  nodes: { GOAL: node({ view: ['title'] }), USER: node({ view: 'ALL' }) },
  edges: { MEMBER: edge({ from: 'GOAL', to: 'USER', edgeSet: ['role'] }), LIKES: edge({ from: 'GOAL', to: 'USER' }) },
});
const G = 'GOAL-1';
const EDGE = 'MEMBER-USER-1';
const OTHER = 'LIKES-USER-2';
const VIEW_UPDATE = `update ${G} ~view`;
const NOW_SECONDS = 1_800_000_000;
const role = (text: string): Item => ({ role: { S: text } });
const element = (text: string): string => `${EDGE}|role=${text}`;

/** A table, and a projector over it that notes its calls. */
function setUp(before?: (call: StoreCall, number: number) => Promise<void> | void) {
  const table = new StreamedStore(graph);
  const hooked = new HookedStore(table, before);
  const projector = createProjector(graph, {
    model: fixedModel(graph),
    store: hooked,
    now: () => NOW_SECONDS * 1000,
    concurrency: 1,
  });
  const project = async (...records: (ChangeRecord | undefined)[]) =>
    await projector.project(records.filter((record) => record !== undefined));
  const view = async () => await table.derived(G, '~view');
  const elements = async () => {
    const set = (await view())?.['edgeSet'];
    return set !== undefined && 'SS' in set ? [...set.SS].sort() : undefined;
  };
  return { table, hooked, project, view, elements };
}

/** A place to stop at until it is opened. */
function pause() {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  let arrive = (): void => undefined;
  const reached = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  const reach = async (): Promise<void> => {
    arrive();
    await opened;
  };
  return { reach, reached, open };
}

describe('the fast path', () => {
  it('is one update and no read: adds', async () => {
    const { table, hooked, project, view } = setUp();
    const result = await project(
      await table.producer(G, G, { title: { S: 'a' } }),
      await table.producer(G, EDGE, role('LEAD')),
      await table.producer(G, OTHER, {}),
    );
    expect(hooked.log).toEqual([VIEW_UPDATE]);
    expect(result).toMatchObject({ writes: 1, rcu: 0, stale: 0, contradictions: 0 });
    expect(await view()).toEqual({
      source: { S: G },
      target: { S: '~view' },
      attributes: { M: { title: { S: 'a' } } },
      edgeSet: { SS: [element('LEAD'), OTHER] },
      w: { S: at(3) },
      r: { N: '1' },
      model: { S: graph.fingerprint },
    });
  });
  it('is one update and no read: removes', async () => {
    const { table, hooked, project, elements } = setUp();
    await project(await table.producer(G, EDGE, role('A')), await table.producer(G, OTHER, {}));
    await project(await table.producer(G, EDGE, undefined));
    expect(hooked.log).toEqual([VIEW_UPDATE, VIEW_UPDATE]);
    expect(await elements()).toEqual([OTHER]);
  });
});

describe('the slow path', () => {
  it('reads the view once where adds and removes mix, and writes once', async () => {
    const { table, hooked, project, elements } = setUp();
    await project(await table.producer(G, EDGE, role('A')));
    hooked.calls.length = 0;
    await project(await table.producer(G, EDGE, role('B')));
    expect(hooked.log).toEqual([`getMany ${G} ~view`, VIEW_UPDATE]);
    expect(await elements()).toEqual([element('B')]);
  });

  it('takes the view from the failed condition, for free, where records are older', async () => {
    const { table, hooked, project } = setUp();
    const first = (await table.producer(G, EDGE, role('A')))!;
    await project({ ...first, position: at(9) });
    hooked.calls.length = 0;
    const late = await project(first);
    expect(hooked.log).toEqual([VIEW_UPDATE, VIEW_UPDATE]);
    expect(late).toMatchObject({ rcu: 0, stale: 1, contradictions: 0 });
  });

  it('leaves the view as it is where a unit is a plain replay that agrees with it', async () => {
    const { table, hooked, project, view } = setUp();
    const first = await table.producer(G, EDGE, role('A'));
    await project(first);
    const before = await view();
    hooked.calls.length = 0;
    const replay = await project(first);
    expect(hooked.log).toEqual([VIEW_UPDATE]);
    expect(replay).toMatchObject({ rcu: 0, stale: 1, contradictions: 0, writes: 1 });
    expect(await view()).toEqual(before);
  });

  it('reads the base item where an older record says otherwise than the view, and believes it', async () => {
    const { table, hooked, project, elements } = setUp();
    const first = await table.producer(G, EDGE, role('A'));
    await project(first, await table.producer(G, EDGE, role('B')));
    hooked.calls.length = 0;
    const result = await project(first);
    expect(hooked.log).toEqual([VIEW_UPDATE, `getMany ${G} ${EDGE}`, VIEW_UPDATE]);
    expect(result).toMatchObject({ stale: 1, contradictions: 1, rcu: 1 });
    expect(await elements()).toEqual([element('B')]);
  });

  it('does the same for the attributes and the presence of the node', async () => {
    const { table, project, view } = setUp();
    const first = await table.producer(G, G, { title: { S: 'a' } });
    const removed = await table.producer(G, G, undefined);
    const back = await table.producer(G, G, { title: { S: 'b' } });
    await project(first, removed, back);
    await project(first);
    expect(await view()).toMatchObject({ attributes: { M: { title: { S: 'b' } } } });
    await project(removed);
    expect(await view()).toMatchObject({ attributes: { M: { title: { S: 'b' } } }, w: { S: at(3) } });
  });

  it('on a conflict reads both again, the view first, then the base item', async () => {
    let interfere: (() => Promise<unknown>) | undefined;
    const { table, hooked, project, elements } = setUp(async ({ method }) => {
      if (method !== 'update' || hooked.calls.length !== 3) return;
      await interfere?.();
    });
    const first = await table.producer(G, EDGE, role('A'));
    const second = await table.producer(G, EDGE, role('B'));
    await project(first, second);
    hooked.calls.length = 0;
    // Before the first conditional write the base item changes, and another worker applies that.
    interfere = async () => {
      const third = await table.producer(G, EDGE, role('C'));
      await createProjector(graph, { model: fixedModel(graph), store: table }).project([third!]);
    };
    await project(first);
    const read = `getMany ${G} ${EDGE}`;
    expect(hooked.log).toEqual([VIEW_UPDATE, read, VIEW_UPDATE, read, VIEW_UPDATE]);
    expect(await elements()).toEqual([element('C')]);
  });
});

describe('a stale unit always writes', () => {
  it('so that a twin that read before it and stalled fails its condition', async () => {
    const { table, project, elements } = setUp();
    // Positions are not in order across shards: the first change has the highest.
    const made = (await table.producer(G, EDGE, role('A')))!;
    await project({ ...made, position: at(9) });
    const changed = (await table.producer(G, EDGE, role('B')))!;
    const gate = pause();
    const twinStore = new HookedStore(table, async (_call, number) => {
      if (number === 3) await gate.reach();
    });
    const twin = createProjector(graph, { model: fixedModel(graph), store: twinStore }).project([
      { ...changed, position: at(3) },
    ]);
    await gate.reached;

    // The edge becomes again what the view says: the record that tells is older than the view and agrees with it.
    const back = (await table.producer(G, EDGE, role('A')))!;
    await project({ ...back, position: at(4) });
    gate.open();
    await twin;
    const read = `getMany ${G} ${EDGE}`;
    expect(twinStore.log).toEqual([`getMany ${G} ~view`, read, VIEW_UPDATE, read, VIEW_UPDATE]);
    expect(await elements()).toEqual([element('A')]);
  });

  it('writes at least the revision', async () => {
    const { table, project, view } = setUp();
    const first = (await table.producer(G, EDGE, role('A')))!;
    await project({ ...first, position: at(9) });
    const before = (await view())!;
    await project(first);
    expect(await view()).toEqual({ ...before, r: { N: '2' } });
  });
});

describe('tombstones', () => {
  it('are left where nothing is left: they keep and count up the revision, and expire after 48 hours', async () => {
    const { table, project, view } = setUp();
    await project(await table.producer(G, G, { title: { S: 'a' } }));
    await project(await table.producer(G, G, undefined));
    expect(await view()).toEqual({
      source: { S: G },
      target: { S: '~view' },
      w: { S: at(2) },
      r: { N: '2' },
      model: { S: graph.fingerprint },
      expiresAt: { N: String(NOW_SECONDS + 48 * 3600) },
    });
  });
  it('come back to life without expiry, so that TTL does not bury a live view', async () => {
    const { table, project, view } = setUp();
    await project(await table.producer(G, G, { title: { S: 'a' } }));
    await project(await table.producer(G, G, undefined));
    await project(await table.producer(G, EDGE, role('A')));
    expect(await view()).not.toHaveProperty('expiresAt');
    expect(await view()).toMatchObject({ r: { N: '3' }, edgeSet: { SS: [element('A')] } });
    expect(table.expire(NOW_SECONDS + 1e9)).toBe(0);
  });
  it('are also left where no view was there before', async () => {
    const { table, project, view } = setUp();
    await project(await table.producer(G, G, {}), await table.producer(G, G, undefined));
    expect(await view()).toMatchObject({ w: { S: at(2) }, expiresAt: { N: expect.any(String) } });
  });
  it('are not left while the view has elements, with or without its node', async () => {
    const { table, project, view } = setUp();
    await project(await table.producer(G, G, {}), await table.producer(G, EDGE, role('A')));
    await project(await table.producer(G, G, undefined));
    expect(await view()).not.toHaveProperty('expiresAt');
    expect(await view()).not.toHaveProperty('attributes');
  });
});

describe('evicted edge types', () => {
  it('do not fill up again: their edges change watermark and revision alone', async () => {
    const { table, project, view } = setUp();
    await table.put({
      source: { S: G },
      target: { S: '~view' },
      evicted: { SS: ['MEMBER'] },
      w: { S: at(0) },
      r: { N: '5' },
    });
    const result = await project(await table.producer(G, EDGE, role('A')), await table.producer(G, OTHER, {}));
    expect(await view()).toMatchObject({ edgeSet: { SS: [OTHER] }, evicted: { SS: ['MEMBER'] }, w: { S: at(2) } });
    expect(result).toMatchObject({ writes: 2, stale: 0 });
  });
});

describe('a corrupt watermark', () => {
  it.each<[string, Item[string]]>([
    ['from the future', { S: '9999/1' }],
    ['of another type', { N: '1' }],
  ])('%s leaves every record to the base item, which is right', async (_name, watermark) => {
    const { table, project, elements } = setUp();
    const first = await table.producer(G, EDGE, role('A'));
    const second = await table.producer(G, EDGE, role('B'));
    await project(first, second);
    await table.put({ ...(await table.derived(G, '~view'))!, w: watermark });
    await project(first);
    expect(await elements()).toEqual([element('B')]);
  });
});
