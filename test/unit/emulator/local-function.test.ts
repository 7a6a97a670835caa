import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  type FunctionOptions,
  type LocalFunction,
  startFunction,
} from '../../../packages/local/emulator/function/local-function.ts';

/** A runtime client of a few lines; what it does is in the event. */
const CLIENT = `
const base = 'http://' + process.env.AWS_LAMBDA_RUNTIME_API + '/2018-06-01/runtime/';
if (process.env.FAILS === 'exit') process.exit(3);
if (process.env.FAILS === 'init') {
  await fetch(base + 'init/error', { method: 'POST', body: '{"errorType":"SyntaxError","errorMessage":"bad"}' });
  process.exit(1);
}
if (process.env.FAILS === 'hang') await new Promise((resolve) => setTimeout(resolve, 60_000));
let served = 0;
for (;;) {
  const next = await fetch(base + 'invocation/next');
  const id = next.headers.get('lambda-runtime-aws-request-id');
  const { does } = await next.json();
  served += 1;
  console.log('serving ' + does);
  if (does === 'exit') process.exit(7);
  if (does === 'abort') process.abort();
  if (does === 'loop') for (;;);
  const [kind, body] = does === 'throw'
    ? ['error', { errorType: 'RangeError', errorMessage: 'thrown' }]
    : ['response', { pid: process.pid, served, name: process.env.AWS_LAMBDA_FUNCTION_NAME, extra: process.env.EXTRA, home: process.env.HOME }];
  await fetch(base + 'invocation/' + id + '/' + kind, { method: 'POST', body: JSON.stringify(body) });
}
`;

let folder: string;
let lambda: LocalFunction | undefined;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'edgeloom-function-'));
  await writeFile(join(folder, 'client.mjs'), CLIENT);
});
afterEach(() => lambda?.stop());
afterAll(() => rm(folder, { recursive: true, force: true }));

async function start(options: Partial<FunctionOptions> = {}): Promise<LocalFunction> {
  lambda = await startFunction({
    command: { file: process.execPath, args: [join(folder, 'client.mjs')] },
    ...options,
  });
  return lambda;
}

/** Invokes the function and gives what it answers. */
function invoke(does: string, requestId = does) {
  return lambda!.invoke({ Records: [], does } as Parameters<LocalFunction['invoke']>[0], requestId);
}

async function served(): Promise<{ pid: number; served: number }> {
  const result = await invoke('answer');
  expect(result.kind).toBe('response');
  return (result as { payload: { pid: number; served: number } }).payload;
}

/** Whether a process runs; one that is dead and not yet collected does not. */
function isAlive(pid: number): boolean {
  const state = spawnSync('ps', ['-o', 'stat=', '-p', `${pid}`])
    .stdout.toString()
    .trim();
  return state !== '' && !state.startsWith('Z');
}

/** A killed process closes its files a moment before the kernel shows it as dead. */
const gone = (pid: number): Promise<void> => expect.poll(() => isAlive(pid), { timeout: 120_000 }).toBe(false);

describe('a function', () => {
  it('is served by one process, one invocation after the other, in its own environment', async () => {
    let output = '';
    await start({ name: 'mine', environment: { EXTRA: 'yes' }, onOutput: (chunk) => (output += chunk.toString()) });
    const results = await Promise.all([invoke('answer', '1'), invoke('answer', '2'), invoke('answer', '3')]);
    const payload = { name: 'mine', extra: 'yes' };
    expect(results).toMatchObject([1, 2, 3].map((served) => ({ kind: 'response', payload: { served, ...payload } })));
    expect(results[0]).not.toHaveProperty('payload.home');
    expect(output).toContain('serving answer');
  });

  it('that throws keeps its process, unless it is to be loaded anew', async () => {
    await start();
    const before = await served();
    expect(await invoke('throw')).toEqual({ kind: 'error', errorType: 'RangeError', errorMessage: 'thrown' });
    expect(await served()).toEqual({ ...before, served: 3 });
    await lambda?.stop();
    await start({ restartsAfterError: true });
    await invoke('throw');
    expect(await served()).toMatchObject({ served: 1 });
  });

  it.each([
    ['exit', 'exit status 7'],
    ['abort', 'signal: aborted'],
  ])('that crashes (%s) fails the invocation, and gets a new process', async (does, reason) => {
    await start();
    const before = await served();
    const result = await invoke(does);
    expect(result).toMatchObject({ kind: 'error', errorType: 'Runtime.ExitError' });
    expect(result).toHaveProperty('errorMessage', expect.stringContaining(reason));
    const after = await served();
    expect(after.served).toBe(1);
    expect(after.pid).not.toBe(before.pid);
  });

  it('that runs out of time is killed, even in an endless loop', async () => {
    let output = '';
    await start({ timeoutMs: 60_000, onOutput: (chunk) => (output += chunk.toString()) });
    const { pid } = await served();
    // Its time is over when the test says so: an answer may take long on a busy machine.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const loop = invoke('loop');
      await expect.poll(() => output).toContain('serving loop');
      vi.advanceTimersByTime(60_000);
      vi.useRealTimers();
      expect(await loop).toMatchObject({
        errorType: 'Sandbox.Timedout',
        errorMessage: expect.stringContaining('Task timed out after 60.00 seconds'),
      });
    } finally {
      vi.useRealTimers();
    }
    await gone(pid);
    expect(await served()).toMatchObject({ served: 1 });
  });

  it('leaves no process behind when it is stopped, and refuses what comes after', async () => {
    await start();
    const { pid } = await served();
    const loop = invoke('loop');
    await lambda!.stop();
    await gone(pid);
    expect(await loop).toMatchObject({ kind: 'error', errorType: 'Runtime.ExitError' });
    expect(await invoke('answer')).toMatchObject({ kind: 'error' });
  });

  it.each([
    ['exit', 'exit status 3'],
    ['init', 'SyntaxError: bad'],
    ['hang', 'longer than 0.50 seconds'],
  ])('that does not come up (%s) is an error that says why', async (FAILS, reason) => {
    const starting = start({ environment: { FAILS }, initTimeoutMs: FAILS === 'hang' ? 500 : 600_000 });
    await expect(starting).rejects.toMatchObject({
      code: 'function-failed',
      message: expect.stringContaining(reason),
    });
  });

  it('whose program is not there is an error, too', async () => {
    await expect(start({ command: { file: join(folder, 'absent') } })).rejects.toMatchObject({
      code: 'function-failed',
    });
    const nowhere = { file: process.execPath, cwd: join(folder, 'absent') };
    await expect(start({ command: nowhere })).rejects.toMatchObject({ code: 'function-failed' });
  });
});
