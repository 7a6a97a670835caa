import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { withTableName } from '../../src/core/model/compile/define-graph.ts';
import * as edgeloom from '../../src/index.ts';
import { ROOT } from '../support/command.ts';
import { testTable, uniqueTableName } from '../support/table.ts';

/** The code of docs/how-to/recipes.md, run from top to bottom in one table. */

// biome-ignore lint/suspicious/noExplicitAny: the code of the page has no types
type Untyped = any;

const [MODEL, ...SECTIONS] = readFileSync(join(ROOT, 'docs/how-to/recipes.md'), 'utf8').split(/^## /m);

const sourcesOf = ({ items }: Untyped): string[] => items.map(({ source }: Untyped) => source);

/** By title: an expression over the recipe's names, and what it is. */
const RESULTS: Readonly<Record<string, readonly [expression: string, shown: (value: Untyped) => unknown, unknown]>> = {
  'Paginate a list': [
    '[first, second]',
    (pages) => pages.map(sourcesOf).map(({ length }: string[]) => length),
    [20, 5],
  ],
  'Count followers': ['[followers, following]', (counts) => counts, [25, 1]],
  'Follow a relation in both directions': [
    '[followed, followers]',
    ([out, into]) => [out.items.map(({ target }: Untyped) => target), sourcesOf(into).length],
    [['USER-1'], 25],
  ],
  'Sort by two attributes': ['drafts', sourcesOf, ['POST-2', 'POST-1']],
  'Show a feed': ['{ items: feed }', sourcesOf, ['POST-5', 'POST-4']],
  'Show a leaderboard': ['leaders', (hits) => hits, [{ id: 'USER-ann', value: 10, attributes: {} }]],
  'Build a tree of comments or folders': [
    'thread',
    ({ items: [{ id, inbound }] }) => [id, inbound.REPLY.map(({ node }: Untyped) => node.attributes)],
    ['COMMENT-1', [{ text: 'Indeed.' }]],
  ],
  'Check who may see an item': [
    '[isAllowed, documents.items.map(({ target }) => target)]',
    (answers) => answers,
    [true, ['DOCUMENT-1']],
  ],
  'Limit the number of edges': [
    '[1, 2, 3, 4, 5, 6].reduce(async (before, i) => [...(await before), await allow("USER-" + i, "DOCUMENT-2")], writer.putNode("DOCUMENT-2", {}).then(() => []))',
    (answers) => answers,
    [true, true, true, true, true, false],
  ],
  'Unique e-mail': ['claim', ({ attributes }) => attributes, { of: 'USER-bea' }],
  'Handle a message once': [
    'await handle({ messageId: 1, userId: "USER-ann", points: 2 }), await handle({ messageId: 1, userId: "USER-ann", points: 2 }), await reader.getNode("USER-ann")',
    ({ attributes }) => attributes.points,
    12,
  ],
  'Soft delete with a trash': [
    'await reader.getNode("POST-1")',
    ({ attributes }) => attributes,
    { title: 'POST-1', day: '2025-01-01' },
  ],
  'Show a user their own write': ['{ items }', (page) => sourcesOf(page).slice(0, 2), ['USER-me', 'USER-24']],
};

async function run(code: string, given: Record<string, unknown>): Promise<Untyped> {
  const lines = `'use strict'; return (async () => { ${code} })();`;
  return await new Function(...Object.keys(given), lines)(...Object.values(given));
}

function blocksOf(section: string): string[] {
  return [...section.matchAll(/```ts\n(.*?)```/gs)].map(([, code]) => code!);
}

it('the recipes run as they are printed', async () => {
  const graph = await run(blocksOf(MODEL!)[0]!.replace('export default', 'return'), { ...edgeloom });
  const { store, projectAll } = await testTable(withTableName(graph, uniqueTableName()));
  const writer: Untyped = edgeloom.createWriter(graph, { store });
  const reader: Untyped = edgeloom.createReader(graph, { store });
  await writer.putNode('USER-ann', { name: 'Ann' });
  for (let i = 0; i < 25; i++)
    await writer.putEdge(`USER-${i}`, 'FOLLOWS', 'USER-ann', {
      since: new Date(Date.UTC(2025, 0, i + 1)).toISOString(),
    });
  await writer.putEdge('USER-ann', 'FOLLOWS', 'USER-1', { since: '2025-06-01' });
  for (const [id, author, status, day] of [
    ['POST-1', 'USER-ann', 'draft', '2025-01-01'],
    ['POST-2', 'USER-ann', 'draft', '2025-01-02'],
    ['POST-3', 'USER-ann', 'open', '2025-01-03'],
    ['POST-4', 'USER-1', 'open', '2025-01-04'],
    ['POST-5', 'USER-1', 'open', '2025-01-05'],
  ]) {
    await writer.putNode(id, { title: id, day });
    await writer.putEdge(id, 'WRITTEN_BY', author, { status, day });
  }
  const given = { ...edgeloom, writer, reader, request: { cookies: {} }, key: 'k'.repeat(32) };
  const withCode = SECTIONS.filter((section) => section.includes('```ts'));
  const titleOf = (section: string): string => section.slice(0, section.indexOf('\n'));
  expect(withCode.map(titleOf)).toEqual(Object.keys(RESULTS));
  for (const section of withCode) {
    const [expression, shown, expected] = RESULTS[titleOf(section)]!;
    const blocks = blocksOf(section);
    for (const block of blocks.slice(0, -1)) {
      await projectAll();
      await run(block, given);
    }
    await projectAll();
    const value = await run(`${blocks.at(-1)!}\nreturn (${expression});`, given);
    expect(shown(value), titleOf(section)).toEqual(expected);
  }
});
