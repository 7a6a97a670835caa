import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createGzip, gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Item } from '../../src/core/items/attribute-value.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { node } from '../../src/core/model/schema.ts';
import { MAX_LINE_BYTES } from '../../src/foundation/lines.ts';
import { checkExport } from '../../src/trust/check/export/export.ts';
import type { Finding } from '../../src/trust/check/finding.ts';
import { edgeloom } from '../support/command.ts';
import { writeExport } from '../support/export.ts';

/** Every file of an export is read, or an error names it. */

const graph = defineGraph({ table: 'records', nodes: { USER: node({ view: ['name'] }) } });

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'edgeloom-hostile-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** A node and its view, which is right. */
function projected(id: string): Item[] {
  const name = { S: id };
  return [
    { source: { S: id }, target: { S: id }, name },
    { source: { S: id }, target: { S: '~view' }, attributes: { M: { name } }, r: { N: '1' } },
  ];
}

function checkFolder(onFinding?: (finding: Finding) => void) {
  return checkExport({ graph, folder, onFinding });
}

/** The path of the folder with the data files of an export of four users. */
async function written(): Promise<string> {
  await writeExport(folder, ['USER-1', 'USER-2', 'USER-3', 'USER-4'].flatMap(projected));
  const names = await readdir(folder, { recursive: true });
  return join(folder, names.find((name) => name.endsWith('data'))!);
}

/** Gives one of the files other contents. */
async function refilled(data: string, content: Buffer | string): Promise<void> {
  await writeFile(join(data, 'file1.json.gz'), gzipSync(content));
}

const DAMAGE: readonly [what: string, named: string, damage: (data: string) => Promise<unknown>][] = [
  ['a folder is named like a file', 'x.json.gz', (data) => mkdir(join(data, 'x.json.gz'))],
  ['a link named like a file leads nowhere', 'x.json.gz', (data) => symlink('nowhere', join(data, 'x.json.gz'))],
  ['a link leads to itself', 'x.json.gz', (data) => symlink('x.json.gz', join(data, 'x.json.gz'))],
  ['a link leads back to its folder', 'again', (data) => symlink('..', join(data, 'again'))],
  ['a file is no gzip', 'file1.json.gz', (data) => writeFile(join(data, 'file1.json.gz'), 'plain')],
  [
    'a file is cut within its gzip',
    'file1.json.gz',
    (data) => writeFile(join(data, 'file1.json.gz'), gzipSync('{"Item":{}}\n'.repeat(9)).subarray(0, 25)),
  ],
  ['a file is not in the manifest', 'more.json.gz', (data) => writeFile(join(data, 'more.json.gz'), gzipSync(''))],
  ['the manifest is no JSON', 'Line 1 of', (data) => writeFile(join(data, '..', 'manifest-files.json'), 'nonsense')],
  [
    'the manifest names no counts',
    'Line 1 of',
    (data) => writeFile(join(data, '..', 'manifest-files.json'), '{"dataFileS3Key":"a"}'),
  ],
  [
    'the manifest is a folder',
    'manifest-files.json',
    async (data) => {
      await rm(join(data, '..', 'manifest-files.json'));
      await mkdir(join(data, '..', 'manifest-files.json'));
    },
  ],
  ['a file is gzip within gzip', 'is gzip within gzip', (data) => refilled(data, gzipSync('{"Item":{}}'))],
  ['there are two exports', 'more than one export', (data) => writeFile(join(data, 'manifest-files.json'), '')],
];

