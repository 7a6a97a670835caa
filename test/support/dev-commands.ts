import { afterAll, beforeAll, expect } from 'vitest';
import { type CommandRun, type DevServer, startDev } from './command.ts';
import { CommandProcess } from './command-process.ts';

/** What a command says with `--json` where it fails. */
interface CommandFailure {
  code: string;
  message: string;
  hint: string;
}

/**
 * An `edgeloom dev` for the tests of a file, which ends with them, and a process for their commands.
 * @param args options of `edgeloom dev`.
 */
export function devCommands(...args: string[]) {
  const cli = new CommandProcess();
  let server: DevServer;
  beforeAll(async () => {
    server = await startDev(args);
  });
  afterAll(async () => {
    await cli.end();
    expect(await server.interrupt()).toBe(0);
  });
  const dev = {
    get endpoint(): string {
      return server.endpoint;
    },
    get table(): string {
      return server.table;
    },
    output: () => server.output(),
  };
  /** Runs a command against the dev server. */
  const run = (...words: string[]): Promise<CommandRun> => cli.run([...words, '--endpoint', server.endpoint]);
  /** Runs a command that is to be refused, with `--json`; gives the error. */
  async function failure(...words: string[]): Promise<CommandFailure> {
    const { code, stdout } = await run(...words, '--json');
    expect(code).toBe(2);
    return (JSON.parse(stdout) as { error: CommandFailure }).error;
  }
  return { cli, dev, run, failure };
}
