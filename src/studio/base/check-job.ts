import { EdgeloomError } from '../../foundation/errors.ts';
import { type FailureDocument, failureDocument } from '../../foundation/failure-document.ts';
import { sleep } from '../../foundation/runtime.ts';
import { createController, pause } from '../../projecting/stream/concurrency.ts';
import { type CheckOptions, type CheckResult, check } from '../../trust/check/check.ts';
import type { CheckTotals } from '../../trust/check/cursor.ts';
import type { Finding } from '../../trust/check/finding.ts';

/** The subject of a check, in words, and its progress. */
export interface CheckState {
  /** Such as `GOAL-G1`, `1 % of the table`. */
  scope: string;
  state: 'running' | 'done' | 'stopped' | 'failed';
  totals: CheckTotals | null;
  /** Items that the table is said to hold; 0 where that does not tell how far it is. */
  expected: number;
  findings: Finding[];
  /** Repairs, a line each. */
  repairs: string[];
  error?: FailureDocument['error'];
}

/** Findings, and lines of repairs, that are kept. */
const MOST_KEPT = 1_000;

/** The check that runs, or ran last: one at a time. */
export class CheckJob {
  private current: CheckState | undefined;
  private controller = createController();
  private running: Promise<void> = Promise.resolve();

  /** The state of the last check; undefined: there was none. */
  get state(): CheckState | undefined {
    return this.current;
  }

  /** Starts a check. Throws `check-running` where one runs. */
  start(
    { scope, expected }: Pick<CheckState, 'scope' | 'expected'>,
    options: CheckOptions,
    onDone: (result: CheckResult) => Promise<void>,
  ): CheckState {
    if (this.current?.state === 'running') {
      throw new EdgeloomError(
        'check-running',
        `A check of ${this.current.scope} runs.`,
        'Stop it, or wait for its end.',
      );
    }
    const state: CheckState = { scope, expected, state: 'running', totals: null, findings: [], repairs: [] };
    this.current = state;
    this.controller = createController();
    this.running = this.run(state, options, onDone);
    return state;
  }

  /** Stops the check that runs, and waits for its end. */
  async stop(): Promise<void> {
    this.controller.abort();
    await this.running;
  }

  private async run(
    state: CheckState,
    options: CheckOptions,
    onDone: (result: CheckResult) => Promise<void>,
  ): Promise<void> {
    const { signal } = this.controller;
    try {
      const result = await check({
        ...options,
        wait: (milliseconds) => (signal.aborted ? sleep(milliseconds) : pause(milliseconds, signal)),
        remainingMs: () => (signal.aborted ? 0 : Number.POSITIVE_INFINITY),
        onFinding: (finding) => addWithinBound(state.findings, finding),
        onRepair: (line) => addWithinBound(state.repairs, line),
        onProgress: (totals) => {
          state.totals = totals;
        },
      });
      const { cursor, ...totals } = result;
      state.totals = totals;
      if (cursor === undefined) await onDone(result);
      state.state = cursor === undefined ? 'done' : 'stopped';
    } catch (error) {
      state.error = failureDocument(error).error;
      state.state = 'failed';
    }
  }
}

function addWithinBound<T>(list: T[], entry: T): void {
  if (list.length < MOST_KEPT) list.push(entry);
}