describe('check --export', () => {
  it.each(DAMAGE)('says which file it is, where %s', async (_what, named, damage) => {
    await damage(await written());
    const error = await checkFolder().catch((failure: unknown) => failure);
    expect(error).toMatchObject({ code: 'invalid-file', message: expect.stringContaining(named) });
  });

  it('names the attribute whose binary data is not base64', async () => {
    const line = '{"Item":{"source":{"S":"USER-1"},"target":{"S":"USER-1"},"photo":{"B":"A_-8"}}}';
    await writeFile(join(folder, 'x.json.gz'), gzipSync(line));
    await expect(checkFolder()).rejects.toMatchObject({
      code: 'invalid-file',
      message: expect.stringMatching(/in line 1 of .*x.json.gz: attribute "photo" has binary data that is not base64/),
    });
  });

  it.each([
    ['has an unknown type', '{"ZZ":"x"}'],
    ['has no type', '{}'],
    ['is null', 'null'],
    ['is plain JSON', '"x"'],
  ])('names the attribute that %s', async (_what, value) => {
    const line = `{"Item":{"source":{"S":"USER-1"},"target":{"S":"USER-1"},"photo":${value}}}`;
    await writeFile(join(folder, 'x.json.gz'), gzipSync(line));
    await expect(checkFolder()).rejects.toMatchObject({
      code: 'invalid-file',
      message: expect.stringMatching(/in line 1 of .*x.json.gz: attribute "photo" is no attribute value/),
    });
  });

  it('says that a file is none, and that a folder is expected', async () => {
    const file = join(await written(), 'file1.json.gz');
    await expect(checkExport({ graph, folder: file })).rejects.toMatchObject({
      code: 'invalid-file',
      message: expect.stringContaining('is a file'),
    });
  });

  it('of the command ends with 2 and a document for a corrupt file', async () => {
    const data = await written();
    await writeFile(join(data, 'file1.json.gz'), 'plain');
    const { code, stdout } = await edgeloom(['check', '--export', folder, '--json']);
    expect(code).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({
      error: { code: 'invalid-file', message: expect.stringContaining('file1.json.gz') },
    });
  });

  it('reads both of two files with one name, with and without a manifest', async () => {
    const gzip = (id: string) =>
      gzipSync(
        projected(id)
          .map((Item) => `${JSON.stringify({ Item })}\n`)
          .join(''),
      );
    for (const part of ['a', 'b']) {
      await mkdir(join(folder, part));
      await writeFile(join(folder, part, 'same.json.gz'), gzip(`USER-${part}`));
    }
    expect(await checkFolder()).toMatchObject({ partitions: 2, baseItems: 2, derivedItems: 2 });
    const line = (part: string) => JSON.stringify({ itemCount: 2, dataFileS3Key: `exports/${part}/same.json.gz` });
    await writeFile(join(folder, 'manifest-files.json'), `${line('b')}\n${line('a')}\n`);
    expect(await checkFolder()).toMatchObject({ partitions: 2, baseItems: 2, derivedItems: 2 });
    await rename(join(folder, 'b'), join(folder, 'c'));
    await expect(checkFolder()).rejects.toMatchObject({ code: 'invalid-file' });
  });

  it('follows a link to a file', async () => {
    const data = await written();
    await rename(join(data, 'file1.json.gz'), join(folder, 'elsewhere'));
    await symlink(join(folder, 'elsewhere'), join(data, 'file1.json.gz'));
    expect(await checkFolder()).toMatchObject({ partitions: 4 });
  });

  it('keeps nothing of a line of 300 MB in a small file', async () => {
    const gzip = createGzip();
    const file = gzip.pipe(createWriteStream(join(folder, 'bomb.json.gz')));
    const block = Buffer.alloc(2 ** 20, 'x');
    for (let megabytes = 0; megabytes < 300; megabytes++) if (!gzip.write(block)) await once(gzip, 'drain');
    gzip.end('\n');
    await once(file, 'close');
    let most = 0;
    const watch = setInterval(() => {
      most = Math.max(most, process.memoryUsage().arrayBuffers);
    }, 5);
    const before = process.memoryUsage().arrayBuffers;
    await expect(checkFolder()).rejects.toMatchObject({
      message: expect.stringMatching(/8388608 bytes in line 1 of .*bomb/),
    });
    clearInterval(watch);
    expect(most - before).toBeLessThan(10 * MAX_LINE_BYTES);
  });

  it('names what differs in each of 20,000 partitions', async () => {
    const users = Array.from({ length: 20_000 }, (_, i) => `USER-${i}`);
    await writeExport(
      folder,
      users.flatMap((id) => projected(id).slice(0, 1)),
    );
    const findings: string[] = [];
    const result = await checkFolder(({ source, target, verdict }) => findings.push(`${verdict} ${source} ${target}`));
    expect(result).toMatchObject({ partitions: users.length, drift: { missing: users.length, stale: 0, orphan: 0 } });
    expect(findings.sort()).toEqual(users.map((id) => `missing ${id} ~view`).sort());
  });
});
