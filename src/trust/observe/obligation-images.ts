import type { Item } from '../../core/items/attribute-value.ts';
import { typePrefix } from '../../core/items/keys.ts';
import type { CompareContext, Part, Suspect } from '../../core/kinds/part.ts';
import { itemKindOf, partKindOf } from '../../core/kinds/table.ts';
import type { CompiledModel } from '../../core/model/compiled.ts';
import { needsSource } from '../../core/model/joined.ts';
import type { FanOutOf } from '../../core/model/projection/places.ts';
import { derivedOf } from '../../core/plan/derive.ts';
import type { ItemKey } from '../../core/store-port.ts';
import type { Spread } from './obligation.ts';

/** The items and the fan-out that a part depends on, and the judgement of a part by images, without a read. */

/** Tells whether a part can be wrong for a reader. Other parts are no obligations. */
export function isJudged(part: Part): boolean {
  return partKindOf(part).judgedBy !== 'nothing';
}

/** Tells whether a part names the base item that decides about it. */
export function namesBase(part: Part): boolean {
  if (part.kind === 'index-item') return part.target !== undefined;
  return part.kind === 'reverse-item' ? part.base !== undefined : true;
}

/** The base items that a suspect names. */
export function basesOf({ source, part }: Suspect): ItemKey[] {
  switch (part.kind) {
    case 'attributes':
      return [{ source, target: source }];
    case 'element':
      return [{ source, target: part.target }];
    case 'index-item':
      return part.target === undefined ? [] : [{ source, target: part.target }];
    case 'reverse-item':
      return part.base === undefined ? [] : [part.base];
    default:
      return [];
  }
}

/** The fan-out that a part is visited by. */
export function fanOutTo({ source, part }: Suspect): (Spread & { kind: FanOutOf }) | undefined {
  if (part.kind === 'copy') {
    const edgeType = typePrefix(part.target) ?? '';
    return { kind: 'copies', source: part.target.slice(edgeType.length + 1), edgeType };
  }
  if (part.kind === 'index-item' && part.target !== undefined && part.target !== source) {
    return { kind: 'joined', source, edgeType: typePrefix(part.target) ?? '' };
  }
  return undefined;
}

/**
 * Returns the items whose images judge a part: the derived item first, then its base item, if it has one. Empty: images do not judge
 * the part: its kind needs reads, two base items decide about it, or its base item is not known.
 */
export function judgingItems(graph: CompiledModel, suspect: Suspect): readonly ItemKey[] {
  const { source, sortKey, part } = suspect;
  if (partKindOf(part).judgedBy !== 'images' || !namesBase(part)) return [];
  // Images of two base items are of different moments, so they cannot judge a part together: it is read.
  if (part.kind === 'index-item' && needsSource(graph, part.target!)) return [];
  return [{ source, target: sortKey }, ...basesOf(suspect)];
}

/**
 * Tells whether the images of the items that judge a part agree.
 *
 * @param imageOf the newest image of an item; undefined: none is known.
 */
export function imagesAgree(
  graph: CompiledModel,
  suspect: Suspect,
  imageOf: (key: ItemKey) => { item: Item | undefined } | undefined,
): boolean {
  const [derivedKey, ...keys] = judgingItems(graph, suspect);
  if (derivedKey === undefined) return false;
  const images = [derivedKey, ...keys].map(imageOf);
  if (images.includes(undefined)) return false;
  const [derived, ...items] = images.map((image) => image!.item);
  const seen = { suspect, form: itemKindOf(graph, suspect.sortKey), derived, keys, items };
  const compared = partKindOf(suspect.part).compare(contextOfImages(graph), seen);
  return !(compared instanceof Promise) && compared.wanted === compared.stored;
}

/** A context for comparisons of images, which read nothing. */
function contextOfImages(graph: CompiledModel): CompareContext {
  const refuse = (): never => {
    throw new Error('a comparison of images has to read nothing');
  };
  return { graph, store: { getMany: refuse, query: refuse }, derivedOf };
}
