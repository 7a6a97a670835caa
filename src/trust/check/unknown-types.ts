import type { Item } from '../../core/items/attribute-value.ts';
import { parseNodeId, typePrefix } from '../../core/items/keys.ts';
import { classifyBaseItem } from '../../core/model/base-item.ts';
import type { CompiledModel } from '../../core/model/compiled.ts';
import { nearest } from '../../core/model/options/nearest.ts';
import type { ItemKey } from '../../core/store-port.ts';
import type { CheckCounts } from './cursor.ts';

type UnknownType = CheckCounts['unknownTypes'][number];

const MOST_TYPES = 100;
const MOST_CHARACTERS = 60;
export function countUnknownType(graph: CompiledModel, types: UnknownType[], key: ItemKey): string {
  const lacked = unknownTypeOf(graph, key);
  const known = types.find(({ type, kind }) => type === lacked.type && kind === lacked.kind);
  if (known !== undefined) known.items += 1;
  else if (types.length < MOST_TYPES) types.push({ ...lacked, items: 1, nearest: nearestOf(graph, lacked) ?? null });
  return lacked.type;
}

export function isOfModel(graph: CompiledModel, { source, target }: ItemKey, item: Item): boolean {
  return classifyBaseItem(graph, source, target, item).kind !== 'unknown';
}

type LackedType = Pick<UnknownType, 'type' | 'kind'>;

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

/** Shortens the result, because the check's cursor stores it. */
function typeAtStart(text: string): string {
  return (typePrefix(text) ?? text).slice(0, MOST_CHARACTERS);
}
