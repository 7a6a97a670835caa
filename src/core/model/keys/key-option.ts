import type { Letters } from './raw-keys.ts';

/** An attribute that holds a node's id: see `attribute`. */
export interface IdAttribute {
  readonly kind: 'attribute';
  readonly attribute: string;
}

/**
 * Names an attribute that holds, as a text, what follows the type in a node's id, for use in `key` options: as `id` of a node whose keys
 * have lost the case of ids, or as `to` of an edge that an item's attribute makes.
 *
 * @example
 * node({ key: { source: '$app#userid_{id}', target: '$user_1', case: 'lower', id: attribute('userId') } });
 * // The orders of a customer: each order has the customer's id.
 * edge({ from: 'ORDER', to: 'CUSTOMER', key: { to: attribute('customerId') }, inbound: { orders: { gsi0: 'orderedAt' } } });
 */
export function attribute(name: string): IdAttribute {
  return { kind: 'attribute', attribute: name };
}

/** Keys that other software gives the items of a type, as templates. */
export interface NodeKeyOption {
  /** The partition key, with `{id}` for what follows the type in the node's id: `'USER#{id}'`. */
  source: string;
  /** The sort key: a text such as `'PROFILE'`, or one with `{id}`. */
  target: string;
  /** Attributes that an item of the type has besides: `{ _type: 'User' }`. They tell types apart whose templates fit the same keys. */
  where?: Readonly<Record<string, string>>;
  /** The case of ids in the keys, where the library that writes them changes it. Default `'any'`: as it is. */
  case?: Letters;
  /**
   * The attribute that holds the id as it is, where `case` loses it: `attribute('userId')`. The node's parts and edges have theirs under
   * the same name. One of two ids that differ in case alone can be stored. Default: ids are in the case of the keys.
   */
  id?: IdAttribute;
}

/** Keys that other software gives the edges of a type, as templates. */
export interface EdgeKeyOption {
  /** The partition key: that of the node that the edge leaves, with `{from}`. Default: as the node has it. */
  source?: string;
  /** The sort key, with `{to}` at its end, and maybe `{from}`: `'USER#{to}'`. Left out where an attribute of the node makes the edge. */
  target?: string;
  /** Attributes that an edge of the type has besides: `{ _type: 'Membership' }`. */
  where?: Readonly<Record<string, string>>;
  /** The attribute of an edge's item that holds the id of the node it leaves. Default: the `id` of that node's keys. */
  from?: IdAttribute;
  /**
   * The attribute of an edge's item that holds the id of the node it enters. Default: the `id` of that node's keys. Without `target`:
   * the attribute of the node it leaves. Such an edge is there while the node has the attribute, has the node's attributes, and is
   * written by writing the node.
   */
  to?: IdAttribute;
}

/** Whether an attribute of the node that an edge leaves makes the edge: it has no item of its own. */
export function isMadeByNode({ key }: { key?: EdgeKeyOption }): boolean {
  return key !== undefined && key.target === undefined;
}
