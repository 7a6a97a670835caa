import { setImmediate } from 'node:timers/promises';
import type { CompiledModel } from '../../../../src/core/model/compiled.ts';
import { untilAborted } from '../../../../src/store/abortable.ts';
import { requireFit } from '../../../../src/store/key-types.ts';
import { describeTable } from '../../../../src/store/table-description.ts';
import { isTemporaryError } from '../../../../src/stream/progress/stream-walk.ts';
import { type CheckOptions, type CheckResult, check, GRACE_MS } from '../../../../src/trust/check/check.ts';
import type { ConsumerPosition } from '../../../../src/trust/check/consumer-position.ts';
import type { CheckCursor } from '../../../../src/trust/check/cursor.ts';
import type { Finding } from '../../../../src/trust/check/finding.ts';
import { refuseOldConsumers } from '../../../../src/trust/check/old-consumers.ts';
import { lagSecondsOf, type PositionOfStream } from '../../../../src/trust/explain/position.ts';
import { absentPartitions } from '../../shared/absent-partitions.ts';
import { interruptible } from '../../shared/interruptible.ts';
import { printModelNotice } from '../../shared/model-notice.ts';
import { positionOf, requireHomeRegion } from '../../shared/position.ts';
import type { CommandSession } from '../../shared/session.ts';
import { installedTelemetry } from '../../shared/telemetry.ts';
import { type Gathered, ResumeFile } from './resume-file.ts';
import { sweepStream } from './sweep-stream.ts';

export interface CheckRun {
  resume: string | undefined;
  gathered: Gathered;
  /** The command with the options that a resumed run has to repeat. */
  command: string;
  /** The partitions that the command names. */
  named: readonly string[] | undefined;
  /** Before the check, reconcile stream records that no consumer has claimed. */
  sweeps?: boolean;
  force?: boolean;
  onFinding?: (finding: Finding) => void;
  onRepair?: (action: string) => void;
}

export type CheckRunResult = CheckResult &
  Awaited<ReturnType<typeof printModelNotice>> & {
    lagSeconds: number | undefined;
    absent: readonly string[];
    swept: number;
  };

export async function runCheck(
  session: CommandSession,
  options: Partial<CheckOptions>,
  { resume, gathered, command, named, sweeps = false, force, ...listeners }: CheckRun,
): Promise<CheckRunResult> {
  const { graph, store, client } = session;
  const file = resume === undefined ? undefined : new ResumeFile(resume, command, gathered);
  const earlier = await file?.load();
  const status = await describeTable(graph, { client });
  requireFit(status);
  await requireHomeRegion(session);
  const absent = await absentPartitions(session, named);
  const { swept } = sweeps ? await sweepStream(session) : { swept: 0 };
  if (options.mode === 'rebuild' && force !== true) await refuseOldConsumers(graph, store, Date.now());
  const notice = await printModelNotice(graph, store);
  const { itemCount, streamArn } = status;
  const position = streamArn === undefined ? undefined : positionOf(session, streamArn);
  try {
    return await interruptible('items', itemCount, async ({ signal, wait, remainingMs, cutOff, update }) => {
      const result = await checkUntil(cutOff, graph, {
        store,
        ...options,
        ...listeners,
        telemetry: await installedTelemetry(),
        ...(position !== undefined && {
          consumer: positionUntilStopped(position.consumer(options.graceMs ?? GRACE_MS), signal),
        }),
        resume: earlier,
        // Ctrl-C also ends a wait for the stream, and leaves the waiting suspects open.
        ...{ wait, remainingMs },
        onProgress: async ({ baseItems, derivedItems }, cursor) => {
          const items = baseItems + derivedItems;
          update(items, Math.max(items, itemCount));
          await file?.keepNowAndThen(cursor);
        },
      });
      await file?.keep(result.cursor);
      const lagSeconds = signal.aborted ? undefined : await lagSecondsNow(position);
      return { ...result, ...notice, absent, swept, lagSeconds };
    });
  } finally {
    position?.release();
  }
}

/** If `cutOff` aborts the check after its first progress report, returns the totals so far and a cursor for the rest. */
async function checkUntil(cutOff: AbortSignal, graph: CompiledModel, options: CheckOptions): Promise<CheckResult> {
  let place: (() => CheckCursor) | undefined;
  try {
    return await check(graph, {
      ...options,
      signal: cutOff,
      onProgress: async (totals, cursor) => {
        place = cursor;
        await options.onProgress?.(totals, cursor);
      },
    });
  } catch (error) {
    if (error !== cutOff.reason || place === undefined) throw error;
    // Let calls that have already been answered finish.
    await setImmediate();
    const cursor = place();
    return { ...cursor.totals, cursor };
  }
}

async function lagSecondsNow(position: PositionOfStream | undefined): Promise<number | undefined> {
  try {
    return position && lagSecondsOf(await position.look());
  } catch (error) {
    // If the stream fails temporarily, don't lose the findings.
    if (isTemporaryError(error)) return undefined;
    throw error;
  }
}

/** Makes `appliedUpToMs` resolve to undefined once the signal is aborted, since reading the position may take long. */
function positionUntilStopped({ appliedUpToMs }: ConsumerPosition, signal: AbortSignal): ConsumerPosition {
  return {
    async appliedUpToMs() {
      try {
        return await untilAborted(signal, appliedUpToMs());
      } catch (error) {
        if (signal.aborted) return undefined;
        throw error;
      }
    },
  };
}
