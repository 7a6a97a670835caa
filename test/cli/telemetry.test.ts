import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type DevServer, edgeloom, MAIN, runNode, startDev } from '../support/command.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const SDK = fileURLToPath(new URL('../support/open-telemetry-sdk.mjs', import.meta.url));

let dev: DevServer;
const folder = temporaryFolder();

beforeAll(async () => {
  dev = await startDev(['--engine', 'memory']);
  const { code } = await edgeloom(['import', 'examples/goals/goals.jsonl', '--endpoint', dev.endpoint]);
  expect(code).toBe(0);
  await edgeloom(['wait', '--endpoint', dev.endpoint]);
});
afterAll(async () => {
  await dev.interrupt();
});

/** Runs a command with an SDK of OpenTelemetry loaded before it. */
async function watched(...args: string[]) {
  const run = await runNode(['--import', SDK, MAIN, ...args, '--endpoint', dev.endpoint]);
  return { ...run, spans: [...run.stderr.matchAll(/^span: (.*)$/gm)].map(([, name]) => name!) };
}

it('a check gives its spans to the SDK that was loaded before it', async () => {
  const { code, spans, stderr } = await watched('check');
  expect(code, stderr).toBe(0);
  expect(spans).toContain(`Scan ${dev.table}`);
  expect(spans.at(-1)).toBe(`check ${dev.table}`);
});

it('a worker gives a span a batch, and logs one line a batch with its counts and times', async () => {
  const checkpoint = join(folder, 'checkpoint.json');
  const { code, spans, stderr } = await watched(
    ...['project', '--until-idle', '--checkpoint', checkpoint, '--log-level', 'info'],
  );
  expect(code, stderr).toBe(0);
  const batches = stderr
    .split('\n')
    .filter((line) => line.includes('Batch projected.'))
    .map((line) => JSON.parse(line) as Record<string, number>);
  expect(batches.length).toBeGreaterThan(0);
  expect(spans.filter((name) => name === `process ${dev.table}`)).toHaveLength(batches.length);
  const sumOf = (name: string): number => batches.reduce((sum, batch) => sum + batch[name]!, 0);
  expect(sumOf('records')).toBe(11);
  expect(sumOf('applied')).toBe(11);
  for (const name of [
    'touches',
    'writes',
    'wcu',
    'rcu',
    'conflicts',
    'quarantined',
    'milliseconds',
    'newestRecordAgeMs',
  ]) {
    expect(batches[0]![name], name).toBeGreaterThanOrEqual(0);
  }
});
