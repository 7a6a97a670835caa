import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import graphOfPackage from '../../edgeloom.config.ts';
import * as admin from '../../src/admin.ts';
import { withTableName } from '../../src/core/model/compile/define-graph.ts';
import type { CompiledModel } from '../../src/core/model/compiled.ts';
import * as feed from '../../src/feed.ts';
import * as edgeloom from '../../src/index.ts';
import { ROOT } from '../support/command.ts';
import { openTable, uniqueTableName } from '../support/table.ts';

/** The first examples of the pages on writing and reading run as they are printed, with the model of the package. */

/** The code of a page that a pattern finds. */
function printed(page: string, pattern: RegExp): string {
  return pattern.exec(readFileSync(join(ROOT, page), 'utf8'))![1]!;
}

const FIRST_BLOCK = /```ts\n(.*?)```/s;

/** Runs code with values by name beside those of the package. */
async function run<T>(code: string, given: Record<string, unknown> = {}): Promise<T> {
  const known = { ...edgeloom, ...admin, ...feed, ...given };
  return await new Function(...Object.keys(known), `'use strict'; return (async () => { ${code}\n})();`)(
    ...Object.values(known),
  );
}

/** A table of a model that is printed, with a reader and a writer of any types. */
async function tableOf(nodes: string, edges: string) {
  const graph = await run<CompiledModel>(`return defineGraph({ table, nodes: { ${nodes} }, edges: { ${edges} } })`, {
    table: uniqueTableName(),
  });
  return await openTable(graph);
}

/** The sources that some printed questions find. */
async function sourcesOf(calls: readonly string[], reader: unknown): Promise<string[][]> {
  const answers = calls.map((call) =>
    run<{ items: { source: string }[] }>(call.replace('await', 'return'), { reader }),
  );
  return (await Promise.all(answers)).map(({ items }) => items.map(({ source }) => source));
}

