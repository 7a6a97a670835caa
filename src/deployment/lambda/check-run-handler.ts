import type { CompiledModel } from '../../core/model/compiled.ts';
import { isClean } from '../../core/verdicts.ts';
import { checkOptions } from '../../foundation/options.ts';
import { type CheckCounts, type CheckCursor, emptyCounts, parseCursor } from '../../trust/check/cursor.ts';
import { saveRunAsLastCheck, saveShare } from '../../trust/check/last-check.ts';
import { refuseOldConsumers } from '../../trust/check/old-consumers.ts';
import { clearPlace, type SavedPlace, savedPlace, savedPlaces, savePlace } from '../../trust/check/run/places.ts';
import { type PlanRequest, planRun, type RunPlan, type RunShare } from '../../trust/check/run/plan.ts';
import { CallPace } from './call-pace.ts';
import { type CheckPart, checkPart, type RunHandlerOptions } from './check-part.ts';
import { checkRunEvent } from './events.ts';
import { FUNCTION_OPTIONS, functionParts, type InvocationContext } from './function-parts.ts';
import type { MigrateRequest, MigrateResponse, WalkRequest, WalkResponse } from './migrate-call.ts';

/** The state machine's events: to plan a run, or to do the next part of a worker's share or of a migration. */
export type RunEvent =
  | { plan: PlanRequest }
  | { migrate: MigrateRequest }
  | { walk: WalkRequest }
  | (RunShare & { cursor?: unknown });

/** The result of a worker's call, with the worker's totals in this run so far. */
export interface RunResponse extends CheckCounts {
  /** The cursor for the next call; null if the worker has finished its share or the run's time is over. */
  cursor: unknown;
  waitSeconds: number;
  /** True if the worker's share is done; otherwise the next call or run continues it. */
  isDone: boolean;
  isClean: boolean;
}

/** A Lambda handler that the check's state machine calls. */
export type RunHandler = (
  event: RunEvent,
  context: InvocationContext,
) => Promise<RunPlan | RunResponse | MigrateResponse | WalkResponse>;

/**
 * Makes the handler that the check's state machine calls. A run continues where the previous one stopped.
 *
 * @example
 * export const handler = checkRunHandler(graph);
 */
export function checkRunHandler(graph: CompiledModel, options: RunHandlerOptions = {}): RunHandler {
  checkOptions('checkRunHandler', options, {
    ...FUNCTION_OPTIONS,
    graceMs: 'milliseconds',
    mostSuspects: 'count',
    telemetry: true,
  });
  const parts = functionParts(graph, options);
  const { store, now } = parts;
  const client = options.store === undefined ? parts.client : undefined;
  return async (event, context) => {
    checkRunEvent(event);
    if ('plan' in event) {
      if (event.plan.mode === 'rebuild') await refuseOldConsumers(graph, store, now());
      return await planRun(graph, store, event.plan, { tableBytes: await tableBytes(), nowMs: now() });
    }
    if ('migrate' in event || 'walk' in event) {
      // Loaded on demand, since few calls migrate.
      const { migrateCall, walkCall } = await import('./migrate-call.ts');
      const table = { store, client: await client?.(), now: options.now };
      if ('walk' in event) return await walkCall(graph, table, event.walk, context);
      return await migrateCall(graph, table, event.migrate, context);
    }
    const { mode, worker, untilMs, cursor } = event;
    const place = await savedPlace(store, mode, worker);
    // An earlier call finished the share, but its response was lost.
    if (place === undefined) {
      await noteRunIfDone(mode);
      const totals = parseStoredCursor(cursor)?.totals ?? emptyCounts();
      return { ...totals, ...DONE, isClean: isClean(totals) };
    }
    const resume = parseStoredCursor(cursor ?? withFreshCounts(place));
    if (untilMs !== null && now() >= untilMs) {
      // The rest of the share is unread, so it may not be clean.
      return { ...(resume?.totals ?? emptyCounts()), ...DONE, isDone: false, isClean: false };
    }
    return await workOnShare(event, place, resume, context);
  };

  async function tableBytes(): Promise<number> {
    if (client === undefined) return 0;
    const { describeTable } = await import('../../store/table-description.ts');
    return (await describeTable(graph, { client: await client() })).sizeBytes;
  }

  async function workOnShare(
    { mode, worker, untilMs, maxRcu, maxWcu, repair }: RunShare,
    place: SavedPlace,
    resume: CheckCursor | undefined,
    context: InvocationContext,
  ): Promise<RunResponse> {
    const pace = new CallPace({ maxRcu, now });
    const { segments, onlySegments } = place;
    const part: CheckPart = {
      ...{ segments, onlySegments, resume, store: pace.countingStore(store) },
      mode: mode === 'rebuild' ? mode : repair ? 'repair' : 'report',
      ...{ maxRcu: pace.unitsPerSecond, maxWcu },
      readsOn: () => !pace.isSpent,
    };
    const { cursor, ...totals } = await checkPart(graph, options, parts, part, context);
    if (untilMs !== null) {
      await saveShare(graph.table, store, { worker, untilMs, beganAtMs: place.beganMs }, totals, now());
    }
    if (cursor === undefined) {
      await clearPlace(store, mode, worker);
      await noteRunIfDone(mode);
      return { ...totals, ...DONE, isClean: isClean(totals) };
    }
    await savePlace(store, graph.table, mode, { ...place, cursor, savedMs: now() });
    return { ...totals, cursor, waitSeconds: pace.pauseSeconds, isDone: false, isClean: isClean(totals) };
  }

  async function noteRunIfDone(mode: RunShare['mode']): Promise<void> {
    if (mode === 'check' && (await savedPlaces(store, mode)).length === 0) {
      await saveRunAsLastCheck(graph.table, store, now());
    }
  }
}

const DONE = { cursor: null, waitSeconds: 0, isDone: true };

/** Resets the counts, since earlier runs have already reported them. */
function withFreshCounts({ cursor }: SavedPlace): unknown {
  return typeof cursor === 'object' && cursor !== null ? { ...cursor, totals: emptyCounts() } : undefined;
}

function parseStoredCursor(cursor: unknown): CheckCursor | undefined {
  return cursor === undefined || cursor === null ? undefined : parseCursor(cursor);
}
