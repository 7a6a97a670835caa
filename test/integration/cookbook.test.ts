import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createWriter } from '../../src/client/write/writer.ts';
import { withTableName } from '../../src/core/model/compile/define-graph.ts';
import type { CompiledModel } from '../../src/core/model/compiled.ts';
import * as watching from '../../src/deployment/telemetry/index.ts';
import { sleep } from '../../src/foundation/runtime.ts';
import * as edgeloom from '../../src/index.ts';
import { planMigration } from '../../src/migrate/forecast/plan-migration.ts';
import * as tools from '../../src/tools.ts';
import { ROOT } from '../support/command.ts';
import { evolvingTable } from '../support/migrating-table.ts';

/** The recipes of docs/cookbook.md run as they are printed; those that change data, next to two versions of an application. */

const PAGE = readFileSync(join(ROOT, 'docs/cookbook.md'), 'utf8');

/** A writer and a reader that know no types. */
// biome-ignore lint/suspicious/noExplicitAny: the code of the page has no types
type Untyped = any;

/** The TypeScript of a section. */
function blocksOf(heading: string): string[] {
  const section = PAGE.split(/^##? /m).find((one) => one.startsWith(heading))!;
  return [...section.matchAll(/^ *```ts\n(.*?)^ *```/gms)].map(([, code]) => code!);
}

/** Runs code of the page with some values by name; returns those of the names asked for. */
async function run(code: string, given: Record<string, unknown>, names: readonly string[] = []): Promise<Untyped[]> {
  const known = { ...edgeloom, ...given };
  const lines = `'use strict'; return (async () => { ${code}\nreturn [${names.join(', ')}]; })();`;
  return await new Function(...Object.keys(known), lines)(...Object.values(known));
}

/** Something that goes on until it is stopped. An error in it is thrown then. */
function inBackground(step: (round: number) => Promise<unknown>): () => Promise<number> {
  let isOver = false;
  const end = (async () => {
    let round = 0;
    for (; !isOver; round++) {
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

/** A table with the models of a recipe, and the values that the page's code uses. */
async function kitchen(models: Record<string, CompiledModel>) {
  const table = await evolvingTable((name) =>
    Object.fromEntries(Object.entries(models).map(([key, model]) => [key, withTableName(model, name)])),
  );
  const { graph, store } = table;
  await table.migrate(graph);
  const reader: Untyped = table.reader(graph);
  const writer: Untyped = createWriter(graph, { store });
  const [idsOf] = await run(blocksOf('Cookbook')[0]!, { reader }, ['idsOf']);
  return { table, writer, reader, given: { graph, store, reader, writer, idsOf, tools, watching } };
}

describe('the cookbook', () => {
  it('erases a person from code', async () => {
    const { nodes, edges } = {
      nodes: { USER: edgeloom.node({ search: { name: {} } }), GOAL: edgeloom.node() },
      edges: { MEMBER: edgeloom.edge({ from: 'GOAL', to: 'USER' }) },
    };
    const { table, writer, given } = await kitchen({ graph: edgeloom.defineGraph({ table: 'kitchen', nodes, edges }) });
    await writer.putNode('USER-U1', { name: 'Ada' });
    await writer.putEdge('GOAL-1', 'MEMBER', 'USER-U1');
    await table.projectAll();
    const [lines, deleted, next, remains] = await run(blocksOf('Erase a person')[0]!, given, [
      ...['lines', 'deleted', 'next', 'remains'],
    ]);
    expect(lines).toEqual(expect.arrayContaining(['USER-U1 USER-U1', 'USER-U1 ~view', 'GOAL-1 MEMBER-USER-U1']));
    expect(deleted).toMatchObject({ nodes: 1, edges: 1 });
    expect(Date.parse(next)).toBeGreaterThan(Date.now() + 48 * 3_600_000);
    expect(remains.length).toBeGreaterThan(3);
  });

  it('renames an attribute next to a version that writes the old one, and one that writes both', async () => {
    const [models, copy, removal] = blocksOf('Rename an attribute');
    const [before, after] = await run(models!, { table: 'kitchen' }, ['before', 'after']);
    const { table, writer, reader, given } = await kitchen({ before, after });
    const ids = Array.from({ length: 30 }, (_, i) => `USER-${i}`);
    for (const id of ids) await writer.putNode(id, { name: `first ${id}` });
    await table.projectAll();
    const graphAfter = table['after'] as CompiledModel;
    const plan = () => planMigration({ graph: graphAfter, store: table.store, itemCount: 0 });
    expect((await plan()).warnings).toEqual(['search:USER.fullName will be empty: no USER has fullName; there are 30']);

    const older = inBackground((round) =>
      writer.updateNode(ids[(round * 7) % 30], { set: { name: `older ${round}`, seen: round } }),
    );
    const both = inBackground((round) =>
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
    await table.migrate(graphAfter);
    await both();
    await readers();
    await consumer();
    await table.projectAll();
    expect(found).toBeGreaterThan(0);

    const now: Untyped = table.reader(graphAfter);
    const namesOf = async (search: string): Promise<Record<string, string>> => {
      const { items } = await now.search(search).all();
      return Object.fromEntries(items.map(({ id, value }: { id: string; value: string }) => [id, value]));
    };
    const byName = await namesOf('USER.name');
    expect(Object.keys(byName)).toHaveLength(30);
    expect(await namesOf('USER.fullName')).toEqual(byName);
    await run(removal!, given);
    await table.projectAll();
    expect(await namesOf('USER.fullName')).toEqual(byName);
    expect(await namesOf('USER.name')).toEqual({});
    expect(await reader.node('USER-0')).toMatchObject({ attributes: { fullName: byName['USER-0'] } });
  });

  it('moves an edge next to writers of two versions: it is always at one place, and no change of it is lost', async () => {
    const graph = edgeloom.defineGraph({
      table: 'kitchen',
      nodes: { TASK: edgeloom.node(), LIST: edgeloom.node() },
      edges: { IN: edgeloom.edge({ from: 'TASK', to: 'LIST', inbound: { gsi0: 'since' } }) },
    });
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
    const older = inBackground(counting('ticks'));
    const newer = inBackground(counting('tocks'));
    const looking = inBackground(async () => expect(await placesNow()).toHaveLength(1));
    let moves = 0;
    for (let round = 0; round < 30; round++) {
      const [from, to] = [lists[round % 3], lists[(round + 1) % 3]];
      // Two processes move it at once: one of them does.
      const moved = await Promise.allSettled([moveEdge('TASK-1', 'IN', from, to), moveEdge('TASK-1', 'IN', from, to)]);
      moves += moved.filter((one) => one.status === 'fulfilled' && one.value).length;
    }
    await Promise.all([older(), newer(), looking()]);
    expect(moves).toBe(30);
    const [place, ...more] = await placesNow();
    expect(more).toEqual([]);
    expect(place).toMatchObject({ target: 'LIST-a', attributes: { since: '2026', ...counts } });
    expect(counts.ticks + counts.tocks).toBeGreaterThan(20);
    await table.projectAll();
    expect((await reader.inbound('IN', 'LIST-a')).items).toHaveLength(1);
    expect((await reader.inbound('IN', 'LIST-b')).items).toEqual([]);
  });

  it('watches a reader, a writer and a check', async () => {
    const graph = edgeloom.defineGraph({ table: 'kitchen', nodes: { TASK: edgeloom.node() }, edges: {} });
    const { table, given } = await kitchen({ graph });
    await given.writer.putNode('TASK-1', {});
    await table.projectAll();
    const [code] = blocksOf('Watch in production');
    const [reader, baseItems] = await run(code!, given, ['watchedReader', 'baseItems']);
    expect(baseItems).toBe(1);
    expect(await reader.get(['TASK-1'])).toMatchObject([{ id: 'TASK-1' }]);
  });
});
