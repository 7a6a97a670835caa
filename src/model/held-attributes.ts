import type { InboundModel, Projection } from './compiled.ts';

/** How an edge type's index items are made, with what they hold of the source node. */
type Inbound = InboundModel & { readonly projectSource?: readonly string[] };

/** The attributes that the index items of an edge type hold of the edge's source node. */
export function heldOfSource({ projectSource = [] }: Inbound): readonly string[] {
  return projectSource;
}

/** All attributes that the index items of an edge type hold: those of the edge, and of its source node. */
export function heldAttributes(inbound: Inbound): Projection {
  const { project } = inbound;
  const ofSource = heldOfSource(inbound);
  if (project.kind === 'ALL' || ofSource.length === 0) return project;
  return { kind: 'LIST', attributes: [...(project.kind === 'LIST' ? project.attributes : []), ...ofSource] };
}
