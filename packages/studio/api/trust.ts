import * as z from 'zod';
import { QUARANTINE_PARTITION, readEntry } from '../../../src/core/plan/quarantine-entry.ts';
import { type CheckOptions, GRACE_MS } from '../../../src/trust/check/check.ts';
import { saveLastCheck } from '../../../src/trust/check/last-check.ts';
import { readObserverProgress } from '../../../src/trust/observe/memory.ts';
import { type RedriveResult, redrive } from '../../../src/trust/repair/redrive.ts';
import type { CheckState } from '../base/check-job.ts';
import { checkUnits } from '../base/check-price.ts';
import type { RequestContext } from '../base/context.ts';
import { input, route } from '../base/route.ts';
import { OBSERVED, type Suspect } from '../base/suspects.ts';
import { sampleOf } from './live.ts';

export interface CheckAnswer {
  check: CheckState | null;
}

export interface SuspectsAnswer {
  items: Suspect[];
  hasMore: boolean;
}

const MOST_SUSPECTS = 50;

export interface CheckPriceAnswer {
  rcu: number;
}

/** A null id means the whole table. A missing id is refused. */
const REPAIRED = z.strictObject({ id: input.id.nullable() });

export const TRUST_ROUTES = [
  route('GET /api/suspects', z.object({}), readSuspects),
  route('GET /api/check-price', z.object({}), async (context): Promise<CheckPriceAnswer> => {
    return { rcu: checkUnits(context.graph, await sampleOf(context)) };
  }),
  route('GET /api/check', z.object({}), async ({ checks }): Promise<CheckAnswer> => ({ check: checks.state ?? null })),
  route('POST /api/check', z.object({}), (context) => startCheck(context, undefined, 'report')),
  route('POST /api/check/stop', z.object({}), async ({ checks }): Promise<CheckAnswer> => {
    await checks.stop();
    return { check: checks.state ?? null };
  }),
  route(
    'POST /api/repair',
    REPAIRED,
    async (context, { id }): Promise<CheckAnswer> => {
      const answer = await startCheck(context, id ?? undefined, 'repair');
      // Wait, so that the answer contains the outcome.
      if (id !== null) await context.checks.ended();
      return answer;
    },
    { writes: true },
  ),
  route(
    'POST /api/redrive',
    REPAIRED,
    async ({ graph, store, checks }, { id }): Promise<RedriveResult> => {
      const result = await redrive(graph, { store, ids: id === null ? undefined : [id] });
      checks.suspects.noteRedrive();
      return result;
    },
    { writes: true },
  ),
];

async function readSuspects({ graph, store, checks }: RequestContext): Promise<SuspectsAnswer> {
  const [progress, entries] = await Promise.all([
    readObserverProgress(store),
    store.query({ index: 'gsi0', partition: QUARANTINE_PARTITION, limit: MOST_SUSPECTS + 1 }),
  ]);
  const observed = (progress?.drift ?? []).map(({ suspect: { source, sortKey }, foundMs }) => {
    return { source, target: sortKey, why: OBSERVED, foundMs };
  });
  const quarantined = entries.items.map((item) => {
    const { source, target, code, reason } = readEntry(graph, item);
    return { source, target, why: code, reason };
  });
  const all = checks.suspects.list(observed, quarantined);
  return { items: all.slice(0, MOST_SUSPECTS), hasMore: all.length > MOST_SUSPECTS };
}

async function startCheck(
  context: RequestContext,
  id: string | undefined,
  mode: NonNullable<CheckOptions['mode']>,
): Promise<CheckAnswer> {
  const { graph, store, checks, isWritable } = context;
  const position = await context.position.find();
  const options: CheckOptions = {
    store,
    mode,
    sources: id === undefined ? undefined : [id],
    ...(position !== undefined && { consumer: position.consumer(GRACE_MS) }),
  };
  const expected =
    id === undefined
      ? { scope: 'the table', expectedRcu: checkUnits(graph, await sampleOf(context)) }
      : { scope: id, expectedRcu: null };
  const beganAtMs = Date.now();
  checks.start(expected, graph, options, async (result) => {
    if (id === undefined && isWritable) await saveLastCheck(graph.table, store, { ...result, beganAtMs }, Date.now());
  });
  return { check: checks.state ?? null };
}
