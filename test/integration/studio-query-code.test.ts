import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { type AskedQuery, callOf, type ReaderCall } from '../../packages/studio/base/query.ts';
import { codeOf } from '../../packages/studio/base/query-code.ts';
import { ON_SOURCES, withProject } from '../support/compilers.ts';
import { graph } from '../types/graph.ts';

const TSC = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc');
const MEMBERS = { type: 'GOALMEMBERSHIP', id: 'USER-U1' };
const PARTS = { type: 'PART_OF', id: 'TEAM-T1', partition: 'one' };

/** Questions for a model whose attributes have types. */
const QUESTIONS: Record<string, Partial<AskedQuery>> = {
  list: MEMBERS,
  descending: { ...MEMBERS, order: 'gsi1', reverse: true },
  'one rank': { ...MEMBERS, equals: 'CONTRIBUTOR' },
  'ranks from one on': { ...MEMBERS, order: 'gsi0', atLeast: 'LEAD' },
  'range of dates': { ...MEMBERS, order: 'gsi1', from: '2026-01', to: '2026-07' },
  'beginning of a text': { ...MEMBERS, order: 'byDate', beginsWith: '2026' },
  'range of numbers': { type: 'PINS', id: 'GOAL-G1', order: 'byRank', from: '1', to: '2.5' },
  'number of more digits than a number has': { type: 'PINS', id: 'GOAL-G1', equals: '12345678901234567890' },
  partition: { ...PARTS, from: '5' },
  'one leading value': { ...PARTS, order: 'byStatus', path: ['OPEN'], beginsWith: 'a' },
  'leading values of a rank and a text': { ...PARTS, order: 'byStage', path: ['DONE', 'any'] },
  'filters on more than one line': { ...PARTS, where: ['status=OPEN', 'title="5"', 'weight=2'], from: '1', to: '9' },
  'search for a text': { search: 'GOAL.heading', equals: 'O\'Neil "x" \\ `$y`\n\u2028</script>' },
  'search for a rank': { search: 'GOAL.stage', equals: 'DONE' },
  'search for a number': { search: 'GOAL.points', equals: '5' },
  'search in a range': { search: 'GOAL.points', from: '3', where: ['status=OPEN', 'points=3'], reverse: true },
  'search by a beginning': { search: 'USER.born', beginsWith: '2026-07' },
  'search by a beginning in a partition': { search: 'USER.name', partition: 'UK', beginsWith: 'al' },
  'search by a path': { search: 'GOAL.place', path: ['OPEN', 'any'] },
  'search by a path and the beginning of the next segment': { search: 'GOAL.place', path: ['OPEN'], beginsWith: 'a' },
  'search by a path and a range of the next segment': { search: 'GOAL.place', path: [], from: 'D', to: 'O' },
  'search for all': { search: 'GOAL.place' },
};

const inbound = (options: ReaderCall['options']): ReaderCall => ({ method: 'inbound', ...MEMBERS, options });
const right = codeOf(inbound({ limit: 20 }), {});

/** Texts that ask for what the model or the reader does not have. */
const MISTAKES: Record<string, string> = {
  'order that is not declared': codeOf(inbound({ order: 'byName' }), {}),
  'value without a rank': codeOf(inbound({ equals: 'BOSS' }), {}),
  'limit that is a text': codeOf(inbound({ limit: '20' }), {}),
  'option of the client that there is not': right.replace('createClient()', "createClient({ place: 'x' })"),
  'part of a page that there is not': right.replace('page.items', 'page.rows'),
  'part of a row that there is not': right.replaceAll('source', 'id'),
};

/** What the compiler says of each of the texts that it has something against. */
async function complaints(texts: readonly string[]): Promise<Map<number, string[]>> {
  const files = {
    'tsconfig.json': ON_SOURCES,
    'edgeloom.config.ts': "export { graph as default } from '../../test/types/graph.ts';\n",
    ...Object.fromEntries(texts.map((text, i) => [`question-${i}.ts`, text])),
  };
  return await withProject(files, async (folder) => {
    const ran = promisify(execFile)(process.execPath, [TSC, '-p', folder, '--pretty', 'false'], { cwd: folder });
    const { stdout } = await ran.catch((error: { stdout: string }) => error);
    const said = new Map<number, string[]>();
    for (const line of stdout.split('\n').filter((text) => /^\S/.test(text))) {
      const file = /^question-(\d+)\.ts\(/.exec(line);
      // The compiler said something of another file, or did not run.
      if (file === null) throw new Error(stdout);
      said.set(Number(file[1]), [...(said.get(Number(file[1])) ?? []), line]);
    }
    return said;
  });
}

describe('the code that the playground gives to copy', () => {
  const asked = Object.entries(QUESTIONS).map(([name, question], i): [name: string, text: string] => {
    const call = callOf(graph, { reverse: false, limit: 20, ...question });
    return [name, codeOf(call, [{}, { region: 'eu-west-1' }, { endpoint: 'http://127.0.0.1:8000' }][i % 3]!)];
  });
  const mistaken = Object.entries(MISTAKES);
  let said: Map<string, string[]>;

  // One run of the compiler for all: nearly all of its time goes to the package.
  beforeAll(async () => {
    const all = [...asked, ...mistaken];
    const found = await complaints(all.map(([, text]) => text));
    said = new Map(all.map(([name], i) => [name, found.get(i) ?? []]));
  });

  it('compiles against a model whose attributes have types', () => {
    for (const [name, text] of asked) expect({ name, text, said: said.get(name) }).toEqual({ name, text, said: [] });
  });

  it('does not compile where it asks for what there is not', () => {
    for (const [name] of mistaken)
      expect({ name, complaints: said.get(name)!.length }).toEqual({ name, complaints: 1 });
  });
});
