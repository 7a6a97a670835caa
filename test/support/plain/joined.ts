import { canonicalText, type Item, setOwn } from '../../../src/core/items/attribute-value.ts';
import { encodePath } from '../../../src/core/items/encoding.ts';
import { AS_WRITTEN } from '../../../src/core/items/text-form.ts';
import { classifyBaseItem } from '../../../src/core/model/base-item.ts';
import type {
  CompiledModel,
  EdgeModel,
  InboundItem,
  InboundModel,
  OrderPart,
  Projection,
} from '../../../src/core/model/compiled.ts';
import type { ItemKey } from '../../../src/core/store-port.ts';
import { addIndexKeys, fittingSortKey, partitionText, withAttributes } from './index-items.ts';
import { encodeOrder } from './order.ts';
import { type Problem, part, Subject } from './subject.ts';
import { countedFields } from './totals.ts';

/** Joined index items: what an edge and its source node give, and the item that the two make. */

/** A text that one side gives; undefined: it has none, false: it could not be derived. */
type GivenText = string | undefined | false;

/** The contribution of one of the two base items to a joined index item. */
export interface Given {
  /** The texts of each order's parts; those of the other side are undefined. */
  orders: readonly (readonly GivenText[])[];
  /** The text in the index partition, if this side gives it. */
  within: GivenText;
  attributes: Item;
}

/** Whether an index item needs the edge's source node. */
export function usesSource({ projectSource, partition }: InboundModel, { orders }: InboundItem): boolean {
  const isOfSource = orders.some(({ order }) => partsOf(order).some(({ kind }) => kind === 'source'));
  return isOfSource || projectSource !== undefined || partition?.of === 'source';
}

/** The attributes of a part under the names by which index items of edges use them. */
export function attributesOfPart(name: string, image: Item | undefined): Item {
  const named: Item = {};
  for (const [attribute, value] of Object.entries(image ?? {})) setOwn(named, `${name}.${attribute}`, value);
  return named;
}

/** The contribution of an image; its mistakes are noted. An undefined subject, an absent node, contributes nothing. */
export function givenBy(
  side: 'edge' | 'source',
  { type, inbound }: Pick<EdgeModel, 'type' | 'inbound'>,
  { orders }: InboundItem,
  subject: Subject | undefined,
  problems: Problem[],
): Given {
  const { partition, project, projectSource = [] } = inbound!;
  const textOf = (isGiven: boolean, text: (subject: Subject) => string | undefined): GivenText => {
    if (!isGiven || subject === undefined) return undefined;
    const result = part(problems, () => ({ text: text(subject) }));
    return result === undefined ? false : result.text;
  };
  const projection: Projection = side === 'edge' ? project : { kind: 'LIST', attributes: projectSource };
  return {
    orders: orders.map(({ name, order }) =>
      partsOf(order).map((one) =>
        textOf((one.kind === 'source') === (side === 'source'), (image) => {
          const purpose = `order ${name} of ${type}`;
          const encoded = encodeOrder(one.kind === 'source' ? one.order : one, image, AS_WRITTEN, purpose);
          // A text that no key has room for is a mistake of its own side.
          if (encoded !== undefined) fittingSortKey(encoded, image.source, purpose);
          return encoded?.text;
        }),
      ),
    ),
    within: textOf(partition?.of === side, (image) => partitionText(partition!.attribute, image, `inbound of ${type}`)),
    attributes: subject?.project(projection, problems) ?? {},
  };
}

/** The images of a changed base item. */
export interface Images extends ItemKey {
  oldImage?: Item | undefined;
  newImage?: Item | undefined;
}

/** The sort keys of the joined items of an edge to which its two images contribute differently. */
export function changedJoinedKeys(graph: CompiledModel, { source, target, oldImage, newImage }: Images): string[] {
  const [before, after] = [
    contributions(graph, { source, target }, oldImage),
    contributions(graph, { source, target }, newImage),
  ];
  const keys = new Set([...before.keys(), ...after.keys()]);
  return [...keys].filter((key) => before.get(key) !== after.get(key));
}

