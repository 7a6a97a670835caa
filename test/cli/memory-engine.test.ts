import { afterAll, beforeAll, expect, it } from 'vitest';
import { type DevServer, edgeloom, startDev } from '../support/command.ts';

let dev: DevServer;

beforeAll(async () => {
  dev = await startDev(['--engine', 'memory']);
});
afterAll(async () => {
  expect(await dev.interrupt()).toBe(0);
});

it('dev --engine memory serves the other commands as any engine, and says which one it is', async () => {
  expect(JSON.parse(dev.output().stdout)).toMatchObject({ endpoint: dev.endpoint, engine: 'memory' });
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await edgeloom([...args, '--endpoint', dev.endpoint]);
    expect(code, stderr).toBe(0);
    return stdout;
  };
  await run('import', 'examples/goals/goals.jsonl');
  await run('wait');
  expect(await run('list', 'inbound', 'USER-U1', 'GOALMEMBERSHIP')).toContain('GOAL-G1');
  expect(await run('search', 'USER.name', '--prefix', 'Te')).toContain('USER-U1');
  expect(JSON.parse(await run('status', '--json'))).toMatchObject({ problems: [] });
  expect(JSON.parse(await run('check', '--json'))).toMatchObject({ findings: [], baseItems: 11 });
});
