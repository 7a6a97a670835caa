/**
 * The vocabulary of model files: the part of `edgeloom` that needs no SDK. A command loads it alone for a model file.
 */
export { EdgeloomError, InvalidAttributesError, ModelError, StoreError } from './errors.ts';
export { hashedEdgeKey } from './items/hashed-key.ts';
export { newId } from './items/keys.ts';
export { ExactNumber } from './items/plain.ts';
export { defineGraph } from './model/compile/define-graph.ts';
export { derive, edge, fromSource, node, rank } from './model/schema.ts';
