import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import type { CompiledModel } from '../../src/core/model/compiled.ts';
import { edge, node } from '../../src/core/model/schema.ts';
import { ModelError } from '../../src/foundation/errors.ts';
import { definitionsOf } from '../../src/registry/definition.ts';
import { keptOf } from '../../src/registry/effective.ts';
import { compileLayers } from '../../src/registry/layer.ts';

/** Model files are also written in plain JavaScript: anything can come in. */
export const define = defineGraph as (input: unknown) => CompiledModel;
/** `node` for any input. */
export const anyNode = node as (options?: unknown) => ReturnType<typeof node>;
/** `edge` for any input. */
export const anyEdge = edge as unknown as (options: unknown) => ReturnType<typeof edge>;

/** The mistakes that a model is refused for, as `path: message`. */
export function mistakesOf(input: unknown): string[] {
  try {
    define(input);
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    return error.mistakes.map(({ path, message }) => `${path}: ${message}`);
  }
  return [];
}

/** A model with all of its projections in one generation. */
export function inGeneration(graph: CompiledModel, id: number): CompiledModel {
  const parts = [...definitionsOf(graph).values()].map(({ definition }) => ({ definition, kept: keptOf(id) }));
  return compileLayers(parts, graph, graph.fingerprint);
}
