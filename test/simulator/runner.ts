import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { Script } from './choices.ts';
import type { KeptEvolution, ShortEvolution } from './evolution/shrink.ts';
import type { Exhausted, WalkOptions } from './exhaustive/walk.ts';
import type { Mutant } from './planted/mutant.ts';
import { bundledProgram, type Program } from './planted/program.ts';
import type { ShrunkReport } from './report.ts';
import type { Reply, Request } from './runner-process.ts';
import type { SeedFailure, SeedRange, Tally } from './tally.ts';

/** Schedules leave much garbage that is young, and throw errors on purpose, whose stacks are not looked at. */
const LEAN = ['--max-semi-space-size=32', '--stack-trace-limit=4', '--enable-source-maps'];

/**
 * A simulator in a process of its own, with the production code as it is or with a bug planted in it.
 * One request at a time. Requests reject where the process ends.
 */
export class Runner {
  private readonly child: ChildProcess;
  private errorText = '';

  private constructor(private readonly program: Program) {
    this.child = fork(program.file, {
      execArgv: LEAN,
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      // Numbers of schedules are larger than JSON's.
      serialization: 'advanced',
    });
    this.child.stderr?.on('data', (text: Buffer) => {
      this.errorText += text.toString('utf8');
    });
  }

  /** Starts the process; rejects where the bug cannot be planted. */
  static async start(mutant?: Mutant): Promise<Runner> {
    return new Runner(await bundledProgram(new URL('runner-process.ts', import.meta.url), mutant));
  }

  /** Runs schedules; `onProgress` is told now and then how many are done. */
  async runSeeds(seeds: SeedRange, onProgress: (done: number) => void = () => undefined): Promise<Tally> {
    const reply = await this.request({ seeds }, onProgress);
    if (!('tally' in reply)) throw new Error('The simulator gave another answer.');
    return reply.tally;
  }

  /** Runs a kept schedule. */
  async runScript(script: Script, world?: SeedRange['world']): Promise<readonly SeedFailure[]> {
    const reply = await this.request({ script, world });
    if (!('failures' in reply)) throw new Error('The simulator gave another answer.');
    return reply.failures;
  }

  /** Runs the schedule of the observer that is written for a bug. */
  async runWritten(bug: string): Promise<readonly SeedFailure[]> {
    const reply = await this.request({ writtenForBug: bug });
    if (!('failures' in reply)) throw new Error('The simulator gave another answer.');
    return reply.failures;
  }

  /** Shortens the schedule of a seed that fails. */
  async shrink(seed: number, world?: SeedRange['world']): Promise<ShrunkReport> {
    const reply = await this.request({ shrink: seed, world });
    if (!('report' in reply)) throw new Error('The simulator gave another answer.');
    return reply.report;
  }

  /** Runs a kept schedule of model changes. */
  async runEvolution(evolution: KeptEvolution): Promise<readonly SeedFailure[]> {
    const reply = await this.request({ evolution });
    if (!('failures' in reply)) throw new Error('The simulator gave another answer.');
    return reply.failures;
  }

  /** Shortens the schedule of model changes of a seed that fails. */
  async shrinkEvolution(seed: number): Promise<ShortEvolution> {
    const reply = await this.request({ shrinkEvolution: seed });
    if (!('short' in reply)) throw new Error('The simulator gave another answer.');
    return reply.short;
  }

  /** Walks all schedules of a scope; `onProgress` is told now and then how many states it has met. */
  async walkScope(
    scope: string,
    options: Pick<WalkOptions, 'stopsAtWrong'> = {},
    onProgress: (states: number) => void = () => undefined,
  ): Promise<Exhausted> {
    const reply = await this.request({ scope, options }, onProgress);
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
    const reply = await this.request(request);
    if (!('differences' in reply)) throw new Error('The simulator gave another answer.');
    return reply.differences;
  }

  /** Ends the process, and waits for its end. */
  async stop(): Promise<void> {
    const { child } = this;
    if (child.exitCode === null && child.signalCode === null) {
      child.kill();
      await once(child, 'exit');
    }
    await this.program.remove();
  }

  private request(request: Request, onProgress: (done: number) => void = () => undefined): Promise<Reply> {
    const { child } = this;
    return new Promise((resolve, reject) => {
      const onExit = (code: number | null): void => {
        reject(new Error(`The simulator's process ended with ${code}.\n${this.errorText}`));
      };
      const onMessage = (reply: Reply): void => {
        if ('done' in reply) {
          onProgress(reply.done);
          return;
        }
        child.off('exit', onExit);
        child.off('message', onMessage);
        resolve(reply);
      };
      child.on('exit', onExit);
      child.on('message', onMessage);
      if (child.exitCode !== null) onExit(child.exitCode);
      else child.send(request);
    });
  }
}
