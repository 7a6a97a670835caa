import { type Item, sameItem, setOwn } from '../../items/attribute-value.ts';
import { AS_WRITTEN } from '../../items/encoding.ts';
import type {
  CountModel,
  EdgeModel,
  InboundItem,
  InboundModel,
  InboundOrder,
  MaybeSuperseded,
  OrderPart,
  Projection,
} from '../../model/compiled.ts';
import { ENDS } from '../../model/ends.ts';
import { joinedItemsOf } from '../../model/joined.ts';
import {
  addIndexKeys,
  fittingSortKey,
  lineOfOrder,
  noteFault,
  partitionText,
  withAttributes,
} from './inbound-items.ts';
import { type Encoded, encodedText, joinLeadingParts, type OrderEncoder, valueEncoder } from './order-encoder.ts';
import { lacksPartitionText, lacksValueText, type Outcomes, type Whose } from './outcomes.ts';
import type { Subject } from './subject.ts';
import { countedFields, lineOfCount } from './totals.ts';

/**
 * A joined index item is made of two shares, one from the edge and one from its source node. Neither share depends on
 * the other, so comparing shares before and after a record shows whether the item changes, and a share's problems
 * belong to its base item. Problems of the whole item, such as a key that is too long, belong to the edge.
 */

type Side = 'edge' | 'source';

interface PlannedPart {
  of: Side;
  encode: OrderEncoder;
  attribute: string | undefined;
}

export interface JoinedItemPlan {
  edge: EdgeModel;
  inbound: InboundModel;
  item: InboundItem;
  orders: readonly PlannedOrder[];
  count: CountModel | undefined;
}

interface PlannedOrder {
  order: InboundOrder;
  parts: readonly PlannedPart[];
  isList: boolean;
  purpose: string;
  line: string;
}

/** A value of a share; `failed` if the value can't be encoded. */
type Given = { readonly text: string } | 'absent' | 'failed';

export interface Share {
  /** The values of each order. Values that the other share contributes are `absent`. */
  orders: readonly (readonly Given[])[];
  partition: Given;
  attributes: Item;
  counted?: Item;
}

export function joinedItemPlans(edge: EdgeModel): JoinedItemPlan[] {
  const { type, inbound, count } = edge;
  if (inbound === undefined) return [];
  return joinedItemsOf(edge).map((item) => ({
    edge,
    inbound,
    item,
    count: item.orderName === undefined ? count : undefined,
    orders: item.orders.map((order) => {
      const purpose = `order ${order.name} of ${type}`;
      const isList = order.order.kind === 'parts';
      const parts = order.order.kind === 'parts' ? order.order.parts : [order.order];
      const line = lineOfOrder(edge, order);
      return { order, isList, purpose, line, parts: parts.map((part) => planPart(part, purpose)) };
    }),
  }));
}

function planPart(part: OrderPart, purpose: string): PlannedPart {
  const order = part.kind === 'source' ? part.order : part;
  return {
    of: part.kind === 'source' ? 'source' : 'edge',
    encode: valueEncoder(part, AS_WRITTEN, purpose),
    attribute: order.kind === 'derive' ? undefined : order.attribute,
  };
}

export function edgeShare(plan: JoinedItemPlan, subject: Subject): Share {
  return shareOf(plan, 'edge', subject, plan.inbound.project);
}

export function sourceShare(plan: JoinedItemPlan, subject: Subject | undefined): Share {
  const projection: Projection = { kind: 'LIST', attributes: plan.inbound.projectSource ?? [] };
  return shareOf(plan, 'source', subject, projection);
}

export function sameShare(left: Share | undefined, right: Share | undefined): boolean {
  if (left === undefined || right === undefined) return left === right;
  const isSame = JSON.stringify([left.orders, left.partition]) === JSON.stringify([right.orders, right.partition]);
  return isSame && sameItem(left.attributes, right.attributes) && sameItem(left.counted, right.counted);
}

function shareOf(
  { edge, inbound, item, orders, count }: JoinedItemPlan,
  side: Side,
  subject: Subject | undefined,
  projection: Projection,
): Share {
  const given = (of: Side | undefined, textOf: (subject: Subject) => string | undefined): Given => {
    if (of !== side || subject === undefined) return 'absent';
    try {
      const text = textOf(subject);
      return text === undefined ? 'absent' : { text };
    } catch (error) {
      subject.noteProblem(error, item.inForce);
      return 'failed';
    }
  };
  const { partition } = inbound;
  return {
    orders: orders.map(({ parts, purpose }) =>
      parts.map(({ of, encode }) => given(of, (one) => fittingText(encode(one), one, purpose))),
    ),
    partition: given(partition?.of, (one) => partitionText(partition!.attribute, one, `inbound of ${edge.type}`)),
    attributes: subject?.projectAttributes(projection, { isLenient: true }) ?? {},
    ...(count && side === 'edge' && subject && { counted: countedFields(count, subject) }),
  };
}

