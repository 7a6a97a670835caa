import { textOfKey } from '../../core/items/keys.ts';
import { itemKindOf, partKindOf } from '../../core/kinds/all-kinds.ts';
import type { ItemKind } from '../../core/kinds/kind.ts';
import type { Part, Suspect } from '../../core/kinds/part.ts';
import type { CompiledModel } from '../../core/model/compiled.ts';
import { keyOfTouch, type Reconcilable, type Touch } from '../../core/plan/touch.ts';
import type { ItemKey, Store } from '../../core/store-port.ts';
import { type EdgeloomError, StoreError } from '../../foundation/errors.ts';
import { type Runtime, type RuntimeOptions, runtimeOf } from '../../foundation/runtime.ts';
import { removeAlien } from '../../reconcile/alien.ts';
import { type ApplyContext, noStats, OutOfTimeError } from '../../reconcile/apply-context.ts';
import { repairForm } from '../../reconcile/form.ts';
import { reconcileTouches } from '../../reconcile/touches.ts';
import type { WriterModel } from '../../registry/writer-model.ts';
import { type ItemToRepair, isRepairedFirst, repairItem, repairingTouches } from './repairs.ts';

export interface RepairerOptions extends RuntimeOptions {
  graph: CompiledModel;
  store: Store;
  model?: WriterModel | undefined;
  /** For all repairs. A repair that has begun gets at least three seconds. */
  remainingMs?: RuntimeOptions['remainingMs'];
  isPlan?: boolean;
  onRepair?: (action: string) => void;
}

/** A repair never succeeds while other writers change the item faster than its base items can be read. */
const MOST_MS = 60_000;
const LEAST_MS = 3_000;

/**
 * A check only nominates: the repair reads the derived item, then its base items, and writes what these ask for under
 * the revision that it read. So it never overwrites a newer projection.
 */
export class Repairer {
  private readonly context: ApplyContext;
  private readonly runtime: Runtime;

  constructor(private readonly options: RepairerOptions) {
    const { graph, store, model } = options;
    this.runtime = runtimeOf(options);
    this.context = { graph, store, model, ...this.runtime, stats: noStats() };
  }

  /**
   * Reads and writes what base items decide together, in a few calls. Returns the names (`textOfKey`) of the items that
   * count as repaired.
   */
  async repairParts(suspects: readonly Suspect[]): Promise<ReadonlySet<string>> {
    const { graph, isPlan = false } = this.options;
    const items = itemsToRepair(graph, suspects);
    for (const { key } of items) this.report(isPlan ? 'would repair' : 'repair', key);
    const repaired = new Set<string>();
    if (isPlan) return repaired;
    const together = new RepairsTogether();
    for (const item of [...items.filter(isRepairedFirst), ...items.filter((item) => !isRepairedFirst(item))]) {
      const { kind, key, parts } = item;
      const isRepaired = await this.tryRepair(key, async (context) => {
        const partKinds = parts.map(partKindOf);
        if (partKinds.some(({ isAlien }) => isAlien)) return await removeAlien(context, key);
        if (partKinds.some(({ isOfForm }) => isOfForm)) await repairForm(context, kind, key);
        const touches = repairingTouches(graph, item);
        if (touches === undefined) return await repairItem(context, item);
        together.add(key, touches);
        return true;
      });
      if (isRepaired) repaired.add(textOfKey(key));
    }
    for (const [key, error] of await together.run(this.limitedContext())) {
      repaired.delete(textOfKey(key));
      this.reportFailure(key, error);
    }
    return repaired;
  }

  /** A failed repair is reported and doesn't stop the others. */
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

  /** Throws an error that isn't about the item. */
  private reportFailure(key: ItemKey, error: unknown): void {
    const reason = reasonOf(error);
    if (reason === undefined) throw error;
    this.report('cannot repair', key, `: ${reason}`);
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

function itemsToRepair(graph: CompiledModel, suspects: readonly Suspect[]): (ItemToRepair & { kind: ItemKind })[] {
  const items = new Map<string, ItemToRepair & { kind: ItemKind; parts: Part[] }>();
  for (const { source, sortKey, part } of suspects) {
    const key = { source, target: sortKey };
    const known = items.get(textOfKey(key));
    if (known === undefined) items.set(textOfKey(key), { kind: itemKindOf(graph, sortKey), key, parts: [part] });
    else known.parts.push(part);
  }
  return [...items.values()];
}

class RepairsTogether {
  private readonly touches = new Map<string, Reconcilable>();
  private readonly items = new Map<string, ItemKey[]>();

  add(key: ItemKey, touches: readonly Reconcilable[]): void {
    for (const touch of touches) {
      const name = textOfKey(keyOfTouch(touch));
      const known = this.touches.get(name);
      const isBoth = known?.kind === 'view' && touch.kind === 'view';
      const targets = isBoth ? [...new Set([...known.targets, ...touch.targets])] : [];
      this.touches.set(name, isBoth ? { ...known, targets } : touch);
      this.items.set(name, [...(this.items.get(name) ?? []), key]);
    }
  }

  async run(context: ApplyContext): Promise<Map<ItemKey, EdgeloomError>> {
    const failed = new Map<ItemKey, EdgeloomError>();
    const fail = (touch: Touch, error: EdgeloomError): void => {
      for (const key of this.items.get(textOfKey(keyOfTouch(touch))) ?? []) failed.set(key, error);
    };
    const onQuarantine: ApplyContext['onQuarantine'] = (_entry, _isRefused, refusal) => {
      if (refusal !== undefined) fail(refusal.touch, refusal.error);
    };
    const touches = [...this.touches.values()];
    for (const { touch, error } of await reconcileTouches({ ...context, onQuarantine }, touches, { isScan: true }))
      fail(touch, error);
    return failed;
  }
}

function reasonOf(error: unknown): string | undefined {
  if (error instanceof OutOfTimeError) return 'it was written during each attempt to repair it; run this once more';
  return error instanceof StoreError && error.kind === 'terminal' ? error.message : undefined;
}
