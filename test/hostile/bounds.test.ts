import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writeReport } from '../../packages/cli/commands/trust/report-file.ts';
import { decodeCursor, encodeCursor, MAX_CURSOR_CHARACTERS } from '../../src/client/read/request/cursor.ts';
import { importFile, MAX_LISTED_LINES } from '../../src/client/write/import.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { node } from '../../src/core/model/schema.ts';
import { linesOf, MAX_LINE_BYTES } from '../../src/foundation/lines.ts';
import { testTable, uniqueTableName } from '../support/table.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'edgeloom-hostile-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Chunks of a file, cut anywhere. */
async function* chunksOf(text: string, size: number): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text);
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}

async function linesIn(text: string, size: number, maxBytes: number): Promise<(string | undefined)[]> {
  const lines: (string | undefined)[] = [];
  for await (const { number, bytes } of linesOf(chunksOf(text, size), maxBytes)) {
    // Blank ones are counted, and only the last one is given.
    while (lines.length < number - 1) lines.push('');
    lines.push(bytes?.toString());
  }
  return lines;
}

describe('a line of a file', () => {
  it.each([1, 2, 3, 7, 100])('has a bounded length, and those beside it are whole, in chunks of %i', async (size) => {
    expect(await linesIn('abc\nabcd\n\nabcdefgh\nab', size, 4)).toEqual(['abc', 'abcd', '', undefined, 'ab']);
    expect(await linesIn('abcdefgh', size, 4)).toEqual([undefined]);
    expect(await linesIn('', size, 4)).toEqual([]);
    expect(await linesIn('\n', size, 4)).toEqual(['']);
    expect(await linesIn('ab\n\n  \n', size, 4)).toEqual(['ab', '', '']);
    expect(await linesIn('ab\n\n     ', size, 4)).toEqual(['ab', '', '']);
    expect(await linesIn('ab\n\n\n', size, 4)).toEqual(['ab', '', '']);
    expect(await linesIn('a\n \t\r\n\n\nb\n', size, 4)).toEqual(['a', '', '', '', 'b']);
  });

  it('is given only where it is not blank: millions of blank ones take no time', async () => {
    const chunk = Buffer.alloc(64 * 1024, '\n');
    async function* blanks(): AsyncGenerator<Buffer> {
      for (let i = 0; i < 128; i++) yield chunk;
      yield Buffer.from('last');
    }
    const { user: before } = process.cpuUsage();
    const found: number[] = [];
    for await (const { number } of linesOf(blanks())) found.push(number);
    expect(found).toEqual([8 * 1024 * 1024 + 1]);
    // About 0.3 s; a line given takes ten times as long as one that is counted.
    expect(process.cpuUsage().user - before).toBeLessThan(2_000_000);
  });
});

describe('import', () => {
  it('tells of a line that is too long and lists a bounded number of bad lines, each on one line', async () => {
    const graph = defineGraph({ table: uniqueTableName(), nodes: { USER: node({ view: 'ALL' }) } });
    const { store } = await testTable(graph);
    const file = join(folder, 'items.jsonl');
    const bad = Array.from({ length: 2 * MAX_LISTED_LINES }, () => '{"source":"a\\nline 7: forged","target":"b"}');
    await writeFile(file, ['{"source":"USER-1","target":"USER-1"}', 'x'.repeat(MAX_LINE_BYTES + 1), ...bad].join('\n'));
    const error = await importFile(graph, { store, file }).catch((failure: Error) => failure);
    const { message } = error as Error;
    expect(error).toMatchObject({ code: 'invalid-lines' });
    expect(message).toContain('line 2: has more than 8388608 bytes');
    expect(message).toContain(`${2 * MAX_LISTED_LINES + 1} lines are bad`);
    expect(message).toContain(`... and ${MAX_LISTED_LINES + 1} more`);
    expect(message.split('\n')).toHaveLength(1 + MAX_LISTED_LINES + 1);
    expect(await importFile(graph, { store, file, skipBad: true })).toMatchObject({
      items: 1,
      skipped: 2 * MAX_LISTED_LINES + 1,
    });
  });
});

describe('a cursor', () => {
  const binding = { query: ['q'], meaning: 'm' };
  it('of the longest sort key is taken back', () => {
    for (const key of ['x'.repeat(1024), '😀'.repeat(256)]) {
      const cursor = encodeCursor(key, binding);
      expect(cursor.length).toBeLessThanOrEqual(MAX_CURSOR_CHARACTERS);
      expect(decodeCursor(cursor, binding)).toBe(key);
    }
  });
  it('that is longer is refused before it is decoded', () => {
    const from = Buffer.from;
    let longest = 0;
    Buffer.from = ((value: string, ...rest: [BufferEncoding]) => {
      longest = Math.max(longest, value.length);
      return from(value, ...rest);
    }) as typeof Buffer.from;
    try {
      expect(() => decodeCursor('A'.repeat(10_000_000), binding)).toThrow('The cursor was altered');
      const long = encodeCursor('x'.repeat(MAX_CURSOR_CHARACTERS), binding);
      expect(() => decodeCursor(long, binding)).toThrow('The cursor was altered');
    } finally {
      Buffer.from = from;
    }
    expect(longest).toBeLessThan(10_000);
  });
});

describe('--report', () => {
  const report = (file: string) =>
    writeReport({ kind: 'json', file }, { a: 1 }, [], { isUnexplained: false, isStrict: false, isStopped: false });
  it('writes a new file, and over a regular one', async () => {
    const file = join(folder, 'report.json');
    await writeFile(file, 'x'.repeat(100));
    await report(file);
    await report(join(folder, 'new.json'));
    expect(await readFile(file, 'utf8')).toBe('{"a":1}\n');
    expect(await readFile(join(folder, 'new.json'), 'utf8')).toBe('{"a":1}\n');
  });
  it('follows no link, and writes to nothing but a file', async () => {
    const precious = join(folder, 'precious');
    await writeFile(precious, 'kept');
    await symlink(precious, join(folder, 'link'));
    for (const file of [join(folder, 'link'), folder, '/dev/null']) {
      await expect(report(file)).rejects.toMatchObject({
        code: 'file-failed',
        message: expect.stringContaining(file),
      });
    }
    expect(await readFile(precious, 'utf8')).toBe('kept');
  });
});
