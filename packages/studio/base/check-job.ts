import type { CompiledModel } from '../../../src/core/model/compiled.ts';
import { VERDICTS } from '../../../src/core/verdicts.ts';
import { EdgeloomError } from '../../../src/foundation/errors.ts';
import { type FailureDocument, failureDocument } from '../../../src/foundation/failure-document.ts';
import { sleep } from '../../../src/foundation/runtime.ts';
import { createController, pause } from '../../../src/stream/concurrency.ts';
import { type CheckOptions, type CheckResult, check } from '../../../src/trust/check/check.ts';
import type { CheckCounts } from '../../../src/trust/check/cursor.ts';
import type { Finding } from '../../../src/trust/check/finding.ts';
import { KeptFindings } from '../../../src/trust/check/kept-findings.ts';
import { Suspects } from './suspects.ts';

/** The subject of a check, in words, and its progress. */
export interface CheckState {
  /** Such as `GOAL-G1`, `1 % of the table`. */
  scope: string;
  state: 'running' | 'done' | 'stopped' | 'failed';
  /** True if it repairs the drift that it finds. */
  isRepair: boolean;
  totals: CheckCounts | null;
  /** Items that the table is said to hold; 0 where that does not tell how far it is. */
  expected: number;
  /** Read units that were expected before it began; null for a node. */
  expectedRcu: number | null;
  /** Worst verdict first; of each type outside the model one item. */
  findings: Finding[];
  /** The number of findings that are not listed, by verdict. */
  leftOut: KeptFindings['leftOut'];
  /** Repairs, a line each. */
  repairs: string[];
  error?: FailureDocument['error'];
}

/** Findings of each verdict that are kept, and lines of repairs. */
const [MOST_OF_VERDICT, MOST_REPAIRS] = [50, 1_000];

/** The beginning of a repair's line about an item that it cannot repair. */
const NOT_REPAIRED = 'cannot repair ';

type Run = Omit<CheckState, 'findings' | 'leftOut'>;

/** The check that runs, or ran last: one at a time. */
export class CheckJob {
  /** The items that the checks so far have found wrong. */
  readonly suspects = new Suspects();
  private current: Run | undefined;
  private kept = new KeptFindings(MOST_OF_VERDICT);
  private controller = createController();
  private running: Promise<void> = Promise.resolve();

  /** The state of the last check; undefined: there was none. */
  get state(): CheckState | undefined {
    if (this.current === undefined) return undefined;
    const { list: findings, leftOut } = this.kept;
    return { ...this.current, findings, leftOut };
  }

  /** Starts a check. Throws `check-running` where one runs. */
  start(
    expected: Pick<CheckState, 'scope' | 'expected' | 'expectedRcu'>,
    graph: CompiledModel,
    options: CheckOptions,
    onDone: (result: CheckResult) => Promise<void>,
  ): void {
    if (this.current?.state === 'running') {
      throw new EdgeloomError(
        'check-running',
        `A check of ${this.current.scope} is running.`,
        'Stop it or wait until it ends.',
      );
    }
    const isRepair = options.mode === 'repair';
    const run: Run = { ...expected, isRepair, state: 'running', totals: null, repairs: [] };
    this.current = run;
    this.kept = new KeptFindings(MOST_OF_VERDICT);
    this.controller = createController();
    this.running = this.run(run, graph, options, onDone);
  }

  /** Stops the check that runs, and waits for its end. */
  async stop(): Promise<void> {
    this.controller.abort();
    await this.running;
  }

  private async run(
    state: Run,
    graph: CompiledModel,
    options: CheckOptions,
    onDone: (result: CheckResult) => Promise<void>,
  ): Promise<void> {
    const { signal } = this.controller;
    const { kept } = this;
    const beganAtMs = Date.now();
    const left: string[] = [];
    try {
      const result = await check(graph, {
        ...options,
        wait: (milliseconds) => (signal.aborted ? sleep(milliseconds) : pause(milliseconds, signal)),
        remainingMs: () => (signal.aborted ? 0 : Number.POSITIVE_INFINITY),
        onFinding: (finding) => kept.add(finding),
        onRepair: (line) => {
          if (line.startsWith(NOT_REPAIRED)) left.push(line);
          if (state.repairs.length < MOST_REPAIRS) state.repairs.push(line);
        },
        onProgress: (totals) => {
          state.totals = totals;
        },
      });
      const { cursor, ...totals } = result;
      state.totals = totals;
      const isTable = options.sources === undefined && options.onlySegments === undefined;
      this.suspects.note({
        judged: cursor !== undefined ? [] : isTable ? 'all' : (options.sources ?? []),
        ...{ beganAtMs, findings: kept.list },
        isRepaired: ({ source, target, verdict }) =>
          state.isRepair &&
          VERDICTS[verdict].isRepaired &&
          !left.some((line) => line.startsWith(`${NOT_REPAIRED}${source} ${target}: `)),
      });
      if (cursor === undefined) await onDone(result);
      state.state = cursor === undefined ? 'done' : 'stopped';
    } catch (error) {
      state.error = failureDocument(error).error;
      state.state = 'failed';
    }
  }
}
