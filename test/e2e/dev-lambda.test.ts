import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type DevServer, edgeloom, ROOT, startDev } from '../support/command.ts';

/** How long something may take that happens by itself. */
const LONGEST_MS = 60_000;

let folder: string;
let dev: DevServer | undefined;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'edgeloom-dev-lambda-'));
});
afterEach(async () => {
  const code = await dev?.interrupt();
  dev = undefined;
  expect(code ?? 0).toBe(0);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** A user's handler in a file: the real one, but for what `before` does with the records. */
async function handlerFile(name: string, before: string): Promise<string> {
  const file = join(folder, name);
  await writeFile(
    file,
    `import { streamHandler, type StreamHandler } from 'edgeloom/lambda';
import graph from '${ROOT}/edgeloom.config.ts';
const project = streamHandler(graph);
export const handler: StreamHandler = async (event, context) => {
  ${before}
  return project(event, context);
};
`,
  );
  return file;
}

async function until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + LONGEST_MS; Date.now() < deadline; await delay(100)) if (await isSo()) return;
  throw new Error(`${what} did not come: ${dev?.output().stderr}`);
}

async function nameOf(id: string): Promise<unknown> {
  const { stdout } = await edgeloom(['get', id, '--json', '--endpoint', dev!.endpoint]);
  return (JSON.parse(stdout) as [{ attributes: { name?: string } | null } | null])[0]?.attributes?.name;
}

async function importUser(id: string, name: string): Promise<void> {
  const input = JSON.stringify({ source: `USER-${id}`, target: `USER-${id}`, name });
  expect((await edgeloom(['import', '-', '--endpoint', dev!.endpoint], { input })).code).toBe(0);
}

describe('dev --lambda', () => {
  it("projects with the project's own handler, and tells each invocation on stderr", async () => {
    dev = await startDev(['--lambda']);
    await importUser('U1', 'Terui');
    await until('the view', async () => (await nameOf('USER-U1')) === 'Terui');
    const { stdout, stderr } = dev.output();
    expect(JSON.parse(stdout)).toEqual({
      ...{ endpoint: dev.endpoint, table: 'records', engine: 'dynoxide', managed: true, differs: [] },
    });
    expect(stderr).toMatch(/^invoked: 1 record \(\d+\), \d+ ms: done$/m);
  });

  it('goes on with the batch in hand once a failing handler is corrected', async () => {
    const file = await handlerFile('corrected.ts', "throw new TypeError('not written yet');");
    dev = await startDev(['--lambda', file]);
    await importUser('U2', 'Tanaka');
    await until('the failure', () => dev!.output().stderr.includes('failed: TypeError: not written yet; tried again'));
    // Its stack is there too, to be clicked on.
    expect(dev.output().stderr).toContain('corrected.ts:5');
    await handlerFile('corrected.ts', '');
    await until('the view', async () => (await nameOf('USER-U2')) === 'Tanaka');
  });

  it('keeps what is given up in a file, and says how to settle it', async () => {
    const file = await handlerFile(
      'poisoned.ts',
      "if (JSON.stringify(event).includes('Poison')) throw new Error('no');",
    );
    const data = join(folder, 'data');
    dev = await startDev(['--lambda', file, '--data', data]);
    await importUser('U3', 'Poison');
    await importUser('U4', 'Fine');
    await until('the end of the retries', () => dev!.output().stderr.includes('given up'));
    await until('the other view', async () => (await nameOf('USER-U4')) === 'Fine');
    const { stderr } = dev.output();
    const [, args = ''] = /reconcile them: edgeloom (redrive --from-failure .*)$/m.exec(stderr) ?? [];
    expect(args).toContain(join(data, 'failures'));
    expect(await nameOf('USER-U3')).toBeUndefined();
    expect((await edgeloom(args.split(' '))).code).toBe(0);
    expect(await nameOf('USER-U3')).toBe('Poison');
  });

  it.each([
    ['is not there', 'absent.ts', undefined, 'no-handler'],
    ['does not load', 'broken.ts', 'const = 1;', 'function-failed'],
    ['exports no handler', 'empty.ts', 'export const other = 1;', 'function-failed'],
  ])('ends at once where the handler %s', async (_how, name, text, code) => {
    const file = join(folder, name);
    if (text !== undefined) await writeFile(file, text);
    const run = await edgeloom(['dev', '--json', '--lambda', file]);
    expect(run.code).toBe(2);
    expect(JSON.parse(run.stdout)).toMatchObject({ error: { code, message: expect.stringContaining(name) } });
  });
});
