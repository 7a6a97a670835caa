import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { edgeloom, MAIN, ROOT } from '../support/command.ts';
import { devCommands } from '../support/dev-commands.ts';

const { cli, dev, run: runText } = devCommands();

async function run(...args: string[]): Promise<void> {
  const { code, stdout } = await runText(...args, '--json');
  expect(code, stdout).toBe(0);
}

/** Writes, and waits until it is projected: two changes that come together would be one. */
async function write(...args: string[]): Promise<void> {
  await run(...args);
  await run('wait');
}

/** A running `edgeloom watch`, with the lines that it has printed. */
function watch(args: readonly string[], environment: NodeJS.ProcessEnv = {}) {
  const child = spawn(process.execPath, [MAIN, 'watch', ...args, '--endpoint', dev.endpoint], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...environment },
  });
  const closed = once(child, 'close') as Promise<[number | null]>;
  let [output, errors] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString();
  });
  const lines = (): string[] => output.split('\n').slice(0, -1);
  return {
    lines,
    errors: () => errors,
    has: (count: number) => expect.poll(lines, { timeout: 60_000, message: errors }).toHaveLength(count),
    interrupt: async () => {
      child.kill('SIGINT');
      return (await closed)[0];
    },
  };
}

describe('watch', () => {
  it('prints an inbound list and a line for each change, and ends with 0 on Ctrl-C', async () => {
    const edge = (goal: string): string[] => [goal, 'GOALMEMBERSHIP', 'USER-V1'];
    await write('put', ...edge('GOAL-V1'), '{"memberRole":"LEAD"}');
    const watched = watch(['inbound', 'USER-V1', 'GOALMEMBERSHIP', '--limit', '5']);
    await watched.has(2);
    await write('put', ...edge('GOAL-V2'), '{"memberRole":"LEAD"}');
    await watched.has(3);
    await write('put', ...edge('GOAL-V2'), '{"memberRole":"CONTRIBUTOR"}');
    await watched.has(5);
    await write('delete', ...edge('GOAL-V1'));
    await watched.has(6);
    const [title, ...rest] = watched.lines();
    expect(title).toBe('1 row');
    expect(rest.map((line) => line.replace(/\{.*/, '').trim())).toEqual([
      '0 GOAL-V1',
      expect.stringMatching(/^\+ [01] GOAL-V2$/),
      expect.stringMatching(/^- [01] GOAL-V2$/),
      expect.stringMatching(/^\+ [01] GOAL-V2$/),
      expect.stringMatching(/^- [01] GOAL-V1$/),
    ]);
    expect(watched.lines().join('')).not.toContain('\u001b');
    expect(watched.errors()).toBe('Ctrl-C stops\n');
    expect(await watched.interrupt()).toBe(0);
  });

  it('prints events of searches and nodes as lines of JSON', async () => {
    const search = watch(['search', 'USER.name', '--prefix', 'Vi', '--json']);
    const get = watch(['get', 'USER-V2', '--json']);
    await Promise.all([search.has(1), get.has(1)]);
    await write('put', 'USER-V2', '{"name":"Vilma"}');
    await search.has(2);
    await expect.poll(() => get.lines().length).toBeGreaterThan(1);
    await write('put', 'USER-V2', '{"name":"Astrid"}');
    await search.has(3);
    const events = search.lines().map((line) => JSON.parse(line) as { type: string; item?: { id: string } });
    expect(events).toMatchObject([
      { type: 'page', items: [] },
      { type: 'enter', at: 0, item: { id: 'USER-V2', value: 'Vilma' } },
      { type: 'leave', at: 0, item: { id: 'USER-V2' } },
    ]);
    const nodes = get.lines().map((line) => JSON.parse(line) as object);
    expect(nodes[0]).toMatchObject({
      type: 'page',
      items: [null],
      upTo: expect.any(String),
    });
    expect(nodes[1]).toMatchObject({ type: 'change', at: 0, item: { id: 'USER-V2' } });
    expect(await Promise.all([search.interrupt(), get.interrupt()])).toEqual([0, 0]);
  });

  it('shows contents, and never obeys them', async () => {
    await write('put', 'USER-V3', '{"name":"Ctl\\u001b[2J"}');
    const watched = watch(['search', 'USER.name', '--prefix', 'Ctl']);
    await watched.has(2);
    expect(watched.lines()[1]).toContain('0 USER-V3 Ctl\\u001b[2J');
    expect(await watched.interrupt()).toBe(0);
  });

  it('fails with a hint for what the model does not have, and explains itself', async () => {
    const at = ['--endpoint', dev.endpoint];
    const unknown = await edgeloom(['watch', 'inbound', 'USER-V1', 'NONE', ...at]);
    expect(unknown).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/error \(unknown-type\): .*NONE.*\nhint: ./),
    });
    const asJson = await edgeloom(['watch', 'search', 'USER.nothing', '--json', ...at]);
    expect(asJson.code).toBe(2);
    expect(JSON.parse(asJson.stdout)).toMatchObject({ error: { code: 'unknown-name', hint: expect.any(String) } });
    expect(await edgeloom(['watch', 'get', 'nobody', ...at])).toMatchObject({ code: 2 });
    expect(await edgeloom(['watch', 'inbound', 'B-1', 'A', '--cursor', 'x', ...at])).toMatchObject({ code: 2 });
    const noTable = await edgeloom(['watch', 'get', 'USER-1', '--table', 'not-there', ...at]);
    expect(noTable).toMatchObject({ code: 2, stderr: expect.stringContaining('hint: ') });
    const help = await cli.run(['watch', '--help']);
    expect(help).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('edgeloom watch inbound USER-U1 GOALMEMBERSHIP'),
    });
    expect(help.stdout).toContain('two readers for each shard');
    expect((await cli.run(['watch', 'inbound', '--help'])).stdout).toContain('--at-least');
  });
});
