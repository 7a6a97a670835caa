import type {
  CompiledModel,
  EdgeModel,
  EdgeOrderModel,
  LabelModel,
  NodeModel,
  OrderPart,
  SearchModel,
} from './compiled.ts';
import { knownFields, type ValueForm } from './known-fields.ts';

/**
 * The strings that a rank, or an enum in `fields`, declares. A query for any other string would find nothing, so such a
 * query is reported as a mistake.
 */

export type DeclaredTexts = readonly string[] | undefined;

type Owner = Pick<NodeModel, 'fields'>;

export function textsOfOrder(
  graph: CompiledModel,
  edge: EdgeModel,
  order: EdgeOrderModel,
): (place: number) => DeclaredTexts {
  return (place) => {
    const part: OrderPart | undefined = order.kind === 'parts' ? order.parts[place] : order;
    if (part?.kind === 'source') return textsOfAttribute(ownersOfSource(graph, edge, part.order.attribute), part.order);
    return part === undefined || part.kind === 'derive' ? undefined : textsOfAttribute([[edge, part.attribute]], part);
  };
}

export function textsOfSearch(
  graph: CompiledModel,
  type: string,
  search: SearchModel,
): (place: number) => DeclaredTexts {
  const node = graph.nodes.get(type);
  const owner = search.part === undefined ? node : node?.parts.get(search.part);
  const { order, multiValue } = search;
  return (place) => {
    if (owner === undefined || order.kind === 'derive') return undefined;
    if (order.kind !== 'path') return textsOfAttribute([[owner, order.attribute]], order, multiValue);
    return declaredTexts([[owner, order.attributes[place] ?? '']]);
  };
}

export function textsOfLabel(edge: EdgeModel, { from }: LabelModel): DeclaredTexts {
  if (from.kind !== 'attribute') return undefined;
  const { attribute } = from;
  const declared = declaredTexts([[edge, attribute]]);
  if (declared !== undefined || knownFields(edge.fields)?.forms.has(attribute) === true) return declared;
  const orders = [...(edge.inbound?.orders.values() ?? [])];
  const parts = orders.flatMap(({ order }): readonly OrderPart[] => (order.kind === 'parts' ? order.parts : [order]));
  const labels = parts.flatMap((part) =>
    part.kind === 'rank' && part.attribute === attribute ? [...part.weights.keys()] : [],
  );
  return labels.length === 0 ? undefined : labels;
}

function textsOfAttribute(
  named: readonly (readonly [Owner, string])[],
  order: Exclude<OrderPart, { kind: 'source' | 'derive' }>,
  isEach = false,
): DeclaredTexts {
  return order.kind === 'attribute' && order.type === 'string' ? declaredTexts(named, isEach) : undefined;
}

function ownersOfSource({ nodes }: CompiledModel, { from }: EdgeModel, name: string): (readonly [Owner, string])[] {
  const [part, ...rest] = name.split('.');
  return [...from].flatMap((type): (readonly [Owner, string])[] => {
    const node = nodes.get(type);
    if (node === undefined) return [];
    const ofPart = rest.length === 0 ? undefined : node.parts.get(part!);
    return [ofPart === undefined ? [node, name] : [ofPart, rest.join('.')]];
  });
}

/**
 * Returns the strings that the attributes may have; undefined if one of them may have any string, or none may be a
 * string.
 *
 * @param isEach asks for the strings in lists instead.
 */
function declaredTexts(named: readonly (readonly [Owner, string])[], isEach = false): DeclaredTexts {
  const texts = new Set<string>();
  for (const [owner, attribute] of named) {
    const known = knownFields(owner.fields);
    if (known === undefined) return undefined;
    if (!known.forms.has(attribute)) {
      if (known.isOpen) return undefined;
      continue;
    }
    const forms = known.forms.get(attribute)?.filter(({ kind }) => kind !== 'null');
    const asked = isEach ? entriesOf(forms) : forms;
    if (asked === undefined || asked.some(({ text, kind }) => text === undefined && kind !== 'boolean'))
      return undefined;
    for (const { text } of asked) for (const one of text === undefined ? ['true', 'false'] : [text]) texts.add(one);
  }
  return texts.size === 0 ? undefined : [...texts];
}

function entriesOf(forms: readonly ValueForm[] | undefined): readonly ValueForm[] | undefined {
  const entries = forms?.map((form) => form.entries);
  return entries === undefined || entries.includes(undefined) ? undefined : entries.flatMap((list) => list!);
}