describe('the first examples of the pages', () => {
  it('write a goal, and read it, its list and its member', async () => {
    const { graph, client, store, reader, writer, projectAll } = await openTable(
      withTableName(graphOfPackage, uniqueTableName()),
    );
    await writer.putNode('USER-U1', { name: 'Terui' });
    await writer.putNode('GOAL-G1', { title: 'Halve the page load time', status: 'open' });
    await writer.putEdge('GOAL-G1', 'GOALMEMBERSHIP', 'USER-U1', { memberRole: 'CONTRIBUTOR' });

    await run(printed('docs/how-to/writing.md', FIRST_BLOCK), { graph, store });
    await projectAll();

    const reading = `${printed('docs/how-to/reading.md', FIRST_BLOCK)}\nreturn [goal, items, cursor, found];`;
    const [goal, items, cursor, found] = await run<unknown[]>(reading, { graph, client });
    expect(goal).toMatchObject({
      attributes: { title: 'Halve the page load time' },
      edgeSet: [{ type: 'GOALMEMBERSHIP', target: 'USER-U1', memberRole: 'CONTRIBUTOR' }],
    });
    expect(items).toMatchObject([{ source: 'GOAL-G1' }, { source: 'GOAL-G2' }]);
    expect(cursor).toBeUndefined();
    expect(found).toMatchObject({ items: [{ id: 'USER-U1', value: 'Terui' }] });
    expect(await reader.getViews(['GOAL-G2'])).toMatchObject([
      { attributes: { title: 'Run a marathon', status: 'done' } },
    ]);
  });

  it('write several items or none, as the page on writing prints it', async () => {
    const { writer, reader } = await openTable(withTableName(graphOfPackage, uniqueTableName()));
    const code = printed('docs/how-to/writing.md', /^## Write several items, or none\n\n```ts\n(.*?)```/ms);
    const transact = () => run(code, { writer });
    await writer.putNode('USER-U2', { name: 'Li' });
    await expect(transact()).rejects.toMatchObject({ code: 'condition-failed' });
    expect(await reader.has('GOAL-G2', 'GOALMEMBERSHIP', 'USER-U2')).toBe(false);
    await writer.putNode('GOAL-G2', { title: 'Run', status: 'open' });
    await transact();
    expect(await reader.getNode('USER-U2')).toMatchObject({ attributes: { goals: 1 } });
    expect(await reader.has('GOAL-G2', 'GOALMEMBERSHIP', 'USER-U2')).toBe(true);
  });

  it('order by one value downwards and the next upwards', async () => {
    const orders = printed('docs/how-to/lists.md', /^(orders: \{ urgent: .*\})$/m).replace(
      ': { priority: number }',
      '',
    );
    const { reader, writer, projectAll } = await tableOf(
      'TASK: node(), USER: node()',
      `DOES: edge({ from: 'TASK', to: 'USER', inbound: { ${orders} } })`,
    );
    const tasks = { a: [1, '2026-01-01'], b: [7, '2026-03-01'], c: [7, '2026-02-01'] } as const;
    for (const [id, [priority, dueDate]] of Object.entries(tasks)) {
      await writer.putEdge(`TASK-${id}`, 'DOES', 'USER-1', { priority, dueDate });
    }
    await projectAll();
    const { items } = await reader.inbound('USER-1', 'DOES', { order: 'urgent' });
    expect(items.map(({ source }) => source)).toEqual(['TASK-c', 'TASK-b', 'TASK-a']);
  });

  it('ask each question of the page on search as it is printed', async () => {
    const page = readFileSync(join(ROOT, 'docs/how-to/search.md'), 'utf8');
    const { reader, writer, projectAll } = await tableOf(printed('docs/how-to/search.md', FIRST_BLOCK), '');
    const attributes = {
      name: 'Terui',
      born: '2026-07-31',
      points: 3,
      country: 'US',
      state: 'California',
      city: 'San Jose',
    };
    await writer.putNode('USER-1', attributes);
    await projectAll();
    const calls = [...page.matchAll(/`((?:reader)?\.[^`]*\))`/g)].map(([, call]) => call!);
    const questions = calls.filter((call) => !call.includes('waitForProjection'));
    expect(questions.length).toBeGreaterThan(6);
    for (const question of questions) {
      const searches = { '.between': 'USER.born', '.find': 'USER.location' };
      const [, search] = Object.entries(searches).find(([begin]) => question.startsWith(begin)) ?? ['', 'USER.name'];
      const whole = question.startsWith('.') ? `reader.search('${search}')${question}` : question;
      const answer = await run<{ items?: unknown[]; count?: number }>(`return ${whole}`, { reader });
      expect(answer.items?.length ?? answer.count, whole).toBe(1);
    }
  });

  it('list edges in native orders, before anything is projected', async () => {
    const code = printed('docs/how-to/lists.md', /## Native orders\n\n```ts\n(.*?)```/s);
    const [model, ...calls] = code.trim().split('\n');
    const { reader, writer } = await tableOf('BOOK: node(), READER: node()', model!.replace('// ', ''));
    await writer.putEdge('BOOK-1', 'LOAN', 'READER-R1', { day: '2026-01-01', fine: 2 });
    await writer.putEdge('BOOK-2', 'LOAN', 'READER-R1', { day: '2026-02-01', fine: 0 });
    expect(await sourcesOf(calls, reader)).toEqual([['BOOK-2', 'BOOK-1'], ['BOOK-1']]);
  });

  it('list edges by a date downwards, and from a label on', async () => {
    const code = printed('docs/how-to/lists.md', FIRST_BLOCK);
    const [model, rest] = code.split('\n\n') as [string, string];
    const calls = rest.split('\n').filter((line) => line.startsWith('await'));
    const { reader, writer, projectAll } = await tableOf('GOAL: node(), USER: node()', model.replaceAll('// ', ''));
    await writer.putEdge('GOAL-1', 'MEMBER', 'USER-U1', { role: 'LEAD', since: '2026-01-01' });
    await writer.putEdge('GOAL-2', 'MEMBER', 'USER-U1', { role: 'HELPER', since: '2026-02-01' });
    await projectAll();
    expect(await sourcesOf(calls, reader)).toEqual([
      ['GOAL-2', 'GOAL-1'],
      ['GOAL-2', 'GOAL-1'],
    ]);
  });

  it("declare the README's model, and write and read with it", async () => {
    const [model, calls] = [...readFileSync(join(ROOT, 'README.md'), 'utf8').matchAll(/```ts\n(.*?)```/gs)].map(
      ([, code]) => code!,
    );
    const graph = await run<CompiledModel>(model!.replace('export default', 'return'));
    const { writer, reader, projectAll } = await openTable(withTableName(graph, uniqueTableName()));
    await writer.putNode('GOAL-speed', { title: 'Halve the page load time' });
    const [write, ...reads] = calls!.trim().split('\n');
    const lines = [write, 'await projectAll();', ...reads, 'return { goal, items, total };'];
    const { goal, items, total } = await run<Record<string, unknown>>(lines.join('\n'), { writer, reader, projectAll });
    // The landing page of the site shows what comes.
    const shown = JSON.parse(printed('site/index.md', /```json \[Result\]\n(.*?)```/s)) as object;
    expect({ goal, items, total }).toMatchObject(shown);
    expect(Object.keys(shown)).toEqual(['goal', 'items', 'total']);
  });
});
