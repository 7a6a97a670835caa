import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { failureText } from '../../packages/cli/shared/failure.ts';
import type { Item } from '../../src/core/items/attribute-value.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { edge, node } from '../../src/core/model/schema.ts';
import { printable, printableLines } from '../../src/foundation/printable.ts';
import { ROOT } from '../support/command.ts';
import { CommandProcess } from '../support/command-process.ts';
import { testEndpoint } from '../support/engine.ts';
import { testTable, uniqueTableName } from '../support/table.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** Contents of the table cannot drive the terminal of the operator, and cannot forge a line of what a command prints. */

/** Clears the screen, rings, ends the line, sets a color by a C1 character, turns the direction. */
const EVIL = '\u001b[2J\u0007\r\nmissing USER-forged ~view\u009b31m\u202e\u007f\u2028';
const ESCAPED = String.raw`\u001b[2J\u0007\r\nmissing USER-forged ~view\u009b31m\u202e\u007f\u2028`;

describe('a shown text', () => {
  it('has escapes in place of control characters, and everything else as it is', () => {
    expect(printable(EVIL)).toBe(ESCAPED);
    expect(printable('naïve 😀 "\\" 日本')).toBe('naïve 😀 "\\" 日本');
    expect(printableLines('a\nb\u001b')).toBe('a\nb\\u001b');
    expect(failureText(new Error(`a\n${EVIL}`))).not.toContain('\u001b');
  });
  it('leaves a JSON document what it was', () => {
    expect(JSON.parse(printableLines(JSON.stringify({ [EVIL]: EVIL }, undefined, 1)))).toEqual({ [EVIL]: EVIL });
  });
});

const table = uniqueTableName();
const graph = defineGraph({
  table,
  nodes: { USER: node({ view: 'ALL', search: { name: {} } }) },
  edges: {
    FOLLOWS: edge({
      from: 'USER',
      to: 'USER',
      edgeSet: ['note'],
      inbound: { orders: { gsi0: 'note' }, project: 'ALL' },
    }),
  },
});
const MODEL = `import { defineGraph, edge, node } from 'edgeloom';
export default defineGraph({ table: '${table}',
  nodes: { USER: node({ view: 'ALL', search: { name: {} } }) },
  edges: { FOLLOWS: edge({ from: 'USER', to: 'USER', edgeSet: ['note'], inbound: { orders: { gsi0: 'note' }, project: 'ALL' } }) } });`;

describe('a command', () => {
  const cli = new CommandProcess();
  const folder = temporaryFolder(join(ROOT, '.hostile-'));
  beforeAll(async () => {
    await writeFile(join(folder, 'edgeloom.config.ts'), MODEL);
    const { store, projectAll } = await testTable(graph);
    const put = (source: string, target: string, rest: Item) =>
      store.put({ source: { S: source }, target: { S: target }, ...rest });
    await put('USER-1', 'USER-1', { name: { S: EVIL }, [EVIL]: { S: EVIL }, bag: { M: { [EVIL]: { S: EVIL } } } });
    await put(`USER-${EVIL}`, `USER-${EVIL}`, { name: { N: '1' } });
    await put('USER-1', `FOLLOWS-USER-${EVIL}`, { note: { S: EVIL } });
    await put(`USER-${EVIL}`, 'FOLLOWS-USER-1', { note: { S: EVIL } });
    await projectAll();
    await put(`USER-${EVIL}`, '~ix/odd', { gsi0pk: { S: 'USER.name' }, gsi0sk: { S: EVIL } });
  });
  afterAll(async () => {
    await cli.end();
  });

  it.each([
    ['get', 'USER-1', `USER-${EVIL}`, `USER-no${EVIL}`],
    ['list', 'edges', 'USER-1'],
    ['list', 'inbound', 'USER-1', 'FOLLOWS'],
    ['list', 'page', 'USER-1', 'FOLLOWS'],
    ['search', 'USER.name'],
    ['check', '--grace', '0s'],
    ['redrive'],
    ['get', EVIL],
  ])('%s prints no control character of the contents, in text and in JSON', async (...args) => {
    for (const more of [[], ['--json']]) {
      const config = ['--config', join(folder, 'edgeloom.config.ts'), '--endpoint', testEndpoint()];
      const { stdout, stderr } = await cli.run([...args, ...config, ...more]);
      const printed = stdout + stderr;
      expect(printed).toContain('forged');
      expect(printed).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028-\u202e]/);
      expect(printed.split('\n').filter((line) => line.startsWith('missing USER-forged'))).toEqual([]);
      if (more.length > 0) expect(() => JSON.parse(stdout)).not.toThrow();
    }
  });
});
