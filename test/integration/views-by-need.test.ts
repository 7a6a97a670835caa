import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import type { Answer } from '../../packages/cli/commands/read/answer.ts';
import { getCommand } from '../../packages/cli/commands/read/get.ts';
import { createReader } from '../../src/client/read/reader.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { edge, node } from '../../src/core/model/schema.ts';
import { createProjector } from '../../src/projecting/apply/projector.ts';
import { check } from '../../src/trust/check/check.ts';
import { redrive } from '../../src/trust/repair/redrive.ts';
import { evolvingTable } from '../support/migrating-table.ts';
import { StreamedStore } from '../support/streamed-store.ts';

const text = (value: string) => ({ S: value });
const EDGES = {
  BY: edge({ from: 'ISSUE', to: 'USER' }),
  IN: edge({ from: 'USER', to: 'ROOM', edgeSet: false, inbound: { orders: { at: 'at' } } }),
} as const;

const graph = defineGraph({
  table: 'records',
  nodes: {
    ISSUE: node({ search: { title: { shards: 1 } } }),
    USER: node(),
    ROOM: node({ view: ['name'] }),
    TAG: node({ list: true }),
  },
  edges: EDGES,
});

/** A table with an item of each kind, and the write units of each of them. */
async function projected(model = graph) {
  const table = new StreamedStore(model);
  const projector = createProjector(model, { store: table });
  const wcu: Record<string, number> = {};
  const put = async (source: string, target: string, name: string) => {
    const record = (await table.producer(source, target, { name: text(name), title: text(name), at: text(name) }))!;
    wcu[target] = (await projector.project([record])).wcu;
  };
  await put('USER-1', 'USER-1', 'Ada');
  await put('ROOM-1', 'ROOM-1', 'Lab');
  await put('TAG-1', 'TAG-1', 'new');
  await put('ISSUE-1', 'ISSUE-1', 'Bug');
  await put('ISSUE-1', 'BY-USER-1', 'x');
  await put('USER-1', 'IN-ROOM-1', 'y');
  return { table, wcu, put };
}

describe('a node type without a view', () => {
  it('has no derived item, where no search and no edge set asks for one', async () => {
    const { table, wcu, put } = await projected();
    expect(wcu).toEqual({ 'USER-1': 0, 'ROOM-1': 1, 'TAG-1': 2, 'ISSUE-1': 3, 'BY-USER-1': 1, 'IN-ROOM-1': 2 });
    await put('USER-1', 'USER-1', 'Ada L');
    expect(wcu['USER-1']).toBe(0);
    expect(await table.derived('USER-1', '~view')).toBeUndefined();
    // That of an edge set has no attributes.
    expect(await table.derived('ISSUE-1', '~view')).toMatchObject({
      attributes: { M: {} },
      edgeSet: { SS: ['BY-USER-1'] },
    });
  });

  it('is refused by getView and getViews, with the remedy, and read by getNode', async () => {
    const { table } = await projected();
    const reader = createReader(graph, { store: table });
    const refused = {
      code: 'not-declared',
      message: 'USER has no view.',
      hint: expect.stringContaining("view: ['name']"),
    };
    // @ts-expect-error: the type has no views
    await expect(reader.getView('USER-1')).rejects.toMatchObject(refused);
    await expect(reader.getViews(['ISSUE-1', 'USER-1'] as never)).rejects.toMatchObject(refused);
    expect(await reader.getNode('USER-1')).toMatchObject({ attributes: { name: 'Ada' } });
    expect(await reader.getView('ISSUE-1')).toMatchObject({
      attributes: {},
      edgeSet: [{ type: 'BY', target: 'USER-1' }],
    });
  });

  it('is named by `edgeloom get` beside the views of others', async () => {
    const { table } = await projected();
    const answers: Answer[] = [];
    const command = new Command();
    getCommand(command, (ask) => async (...[...args]) => {
      answers.push(await ask({ graph, store: table, announce: () => undefined }, ...(args as never)));
    });
    await command.parseAsync(['USER-1', 'ROOM-1', 'ROOM-2'], { from: 'user' });
    expect(answers).toMatchObject([
      {
        json: [null, { id: 'ROOM-1' }, null],
        absent: ['USER-1 is of a type without views: add --stored.', 'There is no view of ROOM-2.'],
        found: ['ROOM-1'],
      },
    ]);
    await expect(command.parseAsync(['USER-1'], { from: 'user' })).rejects.toMatchObject({
      code: 'not-declared',
      message: 'USER has no view.',
    });
  });

  it('has none after a redrive either', async () => {
    const model = defineGraph({ table: 'records', nodes: { PAGE: node({ search: { title: { shards: 1 } } }) } });
    const table = new StreamedStore(model);
    const projector = createProjector(model, { store: table });
    await projector.project([(await table.producer('PAGE-1', 'PAGE-1', { title: { N: '1' } }))!]);
    await table.producer('PAGE-1', 'PAGE-1', { title: text('one') });
    expect(await redrive(model, { store: table })).toMatchObject({ entries: 1, repaired: 1, left: 0 });
    expect((await createReader(model, { store: table }).search('PAGE.title').equals('one')).items).toHaveLength(1);
    expect(await table.derived('PAGE-1', '~view')).toBeUndefined();
  });

  it('is right for a check, which finds a view that nothing asks for', async () => {
    const { table } = await projected();
    const options = { store: table, graceMs: 0 } as never;
    expect(await check(graph, options)).toMatchObject({ drift: { missing: 0, stale: 0, orphan: 0 } });
    await table.put({
      source: text('USER-1'),
      target: text('~view'),
      attributes: { M: {} },
      r: { N: '1' },
      w: text(''),
    });
    expect(await check(graph, options)).toMatchObject({ drift: { orphan: 1 } });
  });
});

