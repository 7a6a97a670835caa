import type { CompiledModel } from '../../../src/core/model/compiled.ts';
import { VERDICTS } from '../../../src/core/verdicts.ts';
import { EdgeloomError } from '../../../src/foundation/errors.ts';
import { type FailureDocument, failureDocument } from '../../../src/foundation/failure-document.ts';
import { sleep } from '../../../src/foundation/runtime.ts';
import { pause } from '../../../src/stream/concurrency.ts';
import { type CheckOptions, type CheckResult, check } from '../../../src/trust/check/check.ts';
import type { CheckCounts } from '../../../src/trust/check/cursor.ts';
import { KeptFindings } from '../../../src/trust/check/kept-findings.ts';
import { Suspects } from './suspects.ts';

export interface CheckState {
  /** A node's id, or `the table`. */
  scope: string;
  state: 'running' | 'done' | 'stopped' | 'failed';
  isRepair: boolean;
  beganAtMs: number;
  totals: CheckCounts | null;
  /** Null for the check of a node. */
  expectedRcu: number | null;
  notRepaired: string[];
  error?: FailureDocument['error'];
}

const MOST_OF_VERDICT = 50;

const NOT_REPAIRED = 'cannot repair ';

export class CheckJob {
  readonly suspects = new Suspects();
  state: CheckState | undefined;
  private controller = new AbortController();
  private running: Promise<void> = Promise.resolve();

  start(
    expected: Pick<CheckState, 'scope' | 'expectedRcu'>,
    graph: CompiledModel,
    options: CheckOptions,
    onDone: (result: CheckResult) => Promise<void>,
  ): void {
    if (this.state?.state === 'running') {
      throw new EdgeloomError(
        'already-running',
        `A check of ${this.state.scope} is running.`,
        'Stop it or wait until it ends.',
      );
    }
    const isRepair = options.mode === 'repair';
    const run: CheckState = {
      ...expected,
      isRepair,
      beganAtMs: Date.now(),
      state: 'running',
      totals: null,
      notRepaired: [],
    };
    this.state = run;
    this.controller = new AbortController();
    this.running = this.run(run, graph, options, onDone);
  }

  async ended(): Promise<void> {
    await this.running;
  }

  async stop(): Promise<void> {
    this.controller.abort();
    await this.running;
  }

  private async run(
    state: CheckState,
    graph: CompiledModel,
    options: CheckOptions,
    onDone: (result: CheckResult) => Promise<void>,
  ): Promise<void> {
    const { signal } = this.controller;
    const kept = new KeptFindings(MOST_OF_VERDICT);
    const { beganAtMs } = state;
    try {
      const result = await check(graph, {
        ...options,
        wait: (milliseconds) => (signal.aborted ? sleep(milliseconds) : pause(milliseconds, signal)),
        remainingMs: () => (signal.aborted ? 0 : Number.POSITIVE_INFINITY),
        onFinding: (finding) => kept.add(finding),
        onRepair: (line) => {
          if (line.startsWith('cannot ')) state.notRepaired.push(line);
        },
        onProgress: (totals) => {
          state.totals = totals;
        },
      });
      const { cursor, ...totals } = result;
      state.totals = totals;
      this.suspects.note({
        judged: cursor !== undefined ? [] : (options.sources ?? 'all'),
        ...{ beganAtMs, findings: kept.list },
        isRepaired: ({ source, target, verdict }) =>
          state.isRepair &&
          VERDICTS[verdict].isRepaired &&
          !state.notRepaired.some((line) => line.startsWith(`${NOT_REPAIRED}${source} ${target}: `)),
      });
      if (cursor === undefined) await onDone(result);
      state.state = cursor === undefined ? 'done' : 'stopped';
    } catch (error) {
      state.error = failureDocument(error).error;
      state.state = 'failed';
    }
  }
}