/** The contributions of an edge's image to its joined items as texts, by the items' sort keys; none if it is no edge. */
export function contributions(graph: CompiledModel, key: ItemKey, image: Item | undefined): Map<string, string> {
  const kind = image && classifyBaseItem(graph, key.source, key.target, image);
  if (image === undefined || kind?.kind !== 'edge') return new Map();
  const { edge, target } = kind;
  const { type, keys, inbound } = edge;
  const subject = new Subject(graph, { source: key.source, type, target }, image, keys === 'hashed');
  const joined = inbound?.items.filter((item) => usesSource(inbound, item)) ?? [];
  return new Map(
    joined.map((item) => [
      item.inForce.places.key(key.target),
      textOfGiven(givenBy('edge', edge, item, subject, [])) + countedText(edge, item, subject),
    ]),
  );
}

/** The fields by which an edge is counted, if the item is the counted one. */
function countedText({ count }: EdgeModel, { orderName }: InboundItem, subject: Subject): string {
  if (count === undefined || orderName !== undefined) return '';
  return canonicalText({ M: countedFields(count, subject, []) });
}

/** A contribution as one text: equal texts make equal items. */
export function textOfGiven({ orders, within, attributes }: Given): string {
  return JSON.stringify([orders, [within], canonicalText({ M: attributes })]);
}

/** The index item that an edge and its source node make; undefined if no order applies. */
export function joinedItem(
  { type, inbound }: Pick<EdgeModel, 'type' | 'inbound'>,
  { orders }: InboundItem,
  { source, target: sortKey }: ItemKey,
  ofEdge: Given,
  ofSource: Given,
  problems: Problem[],
): Item | undefined {
  const { partition, project, projectSource } = inbound!;
  const given = { edge: ofEdge, source: ofSource };
  const within = partition && given[partition.of].within;
  if (partition !== undefined && typeof within !== 'string') return undefined;
  const item: Item = {};
  for (const [i, { name, index, order, places }] of orders.entries()) {
    const texts = partsOf(order).map(({ kind }, n) => given[kind === 'source' ? 'source' : 'edge'].orders[i]![n]);
    if (texts.includes(false)) continue;
    const text = order.kind === 'parts' ? pathOf(texts) : texts[0];
    if (typeof text !== 'string') continue;
    const place = { partition: places.partition(sortKey, text, source, within || undefined), places };
    const encoded = { text, attribute: attributesIn(order, texts) };
    part(problems, () => addIndexKeys(item, index, place, encoded, source, `order ${name} of ${type}`));
  }
  if (Object.keys(item).length === 0) return undefined;
  if (project.kind === 'KEYS_ONLY' && projectSource === undefined) return item;
  return part(problems, () => withAttributes(item, { ...ofEdge.attributes, ...ofSource.attributes }, type));
}

function partsOf(order: InboundItem['orders'][number]['order']): readonly OrderPart[] {
  return order.kind === 'parts' ? order.parts : [order];
}

/** The attributes whose texts are in an order, to name in errors; undefined: there is none, all are of `derive` functions. */
function attributesIn(order: InboundItem['orders'][number]['order'], texts: readonly GivenText[]): string | undefined {
  const hole = texts.indexOf(undefined);
  const used = partsOf(order).slice(0, hole < 0 ? undefined : hole);
  const names = used.flatMap((one) => {
    const own = one.kind === 'source' ? one.order : one;
    return 'attribute' in own ? [own.attribute] : [];
  });
  return names.length === 0 ? undefined : names.join(', ');
}

/** The path of texts up to the first that is absent. */
function pathOf(texts: readonly GivenText[]): string | undefined {
  const hole = texts.indexOf(undefined);
  const leading = (hole < 0 ? texts : texts.slice(0, hole)) as string[];
  return leading.length === 0 ? undefined : encodePath(leading, AS_WRITTEN);
}
