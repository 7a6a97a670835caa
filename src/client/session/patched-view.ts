import type { Item } from '../../core/items/attribute-value.ts';
import { ATTRIBUTES, COPIES, EDGE_SET } from '../../core/items/derived-item.ts';
import { decodeElement, edgeKeyOfElement, escapedEdge } from '../../core/items/element.ts';
import { typePrefix } from '../../core/items/keys.ts';
import { copiesByEdge, elementsByEdge } from '../../core/items/stored-view.ts';
import { copyOf } from '../../core/kinds/copy.ts';
import type { CompiledModel } from '../../core/model/compiled.ts';
import { derivedOf } from '../../core/plan/derive.ts';
import type { OwnWrites } from './own-writes.ts';

export function patchView(
  graph: CompiledModel,
  source: string,
  view: Item | undefined,
  { writes, parents }: OwnWrites,
): Item | undefined {
  const ofSource = writes.filter((write) => write.source === source);
  const nodes = new Map(
    writes.filter((write) => write.source === write.target).map((write) => [write.source, write.item]),
  );
  const patched: Item = { ...view };
  const elements = elementsByEdge(view);
  const copies = copiesByEdge(view);
  for (const { target, item } of ofSource) {
    const { element, attributes } = derivedOf(graph, source, target, item);
    if (target === source) {
      if (attributes === undefined) delete patched[ATTRIBUTES];
      else patched[ATTRIBUTES] = { M: attributes };
      continue;
    }
    elements.delete(escapedEdge(target));
    copies.delete(target);
    if (element !== undefined) elements.set(escapedEdge(target), [element]);
  }
  const ownEdges = new Set(ofSource.map(({ target }) => target));
  for (const element of [...elements.values()].flat()) {
    const target = decodeElement(element)?.target ?? '';
    const edgeKey = edgeKeyOfElement(element);
    const edge = graph.edges.get(typePrefix(edgeKey) ?? '');
    if (edge?.copy === undefined || !(nodes.has(target) || ownEdges.has(edgeKey))) continue;
    const copy = copyOf(graph, edge, nodes.has(target) ? nodes.get(target) : parents.get(target));
    if (copy === undefined) copies.delete(edgeKey);
    else copies.set(edgeKey, copy);
  }
  return viewWithContent(patched, [...elements.values()].flat(), copies);
}

function viewWithContent(view: Item, elements: string[], copies: ReadonlyMap<string, Item>): Item | undefined {
  if (elements.length === 0) delete view[EDGE_SET];
  else view[EDGE_SET] = { SS: elements };
  if (copies.size === 0) delete view[COPIES];
  else view[COPIES] = { M: Object.fromEntries([...copies].map(([edge, copy]) => [edge, { M: copy }])) };
  return Object.keys(view).length === 0 ? undefined : view;
}
