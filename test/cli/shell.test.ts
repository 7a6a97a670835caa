import { expect, it } from 'vitest';
import { edgeloom, startDev } from '../support/command.ts';

it('the shell awaits calls of reader and writer, and shows an error as its sentence and hint', async () => {
  const dev = await startDev();
  const input = [
    "await writer.putNode('GOAL-H1', { title: 'Shell' })",
    "(await reader.getNode('GOAL-H1')).attributes.title",
    'const several = {',
    '  lines: 40 + 2,',
    '}',
    'several',
    "(await writer.updateNode('GOAL-H1', { add: { points: 3 } })) && (await reader.getNode('GOAL-H1')).attributes.points + 1",
    '[...graph.nodes.keys()].length > 1',
    "await reader.getNode('nobody')",
    '.exit',
    "'too late'",
    '',
  ].join('\n');
  const { code, stdout, stderr } = await edgeloom(['shell', '--endpoint', dev.endpoint], { input });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toContain("'Shell'");
  expect(stdout).toContain('true');
  expect(stdout).toContain('{ lines: 42 }');
  // A number is one that a program computes with.
  expect(stdout).toMatch(/^4$/m);
  expect(stdout).toContain('"nobody" is not a node id.');
  expect(stdout).toContain('hint: A node id is');
  expect(stdout).not.toContain('    at ');
  expect(stdout).not.toContain('too late');
  expect(await dev.interrupt()).toBe(0);
});
