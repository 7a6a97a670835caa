import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import * as admin from '../../src/admin.ts';
import { createWriter } from '../../src/client/write/writer.ts';
import { toPlainItem } from '../../src/core/items/plain.ts';
import { withTableName } from '../../src/core/model/compile/define-graph.ts';
import type { CompiledModel } from '../../src/core/model/compiled.ts';
import { openTelemetry } from '../../src/deployment/telemetry/index.ts';
import * as feed from '../../src/feed.ts';
import { sleep } from '../../src/foundation/runtime.ts';
import * as edgeloom from '../../src/index.ts';
import { planMigration } from '../../src/migrate/forecast/plan-migration.ts';
import { howTo } from '../support/how-to.ts';
import { evolvingTable } from '../support/migrating-table.ts';

/** The recipes of docs/how-to run as they are printed; those that change data, next to two versions of an application. */

const PAGE = howTo();

/** A writer and a reader that know no types. */
// biome-ignore lint/suspicious/noExplicitAny: the code of the page has no types
type Untyped = any;

/** The TypeScript of a section. */
function blocksOf(heading: string): string[] {
  const section = PAGE.split(/^##? /m).find((one) => one.startsWith(heading))!;
  return [...section.matchAll(/^ *```ts\n(.*?)^ *```/gms)].map(([, code]) => code!);
}

/** Runs code of the page with some values by name, which stand for its imports; returns those of the names asked for. */
async function run(code: string, given: Record<string, unknown>, names: readonly string[] = []): Promise<Untyped[]> {
  const known = { ...edgeloom, ...admin, ...feed, ...given };
  const body = code.replace(/^import .*;\n/gm, '');
  const lines = `'use strict'; return (async () => { ${body}\nreturn [${names.join(', ')}]; })();`;
  return await new Function(...Object.keys(known), lines)(...Object.values(known));
}

/** Something that goes on until it is stopped, and at least for some rounds, however slow the machine is. An error in it is thrown then. */
function inBackground(step: (round: number) => Promise<unknown>, leastRounds = 6): () => Promise<number> {
  let isOver = false;
  const end = (async () => {
    let round = 0;
    for (; !isOver || round < leastRounds; round++) {
      await step(round);
      await sleep(1);
    }
    return round;
  })();
  return async () => {
    isOver = true;
    return await end;
  };
}

const { edge, node } = edgeloom;

/** A model of a kitchen; types are those of each test. */
function modelOf(
  nodes: Record<string, Untyped>,
  edges: Record<string, Untyped> = {},
  more: object = {},
): CompiledModel {
  return edgeloom.defineGraph({ table: 'kitchen', ...more, nodes, edges } as Untyped) as CompiledModel;
}

/** A table with the models of a recipe, and the values that the page's code uses. */
async function kitchen(models: Record<string, CompiledModel>) {
  const table = await evolvingTable((name) =>
    Object.fromEntries(Object.entries(models).map(([key, model]) => [key, withTableName(model, name)])),
  );
  const { graph, store } = table;
  await table.migrate(graph);
  const reader: Untyped = table.reader(graph);
  const writer: Untyped = createWriter(graph, { store });
  const [idsOf] = await run(blocksOf('Rename\n')[0]!, { reader }, ['idsOf']);
  return { table, writer, reader, given: { graph, store, reader, writer, idsOf, openTelemetry } };
}

/** A base item of the table, by both of its keys. */
type BaseItems = Record<string, Record<string, unknown>>;

/** The functions of the page that move nodes and edges. */
async function moversOf(given: Record<string, unknown>): Promise<Record<string, Untyped>> {
  const [moveEdge] = await run(blocksOf('Move an edge')[0]!, given, ['moveEdge']);
  const names = ['findMoving', 'updateMoving', 'updateMovingEdge', 'deleteMoving', 'moveNode', 'moveEdges'];
  const all = await run(blocksOf('Change an id').join('\n'), { ...given, moveEdge }, names);
  return { moveEdge, ...Object.fromEntries(names.map((name, i) => [name, all[i]])) };
}

type EdgeName = readonly [source: string, type: string, target: string];

/** What moves: nodes and edges by their old and new places, and types whose lists show the nodes. */
interface Moving {
  nodes: readonly (readonly [from: string, to: string])[];
  edges: readonly (readonly [from: EdgeName, to: EdgeName])[];
  types: readonly string[];
}

/** Counts up in nodes and edges, as versions of an application do, and remembers what it has done. */
class Traffic {
  /** How often each node and each edge was changed, by its place in the lists. */
  readonly done = { nodes: new Map<number, number>(), edges: new Map<number, number>() };
  private readonly seen = new Map<number, number>();

  constructor(private readonly moving: Moving) {}

  /** A version that changes what is at one of the two places, or at whichever of them it is. */
  version(at: 'old' | 'new' | 'both', writer: Untyped, movers: Record<string, Untyped>) {
    const { nodes, edges } = this.moving;
    const change = { add: { count: 1 } };
    return inBackground(async (round) => {
      const [node, edge] = [(round * 7) % nodes.length, (round * 5) % edges.length];
      const [from, to] = nodes[node]!;
      const [fromEdge, toEdge] = edges[edge]!;
      if (at === 'both') {
        await movers['updateMoving'](from, to, change);
        this.note('nodes', node);
        await movers['updateMovingEdge'](fromEdge, toEdge, change);
      } else {
        await writer.updateNode(at === 'old' ? from : to, change);
        this.note('nodes', node);
        await writer.updateEdge(...(at === 'old' ? fromEdge : toEdge), change);
      }
      this.note('edges', edge);
    });
  }

  /** Somebody who looks at nodes and lists all the time: no node is missing, and no count goes down. */
  looking(reader: Untyped, movers: Record<string, Untyped>) {
    const { nodes, types } = this.moving;
    return inBackground(async (round) => {
      const node = (round * 3) % nodes.length;
      const [from, to] = nodes[node]!;
      const before = this.done.nodes.get(node) ?? 0;
      const found = await movers['findMoving'](from, to);
      expect(found?.attributes.count).toBeGreaterThanOrEqual(Math.max(before, this.seen.get(node) ?? 0));
      this.seen.set(node, found.attributes.count);
      const ids = new Set<string>();
      for (const type of types) for (const { id } of (await reader.nodes(type, { limit: 100 })).items) ids.add(id);
      const missing = nodes.filter(([old, moved]) => !ids.has(old) && !ids.has(moved));
      expect(missing).toEqual([]);
    });
  }

  private note(of: 'nodes' | 'edges', place: number): void {
    this.done[of].set(place, (this.done[of].get(place) ?? 0) + 1);
  }
}

/** The attributes of every base item. */
async function baseItemsOf({ store }: { store: Untyped }): Promise<BaseItems> {
  const found: BaseItems = {};
  for (let startKey: unknown; ; ) {
    const { items, lastKey } = await store.scan({ segment: 0, segments: 1, startKey });
    for (const { source, target, ...attributes } of items) {
      const name = `${source.S} ${target.S}`;
      if (!name.startsWith('~') && !name.includes(' ~')) found[name] = toPlainItem(attributes);
    }
    startKey = lastKey;
    if (startKey === undefined) return found;
  }
}

interface MoveOfTest extends Moving {
  /** The models before, in between and after, if they differ; in between is the table's. */
  models: { before: CompiledModel; both: CompiledModel; after: CompiledModel };
  /** Attributes of a node, by its place in the list. */
  attributesOf: (place: number) => Record<string, unknown>;
  /** What the move makes of them. */
  movedOf?: (attributes: Record<string, unknown>, place: number) => Record<string, unknown>;
  /** Other nodes. */
  others?: readonly string[];
  /** Moves everything, with the code of the page. */
  move: (given: Record<string, unknown>, movers: Record<string, Untyped>) => Promise<unknown>;
  /** Projections to be dropped at the end. */
  drops?: readonly string[];
}

/** Moves nodes and edges beside an old and a new version of an application, and judges what readers see and what is left. */
async function moveBesideTraffic({ models, move, attributesOf, movedOf, ...rest }: MoveOfTest): Promise<void> {
  const { nodes, edges, others = [], drops = [] } = rest;
  const { table, writer } = await kitchen(models);
  for (const [i, [from]] of nodes.entries()) await writer.putNode(from, { ...attributesOf(i), count: 0 });
  for (const id of others) await writer.putNode(id, {});
  for (const [[...edge]] of edges) await writer.putEdge(...edge, { since: '2026', count: 0 });
  await table.projectAll();
  const { both, after } = table as Untyped;
  await table.migrate(both);
  const [reader, bothWriter]: Untyped[] = [table.reader(both), createWriter(both, { store: table.store })];
  const [idsOf] = await run(blocksOf('Rename\n')[0]!, { reader }, ['idsOf']);
  const given = { graph: both, store: table.store, reader, writer: bothWriter, idsOf };
  const movers = await moversOf(given);
  const traffic = new Traffic(rest);
  const consumer = inBackground(() => table.projectAll());
  const looking = traffic.looking(reader, movers);

  const first = [traffic.version('old', writer, movers), traffic.version('both', bothWriter, movers)];
  await sleep(300);
  await first[0]!();
  const second = traffic.version('both', bothWriter, movers);
  await move(given, movers);
  await move(given, movers);
  await first[1]!();
  const last = traffic.version('new', createWriter(after, { store: table.store }), movers);
  await sleep(300);
  for (const end of [second, last, looking, consumer]) expect(await end()).toBeGreaterThan(5);
  await table.projectAll();

  const expected: BaseItems = Object.fromEntries([
    ...others.map((id) => [`${id} ${id}`, {}]),
    ...nodes.map(([, to], i) => {
      const attributes = { ...attributesOf(i), count: traffic.done.nodes.get(i) ?? 0 };
      return [`${to} ${to}`, movedOf?.(attributes, i) ?? attributes];
    }),
    ...edges.map(([, [source, type, target]], i) => [
      `${source} ${type}-${target}`,
      { since: '2026', count: traffic.done.edges.get(i) ?? 0 },
    ]),
  ]);
  expect(await baseItemsOf(table)).toEqual(expected);
  for (const name of drops) await table.migrate(after, { action: { kind: 'drop', name } });
  await table.migrate(after);
  const { drift, pending, quarantined } = await admin.check(after, { store: table.store, graceMs: 50 });
  expect({ drift, pending, quarantined }).toEqual({
    ...{ drift: { missing: 0, stale: 0, orphan: 0 }, pending: 0, quarantined: 0 },
  });
  const ids: string[] = [];
  const finalReader: Untyped = table.reader(after);
  for (const type of new Set(nodes.map(([, to]) => to.slice(0, to.indexOf('-')))))
    ids.push(...(await finalReader.nodes(type, { limit: 100 })).items.map(({ id }: { id: string }) => id));
  expect(ids.sort()).toEqual(nodes.map(([, to]) => to).sort());
}

describe('the recipes', () => {
  it('erases a person from code', async () => {
    const nodes = { USER: node({ view: 'ALL', search: { name: {} } }), GOAL: node({ view: 'ALL' }) };
    const graph = modelOf(nodes, { MEMBER: edge({ from: 'GOAL', to: 'USER' }) });
    const { table, writer, given } = await kitchen({ graph });
    await writer.putNode('USER-U1', { name: 'Ada' });
    await writer.putEdge('GOAL-1', 'MEMBER', 'USER-U1');
    await table.projectAll();
    const [lines, deleted, next, remains] = await run(blocksOf('In code')[0]!, given, [
      ...['lines', 'deleted', 'next', 'remains'],
    ]);
    expect(lines).toEqual(expect.arrayContaining(['USER-U1 USER-U1', 'USER-U1 ~view', 'GOAL-1 MEMBER-USER-U1']));
    expect(deleted).toMatchObject({ nodes: 1, edges: 1 });
    expect(Date.parse(next)).toBeGreaterThan(Date.now() + 48 * 3_600_000);
    expect(remains.length).toBeGreaterThan(3);
  });

  it('renames an attribute next to a version that writes the old one, and one that writes both', async () => {
    const [models, copy, removal] = blocksOf('Rename an attribute');
    const [before, both, after] = await run(models!, { table: 'kitchen' }, ['before', 'both', 'after']);
    const { table, writer, reader, given } = await kitchen({ before, both, after });
    const ids = Array.from({ length: 30 }, (_, i) => `USER-${i}`);
    for (const id of ids) await writer.putNode(id, { name: `first ${id}` });
    await table.projectAll();
    const [graphBoth, graphAfter] = [table['both'], table['after']] as [CompiledModel, CompiledModel];
    const plan = () => planMigration({ graph: graphBoth, store: table.store, itemCount: 0 });
    expect((await plan()).warnings).toEqual(['search:USER.fullName will be empty: no USER has fullName; there are 30']);

    const older = inBackground((round) =>
      writer.updateNode(ids[(round * 7) % 30], { set: { name: `older ${round}`, seen: round } }),
    );
    const newer = inBackground((round) =>
      writer.updateNode(ids[(round * 11) % 30], { set: { name: `both ${round}`, fullName: `both ${round}` } }),
    );
    const consumer = inBackground(() => table.projectAll());
    let found = 0;
    const readers = inBackground(async () => {
      found = (await reader.search('USER.name').all()).items.length;
    });
    await run(copy!, given);
    const rounds = await older();
    expect(rounds).toBeGreaterThan(5);
    await run(copy!, given);
    expect((await plan()).warnings).toEqual([]);
    await table.migrate(graphBoth);
    await newer();
    await readers();
    await consumer();
    await table.projectAll();
    expect(found).toBeGreaterThan(0);

    const namesOf = async (search: string, graph = graphBoth): Promise<Record<string, string>> => {
      const { items } = await (table.reader(graph) as Untyped).search(search).all();
      return Object.fromEntries(items.map(({ id, value }: { id: string; value: string }) => [id, value]));
    };
    const byName = await namesOf('USER.name');
    expect(Object.keys(byName)).toHaveLength(30);
    expect(await namesOf('USER.fullName')).toEqual(byName);
    await run(removal!, given);
    await table.projectAll();
    expect(await namesOf('USER.fullName', graphAfter)).toEqual(byName);
    expect(await namesOf('USER.name')).toEqual({});
    expect(await reader.getNode('USER-0')).toMatchObject({ attributes: { fullName: byName['USER-0'] } });
  });

  it('moves an edge next to writers of two versions: it is always at one place, and no change of it is lost', async () => {
    const nodes = { TASK: node({ view: 'ALL' }), LIST: node({ view: 'ALL' }) };
    const graph = modelOf(nodes, { IN: edge({ from: 'TASK', to: 'LIST', inbound: { orders: { gsi0: 'since' } } }) });
    const { table, writer, reader, given } = await kitchen({ graph });
    const [moveEdge] = await run(blocksOf('Move an edge')[0]!, given, ['moveEdge']);
    const lists = ['LIST-a', 'LIST-b', 'LIST-c'];
    await writer.putEdge('TASK-1', 'IN', 'LIST-a', { since: '2026', ticks: 0, tocks: 0 });
    const placesNow = async () => (await reader.edges('TASK-1', 'IN', { consistent: true })).items;
    const counts = { ticks: 0, tocks: 0 };
    const counting = (name: 'ticks' | 'tocks') => async (): Promise<void> => {
      for (const list of lists) {
        try {
          const change = { add: { [name]: 1 } };
          await writer.updateEdge('TASK-1', 'IN', list, change, { ifPresent: true });
          counts[name] += 1;
        } catch (error) {
          // It is somewhere else.
          if (!['not-found', 'condition-failed'].includes((error as { code: string }).code)) throw error;
        }
      }
    };
    const older = inBackground(counting('ticks'), 15);
    const newer = inBackground(counting('tocks'), 15);
    const looking = inBackground(async () => expect(await placesNow()).toHaveLength(1));
    let moves = 0;
    for (let round = 0; round < 30; round++) {
      const [from, to] = [lists[round % 3], lists[(round + 1) % 3]];
      // Two processes move it at once: one of them does.
      const move = (): Promise<boolean> => moveEdge(['TASK-1', 'IN', from], ['TASK-1', 'IN', to]);
      const moved = await Promise.allSettled([move(), move()]);
      moves += moved.filter((one) => one.status === 'fulfilled' && one.value).length;
    }
    await Promise.all([older(), newer(), looking()]);
    expect(moves).toBe(30);
    const [place, ...more] = await placesNow();
    expect(more).toEqual([]);
    expect(place).toMatchObject({ target: 'LIST-a', attributes: { since: '2026', ...counts } });
    expect(counts.ticks + counts.tocks).toBeGreaterThan(20);
    await table.projectAll();
    expect((await reader.inbound('LIST-a', 'IN')).items).toHaveLength(1);
    expect((await reader.inbound('LIST-b', 'IN')).items).toEqual([]);
  });

  it('watches a reader, a writer and a check', async () => {
    const { table, given } = await kitchen({ graph: modelOf({ TASK: node({ view: 'ALL' }) }) });
    await given.writer.putNode('TASK-1', {});
    await table.projectAll();
    const [code] = blocksOf('Traces and metrics');
    const [reader, baseItems] = await run(code!, given, ['watchedReader', 'baseItems']);
    expect(baseItems).toBe(1);
    expect(await reader.getViews(['TASK-1'])).toMatchObject([{ id: 'TASK-1' }]);
  });

  it('changes ids next to a version that knows the old ones, and one that knows both', async () => {
    const graph = modelOf(
      { USER: node({ view: 'ALL', list: true }) },
      { KNOWS: edge({ from: 'USER', to: 'USER', inbound: { orders: { gsi0: 'since' } } }) },
    );
    const nodes = Array.from({ length: 4 }, (_, i) => [`USER-old${i}`, `USER-new${i}`] as const);
    const rest = ['USER-rest1', 'USER-rest2'];
    const edges = nodes.flatMap(([from, to]) =>
      rest.flatMap((id): [EdgeName, EdgeName][] => [
        [
          [from, 'KNOWS', id],
          [to, 'KNOWS', id],
        ],
        [
          [id, 'KNOWS', from],
          [id, 'KNOWS', to],
        ],
      ]),
    );
    await moveBesideTraffic({
      models: { before: graph, both: graph, after: graph },
      ...{ nodes, edges, types: ['USER'] },
      attributesOf: (i) => ({ name: `user ${i}` }),
      move: async (_, { moveNode, moveEdges }) => {
        for (const [from, to] of nodes) {
          await moveNode(from, to);
          await moveEdges(from, to, { leaving: ['KNOWS'], entering: ['KNOWS'] });
        }
      },
    });
  });

  it('deletes a node for good while its copy is at the new place', async () => {
    const graph = modelOf({ USER: node({ view: 'ALL' }) });
    const { table, writer, reader, given } = await kitchen({ graph });
    const { moveNode, deleteMoving, findMoving } = await moversOf(given);
    await writer.putNode('USER-1', { name: 'Ada' });
    await table.projectAll();
    // Nothing projects the copy yet, so the move waits.
    const moving = moveNode('USER-1', 'USER-2');
    while ((await reader.getNode('USER-2', { consistent: true })) === null) await sleep(5);
    expect(await findMoving('USER-1', 'USER-2')).toMatchObject({ id: 'USER-1' });
    await deleteMoving('USER-1', 'USER-2');
    await table.projectAll();
    await moving;
    expect(await findMoving('USER-1', 'USER-2')).toBeNull();
    expect(await baseItemsOf(table)).toEqual({});
  });

  it('does not move a node onto a different one, and ends a move that was stopped when the copy was made', async () => {
    const graph = modelOf({ USER: node({ view: 'ALL' }) });
    const { table, writer, given } = await kitchen({ graph });
    const { moveNode } = await moversOf(given);
    await writer.putNode('USER-1', { name: 'Ada' });
    await writer.putNode('USER-2', { name: 'Grace' });
    await writer.putNode('USER-3', { name: 'Ada', movedFrom: 'USER-1' });
    await table.projectAll();
    await expect(moveNode('USER-1', 'USER-2')).rejects.toThrow('USER-2 is a different node.');
    const consumer = inBackground(() => table.projectAll());
    await moveNode('USER-1', 'USER-3');
    await consumer();
    expect(await baseItemsOf(table)).toEqual({
      'USER-2 USER-2': { name: 'Grace' },
      'USER-3 USER-3': { name: 'Ada' },
    });
  });

  it('merges two nodes, and stops at an edge that both have until one of them is deleted', async () => {
    const graph = modelOf(
      { USER: node({ view: 'ALL' }), TEAM: node({ view: 'ALL' }) },
      {
        KNOWS: edge({ from: 'USER', to: 'USER' }),
        MEMBER: edge({ from: 'TEAM', to: 'USER', inbound: { orders: { bySince: 'since' } } }),
      },
    );
    const { table, writer, given } = await kitchen({ graph });
    await writer.putNode('USER-1', { name: 'Ada' });
    await writer.putNode('USER-2', { name: 'Ada L.', city: 'London' });
    await writer.putEdge('USER-2', 'KNOWS', 'USER-3', {});
    for (const id of ['USER-1', 'USER-2']) await writer.putEdge('TEAM-1', 'MEMBER', id, { since: '2026' });
    await table.projectAll();
    const [code] = blocksOf('Merge two nodes');
    const merge = async () => run(code!, { ...given, ...(await moversOf(given)) });
    await expect(merge()).rejects.toMatchObject({ code: 'condition-failed' });
    await writer.deleteEdge('TEAM-1', 'MEMBER', 'USER-2');
    await table.projectAll();
    await merge();
    expect(await baseItemsOf(table)).toEqual({
      'USER-1 USER-1': { name: 'Ada', city: 'London' },
      'USER-1 KNOWS-USER-3': {},
      'TEAM-1 MEMBER-USER-1': { since: '2026' },
    });
  });

  it('renames an edge type next to a version that creates edges of the new one', async () => {
    const [models, move] = blocksOf('Rename an edge type');
    const [before, both, after] = await run(models!, { table: 'kitchen' }, ['before', 'both', 'after']);
    const { table, writer } = await kitchen({ graph: before, both, after });
    for (const goal of ['GOAL-1', 'GOAL-2']) {
      await writer.putNode(goal, {});
      for (const user of ['USER-1', 'USER-2']) await writer.putEdge(goal, 'MEMBER', user, { since: '2026' });
    }
    await table.projectAll();
    const [graphBoth, graphAfter] = [table['both'], table['after']] as [CompiledModel, CompiledModel];
    await table.migrate(graphBoth);
    const [reader, newer]: Untyped[] = [table.reader(graphBoth), createWriter(graphBoth, { store: table.store })];
    const [idsOf] = await run(blocksOf('Rename\n')[0]!, { reader }, ['idsOf']);
    const given = { graph: graphBoth, store: table.store, reader, writer: newer, idsOf };
    const { moveEdge } = await moversOf(given);
    await newer.putEdge('GOAL-1', 'MEMBERSHIP', 'USER-3', { since: '2027' });
    await run(move!, { ...given, moveEdge });
    await table.projectAll();
    await table.migrate(graphAfter, { action: { kind: 'drop', name: 'inbound:MEMBER' } });
    await table.migrate(graphAfter);
    const lists = await Promise.all(
      ['USER-1', 'USER-2', 'USER-3'].map((user) => (table.reader(graphAfter) as Untyped).inbound(user, 'MEMBERSHIP')),
    );
    expect(lists.map(({ items }) => items.length)).toEqual([2, 2, 1]);
    expect(await admin.check(graphAfter, { store: table.store, graceMs: 50 })).toMatchObject({
      ...{ drift: { missing: 0, stale: 0, orphan: 0 }, unknown: 0 },
    });
  });

  it('renames a type next to a version that knows the old one, and one that knows both', async () => {
    const [models, move] = blocksOf('Rename a type');
    const [before, both, after] = await run(models!, { table: 'kitchen' }, ['before', 'both', 'after']);
    const nodes = Array.from({ length: 6 }, (_, i) => [`USER-${i}`, `PERSON-${i}`] as const);
    await moveBesideTraffic({
      ...{ models: { before, both, after }, nodes, types: ['USER', 'PERSON'] },
      edges: nodes.map(([from, to], i) => [
        [`GOAL-${i % 2}`, 'MEMBER', from],
        [`GOAL-${i % 2}`, 'MEMBER', to],
      ]),
      others: ['GOAL-0', 'GOAL-1'],
      attributesOf: (i) => ({ name: `user ${i}` }),
      move: (given, movers) => run(move!, { ...given, ...movers }),
      drops: ['search:USER.name', 'list:USER'],
    });
  });

  it('splits a type next to a version that knows the old one, and one that knows all three', async () => {
    const [move] = blocksOf('Split a type');
    const listed = node({ view: 'ALL', list: true });
    const graphOf = (tickets: Record<string, Untyped>) =>
      modelOf(
        { USER: node({ view: 'ALL' }), ...tickets },
        {
          ASSIGNED: edge({ from: Object.keys(tickets), to: 'USER', inbound: { orders: { gsi0: 'since' } } } as Untyped),
        },
      );
    const placeOf = (i: number): string => `${i % 3 === 0 ? 'BUG' : 'TASK'}-${i}`;
    const nodes = Array.from({ length: 6 }, (_, i) => [`TICKET-${i}`, placeOf(i)] as const);
    await moveBesideTraffic({
      models: {
        before: graphOf({ TICKET: listed }),
        both: graphOf({ TICKET: listed, BUG: listed, TASK: listed }),
        after: graphOf({ BUG: listed, TASK: listed }),
      },
      ...{ nodes, types: ['TICKET', 'BUG', 'TASK'], others: ['USER-1'] },
      edges: nodes.map(([from, to]) => [
        [from, 'ASSIGNED', 'USER-1'],
        [to, 'ASSIGNED', 'USER-1'],
      ]),
      attributesOf: (i) => ({ title: `ticket ${i}`, kind: i % 3 === 0 ? 'bug' : 'task' }),
      movedOf: ({ kind: _, ...attributes }) => attributes,
      move: (given, movers) => run(move!, { ...given, ...movers }),
      drops: ['view:TICKET', 'list:TICKET'],
    });
  });

  it('merges two types next to a version that knows the two, and one that knows all three', async () => {
    const [move] = blocksOf('Merge two types');
    const listed = node({ view: 'ALL', list: true });
    const graphOf = (animals: Record<string, Untyped>) =>
      modelOf(
        { PERSON: node({ view: 'ALL' }), ...animals },
        { OWNS: edge({ from: 'PERSON', to: Object.keys(animals), inbound: { orders: { gsi0: 'since' } } } as Untyped) },
      );
    const nodes = Array.from({ length: 6 }, (_, i) => {
      const from = `${i % 2 === 0 ? 'CAT' : 'DOG'}-${Math.floor(i / 2)}`;
      return [from, `ANIMAL-${from}`] as const;
    });
    await moveBesideTraffic({
      models: {
        before: graphOf({ CAT: listed, DOG: listed }),
        both: graphOf({ CAT: listed, DOG: listed, ANIMAL: listed }),
        after: graphOf({ ANIMAL: listed }),
      },
      ...{ nodes, types: ['CAT', 'DOG', 'ANIMAL'], others: ['PERSON-1'] },
      edges: nodes.map(([from, to]) => [
        ['PERSON-1', 'OWNS', from],
        ['PERSON-1', 'OWNS', to],
      ]),
      attributesOf: (i) => ({ name: `pet ${i}` }),
      movedOf: (attributes, i) => ({ ...attributes, species: i % 2 === 0 ? 'cat' : 'dog' }),
      move: (given, movers) => run(move!, { ...given, ...movers }),
      drops: ['view:CAT', 'view:DOG', 'list:CAT', 'list:DOG'],
    });
  });

  it('keeps an attribute unique next to a version that makes no claims, and then among all', async () => {
    const [code] = blocksOf('Keep an attribute unique');
    const [claims] = blocksOf('Add claims to existing data');
    const graph = modelOf({ USER: node({ view: 'ALL', list: true }), EMAIL: node({ view: 'ALL' }) });
    const { table, writer, given } = await kitchen({ graph });
    const names = ['claimOf', 'createUser', 'changeEmail', 'deleteUser'];
    const [claimOf, createUser, changeEmail, deleteUser] = await run(code!, given, names);
    const mail = (i: number): string => `${i % 2 === 0 ? 'Mail' : 'mail'}${i % 9}@example.com`;
    const isRefused = ({ code }: { code?: string }): boolean => code === 'condition-failed';
    const refusal = (error: { code?: string }): void => {
      if (!isRefused(error)) throw error;
    };
    const careless = inBackground((i) => writer.putNode(`USER-a${i % 40}`, { email: mail(i) }), 40);
    const careful = inBackground((i) => createUser(`USER-b${i % 40}`, { email: mail(i + 4) }).catch(refusal), 40);
    for (const end of [careless, careful]) expect(await end()).toBeGreaterThan(5);
    await table.projectAll();
    const [twice] = await run(claims!, { ...given, claimOf }, ['twice']);
    expect(twice.length).toBeGreaterThan(5);
    const held = async (): Promise<Map<string, string[]>> => {
      const byEmail = new Map<string, string[]>();
      const items = await baseItemsOf(table);
      const isOpen = (id: string): boolean => twice.some((one: { id: string }) => one.id === id);
      for (const [name, { email, of }] of Object.entries(items)) {
        const [id] = name.split(' ') as [string];
        if (of !== undefined) expect(claimOf(items[`${of} ${of}`]?.['email'])).toBe(id);
        else if (!isOpen(id)) byEmail.set(claimOf(email), [...(byEmail.get(claimOf(email)) ?? []), id]);
      }
      for (const claim of byEmail.keys()) expect(items[`${claim} ${claim}`]).toBeDefined();
      return byEmail;
    };
    const claimed = [...(await held()).values()];
    expect(claimed.filter((ids) => ids.length !== 1)).toEqual([]);
    // From now on everybody makes claims: users are made, change their addresses and go, all at once.
    for (const { id } of twice) await writer.deleteNode(id);
    const users = claimed.map(([id]) => id!);
    let refused = 0;
    for (let round = 0; round < 8; round++) {
      const calls = users.flatMap((id, i): Promise<unknown>[] => [
        createUser(`USER-c${round}-${i}`, { email: mail(round + i) }),
        changeEmail(id, mail(3 * round + i + 1)),
        changeEmail(id, `own${i}@example.com`),
        ...(i === round ? [deleteUser(id)] : []),
      ]);
      const ended = await Promise.allSettled(calls);
      for (const one of ended) {
        if (one.status === 'fulfilled') continue;
        if (!/^There is no USER-/.test(one.reason.message))
          expect(['condition-failed', 'not-found']).toContain(one.reason.code);
        refused += 1;
      }
      const byEmail = await held();
      expect([...byEmail.values()].filter((ids) => ids.length !== 1)).toEqual([]);
    }
    expect(refused).toBeGreaterThan(10);
  });

  it('deletes a tenant with all of its nodes and edges, and nothing of another one', async () => {
    const graph = modelOf(
      { USER: node({ view: 'ALL' }), TEAM: node({ view: 'ALL' }) },
      { MEMBER: edge({ from: 'USER', to: 'TEAM', inbound: { orders: { bySince: 'since' } } }) },
      { tenantSeparator: '.' },
    );
    const { table, writer, given } = await kitchen({ graph });
    for (const tenant of ['acme', 'acme2', 'other']) {
      await writer.putNode(`TEAM-${tenant}.t`, {});
      for (const user of ['ada', 'bea']) {
        await writer.putNode(`USER-${tenant}.${user}`, {});
        await writer.putEdge(`USER-${tenant}.${user}`, 'MEMBER', `TEAM-${tenant}.t`, { since: '2026' });
      }
    }
    await table.projectAll();
    const before = await baseItemsOf(table);
    const [deletion, move] = blocksOf('Delete or move a tenant');
    const moved: string[] = [];
    const otherWriter = {
      putMany: async (items: { id?: string; source?: string }[]) =>
        moved.push(...items.map(({ id, source }) => id ?? source!)),
    };
    const [idsOfTenant] = await run(deletion!.split('\n\n')[0]!, given, ['idsOfTenant']);
    await run(move!, { ...given, idsOfTenant, otherWriter });
    expect(moved.sort()).toEqual(
      Object.keys(before)
        .flatMap((name) => (name.includes('-acme.') ? [name.split(' ')[0]!] : []))
        .sort(),
    );
    await run(deletion!, given);
    const others = Object.entries(before).filter(([name]) => !name.includes('-acme.'));
    expect(others).toHaveLength(10);
    expect(await baseItemsOf(table)).toEqual(Object.fromEntries(others));
  });

  it('answers requests page by page while the data changes', async () => {
    const [code] = blocksOf('A server');
    const graph = modelOf(
      { USER: node({ view: 'ALL', search: { name: { shards: 2 } } }), GOAL: node({ view: 'ALL' }) },
      { MEMBER: edge({ from: 'GOAL', to: 'USER', inbound: { orders: { gsi0: 'since' } } }) },
    );
    const { table, writer, given } = await kitchen({ graph });
    await writer.putNode('USER-U 1', { name: 'Ada' });
    const stays = Array.from({ length: 25 }, (_, i) => `GOAL-${i}`);
    for (const id of stays) await writer.putEdge(id, 'MEMBER', 'USER-U 1', { since: id });
    await table.projectAll();
    const [[writing, asking], [onLambda]] = [blocksOf('Writes'), blocksOf('On Lambda')];
    const served = code!.replace(/ {2}const ask = .*?\n {2}};\n/s, asking!.replace(/^import .*\n/, ''));
    const withServer = { ...given, createServer, text };
    const [server, handler] = await run(`${served}\n${writing}\n${onLambda}`, withServer, ['server', 'handler']);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const get = async (path: string): Promise<{ status: number; body: Untyped }> => {
      const response = await fetch(`http://127.0.0.1:${port}${path}`);
      return { status: response.status, body: await response.json() };
    };
    const churn = inBackground(async (i) => {
      await writer.putEdge(`GOAL-${i % 7}x`, 'MEMBER', 'USER-U 1', { since: `GOAL-${i % 25}x` });
      await writer.deleteEdge(`GOAL-${(i + 3) % 7}x`, 'MEMBER', 'USER-U 1');
      await table.projectAll();
    });
    try {
      for (let walk = 0; walk < 5; walk++) {
        const seen: string[] = [];
        for (let cursor: string | undefined; ; ) {
          const query = cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`;
          const { status, body } = await get(`/users/U%201/goals?limit=4${query}`);
          expect(status).toBe(200);
          seen.push(...body.items.map(({ source }: { source: string }) => source));
          cursor = body.cursor;
          if (cursor === undefined) break;
        }
        expect(seen.filter((id) => !id.endsWith('x')).sort()).toEqual([...stays].sort());
      }
      const invoke = (rawPath: string): Promise<Untyped> =>
        handler({ requestContext: { http: { method: 'GET' } }, rawPath, rawQueryString: 'limit=4' });
      expect(JSON.parse((await invoke('/users/U%201/goals')).body).items).toHaveLength(4);
      expect(await invoke('/users/none')).toMatchObject({ statusCode: 404 });
      expect(await get('/users/U%201')).toMatchObject({ status: 200, body: { id: 'USER-U 1' } });
      expect((await get('/users?name=A')).body.items).toMatchObject([{ id: 'USER-U 1', value: 'Ada' }]);
      const send = async (method: string, body?: string, headers = {}) => {
        const response = await fetch(`http://127.0.0.1:${port}/users/new`, { method, headers, ...(body && { body }) });
        return { status: response.status, body: await response.json() };
      };
      const isNew = { 'if-none-match': '*' };
      expect(await send('PUT', '{"name":"Bea"}', isNew)).toEqual({ status: 200, body: { id: 'new' } });
      expect(await send('PUT', '{"name":"Bea"}', isNew)).toMatchObject({
        status: 409,
        body: { error: 'condition-failed' },
      });
      expect(await send('PUT', '{"name":')).toMatchObject({ status: 400, body: { error: 'invalid-request' } });
      expect(await send('POST', '{}')).toMatchObject({ status: 405 });
      expect(await send('DELETE')).toMatchObject({ status: 200 });
      const written = {
        requestContext: { http: { method: 'PUT' } },
        rawPath: '/users/cy',
        rawQueryString: '',
        headers: {},
      };
      expect(await handler({ ...written, body: btoa('{"name":"Cy"}'), isBase64Encoded: true })).toMatchObject({
        statusCode: 200,
      });
      const problems: [string, number, string][] = [
        ['/users/none', 404, 'not-found'],
        ['/users/U%201/goals?cursor=forged', 400, 'invalid-cursor'],
        ['/users/U%201/goals?limit=0', 400, 'invalid-limit'],
        ['/users/%E0%A4%A', 400, 'invalid-request'],
        ['/planets', 404, 'no-such-address'],
      ];
      for (const [path, status, error] of problems) expect(await get(path)).toMatchObject({ status, body: { error } });
    } finally {
      expect(await churn()).toBeGreaterThan(2);
      await new Promise((resolve) => server.close(resolve));
    }
  });

  it('handles changes in terms of the model', async () => {
    const nodes = { TICKET: node({ view: 'ALL' }), USER: node({ view: 'ALL' }) };
    const edges = { ASSIGNED: edge({ from: 'TICKET', to: 'USER', inbound: { orders: { gsi0: 'since' } } }) };
    const { table, given, writer } = await kitchen({ graph: modelOf(nodes, edges) });
    await writer.putEdge('TICKET-7', 'ASSIGNED', 'USER-U1', { since: '2026-01-04' });
    await table.projectAll();
    const told: Untyped[] = [];
    const used = { ...given, client: table.client, tell: (change: unknown) => told.push(change) };
    const [code] = blocksOf('Handle changes in terms of the model');
    const [handleChanges] = await run(code!, used, ['handleChanges']);
    await handleChanges({ Records: await table.rawRecords() });
    const place = { place: expect.stringMatching(/^2026-01-04/) };
    expect(told.filter(({ kind }) => kind === 'list')).toMatchObject([
      { id: 'TICKET-7', list: { inbound: ['USER-U1', 'ASSIGNED'], order: 'gsi0' }, entered: place },
    ]);
  });

  it('streams changes to another store beside the projector, whatever the stream repeats', async () => {
    const [code, loading] = blocksOf('Stream changes to another store');
    const nodes = { USER: node({ view: 'ALL', search: { name: { shards: 1 } } }) };
    const graph = modelOf(nodes, { KNOWS: edge({ from: 'USER', to: 'USER' }) });
    const { table, writer, given } = await kitchen({ graph });
    for (let i = 0; i < 5; i++) await writer.putNode(`USER-early${i}`, { name: `early ${i}` });
    const [handler, load, rows] = await run(`${code}\n${loading}`, given, ['handler', 'load', 'rows']);
    // The handler begins later than the table.
    let delivered = (await table.rawRecords()).length;
    const version = (name: string) =>
      inBackground(async (i) => {
        const [id, other] = [`USER-${i % 11}`, `USER-early${i % 5}`];
        if (i % 4 === 3) await writer.deleteNode(id);
        else await writer.putNode(id, { name: `${name} ${i}` });
        if (i % 3 === 0) await writer.putEdge(id, 'KNOWS', other, { [name]: i });
        if (i % 3 === 1) await writer.deleteEdge(id, 'KNOWS', other);
        if (i === 20) await writer.deleteNode('USER-early0');
      }, 40);
    const versions = [version('older'), version('newer')];
    const projector = inBackground(() => table.projectAll());
    const deliver = async (round: number): Promise<void> => {
      // Each batch begins with records that were delivered before.
      const Records = (await table.rawRecords()).slice(0, delivered + 10);
      await handler({ Records: Records.slice(Math.max(0, delivered - (round % 5) * 3)) });
      delivered = Records.length;
    };
    const stream = inBackground(deliver);
    await sleep(150);
    await load();
    await sleep(400);
    for (const end of [...versions, projector, stream]) expect(await end()).toBeGreaterThan(5);
    await table.projectAll();
    const all = await table.rawRecords();
    for (let i = delivered; i < all.length; i += 10) await handler({ Records: all.slice(i, i + 10) });
    const storedRows = (): BaseItems =>
      Object.fromEntries(
        [...(rows as Map<string, { item: Untyped }>)].flatMap(([key, { item }]) => {
          if (item === null) return [];
          const { source: _source, target: _target, ...attributes } = item;
          return [[key, toPlainItem(attributes)]];
        }),
      );
    expect(storedRows()).toEqual(await baseItemsOf(table));
    expect(Object.keys(storedRows())).toContain('USER-early1 USER-early1');
    // A shard that goes far back changes nothing.
    await handler({ Records: all });
    expect(storedRows()).toEqual(await baseItemsOf(table));
  });
});
