import { beforeAll, describe, expect, it } from 'vitest';
import { createReader } from '../../src/client/read/reader.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { edge, node, rank } from '../../src/core/model/schema.ts';
import { baseItem as item } from '../support/records.ts';
import { testTable, uniqueTableName } from '../support/table.ts';

const graph = defineGraph({
  table: uniqueTableName(),
  nodes: {
    GOAL: node({ view: 'ALL' }),
    USER: node({ view: ['name'], search: { name: { shards: 2 }, foods: { multiValue: true, shards: 2 } } }),
  },
  edges: {
    MEMBER: edge({
      from: 'GOAL',
      to: 'USER',
      edgeSet: ['role'],
      inbound: { orders: { gsi0: rank('role', { LEAD: 5, HELPER: 4 }) } },
    }),
    WATCHER: edge({ from: 'GOAL', to: 'USER', edgeSet: false, inbound: { orders: { gsi0: 'since' } } }),
    KNOWS: edge({ from: 'USER', to: 'USER' }),
    COPYING: edge({ from: 'GOAL', to: 'USER', edgeSet: ['role'], copy: ['name'] }),
    COUNTED: edge({ from: 'USER', to: 'USER', edgeSet: false, degree: true }),
  },
});

let table: Awaited<ReturnType<typeof testTable<typeof graph>>>;
let reader: ReturnType<typeof createReader<typeof graph>>;

beforeAll(async () => {
  table = await testTable(graph);
  reader = createReader(graph, { store: table.store });
});

/** The arguments of a wait for a base item. */
function argumentsOf(
  { source, target }: { source: string; target: string },
  options?: object,
): [never, never, never, never] {
  const dash = target.indexOf('-');
  const words = source === target ? [source] : [source, target.slice(0, dash), target.slice(dash + 1)];
  return [...words, options] as [never, never, never, never];
}

/** Which derived items still differ; none, where the wait ends well at the first look. */
async function differing(base: { source: string; target: string }): Promise<string | undefined> {
  try {
    await reader.waitForProjection(...argumentsOf(base, { timeoutMs: 0 }));
    return undefined;
  } catch (error) {
    expect(error).toMatchObject({
      ...{ code: 'projection-timeout', hint: expect.stringContaining('projector') },
      message: expect.stringContaining(`After 0 ms ${base.source} ${base.target} is not projected yet; `),
    });
    return /still different: (.*)\.$/.exec((error as Error).message)?.[1];
  }
}

