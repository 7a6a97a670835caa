import { type Item, setOwn } from '../items/attribute-value.ts';
import { typePrefix } from '../items/keys.ts';
import type { CompiledModel } from './compiled.ts';
import { GONE } from './gone.ts';

/** What a mirror keeps in a base item besides its content. */

/** Says which source items make a mirrored base item: a map of `shown` and `makers`, the claims by maker. */
export const MIRROR = '~mirror';
/** On a claim: the revision of the maker's ledger when it was written. */
export const CLAIM_TOKEN = 't';
export const BOOKKEEPING: readonly string[] = [MIRROR, GONE];

/** The same object if there is nothing to remove. */
export function withoutBookkeeping(item: Item): Item {
  if (!Object.hasOwn(item, MIRROR) && !Object.hasOwn(item, GONE)) return item;
  const rest: Item = {};
  for (const name of Object.keys(item)) if (!BOOKKEEPING.includes(name)) setOwn(rest, name, item[name]!);
  return rest;
}

interface BaseKey {
  source: string;
  target: string;
}

/** A part of a node has the node's type. */
export function isMirrored(model: CompiledModel, { source, target }: BaseKey): boolean {
  if (model.mirrored === undefined) return false;
  const type = source === target ? undefined : typePrefix(target);
  return model.mirrored.has(type !== undefined && model.edges.has(type) ? type : (typePrefix(source) ?? ''));
}
