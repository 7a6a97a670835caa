import { execFile } from 'node:child_process';
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { QueryAnswer } from '../../packages/studio/api/query.ts';
import type { CompiledModel } from '../../src/core/model/compiled.ts';
import { makeProject } from '../../src/deployment/stack/project/project.ts';
import { ROOT } from '../support/command.ts';
import { HAS_BROWSER } from '../support/studio/browser.ts';
import { studioClient } from '../support/studio/client.ts';
import { expectAccessible, expectToFitScreens } from '../support/studio/screens.ts';
import { openStudioOf } from '../support/studio/table.ts';
import { visitsTo } from '../support/studio/visits.ts';
import { uniqueTableName } from '../support/table.ts';

const run = promisify(execFile);

/** A model file with each kind of order and search. */
const modelFile = (table: string): string => `
import { defineGraph, edge, source, node, rank, number } from 'edgeloom';

export default defineGraph({
  table: '${table}',
  nodes: {
    BOARD: node({ view: ['name'] }),
    CARD: node({
      view: ['title', 'state'],
      search: {
        points: { type: 'number', shards: 2 },
        place: { partition: 'country', path: ['region', 'city'], shards: 1 },
      },
    }),
    USER: node({ view: ['name'], list: true, search: { name: { caseInsensitive: true, shards: 2 } } }),
  },
  edges: {
    ON_BOARD: edge({
      from: 'CARD',
      to: 'BOARD',
      inbound: {
        orders: {
          gsi0: 'place',
          byHours: number('hours'),
          byState: source('state'),
          byKind: ['kind', 'place'],
        },
        project: ['kind', 'urgent'],
      },
    }),
    DOES: edge({ from: 'CARD', to: 'USER', edgeSet: ['part'], inbound: { orders: { gsi0: rank('part', { lead: 500, help: 400 }) } } }),
  },
});
`;

const NAME = 'O\'Neil "x" \\ `$y`\n\u2028</script>';

/** The parameters of questions, each with the rows that it has. One that names no list is of the board's cards. */
const QUESTIONS: [name: string, parameters: string, ids: string[]][] = [
  ['a list', '', ['CARD-1', 'CARD-2', 'CARD-3']],
  ['a descending list', 'reverse=true&limit=2', ['CARD-3', 'CARD-2']],
  ['a range of numbers', 'order=byHours&from=2&to=4', ['CARD-1', 'CARD-2']],
  ['an attribute of the source', 'order=byState&equals=done', ['CARD-3']],
  ['leading values', 'order=byKind&path=work&beginsWith=1', ['CARD-1']],
  ['filters by a text and a boolean', 'where=kind%3Dwork&where=urgent%3Dtrue', ['CARD-3']],
  ['a rank', 'type=DOES&id=USER-A&atLeast=lead', ['CARD-1']],
  ['the beginning of a text', 'search=USER.name&beginsWith=al', ['USER-A']],
  ['a number of a search', 'search=CARD.points&from=3', ['CARD-2', 'CARD-3']],
  ['a path in a partition', 'search=CARD.place&partition=UK&path=London', ['CARD-1']],
  ['all nodes of a type', 'nodes=USER&limit=5', ['USER-A', 'USER-O']],
  ['every sign that ends a text', `search=USER.name&equals=${encodeURIComponent(NAME)}`, ['USER-O']],
];

function addressOf(parameters: string): string {
  return /^(search|type|nodes)=/.test(parameters) ? parameters : `type=ON_BOARD&id=BOARD-B&${parameters}`;
}

const folder = join(ROOT, '.cache', `studio-query-${process.pid}`);
let opened: Awaited<ReturnType<typeof openStudioOf<CompiledModel>>>;
let client: ReturnType<typeof studioClient>;

beforeAll(async () => {
  await makeProject(folder, { deploy: 'serverless', packageFolder: ROOT });
  await mkdir(join(folder, 'node_modules'));
  await symlink(ROOT, join(folder, 'node_modules/edgeloom'));
  const model = join(folder, 'edgeloom.config.ts');
  await writeFile(model, modelFile(uniqueTableName()));
  const { default: graph } = (await import(pathToFileURL(model).href)) as { default: CompiledModel };
  opened = await openStudioOf<CompiledModel>(graph);
  client = studioClient(opened.studio.url);
  const { writer, worker } = opened;
  await writer.batch((batch) => {
    batch.putNode('BOARD-B', { name: 'Spring' });
    batch.putNode('USER-A', { name: 'Alma' });
    batch.putNode('USER-O', { name: NAME });
    batch.putNode('CARD-1', { title: 'Dig', state: 'open', points: 2, country: 'UK', region: 'London', city: 'Ham' });
    batch.putNode('CARD-2', { title: 'Plant', state: 'open', points: 3, country: 'UK', region: 'Kent', city: 'Deal' });
    batch.putNode('CARD-3', { title: 'Rest', state: 'done', points: 10 });
    batch.putEdge('CARD-1', 'ON_BOARD', 'BOARD-B', { place: '1', hours: 2.5, kind: 'work', urgent: false });
    batch.putEdge('CARD-2', 'ON_BOARD', 'BOARD-B', { place: '2', hours: 4, kind: 'fun', urgent: true });
    batch.putEdge('CARD-3', 'ON_BOARD', 'BOARD-B', { place: '3', hours: 12, kind: 'work', urgent: true });
    batch.putEdge('CARD-1', 'DOES', 'USER-A', { part: 'lead' });
    batch.putEdge('CARD-2', 'DOES', 'USER-A', { part: 'help' });
  });
  await worker.idle();
});

