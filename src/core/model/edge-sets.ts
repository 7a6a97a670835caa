import type { CompiledModel, EdgeModel } from './compiled.ts';

/** The edge types that the edge sets of a node type list. */
export function listedEdges({ edges }: Pick<CompiledModel, 'edges'>, type: string): EdgeModel[] {
  return [...edges.values()].filter(({ from, labels }) => from.has(type) && labels !== undefined);
}
