import type { InboundModel, Projection } from './compiled.ts';

export function heldAttributes({ project, projectSource = [] }: InboundModel): Projection {
  if (project.kind === 'ALL' || projectSource.length === 0) return project;
  return { kind: 'LIST', attributes: [...(project.kind === 'LIST' ? project.attributes : []), ...projectSource] };
}
