import type { Item } from '../../core/items/attribute-value.ts';
import { textOfKey } from '../../core/items/keys.ts';
import { itemKindOf } from '../../core/kinds/all-kinds.ts';
import { keyOfSuspect, type Suspect } from '../../core/kinds/difference.ts';
import { hasForm } from '../../core/kinds/form.ts';
import type { ItemKind } from '../../core/kinds/kind.ts';
import { isOutsideRegistry } from '../../core/kinds/unknown-item.ts';
import type { CompiledModel, Standing } from '../../core/model/compiled.ts';
import { type EntryTouch, entryTouch, keyOfTouch, type Reconcilable, type Touch } from '../../core/plan/touch.ts';
import { readItems } from '../../core/store-pages.ts';
import type { ItemKey, Store } from '../../core/store-port.ts';
import { type EdgeloomError, StoreError } from '../../foundation/errors.ts';
import { slicesOf } from '../../foundation/for-each.ts';
import { type Runtime, type RuntimeOptions, runtimeOf } from '../../foundation/runtime.ts';
import { removeAlien } from '../../reconcile/alien.ts';
import { type ApplyContext, noStats, OutOfTimeError } from '../../reconcile/apply-context.ts';
import { repairForm } from '../../reconcile/named-item.ts';
import { reconcile } from '../../reconcile/reconcile.ts';
import { standingOf } from '../../registry/standing.ts';
import type { WriterModel } from '../../registry/writer-model.ts';
import { type ItemToRepair, isRepairedFirst, repairItem, repairingTouches } from './repairs.ts';

export interface RepairerOptions extends RuntimeOptions {
  graph: CompiledModel;
  store: Store;
  model?: WriterModel | undefined;
  /** Time left for all repairs. A repair that has begun gets at least three seconds. */
  remainingMs?: RuntimeOptions['remainingMs'];
  isPlan?: boolean;
  onRepair?: (action: string) => void;
}

/**
 * Longest and shortest time of a repair. A repair can't succeed while others write faster than base items can be read,
 * so it has to end.
 */
const MOST_MS = 60_000;
const LEAST_MS = 3_000;
const ENTRIES_TOGETHER = 100;

/**
 * Reads the derived item, then its base items, and writes what these ask for under the revision read, so that it never
 * overwrites a newer projection.
 */
export class Repairer {
  private readonly context: ApplyContext;
  private readonly runtime: Runtime;

  constructor(private readonly options: RepairerOptions) {
    const { graph, store, model } = options;
    this.runtime = runtimeOf(options);
    this.context = { graph, store, model, ...this.runtime, stats: noStats() };
  }

  /** Returns the names (`textOfKey`) of the items that count as repaired. */
  async repair(suspects: readonly Suspect[]): Promise<ReadonlySet<string>> {
    const { graph, isPlan = false } = this.options;
    const items = itemsToRepair(graph, suspects);
    const repaired = new Set<string>();
    if (isPlan) {
      for (const item of items) this.report('would repair', keyOfSuspect(item));
      return repaired;
    }
    const readAtMs = this.runtime.now();
    const stored = await readItems(this.limitedContext(), items.map(keyOfSuspect));
    const read = items
      .map((item, i) => ({ item, key: keyOfSuspect(item), was: stored[i] }))
      .filter(({ key, was }) => standingIn(graph, key, was).kind !== 'unregistered')
      .sort((left, right) => Number(isRepairedFirst(right.item)) - Number(isRepairedFirst(left.item)));
    const together = new RepairsTogether(readAtMs);
    for (const one of read) {
      this.report('repair', one.key);
      const isRepaired = await this.tryRepair(one.key, (context) => this.repairOrAdd(context, together, one));
      if (isRepaired) repaired.add(textOfKey(one.key));
    }
    for (const [key, error] of await together.run(this.limitedContext())) {
      repaired.delete(textOfKey(key));
      this.reportFailure(key, error);
    }
    return repaired;
  }

  /** With these quarantine entries, a redrive and `status` know the base items that can't be projected. */
  async writeEntries(bases: readonly ItemKey[]): Promise<void> {
    const { isPlan = false } = this.options;
    for (const base of bases) this.report(isPlan ? 'would quarantine' : 'quarantine', base);
    if (isPlan) return;
    for (const slice of slicesOf(bases, ENTRIES_TOGETHER)) {
      const baseOf = new Map(slice.map((base) => [entryTouch(base), base]));
      const failures = await reconcile(this.limitedContext(), [...baseOf.keys()], { isScan: true });
      for (const { touch, error } of failures)
        this.reportFailure(baseOf.get(touch as EntryTouch)!, error, 'quarantine');
    }
  }

