import { type Item, setOwn } from '../items/attribute-value.ts';
import { typePrefix } from '../items/keys.ts';
import type { CompiledModel } from './compiled.ts';
import { GONE } from './gone.ts';

/** The bookkeeping that a mirror keeps in a base item, next to its content. */

/** The attribute of a mirrored base item that says which source items make it: a map of `shown` and `makers`, the claims by maker. */
export const MIRROR = '~mirror';
/** In a claim: the revision of the maker's ledger under which it was written. */
export const CLAIM_TOKEN = 't';
/** The names of what a mirror keeps in a base item. */
export const BOOKKEEPING: readonly string[] = [MIRROR, GONE];

/** A base item without bookkeeping; the same object if it has none. */
export function withoutBookkeeping(item: Item): Item {
  if (!Object.hasOwn(item, MIRROR) && !Object.hasOwn(item, GONE)) return item;
  const rest: Item = {};
  for (const name of Object.keys(item)) if (!BOOKKEEPING.includes(name)) setOwn(rest, name, item[name]!);
  return rest;
}

/** The key of a base item. */
interface BaseKey {
  source: string;
  target: string;
}

/** Tells whether the base item of a key is of a mirrored type. A part of a node is of the node's type. */
export function isMirrored(model: CompiledModel, { source, target }: BaseKey): boolean {
  if (model.mirrored === undefined) return false;
  const type = source === target ? undefined : typePrefix(target);
  return model.mirrored.has(type !== undefined && model.edges.has(type) ? type : (typePrefix(source) ?? ''));
}
