import type { CompiledModel, EdgeModel } from './compiled.ts';

export function listedEdges({ edges }: Pick<CompiledModel, 'edges'>, type: string): EdgeModel[] {
  return [...edges.values()].filter(({ from, labels }) => from.has(type) && labels !== undefined);
}