  private async repairOrAdd(
    context: ApplyContext,
    together: RepairsTogether,
    { item, key, was }: ReadToRepair,
  ): Promise<boolean> {
    const { graph } = context;
    const { kind } = item;
    if (was !== undefined && isOutsideRegistry(standingIn(graph, key, was))) return await removeAlien(context, key);
    const isMisshapen = was !== undefined && !hasForm(kind, graph, was);
    if (isMisshapen) await repairForm(context, kind, key);
    const touches = repairingTouches(graph, item);
    if (touches === undefined) return await repairItem(context, item);
    together.add(key, touches, isMisshapen ? undefined : { was });
    return true;
  }

  private async tryRepair(key: ItemKey, run: (context: ApplyContext) => Promise<boolean>): Promise<boolean> {
    try {
      return await run(this.limitedContext());
    } catch (error) {
      this.reportFailure(key, error);
      return false;
    }
  }

  private report(what: string, { source, target }: ItemKey, why = ''): void {
    this.options.onRepair?.(`${what} ${source} ${target}${why}`);
  }

  /** Rethrows an error that isn't about the item. */
  private reportFailure(key: ItemKey, error: unknown, action: 'repair' | 'quarantine' = 'repair'): void {
    const reason = reasonOf(error);
    if (reason === undefined) throw error;
    this.report(`cannot ${action}`, key, `: ${reason}`);
  }

  private limitedContext(): ApplyContext {
    const { now, remainingMs } = this.runtime;
    const beganAtMs = now();
    return {
      ...this.context,
      remainingMs: () => {
        const spentMs = now() - beganAtMs;
        return Math.min(MOST_MS - spentMs, Math.max(LEAST_MS - spentMs, remainingMs()));
      },
    };
  }
}

function standingIn(graph: CompiledModel, { source, target }: ItemKey, was: Item | undefined): Standing {
  return standingOf(graph, source, target, was ?? {});
}

interface ReadToRepair {
  item: ItemToRepair & { kind: ItemKind };
  key: ItemKey;
  was: Item | undefined;
}

function itemsToRepair(graph: CompiledModel, suspects: readonly Suspect[]): ReadToRepair['item'][] {
  const items = new Map<string, ReadToRepair['item']>();
  for (const suspect of suspects) {
    const name = textOfKey(keyOfSuspect(suspect));
    const known = items.get(name);
    const { source, sortKey } = suspect;
    const bases = [...(known?.bases ?? []), ...(suspect.bases ?? [])];
    const returning = [...(known?.returning ?? []), ...(suspect.returning ?? [])];
    items.set(name, { source, sortKey, bases, returning, kind: itemKindOf(graph, sortKey) });
  }
  return [...items.values()];
}

class RepairsTogether {
  private readonly touches = new Map<string, Reconcilable>();
  private readonly items = new Map<string, ItemKey[]>();
  private readonly read = new Map<string, Item | undefined>();

  constructor(private readonly readAtMs: number) {}

  /** @param read the stored item, unless it may have changed since it was read. */
  add(key: ItemKey, touches: readonly Reconcilable[], read: { was: Item | undefined } | undefined): void {
    if (read !== undefined) this.read.set(textOfKey(key), read.was);
    for (const touch of touches) {
      const name = textOfKey(keyOfTouch(touch));
      const known = this.touches.get(name);
      const isBoth = known?.kind === 'view' && touch.kind === 'view';
      const targets = isBoth ? [...new Set([...known.targets, ...touch.targets])] : [];
      this.touches.set(name, isBoth ? { ...touch, ...known, targets } : touch);
      this.items.set(name, [...(this.items.get(name) ?? []), key]);
    }
  }

  async run(context: ApplyContext): Promise<Map<ItemKey, EdgeloomError>> {
    const failed = new Map<ItemKey, EdgeloomError>();
    const fail = (touch: Pick<Touch, 'source' | 'sortKey'>, error: EdgeloomError): void => {
      for (const key of this.items.get(textOfKey(keyOfTouch(touch))) ?? []) failed.set(key, error);
    };
    const onQuarantine: ApplyContext['onQuarantine'] = (_entry, _isRefused, refusal) => {
      if (refusal !== undefined) fail(refusal.touch, refusal.error);
    };
    const touches = [...this.touches.values()];
    const was = new Map(
      touches.flatMap((touch): [Reconcilable, Item | undefined][] => {
        const name = textOfKey(keyOfTouch(touch));
        return this.read.has(name) ? [[touch, this.read.get(name)]] : [];
      }),
    );
    const options = { isScan: true, ahead: { was, readAtMs: this.readAtMs } };
    for (const { touch, error } of await reconcile({ ...context, onQuarantine }, touches, options)) fail(touch, error);
    return failed;
  }
}

function reasonOf(error: unknown): string | undefined {
  if (error instanceof OutOfTimeError)
    return 'it was written during each attempt, or other repairs took the time; run this once more';
  return error instanceof StoreError && error.kind === 'terminal' ? error.message : undefined;
}
