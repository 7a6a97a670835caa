import type { Item } from '../../core/items/attribute-value.ts';
import { isDerivedKey } from '../../core/items/keys.ts';
import { itemKindOf } from '../../core/kinds/all-kinds.ts';
import { type CopySlot, isSlotRight } from '../../core/kinds/copy.ts';
import { keyOfSuspect, type Suspect } from '../../core/kinds/difference.ts';
import { edgeNamedInTarget, hasItemInTarget } from '../../core/kinds/in-target.ts';
import { indexItemText } from '../../core/kinds/index-item.ts';
import { possibleEdgeOfReverse } from '../../core/kinds/reverse-item.ts';
import type { CompiledModel } from '../../core/model/compiled.ts';
import { derivedOf } from '../../core/plan/derive.ts';
import type { ItemKey, Store } from '../../core/store-port.ts';
import type { CheckCursor } from './cursor.ts';

/**
 * Compares items across partitions, in batches: edges with their items in the target's partition, those items with
 * their edges, and copies with their nodes.
 */

/** A derived item that other partitions determine. */
export type LookedUp = NonNullable<CheckCursor['items']>[number];

export interface LookUpContext {
  graph: CompiledModel;
  store: Pick<Store, 'getMany'>;
  /** Called with reverse items, entries of totals and continuations that may be wrong. */
  onSuspects: (suspects: readonly Suspect[]) => void;
  /** Called with a partition whose view may contain wrong copies. */
  onPartition: (source: string) => void;
}

const BATCH = 100;
const MOST_SLOTS = 1_000;
/** Per segment of the scan. */
const LOOK_UPS_AT_ONCE = 4;

/** The look-ups of one segment of the scan. To bound the memory, `addItem` waits while too many are under way. */
export class LookUps {
  private readonly calls = new Set<Promise<void>>();
  private failure: { error: unknown } | undefined;
  private edges: { base: ItemKey; image: Item }[] = [];
  private reverseItems: { key: ItemKey; item: Item }[] = [];
  private parents = new Map<string, { source: string; slot: CopySlot }[]>();
  private slots = 0;

  constructor(private readonly context: LookUpContext) {}

  async addItem(key: ItemKey, item: Item): Promise<void> {
    const { graph } = this.context;
    if (!isDerivedKey(key.target)) {
      if (hasItemInTarget(graph, key.target)) this.edges.push({ base: key, image: item });
      if (this.edges.length >= BATCH) await this.lookUpEdges();
      return;
    }
    const kind = itemKindOf(graph, key.target);
    if (kind.decidedBy === 'edge-elsewhere') {
      // A well-formed tombstone has no edge to look up.
      if (kind.isLive(item) || kind.faults(graph, item).length > 0) this.reverseItems.push({ key, item });
      if (this.reverseItems.length >= BATCH) await this.lookUpReverseItems();
    } else if (kind.decidedBy === 'time') {
      // A fan-out under way looks the same as a stuck one; only time distinguishes them.
      if (kind.faults(graph, item).length > 0) this.context.onSuspects([suspectOf(key)]);
    }
  }

  async addCopySlots(source: string, slots: readonly CopySlot[]): Promise<void> {
    for (const slot of slots) {
      if (slot.parent === undefined) continue;
      const ofParent = this.parents.get(slot.parent);
      if (ofParent === undefined) this.parents.set(slot.parent, [{ source, slot }]);
      else ofParent.push({ source, slot });
      this.slots += 1;
      if (this.parents.size >= BATCH || this.slots >= MOST_SLOTS) await this.lookUpParents();
    }
  }

  async finish(): Promise<void> {
    await this.lookUpEdges();
    await this.lookUpReverseItems();
    await this.lookUpParents();
    await Promise.all(this.calls);
    if (this.failure !== undefined) throw this.failure.error;
  }

