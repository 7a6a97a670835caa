import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sleep } from '../../src/foundation/runtime.ts';
import { type DevServer, edgeloom, ROOT, startDev } from '../support/command.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** The example of docs/how-to/changing-the-model.md, in a folder of its own: each command prints what the page says that it prints. */

const EARLIER = '{ name: { shards: 200 } }';

const folder = temporaryFolder();
let page: string;
let dev: DevServer;

/** A project whose model has such searches; gives its folder. */
async function project(name: string, search: string): Promise<string> {
  const path = join(folder, name);
  await mkdir(join(path, 'node_modules'), { recursive: true });
  await symlink(ROOT, join(path, 'node_modules/edgeloom'));
  await writeFile(join(path, 'package.json'), '{ "type": "module" }');
  const model = `import { defineGraph, node } from 'edgeloom';
export default defineGraph({ table: 'shop', nodes: { ITEM: node({ view: 'ALL', search: ${search} }) }, edges: {} });
`;
  await writeFile(join(path, 'edgeloom.config.ts'), model);
  return path;
}

/** Read units by which two runs may differ. */
const MOST_UNITS_APART = 6;

/** What differs from run to run is left out: seconds, and read units. These count the notes of a consumer, which grow and shrink with time. */
function settled(text: string): string {
  return text
    .replace(/\b(?:about )?\d+(?:\.\d+)? s\b/g, '# s')
    .replace(/\b\d+ RCU, /g, '# RCU, ')
    .replace(/ +/g, ' ')
    .trim();
}

/** The read units that a text tells, in its order. */
function readUnits(text: string): number[] {
  return [...text.matchAll(/\b(\d+) RCU, /g)].map(([, units]) => Number(units));
}

beforeAll(async () => {
  page = await readFile(join(ROOT, 'docs/how-to/changing-the-model.md'), 'utf8');
  const earlier = await project('earlier', EARLIER);
  dev = await startDev(['--data', 'data'], earlier);
  const lines = Array.from({ length: 40 }, (_, i) => {
    const id = `ITEM-${i + 1}`;
    return JSON.stringify({ source: id, target: id, name: `Thing ${i + 1}`, price: i + 1 });
  });
  await writeFile(join(earlier, 'items.jsonl'), lines.join('\n'));
  await edgeloom(['import', 'items.jsonl', '--endpoint', dev.endpoint], { cwd: earlier });
  const count = ['count', 'search', 'ITEM.name', '--endpoint', dev.endpoint];
  while (!/^40\b/.test((await edgeloom(count, { cwd: earlier })).stdout)) await sleep(200);
});
afterAll(async () => {
  await dev.interrupt();
});

describe('the example of a model that changes', () => {
  it('prints what the page says', async () => {
    const search = /`search: (\{ name: \{ shards: 400 \},\s+price: [^`]+ \})`/.exec(page)![1]!;
    const later = await project('later', search);
    const block = /```\n(\$ edgeloom search ITEM\.price[^`]+)```/.exec(page)![1]!;
    const steps = block.split(/^\$ edgeloom /m).slice(1);
    expect(steps).toHaveLength(3);
    for (const step of steps) {
      const [command, ...printed] = step.split('\n');
      const { stdout, stderr } = await edgeloom([...command!.split(' '), '--endpoint', dev.endpoint], { cwd: later });
      // Lines that stay are told beside the result.
      expect(settled(stderr + stdout)).toBe(settled(printed.join('\n')));
      const stated = readUnits(printed.join('\n'));
      for (const [i, units] of readUnits(stderr + stdout).entries())
        expect(Math.abs(units - stated[i]!), `${units} RCU`).toBeLessThanOrEqual(MOST_UNITS_APART);
    }
  });

  it('is told by dev that is started anew on its data, with the model before', async () => {
    expect(await dev.interrupt()).toBe(0);
    dev = await startDev(['--data', 'data'], join(folder, 'earlier'));
    const { stdout, stderr } = dev.output();
    expect(stdout + stderr).toContain('search:ITEM.price');
    const { stdout: found } = await edgeloom(
      ['search', 'ITEM.name', '--equals', 'Thing 7', '--endpoint', dev.endpoint],
      {
        cwd: join(folder, 'earlier'),
      },
    );
    expect(found).toContain('ITEM-7');
  });
});
