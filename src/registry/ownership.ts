import { type Item, stringOf } from '../core/items/attribute-value.ts';
import { MODEL } from '../core/items/derived-item.ts';
import { parseNodeId } from '../core/items/keys.ts';
import { kindOfDerivedKey } from '../core/kinds/all-kinds.ts';
import { projectionsOfIndexPartitions } from '../core/kinds/index-item.ts';
import type { ProjectionPlace } from '../core/kinds/kind.ts';
import { inboundName, orderName, partName, searchName, viewName } from './definition.ts';
import { stampedId } from './registry.ts';

export interface Ownership {
  name: string;
  generation: number;
}

/** Also returns undefined for a tombstone with a hashed key: neither its key nor its content names a projection. */
export function ownerOfItem(source: string, sortKey: string, item: Item): Ownership | undefined {
  const { key, kind } = kindOfDerivedKey(sortKey) ?? {};
  const place = kind?.lifetime.of === 'generation' ? kind.lifetime.projectionOf(source, key!, item) : undefined;
  return place && toOwnership(place);
}

export function partitionOwners(item: Item): Ownership[] {
  return projectionsOfIndexPartitions(item).map(toOwnership);
}

function toOwnership({ generation, ...place }: ProjectionPlace): Ownership {
  if (place.of === 'part') return { name: partName(place.type, place.part), generation };
  if (place.of === 'search') return { name: searchName(place.type, place.search), generation };
  const { edgeType, order } = place;
  return { name: order === undefined ? inboundName(edgeType) : orderName(edgeType, order), generation };
}

/** Returns a test for derived items of the generations. A generation of views also includes all earlier ones. */
export function ownershipTest(
  generations: readonly { name: string; id: number }[],
): (item: { source: string; target: string; item: Item }) => boolean {
  const ids = new Set(generations.map(({ name, id }) => `${name}@${id}`));
  const lastIds = new Map(generations.map(({ name, id }) => [name, id]));
  return ({ source, target, item }) => {
    if (kindOfDerivedKey(target)?.kind.lifetime.of === 'shape') {
      const last = lastIds.get(viewName(parseNodeId(source)?.type ?? ''));
      return last !== undefined && stampedId(stringOf(item[MODEL])) <= last;
    }
    const owner = ownerOfItem(source, target, item);
    return owner !== undefined && ids.has(`${owner.name}@${owner.generation}`);
  };
}
