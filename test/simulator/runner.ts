import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { Reply, Request } from './answer.ts';
import type { Script } from './choices.ts';
import type { KeptEvolution, ShortEvolution } from './evolution/shrink.ts';
import type { Exhausted, WalkOptions } from './exhaustive/walk.ts';
import { plantedModules } from './planted/modules.ts';
import type { Mutant } from './planted/mutant.ts';
import { bundledProgram } from './planted/program.ts';
import type { ShrunkReport } from './report.ts';
import type { Message } from './runner-process.ts';
import type { SeedFailure, SeedRange, Tally } from './tally.ts';

/** Schedules leave much garbage that is young, and throw errors on purpose, whose stacks are not looked at. */
const LEAN = ['--max-semi-space-size=32', '--stack-trace-limit=4', '--enable-source-maps'];

/** The program that answers, from the repository's root. */
const ANSWER = 'test/simulator/answer.ts';

/** Asks a program for something; rejects where it can't answer. */
type Ask = (request: Request, onProgress?: (done: number) => void) => Promise<Reply>;

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
  async runSeeds(seeds: SeedRange, onProgress: (done: number) => void = () => undefined): Promise<Tally> {
    const reply = await this.ask({ seeds }, onProgress);
    if (!('tally' in reply)) throw new Error('The simulator gave another answer.');
    return reply.tally;
  }

  /** Runs a kept schedule. */
  async runScript(script: Script, world?: SeedRange['world']): Promise<readonly SeedFailure[]> {
    const reply = await this.ask({ script, world });
    if (!('failures' in reply)) throw new Error('The simulator gave another answer.');
    return reply.failures;
  }

  /** Runs the schedule of the observer that is written for a bug. */
  async runWritten(bug: string): Promise<readonly SeedFailure[]> {
    const reply = await this.ask({ writtenForBug: bug });
    if (!('failures' in reply)) throw new Error('The simulator gave another answer.');
    return reply.failures;
  }

  /** Shortens the schedule of a seed that fails. */
  async shrink(seed: number, world?: SeedRange['world']): Promise<ShrunkReport> {
    const reply = await this.ask({ shrink: seed, world });
    if (!('report' in reply)) throw new Error('The simulator gave another answer.');
    return reply.report;
  }

  /** Runs a kept schedule of model changes. */
  async runEvolution(evolution: KeptEvolution): Promise<readonly SeedFailure[]> {
    const reply = await this.ask({ evolution });
    if (!('failures' in reply)) throw new Error('The simulator gave another answer.');
    return reply.failures;
  }

  /** Shortens the schedule of model changes of a seed that fails. */
  async shrinkEvolution(seed: number): Promise<ShortEvolution> {
    const reply = await this.ask({ shrinkEvolution: seed });
    if (!('short' in reply)) throw new Error('The simulator gave another answer.');
    return reply.short;
  }

  /** Walks all schedules of a scope; `onProgress` is told now and then how many states it has met. */
  async walkScope(
    scope: string,
    options: Pick<WalkOptions, 'stopsAtWrong'> = {},
    onProgress: (states: number) => void = () => undefined,
  ): Promise<Exhausted> {
    const reply = await this.ask({ scope, options }, onProgress);
    if (!('exhausted' in reply)) throw new Error('The simulator gave another answer.');
    return reply.exhausted;
  }

  /** Interrupts the local worker; gives what its successor has not made right. */
  interruptWorker(): Promise<string[]> {
    return this.differences('interrupted-worker');
  }

  /** Runs the schedules that are written down; gives what is wrong in the end. */
  runDirected(): Promise<string[]> {
    return this.differences('directed');
  }

  /** Runs the schedules of model changes that are written down; gives the answers that are wrong. */
  runDirectedEvolutions(): Promise<string[]> {
    return this.differences('directed-evolutions');
  }

  private async differences(request: 'interrupted-worker' | 'directed' | 'directed-evolutions'): Promise<string[]> {
    const reply = await this.ask(request);
    if (!('differences' in reply)) throw new Error('The simulator gave another answer.');
    return reply.differences;
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
