import {
  attributeOf,
  canonicalText,
  type Item,
  MalformedValueError,
  sameItem,
  setOwn,
  withBinaryAsBytes,
} from '../../../src/core/items/attribute-value.ts';
import { parseNodeId, typePrefix } from '../../../src/core/items/keys.ts';
import { type CompiledModel, type EdgeModel, layersOf } from '../../../src/core/model/compiled.ts';
import { isPartOfSource, sourceNodeKeys } from '../../../src/core/model/joined.ts';
import type { FanOutOf } from '../../../src/core/model/projection/places.ts';
import { attributesOfPart, givenBy, type Images, textOfGiven, usesSource } from './joined.ts';
import { Subject } from './subject.ts';

/** The part of a node in the items of other base items: its copies, and the fan-outs that bring a change to them. */

/** The copy that an edge type takes of a node; undefined if there is no node. A malformed attribute is left out. */
export function plainCopyOf(
  { table }: CompiledModel,
  { copy = [] }: EdgeModel,
  node: Item | undefined,
): Item | undefined {
  if (node === undefined) return undefined;
  const copied: Item = {};
  for (const name of copy) {
    const value = attributeOf(node, name);
    if (value === undefined || name === table.partitionKey || name === table.sortKey) continue;
    try {
      setOwn(copied, name, withBinaryAsBytes(value));
    } catch (error) {
      if (!(error instanceof MalformedValueError)) throw error;
    }
  }
  return copied;
}

/** The same as a text, for the edge with this sort key; undefined also if its type copies nothing. */
export function copyText(graph: CompiledModel, sortKey: string, node: Item | undefined): string | undefined {
  const edge = graph.edges.get(typePrefix(sortKey) ?? '');
  const copied = edge?.copy && plainCopyOf(graph, edge, node);
  return copied && canonicalText({ M: copied });
}

/** The fan-outs that a change of a node, or of a part of it, needs. */
export function plainFanOuts(graph: CompiledModel, change: Images): { of: FanOutOf; edgeType: string }[] {
  const { source, target, oldImage, newImage } = change;
  const type = parseNodeId(source)?.type ?? '';
  const copying = [...graph.edges.values()].filter(
    ({ copy, to }) => target === source && copy !== undefined && to.has(type),
  );
  const changed = copying.filter(
    (edge) => !sameItem(plainCopyOf(graph, edge, oldImage), plainCopyOf(graph, edge, newImage)),
  );
  const joined = layersOf(graph).flatMap((layer) =>
    [...layer.edges.values()].filter((edge) => edge.from.has(type) && givesOther({ graph, layer }, edge, change)),
  );
  return [
    ...changed.map(({ type: edgeType }) => ({ of: 'copies' as const, edgeType })),
    ...[...new Set(joined.map(({ type: edgeType }) => edgeType))].map((edgeType) => ({
      of: 'joined' as const,
      edgeType,
    })),
  ];
}

/** Whether two images of a node, or of a part, give something else to the index items of its edges of a type. */
function givesOther(
  { graph, layer }: { graph: CompiledModel; layer: CompiledModel },
  edge: EdgeModel,
  { source, target, oldImage, newImage }: Images,
): boolean {
  const isNode = source === target;
  if (!isNode && !isPartOfSource(graph, source, target)) return false;
  const { inbound } = edge;
  const items = inbound?.items.filter((item) => usesSource(inbound, item)) ?? [];
  // A node that comes or goes brings its parts along.
  const hasParts = sourceNodeKeys(graph, source).length > 1;
  if (isNode && hasParts && (oldImage === undefined) !== (newImage === undefined)) return items.length > 0;
  const given = (image: Item | undefined): string => {
    const whole = isNode ? image : attributesOfPart(target, image);
    const subject = whole && new Subject(layer, { source, type: '', target: source }, whole);
    return items.map((item) => textOfGiven(givenBy('source', edge, item, subject, []))).join('\n');
  };
  return given(oldImage) !== given(newImage);
}
