import type { Item } from '../../core/items/attribute-value.ts';
import { parseNodeId, typePrefix } from '../../core/items/keys.ts';
import { classifyBaseItem } from '../../core/model/base-item.ts';
import type { CompiledModel } from '../../core/model/compiled.ts';
import { nearest } from '../../core/model/options/nearest.ts';
import type { ItemKey } from '../../core/store-port.ts';

/** A type that base items have but the model lacks. */
export interface UnknownType {
  type: string;
  /** How the items use the name, which may be a node type of the model without being an edge type. */
  kind: 'node' | 'edge';
  items: number;
  /** The most similar type name of the model if it is likely to be the intended one, otherwise null. */
  nearest: string | null;
}

const MOST_TYPES = 100;
const MOST_CHARACTERS = 60;
/** Counts a base item under its type, which the model lacks, and returns the type. Lists up to `MOST_TYPES` types. */
export function countUnknownType(graph: CompiledModel, types: UnknownType[], key: ItemKey): string {
  const lacked = unknownTypeOf(graph, key);
  const known = types.find(({ type, kind }) => type === lacked.type && kind === lacked.kind);
  if (known !== undefined) known.items += 1;
  else if (types.length < MOST_TYPES) types.push({ ...lacked, items: 1, nearest: nearestOf(graph, lacked) ?? null });
  return lacked.type;
}

/** Tells whether the model has a base item's type, even if the type isn't ready in the table yet. */
export function isOfModel(graph: CompiledModel, { source, target }: ItemKey, item: Item): boolean {
  return classifyBaseItem(graph, source, target, item).kind !== 'unknown';
}

type LackedType = Pick<UnknownType, 'type' | 'kind'>;

/** Returns the first type in a base item's key that the model lacks. */
export function unknownTypeOf({ nodes, edges }: CompiledModel, key: ItemKey): LackedType {
  const { source, target } = key;
  const edgeType = source === target ? undefined : typeAtStart(target);
  if (edgeType !== undefined && !edges.has(edgeType)) return { type: edgeType, kind: 'edge' };
  const sourceType = parseNodeId(source)?.type ?? typeAtStart(source);
  if (edgeType === undefined || !nodes.has(sourceType)) return { type: sourceType, kind: 'node' };
  return { type: typeAtStart(target.slice(edgeType.length + 1)), kind: 'node' };
}

export function nearestOf({ nodes, edges }: CompiledModel, { type, kind }: LackedType): string | undefined {
  return nearest(type, (kind === 'node' ? nodes : edges).keys());
}

/** Returns the text itself if it has no type. Shortens the result, because the check's cursor stores it. */
function typeAtStart(text: string): string {
  return (typePrefix(text) ?? text).slice(0, MOST_CHARACTERS);
}
