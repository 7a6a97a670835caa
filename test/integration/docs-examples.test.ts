import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import graphOfPackage from '../../edgeloom.config.ts';
import * as admin from '../../src/admin.ts';
import { withTableName } from '../../src/core/model/compile/define-graph.ts';
import * as feed from '../../src/feed.ts';
import * as edgeloom from '../../src/index.ts';
import { ROOT } from '../support/command.ts';
import { testTable, uniqueTableName } from '../support/table.ts';

/** The first examples of the pages on writing and reading run as they are printed, with the model of the package. */

/** Runs a page's first block; returns the values of the named variables. */
async function run(page: string, given: Record<string, unknown>, names: readonly string[]): Promise<unknown[]> {
  const [, code] = /```ts\n(.*?)```/s.exec(readFileSync(join(ROOT, 'docs', page), 'utf8'))!;
  const known = { ...edgeloom, ...admin, ...feed, ...given };
  const lines = `'use strict'; return (async () => { ${code}\nreturn [${names.join(', ')}]; })();`;
  return await new Function(...Object.keys(known), lines)(...Object.values(known));
}

describe('the first examples of the pages', () => {
  it('write a goal, and read it, its list and its member', async () => {
    const { graph, client, store, projectAll } = await testTable(withTableName(graphOfPackage, uniqueTableName()));
    const given = edgeloom.createWriter(graph, { store });
    await given.putNode('USER-U1', { name: 'Terui' });
    await given.putNode('GOAL-G1', { title: 'Halve the page load time', status: 'open' });
    await given.putEdge('GOAL-G1', 'GOALMEMBERSHIP', 'USER-U1', { memberRole: 'CONTRIBUTOR' });

    const [writer] = await run('how-to/writing.md', { graph, store }, ['writer']);
    expect(writer).toBeDefined();
    await projectAll();

    const [goal, items, cursor, found] = await run('how-to/reading.md', { graph, client }, [
      ...['goal', 'items', 'cursor', 'found'],
    ]);
    expect(goal).toMatchObject({
      attributes: { title: 'Halve the page load time' },
      edgeSet: [{ type: 'GOALMEMBERSHIP', target: 'USER-U1', memberRole: 'CONTRIBUTOR' }],
    });
    expect(items).toMatchObject([{ source: 'GOAL-G1' }, { source: 'GOAL-G2' }]);
    expect(cursor).toBeUndefined();
    expect(found).toMatchObject({ items: [{ id: 'USER-U1', value: 'Terui' }] });
    const reader = edgeloom.createReader(graph, { store });
    expect(await reader.getViews(['GOAL-G2'])).toMatchObject([
      { attributes: { title: 'Run a marathon', status: 'done' } },
    ]);
  });

  it('write several items or none, as the page on writing prints it', async () => {
    const { graph, store } = await testTable(withTableName(graphOfPackage, uniqueTableName()));
    const [, code] = /^## Write several items, or none\n\n```ts\n(.*?)```/ms.exec(
      readFileSync(join(ROOT, 'docs/how-to/writing.md'), 'utf8'),
    )!;
    const writer = edgeloom.createWriter(graph, { store });
    const reader = edgeloom.createReader(graph, { store });
    const transact = () => new Function('writer', `return (async () => { ${code} })()`)(writer);
    await writer.putNode('USER-U2', { name: 'Li' });
    await expect(transact()).rejects.toMatchObject({ code: 'condition-failed' });
    expect(await reader.has('GOAL-G2', 'GOALMEMBERSHIP', 'USER-U2')).toBe(false);
    await writer.putNode('GOAL-G2', { title: 'Run', status: 'open' });
    await transact();
    expect(await reader.getNode('USER-U2')).toMatchObject({ attributes: { goals: 1 } });
    expect(await reader.has('GOAL-G2', 'GOALMEMBERSHIP', 'USER-U2')).toBe(true);
  });

  it('order by one value downwards and the next upwards', async () => {
    const [, orders] = /^(orders: \{ urgent: .*\})$/m.exec(readFileSync(join(ROOT, 'docs/how-to/lists.md'), 'utf8'))!;
    const code = orders!.replace(': { priority: number }', '');
    const { defineGraph, edge, node, derive } = edgeloom;
    const table = uniqueTableName();
    const lines = `return defineGraph({ table, nodes: { TASK: node(), USER: node() }, edges: { DOES: edge({ from: 'TASK', to: 'USER', inbound: { ${code} } }) } })`;
    const graph = new Function('defineGraph', 'edge', 'node', 'derive', 'table', lines)(
      ...[defineGraph, edge, node, derive, table],
    );
    const { store, projectAll } = await testTable(graph);
    const writer = edgeloom.createWriter(graph, { store });
    const tasks = { a: [1, '2026-01-01'], b: [7, '2026-03-01'], c: [7, '2026-02-01'] } as const;
    for (const [id, [priority, dueDate]] of Object.entries(tasks)) {
      await writer.putEdge(`TASK-${id}`, 'DOES', 'USER-1', { priority, dueDate });
    }
    await projectAll();
    const { items } = await edgeloom.createReader(graph, { store }).inbound('USER-1', 'DOES', { order: 'urgent' });
    expect(items.map(({ source }) => source)).toEqual(['TASK-c', 'TASK-b', 'TASK-a']);
  });

  it('ask each question of the page on search as it is printed', async () => {
    const page = readFileSync(join(ROOT, 'docs/how-to/search.md'), 'utf8');
    const [, model] = /```ts\n(.*?)```/s.exec(page)!;
    const { defineGraph, node } = edgeloom;
    const table = uniqueTableName();
    const lines = `return defineGraph({ table, nodes: { ${model} }, edges: {} })`;
    const graph = new Function('defineGraph', 'node', 'table', lines)(defineGraph, node, table);
    const { store, projectAll } = await testTable(graph);
    const attributes = {
      name: 'Terui',
      born: '2026-07-31',
      points: 3,
      country: 'US',
      state: 'California',
      city: 'San Jose',
    };
    await edgeloom.createWriter(graph, { store }).putNode('USER-1', attributes);
    await projectAll();
    const reader = edgeloom.createReader(graph, { store });
    const calls = [...page.matchAll(/`((?:reader)?\.[^`]*\))`/g)].map(([, call]) => call!);
    const questions = calls.filter((call) => !call.includes('waitForProjection'));
    expect(questions.length).toBeGreaterThan(6);
    for (const question of questions) {
      const searches = { '.between': 'USER.born', '.find': 'USER.location' };
      const [, search] = Object.entries(searches).find(([begin]) => question.startsWith(begin)) ?? ['', 'USER.name'];
      const whole = question.startsWith('.') ? `reader.search('${search}')${question}` : question;
      const answer = await new Function('reader', `return ${whole}`)(reader);
      expect(answer.items?.length ?? answer.count, whole).toBe(1);
    }
  });

  it('list edges in native orders, before anything is projected', async () => {
    const [, code] = /## Native orders\n\n```ts\n(.*?)```/s.exec(
      readFileSync(join(ROOT, 'docs/how-to/lists.md'), 'utf8'),
    )!;
    const [model, ...calls] = code!.trim().split('\n');
    const { defineGraph, edge, node, number } = edgeloom;
    const table = uniqueTableName();
    const lines = `return defineGraph({ table, nodes: { BOOK: node(), READER: node() }, edges: { ${model!.replace('// ', '')} } })`;
    const graph = new Function('defineGraph', 'edge', 'node', 'number', 'table', lines)(
      ...[defineGraph, edge, node, number, table],
    );
    const { store } = await testTable(graph);
    const writer = edgeloom.createWriter(graph, { store });
    await writer.putEdge('BOOK-1', 'LOAN', 'READER-R1', { day: '2026-01-01', fine: 2 });
    await writer.putEdge('BOOK-2', 'LOAN', 'READER-R1', { day: '2026-02-01', fine: 0 });
    const reader = edgeloom.createReader(graph, { store });
    const answers = calls.map((call) => new Function('reader', call.replace('await', 'return'))(reader));
    const pages = (await Promise.all(answers)) as { items: { source: string }[] }[];
    expect(pages.map(({ items }) => items.map(({ source }) => source))).toEqual([['BOOK-2', 'BOOK-1'], ['BOOK-1']]);
  });

  it('list edges by a date downwards, and from a label on', async () => {
    const [, code] = /```ts\n(.*?)```/s.exec(readFileSync(join(ROOT, 'docs/how-to/lists.md'), 'utf8'))!;
    const [model, rest] = code!.split('\n\n') as [string, string];
    const calls = rest.split('\n').filter((line) => line.startsWith('await'));
    const { defineGraph, edge, node, rank, date } = edgeloom;
    const table = uniqueTableName();
    const lines = `return defineGraph({ table, nodes: { GOAL: node(), USER: node() }, edges: { ${model.replaceAll('// ', '')} } })`;
    const graph = new Function('defineGraph', 'edge', 'node', 'rank', 'date', 'table', lines)(
      ...[defineGraph, edge, node, rank, date, table],
    );
    const { store, projectAll } = await testTable(graph);
    const writer = edgeloom.createWriter(graph, { store });
    await writer.putEdge('GOAL-1', 'MEMBER', 'USER-U1', { role: 'LEAD', since: '2026-01-01' });
    await writer.putEdge('GOAL-2', 'MEMBER', 'USER-U1', { role: 'HELPER', since: '2026-02-01' });
    await projectAll();
    const reader = edgeloom.createReader(graph, { store });
    const answers = calls.map((call) => new Function('reader', call.replace('await', 'return'))(reader));
    const pages = (await Promise.all(answers)) as { items: { source: string }[] }[];
    const sources = pages.map(({ items }) => items.map(({ source }) => source));
    expect(sources).toEqual([
      ['GOAL-2', 'GOAL-1'],
      ['GOAL-2', 'GOAL-1'],
    ]);
  });

  it("declare the README's model, and write and read with it", async () => {
    const [model, calls] = [...readFileSync(join(ROOT, 'README.md'), 'utf8').matchAll(/```ts\n(.*?)```/gs)].map(
      ([, code]) => code!,
    );
    const known = { ...edgeloom };
    const declared = `'use strict'; return ${model!.replace('export default ', '')}`;
    const graph = new Function(...Object.keys(known), declared)(...Object.values(known));
    const { store, projectAll } = await testTable(withTableName(graph, uniqueTableName()));
    const given = { writer: edgeloom.createWriter(graph, { store }), reader: edgeloom.createReader(graph, { store }) };
    await given.writer.putNode('GOAL-speed', { title: 'Halve the page load time' });
    const [write, ...reads] = calls!.trim().split('\n');
    const lines = `'use strict'; return (async () => { ${write}\nawait projectAll();\n${reads.join('\n')}\nreturn { goal, items, total }; })();`;
    const { goal, items, total } = await new Function('writer', 'reader', 'projectAll', lines)(
      ...[given.writer, given.reader, projectAll],
    );
    // The landing page of the site shows what comes.
    const [, shown] = /```json \[Result\]\n(.*?)```/s.exec(readFileSync(join(ROOT, 'site/index.md'), 'utf8'))!;
    expect({ goal, items, total }).toMatchObject(JSON.parse(shown!));
    expect(Object.keys(JSON.parse(shown!))).toEqual(['goal', 'items', 'total']);
  });
});
