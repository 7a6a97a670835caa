import type { CompiledModel } from './compiled.ts';
import type { EdgeTypes } from './declared.ts';
import type { EdgeDefinition, NodeDefinition } from './schema.ts';
import type { TableOptions } from './table-options.ts';

/** The node types of a model, by name. */
export type NodeDefinitions = Record<string, NodeDefinition>;
/** The edge types of a model, by name; they join node types of the same model. */
export type EdgeDefinitions<NodeType extends string = string> = Record<
  string,
  EdgeDefinition<EdgeTypes & { from: NodeType; to: NodeType }>
>;

/** What `defineGraph` takes. */
export interface GraphInput<N extends NodeDefinitions, E> {
  /** The table's name, or its name and those of its attributes. */
  table: string | TableOptions;
  nodes: N;
  edges?: E;
}

/** A checked, compiled model. `N` and `E` carry the declared types to writer and reader. */
export interface Graph<N extends NodeDefinitions = NodeDefinitions, E extends EdgeDefinitions = EdgeDefinitions>
  extends CompiledModel {
  /** The declared types; nothing at run time. */
  readonly definition?: { nodes: N; edges: E };
}