describe('waitForProjection', () => {
  it('ends when the projector, running beside it, has caught up', async () => {
    await table.store.put(item('GOAL-1', 'MEMBER-USER-1', { role: { S: 'LEAD' } }));
    let isProjected = false;
    const waiting = reader
      .waitForProjection('GOAL-1', 'MEMBER', 'USER-1', { timeoutMs: 600_000 })
      .then(() => isProjected);
    await new Promise((resolve) => setTimeout(resolve, 100));
    isProjected = true;
    await table.projectAll();
    expect(await waiting).toBe(true);
    const [goal] = await reader.getViews(['GOAL-1'], { consistent: true });
    expect(goal?.edgeSet).toEqual([{ type: 'MEMBER', target: 'USER-1', role: 'LEAD' }]);
  });

  it('names what differs of an edge: added, changed and deleted', async () => {
    const base = { source: 'GOAL-2', target: 'MEMBER-USER-1' };
    const all = '~view, ~ix/MEMBER-USER-1';
    expect(await differing(base)).toBeUndefined();
    for (const role of ['LEAD', 'HELPER']) {
      await table.store.put(item(base.source, base.target, { role: { S: role } }));
      expect(await differing(base)).toBe(all);
      await table.projectAll();
      expect(await differing(base)).toBeUndefined();
    }
    await table.store.delete(base);
    expect(await differing(base)).toBe(all);
    await table.projectAll();
    expect(await differing(base)).toBeUndefined();
  });

  it('ends for an edge that is only counted', async () => {
    const base = { source: 'USER-c1', target: 'COUNTED-USER-c2' };
    await table.store.put(item(base.source, base.target));
    expect(await differing(base)).toBe('~ix/COUNTED-USER-c2');
    await table.projectAll();
    expect(await differing(base)).toBeUndefined();
    await table.store.delete(base);
    expect(await differing(base)).toBe('~ix/COUNTED-USER-c2');
    await table.projectAll();
    expect(await differing(base)).toBeUndefined();
  });

  it('of an edge lasts until its copy and its reverse item agree, and those of its end', async () => {
    const base = { source: 'GOAL-6', target: 'COPYING-USER-6' };
    const user = (name: string) => table.store.put(item('USER-6', 'USER-6', { name: { S: name } }));
    const edgeSet = async () => (await reader.getViews(['GOAL-6']))[0]?.edgeSet;
    await user('Ada');
    await table.projectAll();
    await table.store.put(item(base.source, base.target, { role: { S: 'LEAD' } }));
    expect(await differing(base)).toBe('~view, USER-6 ~rev/COPYING-GOAL-6');
    await table.projectAll();
    expect(await differing(base)).toBeUndefined();
    const edge = { type: 'COPYING', target: 'USER-6', role: 'LEAD' };
    expect(await edgeSet()).toEqual([{ ...edge, copy: { name: 'Ada' } }]);
    // The target changes: the edge's copy is not what it should be until the fan-out has come to it.
    await user('Renamed');
    expect(await differing(base)).toBe('~view');
    await table.projectAll();
    expect(await differing(base)).toBeUndefined();
    expect(await edgeSet()).toEqual([{ ...edge, copy: { name: 'Renamed' } }]);
    await table.store.delete(base);
    expect(await differing(base)).toBe('~view, USER-6 ~rev/COPYING-GOAL-6');
    await table.projectAll();
    expect(await differing(base)).toBeUndefined();
  });

  it('names what differs of a node: attributes, searches, and values that it has no more', async () => {
    const base = { source: 'USER-1', target: 'USER-1' };
    await table.store.put(item('USER-1', 'USER-1', { name: { S: 'Ada' }, foods: { SS: ['soba', 'udon'] } }));
    expect(await differing(base)).toBe('~view, ~ix/name, ~ix/foods/soba, ~ix/foods/udon');
    await table.projectAll();
    expect(await differing(base)).toBeUndefined();
    // Another value, another name; what is not projected does not count.
    await table.store.put(
      item('USER-1', 'USER-1', { name: { S: 'Bo' }, foods: { SS: ['soba', 'tofu'] }, n: { N: '1' } }),
    );
    expect(await differing(base)).toBe('~view, ~ix/name, ~ix/foods/udon, ~ix/foods/tofu');
    await table.projectAll();
    expect(await differing(base)).toBeUndefined();
    await table.store.delete(base);
    expect(await differing(base)).toBe('~view, ~ix/name, ~ix/foods/soba, ~ix/foods/tofu');
    await table.projectAll();
    expect(await differing(base)).toBeUndefined();
  });

  it('lasts, with a low watermark, until a value that comes again after another is applied', async () => {
    const base = { source: 'GOAL-5', target: 'MEMBER-USER-1' };
    const put = (role: string): Promise<unknown> =>
      table.store.put(item(base.source, base.target, { role: { S: role } }));
    await put('LEAD');
    await table.projectAll();
    await put('HELPER');
    await put('LEAD');
    // What is derived agrees, though neither record is applied yet: the first of them undoes it for a moment.
    expect(await differing(base)).toBeUndefined();
    let mark: number | undefined;
    let answered = 0;
    const lowWatermark = async (): Promise<number | undefined> => {
      answered += 1;
      return mark;
    };
    for (const early of [undefined, Date.now() - 1]) {
      mark = early;
      await expect(
        reader.waitForProjection(...argumentsOf(base, { timeoutMs: 0, lowWatermark })),
      ).rejects.toMatchObject({
        code: 'projection-timeout',
        message: expect.stringContaining('the stream is not applied up to the call'),
      });
    }
    const asked = answered;
    let isApplied = false;
    const waiting = reader
      .waitForProjection(...argumentsOf(base, { timeoutMs: 600_000, lowWatermark }))
      .then(() => isApplied);
    while (answered < asked + 2) await new Promise((resolve) => setTimeout(resolve, 5));
    await table.projectAll();
    isApplied = true;
    mark = Date.now() + 1;
    expect(await waiting).toBe(true);
  });

  it('says at once that an item goes into quarantine, and why', async () => {
    await table.store.put(item('GOAL-4', 'MEMBER-USER-1', { role: { S: 'BOSS' } }));
    await expect(reader.waitForProjection('GOAL-4', 'MEMBER', 'USER-1')).rejects.toThrow(
      expect.objectContaining({
        code: 'not-derivable',
        message: expect.stringContaining('GOAL-4 MEMBER-USER-1 cannot be projected in full: attribute role'),
        hint: expect.stringContaining('quarantine'),
      }),
    );
  });

  it('refuses keys that the model does not project', async () => {
    const refusals = [
      { source: 'PLACE-1', target: 'PLACE-1', code: 'unknown-type', hint: 'GOAL, USER' },
      { source: 'GOAL-1', target: 'LIKES-USER-1', code: 'unknown-type', hint: 'MEMBER, WATCHER' },
      { source: 'GOAL-1', target: 'MEMBER-GOAL-1', code: 'unknown-type', hint: 'They enter USER' },
      { source: 'USER-1', target: 'MEMBER-USER-1', code: 'unknown-type', hint: 'They leave GOAL' },
      { source: 'GOAL-1', target: 'MEMBER-nobody', code: 'invalid-id', hint: 'USER-U1' },
      { source: 'nobody', target: 'nobody', code: 'invalid-id', hint: 'USER-U1' },
    ];
    for (const { source, target, code, hint } of refusals) {
      const wait = async () => await reader.waitForProjection(...argumentsOf({ source, target }));
      await expect(wait(), target).rejects.toThrow(
        expect.objectContaining({ code, hint: expect.stringContaining(hint) }),
      );
    }
  });
});