  private async lookUpEdges(): Promise<void> {
    const edges = this.edges;
    this.edges = [];
    await this.startLookUp(edges, async () => {
      const { graph, store, onSuspects } = this.context;
      const expected = edges.flatMap(({ base, image }) => {
        const { inTarget = [] } = derivedOf(graph, base.source, base.target, image);
        return inTarget.map((one) => ({ ...one, base }));
      });
      const { items } = await store.getMany(
        expected.map(({ key }) => key),
        { consistent: false },
      );
      const suspects = expected.flatMap(({ key, base, fields }, i) =>
        reverseSuspects(this.context, { key, item: items[i], base }, fields),
      );
      if (suspects.length > 0) onSuspects(suspects);
    });
  }

  private async lookUpReverseItems(): Promise<void> {
    const reverseItems = this.reverseItems;
    this.reverseItems = [];
    await this.startLookUp(reverseItems, async () => {
      const suspects = await suspectsWithoutEdge(this.context, reverseItems);
      if (suspects.length > 0) this.context.onSuspects(suspects);
    });
  }

  private async lookUpParents(): Promise<void> {
    const parents = this.parents;
    this.parents = new Map();
    this.slots = 0;
    await this.startLookUp([...parents.keys()], async () => {
      const { graph, store, onPartition } = this.context;
      const keys = [...parents.keys()].map((parent) => ({ source: parent, target: parent }));
      const { items } = await store.getMany(keys, { consistent: false });
      const wrong = new Set<string>();
      for (const [i, { source: parent }] of keys.entries()) {
        for (const { source, slot } of parents.get(parent)!) {
          if (!isSlotRight(graph, slot, items[i])) wrong.add(source);
        }
      }
      for (const source of wrong) onPartition(source);
    });
  }

  /** Resolves when another call may start. */
  private async startLookUp(what: readonly unknown[], run: () => Promise<void>): Promise<void> {
    if (what.length === 0) return;
    const call = run()
      .catch((error: unknown) => {
        this.failure ??= { error };
      })
      .finally(() => this.calls.delete(call));
    this.calls.add(call);
    while (this.calls.size >= LOOK_UPS_AT_ONCE) await Promise.race(this.calls);
    if (this.failure !== undefined) throw this.failure.error;
  }
}

type Comparing = Pick<LookUpContext, 'graph' | 'store'>;

export function suspectsOfLookedUp(looked: readonly LookedUp[]): Suspect[] {
  return looked.map(({ base, ...key }) => suspectOf(key, base));
}

/** Omits the edge if the item's key names it, to keep the cursor small. */
export function lookedUp(suspect: Suspect): LookedUp {
  const key = keyOfSuspect(suspect);
  const [base] = suspect.bases ?? [];
  return base === undefined || possibleEdgeOfReverse(key, undefined) !== undefined ? key : { ...key, base };
}

/** Returns the items that no edge asks for. The others are compared when the scan reads their edges. */
async function suspectsWithoutEdge(
  context: Comparing,
  reverseItems: readonly { key: ItemKey; item: Item }[],
): Promise<Suspect[]> {
  const { graph, store } = context;
  const named = reverseItems.map(({ key, item }) => ({ key, item, base: edgeNamedInTarget(graph, key, item) }));
  const keys = named.flatMap(({ base }) => (base === undefined ? [] : [base]));
  const { items } = await store.getMany(keys, { consistent: false });
  const images = new Map(keys.map((key, i) => [key, items[i]]));
  return named
    .filter(({ key, base }) => {
      if (base === undefined) return true;
      const { inTarget = [] } = derivedOf(graph, base.source, base.target, images.get(base));
      return inTarget.every((one) => one.key.target !== key.target);
    })
    .flatMap((reverse) => reverseSuspects(context, reverse, undefined));
}

interface ReadReverse {
  key: ItemKey;
  item: Item | undefined;
  base: ItemKey | undefined;
}

function reverseSuspects(
  { graph }: Comparing,
  { key, item, base }: ReadReverse,
  expected: Item | undefined,
): Suspect[] {
  const isFaulty = item !== undefined && itemKindOf(graph, key.target).faults(graph, item).length > 0;
  return isFaulty || indexItemText(item) !== indexItemText(expected) ? [suspectOf(key, base)] : [];
}

function suspectOf({ source, target }: ItemKey, base?: ItemKey): Suspect {
  return { source, sortKey: target, ...(base !== undefined && { bases: [base] }) };
}