/** Throws a `PartError` if the text is too long for a key even without the other side's values. */
function fittingText(encoded: Encoded | undefined, { source }: Subject, purpose: string): string | undefined {
  if (encoded !== undefined) fittingSortKey(encoded, source, purpose);
  return encoded?.text;
}

export interface Shares {
  edge: Share;
  source: Share;
}

export interface JointNotes {
  noteProblem: Subject['noteProblem'];
  outcomes?: Outcomes | undefined;
  /** False if the edge's source node doesn't exist or counts as deleted. */
  hasNode: boolean;
}

export function joinedItem(
  plan: JoinedItemPlan,
  source: string,
  sortKey: string,
  shares: Shares,
  notes: JointNotes,
): Item | undefined {
  const { counted } = shares.edge;
  if (counted !== undefined) notes.outcomes?.add(lineOfCount(plan.edge), plan.item.inForce.places.key(sortKey));
  const item = itemWithKeys(plan, source, sortKey, shares, notes);
  return item === undefined ? counted : { ...item, ...counted };
}

function itemWithKeys(
  plan: JoinedItemPlan,
  source: string,
  sortKey: string,
  shares: Shares,
  notes: JointNotes,
): Item | undefined {
  const { edge, inbound, orders } = plan;
  const { inForce } = plan.item;
  const key = notes.outcomes && inForce.places.key(sortKey);
  const { partition: partitioned } = inbound;
  const within = partitioned && textOfValue(shares[partitioned.of].partition);
  if (partitioned !== undefined && within === undefined) {
    const { of, attribute } = partitioned;
    const lacking = { of, value: shares[of].partition, lacks: (whose: Whose) => lacksPartitionText(whose, attribute) };
    for (const { line } of orders) noteLacking(notes, line, key, lacking, inForce);
    return undefined;
  }
  const item: Item = {};
  for (const [i, planned] of orders.entries()) {
    const { order, parts, purpose, line } = planned;
    const encoded = encodedOrder(
      planned,
      parts.map(({ of }, n) => shares[of].orders[i]![n]!),
    );
    if ('lacks' in encoded) {
      noteLacking(notes, line, key, encoded, inForce);
      continue;
    }
    const partition = order.places.partition(sortKey, encoded.text, source, within);
    try {
      addIndexKeys(item, order, { partition, encoded, source }, purpose);
      notes.outcomes?.add(line, key!);
    } catch (error) {
      noteFault(plan, [planned], notes, sortKey, error);
    }
  }
  if (Object.keys(item).length === 0) return undefined;
  const hasEnd = shares.edge.attributes[ENDS] !== undefined;
  if (inbound.project.kind === 'KEYS_ONLY' && inbound.projectSource === undefined && !hasEnd) return item;
  try {
    return withAttributes(item, bothAttributes(shares), edge);
  } catch (error) {
    noteFault(plan, orders, notes, sortKey, error);
    return undefined;
  }
}

function encodedOrder({ parts, isList }: PlannedOrder, values: readonly Given[]): Encoded | Lacking {
  const lackingPart = values.includes('failed') ? values.indexOf('failed') : 0;
  const value = values[lackingPart]!;
  if (typeof value === 'string') {
    const { of, attribute } = parts[lackingPart]!;
    return { of, value, lacks: (whose) => lacksValueText(whose, attribute, ', which orders it') };
  }
  const texts = values.map((value, n) => {
    const text = textOfValue(value);
    return text === undefined ? undefined : encodedText(text, { S: text }, parts[n]!.attribute);
  });
  return (isList ? joinLeadingParts(texts) : texts[0])!;
}

interface Lacking {
  of: Side;
  value: Given;
  lacks: (whose: Whose) => string;
}

function noteLacking(
  { outcomes, hasNode }: JointNotes,
  line: string,
  key: string | undefined,
  { of, value, lacks }: Lacking,
  projection: MaybeSuperseded,
): void {
  if (outcomes === undefined) return;
  const whose = of === 'edge' ? 'edge' : 'source node';
  if (value === 'failed') outcomes.addFault(line, key!, `The ${whose} has a value that no key can hold`, projection);
  else if (of === 'source' && !hasNode) outcomes.add(line, key!, 'There is no source node, or it counts as deleted.');
  else outcomes.add(line, key!, lacks(whose));
}

function textOfValue(value: Given): string | undefined {
  return typeof value === 'string' ? undefined : value.text;
}

function bothAttributes({ edge, source }: Shares): Item {
  const attributes = { ...edge.attributes };
  for (const [name, value] of Object.entries(source.attributes)) setOwn(attributes, name, value);
  return attributes;
}
