import { sameItem } from '../items/attribute-value.ts';
import type { ChangeRecord } from '../items/change-record.ts';
import { type DerivedSortKey, VIEW_KEY } from '../items/keys.ts';
import { type DerivedImage, fieldsOf } from '../kinds/derived.ts';
import { keysInTarget } from '../kinds/in-target.ts';
import { sameShare } from '../kinds/parts/joined-items.ts';
import type { CompiledModel } from '../model/compiled.ts';
import { entryKeyOf } from '../model/projection/places.ts';
import type { ItemKey } from '../store-port.ts';
import { derive } from './derive.ts';
import { continuationTouch, touchedFanOuts } from './fan-out.ts';
import { indexItemKeysOf } from './index-item-keys.ts';
import { entryTouch, itemTouch, type Touch, type ViewTouch, viewTouch } from './touch.ts';
import { joinedKeys, type PlannedKey, plannedKey, planOfKey, plansOfSource, type TypePlan } from './type-plans.ts';

/**
 * The old and new images name items, and an item is touched only if its share differs between them. An item's content
 * is never taken from records.
 */

/** Groups the touches by partition. */
export function touched(graph: CompiledModel, records: readonly ChangeRecord[]): Touch[] {
  const touches = new Touches();
  for (const record of records) addTouches(graph, record, touches);
  return touches.all();
}

interface Making {
  touch: Touch;
  records: ChangeRecord[];
  targets?: Set<string>;
}

class Touches {
  private readonly bySource = new Map<string, Map<string, Making>>();

  add(source: string, name: string, record: ChangeRecord, make: () => Touch): Making {
    let ofSource = this.bySource.get(source);
    if (ofSource === undefined) {
      ofSource = new Map();
      this.bySource.set(source, ofSource);
    }
    const present = ofSource.get(name);
    if (present === undefined) {
      const records = [record];
      const made = { touch: { ...make(), records }, records };
      ofSource.set(name, made);
      return made;
    }
    if (present.records.at(-1) !== record) present.records.push(record);
    return present;
  }

  all(): Touch[] {
    const all: Touch[] = [];
    for (const ofSource of this.bySource.values()) {
      for (const { touch, targets } of ofSource.values()) {
        all.push(targets === undefined ? touch : { ...(touch as ViewTouch), targets: [...targets] });
      }
    }
    return all;
  }
}

interface Images {
  record: ChangeRecord;
  base: ItemKey;
  plan: TypePlan;
  key: PlannedKey;
  before: DerivedImage;
  after: DerivedImage;
}

function addTouches(graph: CompiledModel, record: ChangeRecord, touches: Touches): void {
  const { source, target } = record;
  const continuation = continuationTouch(graph, record);
  if (continuation !== undefined) {
    // The suffix distinguishes this touch from a node's change, which asks for the whole fan-out.
    const made = touches.add(source, `${target} next`, record, () => continuation);
    // The newest record says where the fan-out is.
    made.touch = { ...continuation, records: made.records };
    return;
  }
  const images = imagesIn(graph, record);
  if (images.plan.kind === 'unknown' && graph.further === undefined) return;
  touchView(images, touches);
  touchItems(images, touches);
  touchEntry(images, touches);
  for (const layer of graph.further ?? []) {
    const further = imagesIn(layer, record);
    touchItems(further, touches);
    touchEntry(further, touches);
  }
  // rule: keys-alone-touch-all-that-they-name
  if (record.isPartial === true) touchNamedItems(graph, images, touches);
  // Most records are of edges, which have no fan-outs.
  if (images.plan.kind !== 'edge')
    for (const fanOut of touchedFanOuts(graph, record)) touches.add(source, fanOut.sortKey, record, () => fanOut);
}

function imagesIn(graph: CompiledModel, record: ChangeRecord): Images {
  const { source, target, oldImage, newImage } = record;
  const plan = planOfKey(plansOfSource(graph, source), source, target);
  const key = plannedKey(plan, source, target);
  // rule: both-images-name-items
  const before = derive(plan, key, oldImage);
  return { record, base: { source, target }, plan, key, before, after: derive(plan, key, newImage) };
}

function touchView({ record, base, plan, before, after }: Images, touches: Touches): void {
  if (plan.kind !== 'edge' && plan.kind !== 'node') return;
  const isSame = before.element === after.element && sameItem(before.attributes, after.attributes);
  const isListed = plan.hasView && (plan.kind === 'node' || plan.labels !== undefined);
  if (record.isPartial === true ? !isListed : isSame) return;
  const { source, target } = base;
  const made = touches.add(source, VIEW_KEY, record, () => viewTouch(source, []));
  made.targets ??= new Set();
  made.targets.add(target);
}

function touchItems(images: Images, touches: Touches): void {
  const { base, plan, before, after } = images;
  const touch = (source: string, target: DerivedSortKey): void => touchItem(images, { source, target }, touches);
  for (const sortKey of keysOfBoth(before, after)) {
    // rule: unchanged-share-touches-nothing
    if (!sameItem(fieldsOf(before, sortKey), fieldsOf(after, sortKey))) touch(base.source, sortKey);
  }
  if (plan.kind !== 'edge') return;
  for (const [i, sortKey] of joinedKeys(plan, base.target).entries()) {
    if (!sameShare(before.shares?.[i], after.shares?.[i])) touch(base.source, sortKey);
  }
  for (const i of plan.inTargets.keys()) {
    const [was, is] = [before.inTarget?.[i], after.inTarget?.[i]];
    // The target of an edge with a hashed key may have changed, so items in two partitions may be touched.
    const isSame = was?.key.source === is?.key.source && sameItem(was?.fields, is?.fields);
    if (isSame) continue;
    if (was !== undefined) touch(was.key.source, was.key.target);
    if (is !== undefined) touch(is.key.source, is.key.target);
  }
}

function touchItem({ record, base }: Images, key: ItemKey, touches: Touches): void {
  touches.add(key.source, key.target, record, () => itemTouch(key, base));
}

function keysOfBoth(before: DerivedImage, after: DerivedImage): Iterable<DerivedSortKey> {
  if (before.keys.length === 0) return after.keys;
  // Both images of an edge share one list of keys.
  if (after.keys.length === 0 || before.keys === after.keys) return before.keys;
  return new Set([...before.keys, ...after.keys]);
}

function touchEntry({ record, base, before, after }: Images, touches: Touches): void {
  // rule: fault-before-or-after-touches-the-entry
  const isFaulty = before.problems.length > 0 || after.problems.length > 0;
  if (!isFaulty && record.isPartial !== true) return;
  const made = touches.add(base.source, entryKeyOf(base.target), record, () => ({ ...entryTouch(base), isLook: true }));
  if (isFaulty && made.touch.kind === 'entry') delete made.touch.isLook;
}

/**
 * For a record that lacks an image: touches the items whose keys follow from the base item's key alone. Skips items of
 * multi-valued searches, of whose keys only the prefix is known.
 */
function touchNamedItems(graph: CompiledModel, images: Images, touches: Touches): void {
  const { base, plan } = images;
  for (const { key, isPrefix } of indexItemKeysOf(graph, base)) {
    if (!isPrefix) touchItem(images, { source: base.source, target: key }, touches);
  }
  if (plan.kind === 'edge') for (const key of keysInTarget(graph, base, undefined)) touchItem(images, key, touches);
}
