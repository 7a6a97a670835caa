import type { InboundModel, Projection } from './compiled.ts';

/** All attributes that the index items of an edge type hold: those of the edge, and of its source node. */
export function heldAttributes({ project, projectSource = [] }: InboundModel): Projection {
  if (project.kind === 'ALL' || projectSource.length === 0) return project;
  return { kind: 'LIST', attributes: [...(project.kind === 'LIST' ? project.attributes : []), ...projectSource] };
}
