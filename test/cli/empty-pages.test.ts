import { afterAll, beforeAll, expect, it } from 'vitest';
import { type DevServer, startDev } from '../support/command.ts';
import { CommandProcess } from '../support/command-process.ts';

const cli = new CommandProcess();
let dev: DevServer;

beforeAll(async () => {
  dev = await startDev();
});

afterAll(async () => {
  await cli.end();
  expect(await dev.interrupt()).toBe(0);
});

it.each([
  [['search', 'USER.name', '--equals', 'nobody'], 'No nodes.\n'],
  [['list', 'inbound', 'USER-none', 'GOALMEMBERSHIP'], 'No edges.\n'],
  [['list', 'edges', 'GOAL-none'], 'No edges.\n'],
  [['list', 'page', 'USER-none', 'GOALMEMBERSHIP'], 'No nodes.\n\n1 DynamoDB call\n'],
])('a page without rows says so, and shows no bare heading: %s', async (words, text) => {
  const { code, stdout } = await cli.run([...words, '--endpoint', dev.endpoint]);
  expect([code, stdout]).toEqual([0, text]);
});