afterAll(async () => {
  await opened?.close();
  await rm(folder, { recursive: true, force: true });
});

async function ask(parameters: string): Promise<QueryAnswer> {
  const { answer, error } = await client.get(`/api/query?${addressOf(parameters)}`);
  expect(error).toBeUndefined();
  return answer;
}

describe('the playground of the studio', () => {
  it('has the rows, the plan and the cost of each question', async () => {
    for (const [name, parameters, ids] of QUESTIONS) {
      const { rows, plan } = await ask(parameters);
      expect({ name, ids: rows.map(({ id }) => id) }).toEqual({ name, ids });
      expect(plan.rcu).toBeGreaterThan(0);
      expect(plan.calls).toBeGreaterThan(0);
      expect(plan.steps.length).toBeGreaterThan(0);
    }
  });

  it('goes on with the next page', async () => {
    const first = await ask('limit=2');
    const second = await ask(`limit=2&cursor=${encodeURIComponent(first.cursor!)}`);
    expect(second.rows.map(({ id }) => id)).toEqual(['CARD-3']);
    expect(second.cursor).toBeUndefined();
  });

  it('says what a question lacks, and what the model does not have', async () => {
    const codeOf = async (query: string): Promise<string | undefined> =>
      (await client.get(`/api/query?${query}`)).error?.code;
    const messageOf = async (query: string): Promise<string | undefined> =>
      (await client.get(`/api/query?${query}`)).error?.message;
    expect(await messageOf('')).toContain('names neither a list');
    expect(await codeOf('type=NONE&id=BOARD-B')).toBe('unknown-type');
    expect(await messageOf('type=ON_BOARD&id=BOARD-B&where=state')).toContain('The filter state');
    expect(await codeOf('type=ON_BOARD&id=BOARD-B&where=other=1')).toBe('not-declared');
    expect(await codeOf('type=ON_BOARD&id=BOARD-B&order=byHours&from=x')).toBe('invalid-argument');
    expect(await codeOf('search=USER.none')).toBe('unknown-name');
    expect(await codeOf('nodes=CARD')).toBe('not-declared');
    expect(await messageOf('nodes=USER&where=name=Alma')).toContain('no option');
  });

  it('prints TypeScript that compiles and runs as it is in a project of edgeloom init, and has the same rows', async () => {
    // The program and the test of the project are about the model that it was made with.
    const settings = { extends: './tsconfig.json', include: ['question-*.ts'] };
    await writeFile(join(folder, 'tsconfig.questions.json'), JSON.stringify(settings));
    for (const [i, [, parameters]] of QUESTIONS.entries()) {
      await writeFile(join(folder, `question-${i}.ts`), (await ask(parameters)).code);
    }
    await run('npx', ['tsc', '-p', join(folder, 'tsconfig.questions.json')], { cwd: ROOT });
    const all = QUESTIONS.map((_, i) => `console.log('## ${i}');\nawait import('./question-${i}.ts');\n`);
    await writeFile(join(folder, 'all.ts'), all.join(''));
    // As the project's own scripts do.
    const { stdout } = await run(join(ROOT, 'node_modules/.bin/jiti'), ['all.ts'], { cwd: folder });
    const printed = stdout.split(/^## \d+$/m).slice(1);
    const idsOf = (text: string): string[] => [...text.matchAll(/^([A-Z]+-\w+) /gm)].map(([, id]) => id!);
    expect(printed.map(idsOf)).toEqual(QUESTIONS.map(([, , ids]) => ids));
  });
});

describe.skipIf(!HAS_BROWSER)('the playground in a browser', () => {
  const at = visitsTo(async () => ({ studio: opened.studio, close: async () => undefined }));

  it('asks by its form, and shows rows, cost, code and plan', async () => {
    const { page } = at.seen;
    await at.seen.goTo('/query');
    await page.getByLabel('List or search').selectOption('ON_BOARD');
    await page.getByLabel('Node (BOARD)').fill('BOARD-B');
    await page.getByRole('combobox', { name: 'Order' }).selectOption('byHours');
    await page.getByLabel('hours from').fill('2');
    expect(await page.getByLabel(/^Filters/).getAttribute('placeholder')).toBe('kind=…');
    await page.getByLabel(/^Filters/).fill('kind=work');
    await page.getByLabel('descending').check();
    await page.getByRole('button', { name: 'Run' }).click();
    const rows = page.getByRole('region', { name: 'Rows' }).locator('tbody tr');
    await expect.poll(() => rows.count()).toBe(2);
    expect(await rows.first().innerText()).toContain('CARD-3');
    const cost = page.locator('summary', { hasText: 'DynamoDB call' });
    expect(await cost.innerText()).toMatch(/^\d+(\.\d+)? RCU, 1 DynamoDB call, 1 partition$/);
    const code = await page.locator('main pre').innerText();
    // A longer call is wrapped: its words stay.
    const options = "order: 'byHours', between: [ 2, null ], where: { kind: 'work' }, reverse: true, limit: 50";
    expect(code.replace(/\s+/g, ' ')).toContain(options);
    await cost.click();
    await page.getByText('Query of gsi0').waitFor();
    // The address holds the question, and the form shows it again.
    await page.reload();
    await expect.poll(() => rows.count()).toBe(2);
    expect(await page.getByLabel(/^Filters/).inputValue()).toBe('kind=work');
    expect(await page.getByRole('combobox', { name: 'Order' }).inputValue()).toBe('byHours');
    await expectToFitScreens(page);
    await expectAccessible(page);
  });
});
