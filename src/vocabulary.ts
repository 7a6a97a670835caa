/**
 * The vocabulary of model files: the part of `edgeloom` that needs no SDK. A command loads it alone for a model file.
 */
export { EdgeloomError, InvalidAttributesError, ModelError, StoreError } from './errors.ts';
export { hashedEdgeKey } from './items/hashed-key.ts';
export { ExactNumber } from './items/plain.ts';
export { defineGraph } from './model/compile/define-graph.ts';
export { count, derive, edge, fromSource, node, part, rank, sum } from './model/schema.ts';
export { type NewIdOptions, newId } from './new-id.ts';
