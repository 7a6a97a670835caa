import * as z from 'zod';
import type { Page } from '../../../src/client/read/request/result.ts';
import type { Item } from '../../../src/core/items/attribute-value.ts';
import { QUARANTINE_PARTITION, type QuarantineEntry, readEntry } from '../../../src/core/plan/quarantine-entry.ts';
import { EdgeloomError } from '../../../src/foundation/errors.ts';
import { describeTable } from '../../../src/store/table-description.ts';
import { saveLastCheck } from '../../../src/stream/progress/last-check.ts';
import { type CheckOptions, GRACE_MS } from '../../../src/trust/check/check.ts';
import { sampleOptions } from '../../../src/trust/check/scan.ts';
import { readObserverProgress } from '../../../src/trust/observe/memory.ts';
import { type RedriveResult, redrive } from '../../../src/trust/repair/redrive.ts';
import type { CheckState } from '../base/check-job.ts';
import { checkUnits } from '../base/check-price.ts';
import type { RequestContext } from '../base/context.ts';
import { textOfCursor } from '../base/cursor-text.ts';
import { input, route } from '../base/route.ts';
import { OBSERVED, type Suspect } from '../base/suspects.ts';
import { sampleOf } from './live.ts';

/** The check that runs, or ran last; null: there was none. */
export interface CheckAnswer {
  check: CheckState | null;
}

const percent = z.coerce.number().gt(0).max(100);
const scope = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('node'), id: input.id }),
  z.object({ kind: z.literal('sample'), percent }),
  z.object({ kind: z.literal('table') }),
]);
type Scope = z.infer<typeof scope>;

/** The items that need a look, worst first, and the number of those that are not listed. */
export interface SuspectsAnswer {
  items: Suspect[];
  more: number;
}

/** Items that need a look: listed at most. */
const MOST_SUSPECTS = 8;

/** The price of a check. */
export interface CheckPriceAnswer {
  /** Read units, about. */
  rcu: number;
}

/** Problems of the table, and their repair. */
export const TRUST_ROUTES = [
  route('GET /api/quarantine', z.object({ limit: input.limit, cursor: input.cursor }), readQuarantine),
  route('GET /api/suspects', z.object({}), readSuspects),
  route('GET /api/check-price', z.object({ percent }), async (context, { percent }): Promise<CheckPriceAnswer> => {
    return { rcu: checkUnits(context.graph, await sampleOf(context), percent / 100) };
  }),
  route('GET /api/check', z.object({}), async ({ checks }): Promise<CheckAnswer> => ({ check: checks.state ?? null })),
  route('POST /api/check', z.object({ scope }), (context, { scope }) => startCheck(context, scope, 'report')),
  route('POST /api/check/stop', z.object({}), async ({ checks }): Promise<CheckAnswer> => {
    await checks.stop();
    return { check: checks.state ?? null };
  }),
  route('POST /api/repair', z.object({ scope }), (context, { scope }) => startCheck(context, scope, 'repair'), {
    writes: true,
  }),
  route(
    'POST /api/redrive',
    // The node whose entries are redriven; absent: all.
    z.object({ id: input.id.optional() }),
    async ({ graph, store, checks }, { id }): Promise<RedriveResult> => {
      const result = await redrive(graph, { store, ids: id === undefined ? undefined : [id] });
      checks.suspects.noteRedrive();
      return result;
    },
    { writes: true },
  ),
];

async function readSuspects(context: RequestContext): Promise<SuspectsAnswer> {
  const { store, checks } = context;
  const [progress, entries] = await Promise.all([
    readObserverProgress(store),
    readQuarantine(context, { limit: MOST_SUSPECTS }),
  ]);
  const observed = (progress?.drift ?? []).map(({ suspect: { source, sortKey }, foundMs }) => {
    return { source, target: sortKey, why: OBSERVED, foundMs };
  });
  const quarantined = entries.items.map(({ source, target, code }) => ({ source, target, why: code }));
  const all = checks.suspects.list(observed, quarantined);
  return { items: all.slice(0, MOST_SUSPECTS), more: Math.max(0, all.length - MOST_SUSPECTS) };
}

async function readQuarantine(
  { graph, store }: RequestContext,
  { limit, cursor }: { limit: number; cursor?: string | undefined },
): Promise<Page<QuarantineEntry>> {
  const startKey = cursor === undefined ? undefined : startKeyOf(cursor);
  const { items, lastKey } = await store.query({ index: 'gsi0', partition: QUARANTINE_PARTITION, limit, startKey });
  return {
    items: items.map((item) => readEntry(graph, item)),
    ...(lastKey !== undefined && { cursor: Buffer.from(JSON.stringify(lastKey)).toString('base64url') }),
  };
}

/** The keys of the table and of its index, in the layout of the store. */
const startKey = z.record(z.string(), z.strictObject({ S: z.string() }));

/** The place that a cursor names; throws `invalid-cursor` for a text that is none. */
function startKeyOf(cursor: string): Item {
  try {
    return startKey.parse(JSON.parse(textOfCursor(cursor)));
  } catch (cause) {
    throw new EdgeloomError('invalid-cursor', 'The cursor belongs to a different list.', 'Ask for the first page.', {
      cause,
    });
  }
}

async function startCheck(
  context: RequestContext,
  scope: Scope,
  mode: NonNullable<CheckOptions['mode']>,
): Promise<CheckAnswer> {
  const { graph, store, checks, isWritable, statusWalk } = context;
  const position = await context.position.find();
  const options: CheckOptions = {
    store,
    mode,
    ...(scope.kind === 'node' && { sources: [scope.id] }),
    ...(scope.kind === 'sample' && sampleOptions(scope.percent / 100)),
    ...(position !== undefined && { consumer: position.consumer(GRACE_MS) }),
  };
  const beganAtMs = Date.now();
  checks.start(await describedScope(context, scope), graph, options, async (result) => {
    const isLast = scope.kind === 'table' && isWritable;
    if (isLast) await saveLastCheck(graph.table, store, { ...result, beganAtMs }, Date.now());
    statusWalk.forget();
  });
  return { check: checks.state ?? null };
}

async function describedScope(
  context: RequestContext,
  scope: Scope,
): Promise<Pick<CheckState, 'scope' | 'expected' | 'expectedRcu'>> {
  if (scope.kind === 'node') return { scope: scope.id, expected: 0, expectedRcu: null };
  const { graph, client } = context;
  const { itemCount } = await describeTable(graph, { client });
  const percent = scope.kind === 'table' ? 100 : scope.percent;
  return {
    scope: scope.kind === 'table' ? 'the table' : `${percent} % of the table`,
    expected: Math.round((itemCount * percent) / 100),
    expectedRcu: checkUnits(graph, await sampleOf(context), percent / 100),
  };
}
