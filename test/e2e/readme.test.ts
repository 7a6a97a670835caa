import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../packages/local/engine/ports.ts';
import { BARE, ROOT } from '../support/command.ts';
import { packInto, run } from '../support/packed.ts';

/** The README as it is printed, followed in an empty folder; only the port differs. */

const README = readFileSync(join(ROOT, 'README.md'), 'utf8');

/** The code block that comes first after a text. */
function blockAfter(text: string, language: string): string {
  const from = README.indexOf(text);
  const start = README.indexOf(`\`\`\`${language}\n`, from) + language.length + 4;
  if (from < 0 || start < from) throw new Error(`The README has no ${language} block after ${text}`);
  return README.slice(start, README.indexOf('```', start));
}

describe('the README, followed in an empty folder', () => {
  let folder: string;
  let port: number;
  let server: ChildProcess | undefined;

  const commands = (): string[] =>
    blockAfter('Start an engine', 'sh').trim().replaceAll('8000', String(port)).split('\n').slice(1);
  /** The first line of the block sets what all others take from it. */
  const setting = (): string => blockAfter('Start an engine', 'sh').split('\n', 1)[0]!.replace('8000', String(port));
  const sh = async (command: string): Promise<string> => {
    const { AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: _, ...env } = process.env;
    const { stdout, stderr } = await run('bash', [...BARE, '-c', `${setting()}\n${command}`], {
      cwd: folder,
      env: { ...env, NO_COLOR: '1' },
    });
    // The SDK's, that it will need a newer Node one day.
    expect(stderr).not.toContain('NodeVersionSupportWarning');
    return stdout;
  };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'edgeloom-readme-'));
    port = await freePort();
    const tarball = await packInto(folder);
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
    await run('npm', ['install', '--no-audit', '--no-fund', tarball], { cwd: folder });
    await writeFile(join(folder, 'edgeloom.config.ts'), blockAfter('The model is', 'ts'));
    await writeFile(join(folder, 'goals.jsonl'), blockAfter('Some items', 'json'));
    await writeFile(join(folder, 'main.ts'), blockAfter('`main.ts`', 'ts').replaceAll('8000', String(port)));
    const [dev] = commands();
    expect(dev).toMatch(/ &$/);
    server = spawn('bash', [...BARE, '-c', `${setting()}\nexec ${dev!.replace(/ &$/, '')}`], {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'inherit'],
      detached: true,
    });
    // As a pasted block has it: nothing is waited for but by its own commands.
  });

  afterAll(async () => {
    if (server?.pid !== undefined && server.exitCode === null) {
      // As Ctrl-C does: the signal goes to the whole group.
      process.kill(-server.pid, 'SIGINT');
      await once(server, 'exit');
    }
    await rm(folder, { recursive: true, force: true });
  });

  it('imports its items and gets the answers that it promises', async () => {
    const [, started, imported, projected, ...questions] = commands();
    for (const command of [started!, imported!, projected!]) await sh(command);
    const [goal, inbound, search, page, check] = await Promise.all(questions.map(sh));
    expect(goal).toContain('Halve the page load time');
    expect(inbound).toContain('GOAL-G1');
    expect(inbound).toMatch(/memberRole\W+LEAD/);
    expect(search).toContain('USER-U1');
    expect(page).toContain('GOAL-G1');
    expect(check).toContain('drift: 0 missing, 0 stale, 0 orphan');
  });

  it('runs its program, which prints the goal and its edge set', async () => {
    const command = /run with `([^`]+)`/.exec(README)![1]!;
    const printed = await sh(command);
    expect(printed).toContain("title: 'Run a marathon'");
    expect(printed).toContain("{ type: 'GOALMEMBERSHIP', target: 'USER-U1', memberRole: 'LEAD' }");
  });

  it('names commands that there are', async () => {
    const help = await sh('npx edgeloom --help');
    for (const [, command] of README.matchAll(/npx edgeloom ([a-z]+)/g)) expect(help).toContain(command);
  });
});