it('is a change of the model: a view that the new one does not ask for goes when it is dropped', async () => {
  const shown = edge({ from: 'USER', to: 'ROOM', edgeSet: false, inbound: { orders: { at: 'at' } } });
  const { store, before, after, user, passLease, migrate, reader, projectAll } = await evolvingTable((table) => ({
    before: defineGraph({ table, nodes: { USER: node({ view: 'ALL' }), ROOM: node() }, edges: { IN: shown } }),
    after: defineGraph({ table, nodes: { USER: node(), ROOM: node() }, edges: { IN: shown } }),
  }));
  expect(before.fingerprint).not.toBe(after.fingerprint);
  await migrate(before);
  await user(1);
  await projectAll();
  const view = async () => (await store.get({ source: 'USER-1', target: '~view' }, { consistent: true })).item;
  expect(await view()).toMatchObject({ attributes: { M: { name: { S: 'name 1' } } } });
  // Readers of both models have their answer meanwhile.
  const kept = await migrate(after);
  expect(kept.leftovers).toEqual([{ kind: 'drop', name: 'view:USER@1' }]);
  passLease();
  expect(await reader(before).getView('USER-1')).toMatchObject({ attributes: { name: 'name 1' } });
  // @ts-expect-error: the type has no views
  await expect(reader(after).getView('USER-1')).rejects.toMatchObject({
    code: 'not-declared',
    message: 'USER has no view.',
  });
  await migrate(after, { action: { kind: 'drop', name: 'view:USER' } });
  expect(await view()).toBeUndefined();
  await user(2);
  await projectAll();
  expect((await store.get({ source: 'USER-2', target: '~view' }, { consistent: true })).item).toBeUndefined();
  const { drift, unknown } = await check(after, { store, graceMs: 10 });
  expect({ drift, unknown }).toEqual({ drift: { missing: 0, stale: 0, orphan: 0 }, unknown: 0 });
  // And back: each node has a view again.
  await migrate(before);
  passLease();
  expect(await reader(before).getViews(['USER-1', 'USER-2'])).toMatchObject([
    { attributes: { name: 'name 1' } },
    { attributes: { name: 'name 2' } },
  ]);
});
