import { typePrefix } from '../../core/items/keys.ts';
import { partKindOf } from '../../core/kinds/all-kinds.ts';
import type { Part, Suspect } from '../../core/kinds/part.ts';
import type { FanOutOf } from '../../core/model/projection/places.ts';
import type { Spread } from './obligation.ts';

/** The parts that are obligations, and the fan-outs that they depend on. */

/** Tells whether a part can be wrong for a reader. Other parts are no obligations. */
export function isJudged(part: Part): boolean {
  return partKindOf(part).isUnobserved !== true;
}

/** Tells whether a part names the base item that decides about it. */
export function namesBase(part: Part): boolean {
  if (part.kind === 'index-item') return part.target !== undefined;
  return part.kind === 'reverse-item' ? part.base !== undefined : true;
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
