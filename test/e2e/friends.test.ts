import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Finding, NetworkCost } from '../../bench/friends/findings.ts';
import { LAYOUTS } from '../../bench/friends/layouts/index.ts';
import { runNode } from '../support/command.ts';

const PLOTS = ['time', 'capacity'].flatMap((what) =>
  ['add', 'check', 'list', 'remove'].map((kind) => `friends-${what}-${kind}`),
);
const PNG_SIGNATURE = '89504e470d0a1a0a';

interface Document {
  seed: number;
  sizes: number[];
  growth: Finding[];
  constantCapacity: string[];
  costs: NetworkCost[];
  files: string[];
}

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'edgeloom-friends-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** Runs the command that `npm run bench -- friends` runs. */
function experiment(...args: string[]) {
  return runNode(['--import', 'tsx', 'bench/friends/main.ts', ...args]);
}

async function document(...args: string[]): Promise<Document> {
  const { code, stdout, stderr } = await experiment(...args, '--json');
  // Where a machine is slow, lines say how far the experiment is.
  expect([code, stderr.replace(/^[\d,]+ of [\d,]+ .*\/s\n/gm, '')]).toEqual([0, '']);
  return JSON.parse(stdout) as Document;
}

describe('npm run bench -- friends', () => {
  it('measures, fits, draws and writes', async () => {
    const out = join(folder, 'out');
    const first = await document('--n', '10,60', '--operations', '30', '--seed', '5', '--out', out);
    expect(first).toMatchObject({ seed: 5, sizes: [10, 60], constantCapacity: ['row', 'hash'] });
    expect(first.growth.map(({ layout }) => layout)).toEqual(LAYOUTS.flatMap(({ name }) => [name, name, name, name]));
    const grown = first.growth.filter(({ layout, operation }) => layout === 'col' && operation === 'add');
    expect(grown).toMatchObject([{ claim: 'O(1)', capacity: { growth: 'O(n)' }, bytes: { growth: 'O(1)' } }]);
    expect(first.costs.every(({ operations }) => operations > 0 && operations <= 30)).toBe(true);

    expect(await readdir(join(out, 'img'))).toEqual(PLOTS.flatMap((name) => [`${name}.png`, `${name}.svg`]).sort());
    for (const name of PLOTS) {
      const png = await readFile(join(out, 'img', `${name}.png`));
      expect(png.subarray(0, 8).toString('hex')).toBe(PNG_SIGNATURE);
      const svg = await readFile(join(out, 'img', `${name}.svg`), 'utf8');
      for (const text of ['<svg', 'users in the network', ...LAYOUTS.map((layout) => layout.name)]) {
        expect(svg).toContain(text);
      }
    }
    const page = await readFile(join(out, 'friends.md'), 'utf8');
    expect(page).toContain('**Keep O(1): `row` (add, check, remove); `hash` (add, check, remove).**');
    expect(page).toContain('| layout | friends | nothing | writes | writes, then untimed operations |');
    for (const name of PLOTS) expect(page).toContain(`(img/${name}.svg)`);
  });

  it('goes on with one item for each friend where a list in one item ends, at 400 KB', async () => {
    const out = join(folder, 'long');
    const { code, stdout } = await experiment('--longest', '10000', '--operations', '2', '--out', out, '--json');
    expect(code).toBe(0);
    const { stopped, costs } = JSON.parse(stdout) as Document & { stopped: { layout: string; friends: number }[] };
    expect(stopped).toEqual(['default', 'count', 'col'].map((layout) => ({ layout, friends: 10_000 })));
    const longest = costs.filter(({ size }) => size === 10_000);
    expect([...new Set(longest.map(({ layout }) => layout))]).toEqual(['row', 'hash']);
    const row = longest.filter(({ layout }) => layout === 'row');
    expect(row.map(({ operation, rcu, wcu }) => [operation, operation === 'list' ? rcu > 200 : rcu + wcu])).toEqual([
      ['add', 1],
      ['check', 1],
      ['list', true],
      ['remove', 1],
    ]);
    expect(await readdir(out)).toEqual(['img']);
  });

  it('prints a table for people', async () => {
    const { code, stdout } = await experiment('--n', '10', '--operations', '10', '--out', join(folder, 'text'));
    expect(code).toBe(0);
    expect(stdout).toContain('seed 20200701');
    for (const { name } of LAYOUTS) expect(stdout).toMatch(new RegExp(`^${name} +check `, 'm'));
  });

  it('refuses what it cannot do, with exit code 2', async () => {
    const json = await experiment('--n', '1', '--json');
    expect(json.code).toBe(2);
    expect(JSON.parse(json.stdout)).toMatchObject({ error: { code: 'invalid-option', message: '--n cannot be "1".' } });
    const text = await experiment('--wrong');
    expect([text.code, text.stdout]).toEqual([2, '']);
    expect(text.stderr).toMatch(/^error: .*--wrong/);
  });
});
