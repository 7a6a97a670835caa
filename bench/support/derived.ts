import { stringOf } from '../../src/core/items/attribute-value.ts';
import { copyingEdge, copyOf } from '../../src/core/kinds/copy.ts';
import { isReverseKey } from '../../src/core/kinds/reverse-item.ts';
import { shapeOf } from '../../src/core/kinds/view.ts';
import type { CompiledModel } from '../../src/core/model/compiled.ts';
import { derivedOf } from '../../src/core/plan/derive.ts';
import type { Item } from './images.ts';

/** Returns the derived items that an earlier projection would have left. */
export function derivedItems(graph: CompiledModel, baseItems: readonly Item[]): Item[] {
  const stamped = (model: string): Item => ({ r: { N: '1' }, model: { S: model } });
  const stamp = stamped(graph.fingerprint);
  const views = new Map<string, { elements: string[]; attributes?: Item; copies: Item }>();
  const nodes = new Map(baseItems.map((base) => [`${stringOf(base['source'])} ${stringOf(base['target'])}`, base]));
  const items: Item[] = [];
  for (const base of baseItems) {
    const source = stringOf(base['source'])!;
    const target = stringOf(base['target'])!;
    const derived = derivedOf(graph, source, target, base);
    const view = views.get(source) ?? { elements: [], copies: {} };
    views.set(source, view);
    if (derived.element !== undefined) view.elements.push(derived.element);
    for (const { key, fields } of derived.inTarget ?? []) {
      items.push({ source: { S: key.source }, target: { S: key.target }, ...fields, ...stamp });
      if (!isReverseKey(key.target)) continue;
      const copy = copyOf(graph, copyingEdge(graph, target)!, nodes.get(`${key.source} ${key.source}`));
      if (copy !== undefined && derived.element !== undefined) view.copies[target] = { M: copy };
    }
    if (derived.attributes !== undefined) view.attributes = derived.attributes;
    for (const [sortKey, fields] of derived.indexItems) {
      items.push({ source: { S: source }, target: { S: sortKey }, ...fields, ...stamp });
    }
  }
  for (const [source, { elements, attributes, copies }] of views) {
    items.push({
      source: { S: source },
      target: { S: '~view' },
      ...(elements.length > 0 && { edgeSet: { SS: elements } }),
      ...(attributes !== undefined && { attributes: { M: attributes } }),
      ...(Object.keys(copies).length > 0 && { copies: { M: copies } }),
      ...stamped(shapeOf(graph, source)?.stamp ?? graph.fingerprint),
    });
  }
  return items;
}
