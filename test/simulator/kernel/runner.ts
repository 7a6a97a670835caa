import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { Exhausted, WalkOptions } from '../exhaustive/walk.ts';
import { plantedModules } from '../planted/modules.ts';
import type { Mutant } from '../planted/mutant.ts';
import { bundledProgram } from '../planted/program.ts';
import type { Request } from './answer.ts';
import type { Kept, SeedFailure, Short } from './pack.ts';
import type { PackName } from './packs.ts';
import type { Message } from './runner-process.ts';
import type { SeedRange, Tally } from './tally.ts';

/** Schedules leave much garbage that is young, and throw errors on purpose, whose stacks are not looked at. */
const LEAN = ['--max-semi-space-size=32', '--stack-trace-limit=4', '--enable-source-maps'];

/** The program that answers, from the repository's root. */
const ANSWER = 'test/simulator/kernel/answer.ts';

/** Asks a program for something; rejects where it can't answer. */
type Ask = (request: Request, onProgress?: (done: number) => void) => Promise<unknown>;

/** A simulator with the production code as it is, or with a bug planted in it. One request at a time. */
export class Runner {
  private constructor(
    private readonly ask: Ask,
    /** Ends what the runner has started. */
    readonly stop: () => Promise<void>,
  ) {}

  /** A simulator in this process. Rejects where the bug cannot be planted. */
  static async load(mutant?: Mutant): Promise<Runner> {
    const { answer } = (await plantedModules.load(ANSWER, mutant)) as typeof import('./answer.ts');
    return new Runner(
      (request, onProgress = () => undefined) => answer(request, onProgress),
      async () => undefined,
    );
  }

  /** A simulator in a process of its own, for long runs in several of them. Rejects where the bug cannot be planted. */
  static async start(mutant?: Mutant): Promise<Runner> {
    const program = await bundledProgram(new URL('runner-process.ts', import.meta.url), mutant);
    const child = fork(program.file, {
      execArgv: LEAN,
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      // Numbers of schedules are larger than JSON's.
      serialization: 'advanced',
    });
    return new Runner(asking(child), async () => {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill();
        await once(child, 'exit');
      }
      await program.remove();
    });
  }

  /** Runs schedules; `onProgress` is told now and then how many are done. */
  async runSeeds(seeds: SeedRange, onProgress?: (done: number) => void): Promise<Tally> {
    return (await this.ask({ seeds }, onProgress)) as Tally;
  }

  /** Runs a kept schedule. */
  async play(pack: PackName, play: Kept): Promise<readonly SeedFailure[]> {
    return (await this.ask({ pack, play })) as readonly SeedFailure[];
  }

  /** Shortens the schedule of a seed that fails. */
  async shorten(pack: PackName, seed: number): Promise<Short> {
    return (await this.ask({ pack, shorten: seed })) as Short;
  }

  /** Plays the schedules of a pack that are written down, or the one of a name; gives what is wrong. */
  async playWritten(pack: PackName, name?: string): Promise<readonly SeedFailure[]> {
    return (await this.ask({ pack, written: name })) as readonly SeedFailure[];
  }

  /** Walks all schedules of a scope; `onProgress` is told now and then how many states it has met. */
  async walkScope(
    scope: string,
    options: Pick<WalkOptions, 'stopsAtWrong'> = {},
    onProgress?: (states: number) => void,
  ): Promise<Exhausted> {
    return (await this.ask({ scope, options }, onProgress)) as Exhausted;
  }
}

/** How a process is asked. Rejects where the process ends. */
function asking(child: ChildProcess): Ask {
  let errorText = '';
  child.stderr?.on('data', (text: Buffer) => {
    errorText += text.toString('utf8');
  });
  return (request, onProgress = () => undefined) =>
    new Promise((resolve, reject) => {
      const onExit = (code: number | null): void => {
        reject(new Error(`The simulator's process ended with ${code}.\n${errorText}`));
      };
      const onMessage = (message: Message): void => {
        if ('done' in message) {
          onProgress(message.done);
          return;
        }
        child.off('exit', onExit);
        child.off('message', onMessage);
        resolve(message.reply);
      };
      child.on('exit', onExit);
      child.on('message', onMessage);
      if (child.exitCode !== null) onExit(child.exitCode);
      else child.send(request);
    });
}
