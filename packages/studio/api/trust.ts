import * as z from 'zod';
import { QUARANTINE_PARTITION, readEntry } from '../../../src/core/plan/quarantine-entry.ts';
import { describeTable } from '../../../src/store/table-description.ts';
import { type CheckOptions, GRACE_MS } from '../../../src/trust/check/check.ts';
import { saveLastCheck } from '../../../src/trust/check/last-check.ts';
import { sampleOptions } from '../../../src/trust/check/scan.ts';
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

const percent = z.coerce.number().gt(0).max(100);
const scope = z.union([z.object({ id: input.id }), z.object({ percent })]);
type Scope = z.infer<typeof scope>;

export interface SuspectsAnswer {
  items: Suspect[];
  hasMore: boolean;
}

const MOST_SUSPECTS = 50;

export interface CheckPriceAnswer {
  rcu: number;
}

export const TRUST_ROUTES = [
  route('GET /api/suspects', z.object({}), readSuspects),
  route('GET /api/check-price', z.object({ percent }), async (context, { percent }): Promise<CheckPriceAnswer> => {
    return { rcu: checkUnits(context.graph, await sampleOf(context), percent / 100) };
  }),
  route('GET /api/check', z.object({}), async ({ checks }): Promise<CheckAnswer> => ({ check: checks.state ?? null })),
  route('POST /api/check', z.object({ percent }), (context, scope) => startCheck(context, scope, 'report')),
  route('POST /api/check/stop', z.object({}), async ({ checks }): Promise<CheckAnswer> => {
    await checks.stop();
    return { check: checks.state ?? null };
  }),
  route('POST /api/repair', scope, (context, scope) => startCheck(context, scope, 'repair'), { writes: true }),
  route(
    'POST /api/redrive',
    // Without an id, all entries.
    z.object({ id: input.id.optional() }),
    async ({ graph, store, checks }, { id }): Promise<RedriveResult> => {
      const result = await redrive(graph, { store, ids: id === undefined ? undefined : [id] });
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
  scope: Scope,
  mode: NonNullable<CheckOptions['mode']>,
): Promise<CheckAnswer> {
  const { graph, store, checks, isWritable } = context;
  const position = await context.position.find();
  const options: CheckOptions = {
    store,
    mode,
    ...('id' in scope ? { sources: [scope.id] } : scope.percent < 100 && sampleOptions(scope.percent / 100)),
    ...(position !== undefined && { consumer: position.consumer(GRACE_MS) }),
  };
  const beganAtMs = Date.now();
  checks.start(await describedScope(context, scope), graph, options, async (result) => {
    const isOfTable = 'percent' in scope && scope.percent === 100;
    if (isOfTable && isWritable) await saveLastCheck(graph.table, store, { ...result, beganAtMs }, Date.now());
  });
  return { check: checks.state ?? null };
}

async function describedScope(
  context: RequestContext,
  scope: Scope,
): Promise<Pick<CheckState, 'scope' | 'expected' | 'expectedRcu'>> {
  if ('id' in scope) return { scope: scope.id, expected: 0, expectedRcu: null };
  const { graph, client } = context;
  const { percent } = scope;
  const { itemCount } = await describeTable(graph, { client });
  return {
    scope: percent === 100 ? 'the table' : `${percent} % of the table`,
    expected: Math.round((itemCount * percent) / 100),
    expectedRcu: checkUnits(graph, await sampleOf(context), percent / 100),
  };
}
