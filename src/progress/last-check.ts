import type { CompiledModel } from '../model/compiled.ts';
import type { Store } from '../store/port.ts';
import { lastCheckItem } from './record.ts';

/** What of a check's totals is noted. */
export interface NotedTotals {
  drift: { missing: number; stale: number; orphan: number };
  pending: number;
  quarantined: number;
  repaired: number;
}

/** Leaves in the table what a check of all of it came to, for `status`. */
export async function noteLastCheck(
  graph: CompiledModel,
  store: Pick<Store, 'put'>,
  { drift: { missing, stale, orphan }, pending, quarantined, repaired }: NotedTotals,
  endedAtMs: number,
): Promise<void> {
  const drift = Math.max(0, missing + stale + orphan - repaired);
  const verdict = drift > 0 ? 'drift' : 'clean';
  await store.put(lastCheckItem(graph.table, { endedAtMs, verdict, drift, pending, quarantined }));
}
