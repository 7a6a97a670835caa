import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { BARE } from './command.ts';
import { run } from './packed.ts';

/** A step of a page: a file to write, commands to run, or texts that the commands before it have to print. */
type Step =
  | { kind: 'file'; name: string; text: string }
  | { kind: 'commands'; lines: string[] }
  | { kind: 'checkpoint'; texts: string[] };

/**
 * The steps of a page in their order. A block after a line that names a file last and ends with a colon is that file, a block of a shell is
 * commands, and a paragraph `**Checkpoint.**` has, in backticks, what these print.
 */
export function stepsOf(page: string): Step[] {
  const step =
    /`([\w./-]+\.\w+)`[^`\n]*:\n\n```(?!sh\n)\w+\n(.*?)\n```|```sh\n(.*?)\n```|^\*\*Checkpoint\.\*\* (.*?)(?:\n\n|$(?![\s\S]))/gms;
  return [...page.matchAll(step)].map(([, name, text, commands, checkpoint]): Step => {
    if (name !== undefined) return { kind: 'file', name, text: `${text!}\n` };
    if (commands !== undefined) return { kind: 'commands', lines: commands.replaceAll('\\\n', ' ').split('\n') };
    return { kind: 'checkpoint', texts: [...checkpoint!.matchAll(/`([^`]+)`/g)].map(([, found]) => found!) };
  });
}

/** A person who follows a page in a folder, as a shell does: `cd` and `export` hold for the commands behind them. */
export class Follower {
  /** Checkpoints that did not print what the page says: each text, and what was printed. */
  readonly missed: string[] = [];
  /** How many checkpoints there were. */
  checkpoints = 0;
  private readonly servers: ChildProcess[] = [];
  private readonly env: NodeJS.ProcessEnv;
  private folder: string;
  private printed = '';
  private readonly ran: string[] = [];

  /** @param variables of the environment, in addition to those of this process. */
  constructor(folder: string, variables: NodeJS.ProcessEnv = {}) {
    this.folder = folder;
    this.env = { ...process.env, NO_COLOR: '1', ...variables };
  }

  /** What was printed since the last checkpoint. */
  get output(): string {
    return this.printed;
  }

  /** Follows a page to its end; throws where a command fails. */
  async follow(page: string): Promise<void> {
    for (const step of stepsOf(page)) {
      if (step.kind === 'file') await this.write(step.name, step.text);
      else if (step.kind === 'commands') for (const line of step.lines) await this.command(line);
      else this.compare(step.texts);
    }
  }

  /** Ends what runs in the background, as Ctrl-C does. */
  async stop(): Promise<void> {
    for (const server of this.servers) {
      if (server.pid === undefined || server.exitCode !== null || server.signalCode !== null) continue;
      process.kill(-server.pid, 'SIGINT');
      await once(server, 'exit');
    }
  }

  private async write(name: string, text: string): Promise<void> {
    await mkdir(dirname(join(this.folder, name)), { recursive: true });
    await writeFile(join(this.folder, name), text);
  }

  private async command(line: string): Promise<void> {
    this.ran.push(line);
    const [, name, value] = /^export (\w+)=(\S+)/.exec(line) ?? [];
    if (name !== undefined) this.env[name] = value;
    else if (line.startsWith('cd ')) this.folder = join(this.folder, line.slice(3));
    else if (line.endsWith(' &')) this.start(line.slice(0, -2));
    else {
      const { stdout } = await run('bash', [...BARE, '-c', line], {
        ...{ cwd: this.folder, env: this.env, maxBuffer: 64 * 1024 * 1024 },
      });
      this.printed += stdout;
    }
  }

  private start(command: string): void {
    const { folder: cwd, env } = this;
    this.servers.push(
      spawn('bash', [...BARE, '-c', `exec ${command}`], {
        cwd,
        env,
        stdio: ['ignore', 'ignore', 'inherit'],
        detached: true,
      }),
    );
  }

  private compare(texts: readonly string[]): void {
    this.checkpoints += 1;
    // A checkpoint may name a command that it is about.
    const shown = texts.filter((text) => !this.ran.some((line) => `${line} `.startsWith(`npx edgeloom ${text} `)));
    for (const text of shown) if (!this.printed.includes(text)) this.missed.push(`${text}\nis not in\n${this.printed}`);
    this.printed = '';
    this.ran.length = 0;
  }
}
