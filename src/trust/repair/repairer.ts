import { numberOf } from '../../core/items/attribute-value.ts';
import { TOMBSTONE_HOURS, unchangedCondition } from '../../core/items/derived-item.ts';
import { itemKindOf, partKindOf } from '../../core/kinds/all-kinds.ts';
import type { ItemForm, Suspect } from '../../core/kinds/part.ts';
import type { CompiledModel } from '../../core/model/compiled.ts';
import type { ItemKey, Store } from '../../core/store-port.ts';
import { StoreError } from '../../foundation/errors.ts';
import { type Runtime, type RuntimeOptions, runtimeOf } from '../../foundation/runtime.ts';
import { removeAlien } from '../../reconcile/alien.ts';
import { type ApplyContext, epochSeconds, noStats, OutOfTimeError, updateItem } from '../../reconcile/apply-context.ts';
import { repairForm } from '../../reconcile/form.ts';
import type { WriterModel } from '../../registry/writer-model.ts';
import { repairOf } from './repairs.ts';

/** Options of a repair. */
export interface RepairerOptions extends RuntimeOptions {
  graph: CompiledModel;
  /** The table. It retries calls itself. */
  store: Store;
  /** The model of the registry as it is now. Absent: nothing changes `graph`. */
  model?: WriterModel | undefined;
  /** Milliseconds left for all repairs. A repair that has begun gets at least three seconds. */
  remainingMs?: RuntimeOptions['remainingMs'];
  /** Only reports the repairs, without writing. */
  isPlan?: boolean;
  /** Called with one line for each repair. */
  onRepair?: (action: string) => void;
}

/**
 * The most time of one repair, in milliseconds. A repair writes under the revision that it read: it never succeeds while other
 * writers change the item faster than its base items can be read.
 */
const MOST_MS = 60_000;
/** The least time of one repair, in milliseconds, even if `remainingMs` is over. */
const LEAST_MS = 3_000;

/**
 * Repairs what a check found. The check has only nominated it: the repair reads the derived item, then its base items, and writes
 * what these ask for now, under the revision that it read. So it never overwrites a newer projection.
 */
export class Repairer {
  private readonly context: ApplyContext;
  private readonly runtime: Runtime;

  constructor(private readonly options: RepairerOptions) {
    const { graph, store, model } = options;
    this.runtime = runtimeOf(options);
    this.context = { graph, store, model, ...this.runtime, stats: noStats() };
  }

  /** Repairs derived items of a partition. Returns the sort keys of the items that count as repaired. */
  async repairParts(source: string, suspects: readonly Suspect[]): Promise<ReadonlySet<string>> {
    const written = new Set<string>();
    const items = [...new Set(suspects.map(({ sortKey }) => sortKey))].map((target) => ({
      kind: itemKindOf(this.options.graph, target),
      key: { source, target },
      parts: suspects.filter(({ sortKey }) => sortKey === target).map(({ part }) => part),
    }));
    items.sort((left, right) => repairOf(left.kind).order - repairOf(right.kind).order);
    for (const { kind, key, parts } of items) {
      const isRepaired = await this.repairOrReport(key, async (context) => {
        const partKinds = parts.map(partKindOf);
        if (partKinds.some(({ isAlien }) => isAlien)) return await removeAlien(context, key);
        if (partKinds.some(({ isOfForm }) => isOfForm)) await repairForm(context, kind, key);
        return await repairOf(kind).repair(context, key, parts);
      });
      if (isRepaired) written.add(key.target);
    }
    return written;
  }

  /**
   * Cleans up an item without content: deletes an expired tombstone, and turns an item that only lacks the expiry into a tombstone.
   */
  async deleteOrSetExpiry(key: ItemKey, noted: 'expired' | 'empty'): Promise<boolean> {
    const kind = itemKindOf(this.options.graph, key.target);
    return await this.repairOrReport(key, (context) =>
      noted === 'expired' ? this.deleteExpiredTombstone(kind, key) : setMissingExpiry(context, kind, key),
    );
  }

  /**
   * Runs one repair, or only reports it in a plan. A repair that DynamoDB refuses, or that runs out of time because other writers
   * keep changing the item, is reported and does not stop the others.
   */
  private async repairOrReport(
    { source, target }: ItemKey,
    run: (context: ApplyContext) => Promise<boolean>,
  ): Promise<boolean> {
    const { isPlan = false, onRepair } = this.options;
    onRepair?.(`${isPlan ? 'would repair' : 'repair'} ${source} ${target}`);
    if (isPlan) return false;
    try {
      return await run({ ...this.context, remainingMs: this.timeLimitOfOneRepair() });
    } catch (error) {
      const reason = reasonOf(error);
      if (reason === undefined) throw error;
      onRepair?.(`cannot repair ${source} ${target}: ${reason}`);
      return false;
    }
  }

  private timeLimitOfOneRepair(): () => number {
    const { now, remainingMs } = this.runtime;
    const beganAtMs = now();
    return () => {
      const spentMs = now() - beganAtMs;
      return Math.min(MOST_MS - spentMs, Math.max(LEAST_MS - spentMs, remainingMs()));
    };
  }

  private async deleteExpiredTombstone(kind: ItemForm, key: ItemKey): Promise<boolean> {
    const { store, graph, now } = this.context;
    const { item } = await store.get(key, { consistent: true });
    if (item === undefined || kind.isLive(item)) return false;
    const expiry = numberOf(item[graph.table.ttl]);
    if (expiry === undefined || Number(expiry) * 1000 >= now()) return false;
    // rule: tombstone-is-buried-under-the-revision-seen
    const { applied } = await store.delete(key, unchangedCondition(item, graph.table.ttl));
    return applied;
  }
}

/**
 * Sets the missing expiry of an item without content, and changes nothing else. If its base item asks for content, the item is drift:
 * a check looks twice before it repairs it. A repair during the scan also changes the count, and a wrong count could look right.
 */
async function setMissingExpiry(context: ApplyContext, kind: ItemForm, key: ItemKey): Promise<boolean> {
  const { ttl } = context.graph.table;
  const { item } = await context.store.get(key, { consistent: true });
  if (item === undefined || kind.isLive(item) || item[ttl] !== undefined) return false;
  const expiry = { N: String(epochSeconds(context) + TOMBSTONE_HOURS * 3600) };
  const update = { key, set: { [ttl]: expiry }, unset: [], condition: unchangedCondition(item, ttl) };
  return (await updateItem(context, update)).applied;
}

/** Returns why an item cannot be repaired; undefined if the error is not about the item. */
function reasonOf(error: unknown): string | undefined {
  if (error instanceof OutOfTimeError) return 'it was written during each attempt to repair it; run this once more';
  return error instanceof StoreError && error.kind === 'terminal' ? error.message : undefined;
}
