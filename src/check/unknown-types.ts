import { parseNodeId, typePrefix } from '../items/keys.ts';
import type { CompiledModel } from '../model/compiled.ts';
import type { ItemKey } from '../store/port.ts';

/** A type outside the model that base items have. */
export interface UnknownType {
  type: string;
  /** Base items of it. */
  items: number;
  /** The type of the model whose name is nearest, where one is near enough to be meant; null: none is. */
  nearest: string | null;
}

/** Types that are told apart. */
const MOST_TYPES = 100;
/** Characters of a type's name. */
const MOST_CHARACTERS = 60;
/** How many characters of a name may be other ones, as a share of it, for another name to be meant. */
const SHARE_OF_TYPING_ERRORS = 0.34;

/** Counts a base item of a type outside the model in a list of such types. */
export function countUnknownType(graph: CompiledModel, types: UnknownType[], key: ItemKey): void {
  const { type, isNode } = unknownTypeOf(graph, key);
  const known = types.find((one) => one.type === type);
  if (known !== undefined) known.items += 1;
  else if (types.length < MOST_TYPES) {
    types.push({ type, items: 1, nearest: nearestOf(type, (isNode ? graph.nodes : graph.edges).keys()) });
  }
}

/** Which of the types in a base item's keys the model does not have. */
function unknownTypeOf({ nodes, edges }: CompiledModel, key: ItemKey): { type: string; isNode: boolean } {
  const { source, target } = key;
  const edgeType = source === target ? undefined : beginning(target);
  if (edgeType !== undefined && !edges.has(edgeType)) return { type: edgeType, isNode: false };
  const sourceType = parseNodeId(source)?.type ?? beginning(source);
  if (edgeType === undefined || !nodes.has(sourceType)) return { type: sourceType, isNode: true };
  return { type: beginning(target.slice(edgeType.length + 1)), isNode: true };
}

function beginning(text: string): string {
  return (typePrefix(text) ?? text).slice(0, MOST_CHARACTERS);
}

/** The name that is nearest to a type, where one is near enough to be meant; null: none is. */
export function nearestOf(type: string, names: Iterable<string>): string | null {
  let nearest: string | null = null;
  let fewest = Math.ceil(type.length * SHARE_OF_TYPING_ERRORS) + 1;
  for (const name of names) {
    const distance = distanceOf(type, name);
    if (distance >= fewest) continue;
    fewest = distance;
    nearest = name;
  }
  return nearest;
}

/** How many characters have to be put, taken away, replaced or exchanged with the next to make one text of the other. */
function distanceOf(left: string, right: string): number {
  let before: number[] = [];
  let row = Array.from({ length: right.length + 1 }, (_, i) => i);
  for (let i = 1; i <= left.length; i++) {
    const next = [i];
    for (let j = 1; j <= right.length; j++) {
      const replaced = row[j - 1]! + Number(left[i - 1] !== right[j - 1]);
      next[j] = Math.min(row[j]! + 1, next[j - 1]! + 1, replaced);
      const isExchange = i > 1 && j > 1 && left[i - 1] === right[j - 2] && left[i - 2] === right[j - 1];
      if (isExchange) next[j] = Math.min(next[j]!, before[j - 2]! + 1);
    }
    before = row;
    row = next;
  }
  return row[right.length]!;
}
