import { type Item, setOwn } from '../items/attribute-value.ts';
import { type ItemKey, typePrefix } from '../items/keys.ts';
import type { CompiledModel } from './compiled.ts';
import { GONE } from './gone.ts';

/**
 * The attribute of a mirrored item that names its makers, which are the source items it is made from. `makers` holds a
 * claim for each maker, and `shown` names the maker whose content the item has.
 */
export const MIRROR = '~mirror';
/** The attribute of a claim that holds the revision of the maker's ledger. */
export const CLAIM_TOKEN = 't';
export const BOOKKEEPING: readonly string[] = [MIRROR, GONE];

export function withoutBookkeeping(item: Item): Item {
  if (!Object.hasOwn(item, MIRROR) && !Object.hasOwn(item, GONE)) return item;
  const rest: Item = {};
  for (const name of Object.keys(item)) if (!BOOKKEEPING.includes(name)) setOwn(rest, name, item[name]!);
  return rest;
}

export function isMirrored(model: CompiledModel, { source, target }: ItemKey): boolean {
  if (model.mirrored === undefined) return false;
  const type = source === target ? undefined : typePrefix(target);
  return model.mirrored.has(type !== undefined && model.edges.has(type) ? type : (typePrefix(source) ?? ''));
}
