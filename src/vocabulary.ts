/**
 * The vocabulary of model files: the part of `edgeloom` that needs no SDK. For a model file, a command loads only
 * this part.
 */

export { type NewIdOptions, newId } from './client/write/new-id.ts';
export { hashedEdgeKey } from './core/items/hashed-key.ts';
export { ExactNumber } from './core/items/plain.ts';
export { defineGraph } from './core/model/compile/define-graph.ts';
export { date, derive, edge, node, number, part, rank, source, sum } from './core/model/schema.ts';
export { EdgeloomError, InvalidAttributesError, ModelError, StoreError } from './foundation/errors.ts';
