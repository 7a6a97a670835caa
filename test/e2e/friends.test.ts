import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { LAYOUTS } from '../../bench/friends/layouts/index.ts';
import { OPERATIONS } from '../../bench/friends/layouts/layout.ts';
import { measureFriends } from '../../bench/friends/main.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const PLOTS = ['time', 'capacity'].flatMap((what) => OPERATIONS.map((operation) => `friends-${what}-${operation}`));
const PNG_SIGNATURE = '89504e470d0a1a0a';

const folder = temporaryFolder();

it('the benchmark friends measures, fits, draws and writes', async () => {
  const costs = await measureFriends([10, 60], 30, folder);
  expect(costs.every(({ operations }) => operations > 0 && operations <= 30)).toBe(true);
  expect(new Set(costs.map(({ size }) => size))).toEqual(new Set([10, 60]));

  expect(await readdir(join(folder, 'img'))).toEqual(PLOTS.flatMap((name) => [`${name}.png`, `${name}.svg`]).sort());
  for (const name of PLOTS) {
    const png = await readFile(join(folder, 'img', `${name}.png`));
    expect(png.subarray(0, 8).toString('hex')).toBe(PNG_SIGNATURE);
    const svg = await readFile(join(folder, 'img', `${name}.svg`), 'utf8');
    for (const text of ['<svg', 'users in the network', ...LAYOUTS.map((layout) => layout.name)]) {
      expect(svg).toContain(text);
    }
  }
  const page = await readFile(join(folder, 'friends.md'), 'utf8');
  expect(page).toContain('**Keep O(1): `row` (add, check, remove); `hash` (add, check, remove).**');
  expect(page).toMatch(/\| col \| add \| O\(1\) \|.*\| O\(n\): .*\| O\(1\): /);
  for (const { name } of LAYOUTS) {
    for (const operation of OPERATIONS) expect(page).toContain(`| ${name} | ${operation} |`);
  }
  for (const name of PLOTS) expect(page).toContain(`(img/${name}.svg)`);
});
