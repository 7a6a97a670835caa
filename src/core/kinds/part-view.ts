import type { Item } from '../items/attribute-value.ts';
import { parseNodeId } from '../items/keys.ts';
import type { PartView } from '../model/compiled.ts';
import { WITH_BASE } from './index-item.ts';
import { type ItemKind, type KeyOf, origin, type ProjectionPlace } from './kind.ts';
import { withAttributes } from './parts/inbound-items.ts';
import type { Subject } from './parts/subject.ts';

/** A part's view isn't in an index, but is written, compared and repaired like an index item. */
export const partView: ItemKind<'part-view'> = {
  ...WITH_BASE,
  name: 'part-view',
  lifetime: { of: 'generation', projectionOf },
  originsOf(_graph, { source }, { part }) {
    const line = `nodes.${parseNodeId(source)?.type ?? ''}.parts.${part}.view`;
    return [origin({ source, target: part }, line, "The part's attributes, as reads show them.")];
  },
};

function projectionOf(source: string, { part, generation }: KeyOf<'part-view'>): ProjectionPlace | undefined {
  const type = parseNodeId(source)?.type;
  return type === undefined ? undefined : { of: 'part', type, part, generation };
}

export function partViewItem({ view }: PartView, subject: Subject): Item {
  return withAttributes({}, subject.projectAttributes(view, { isLenient: true }), subject);
}
