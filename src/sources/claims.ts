import { attributeOf, canonicalText, type Item, numberOf, stringOf } from '../core/items/attribute-value.ts';
import { TOMBSTONE_HOURS } from '../core/items/derived-item.ts';
import type { CompiledModel } from '../core/model/compiled.ts';
import { GONE } from '../core/model/gone.ts';
import { CLAIM_TOKEN, MIRROR, withoutBookkeeping } from '../core/model/mirrored.ts';
import type { BaseCondition, ItemKey } from '../core/store-port.ts';
import { sourceOfMaker } from './source.ts';

/**
 * What source items say of a base item: each source item that makes it, its maker, holds one claim. The item shows the content of one claim,
 * which follows from the claims alone. Tokens are compared within the claims of one maker: those of two say nothing of each other.
 */

/** The number of seconds for which a claim that has gone is remembered: longer than any write can take. */
const REMEMBERED_SECONDS = TOMBSTONE_HOURS * 3600;

/** What one source item says of a base item. */
export interface Claim {
  /** The revision of the maker's ledger under which this was written. */
  token: number;
  /** The content without keys; undefined: the source item makes it no more. */
  content: Item | undefined;
  /** When the maker was found not to make it, in seconds since 1970. */
  goneSince?: number | undefined;
}

/** The claims on a base item, by maker. */
export interface Claims {
  /** The maker whose content the item shows. */
  shown: string;
  byMaker: ReadonlyMap<string, Claim>;
}

/** The claims on a base item; undefined: there are none, or nobody can read them. */
export function claimsOf({ table }: CompiledModel, item: Item | undefined): Claims | undefined {
  const mirror = item && mapOf(item, MIRROR);
  const shown = mirror && stringOf(attributeOf(mirror, 'shown'));
  const stored = mirror && mapOf(mirror, 'makers');
  if (shown === undefined || stored === undefined) return undefined;
  const { [table.partitionKey]: _source, [table.sortKey]: _target, ...content } = withoutBookkeeping(item!);
  const byMaker = new Map<string, Claim>();
  for (const maker of Object.keys(stored)) {
    const entry = mapOf(stored, maker);
    const token = entry && numberOf(attributeOf(entry, CLAIM_TOKEN));
    if (token === undefined) return undefined;
    const gone = numberOf(attributeOf(entry!, 'gone'));
    byMaker.set(maker, {
      token: Number(token),
      content: gone !== undefined ? undefined : maker === shown ? content : mapOf(entry!, 'content'),
      ...(gone !== undefined && { goneSince: Number(gone) }),
    });
  }
  return { shown, byMaker };
}

/**
 * The claims after a source item has said something new.
 *
 * @param names the sources that the model file declares: what others made, before a source was renamed, is shown last.
 */
export function withClaim(
  before: Claims | undefined,
  maker: string,
  { token, content }: Pick<Claim, 'token' | 'content'>,
  { nowMs, names }: { nowMs: number; names: ReadonlySet<string> },
): Claims {
  const nowSeconds = Math.floor(nowMs / 1000);
  const byMaker = new Map<string, Claim>();
  for (const [other, claim] of before?.byMaker ?? []) {
    const isForgotten = claim.goneSince !== undefined && claim.goneSince < nowSeconds - REMEMBERED_SECONDS;
    if (!isForgotten) byMaker.set(other, claim);
  }
  byMaker.set(maker, { token, content, ...(content === undefined && { goneSince: nowSeconds }) });
  const live = liveMakers({ byMaker });
  const declared = live.filter((one) => names.has(sourceOfMaker(one)));
  // rule: source-the-first-claim-is-shown
  const shown = (declared.length > 0 ? declared : live).sort()[0] ?? maker;
  return { shown, byMaker };
}

/** The source items that make a base item now. If there are two, the item shows the content of one: they are in conflict. */
export function liveMakers({ byMaker }: Pick<Claims, 'byMaker'>): string[] {
  return [...byMaker].filter(([, { content }]) => content !== undefined).map(([maker]) => maker);
}

/** The base item that shows the content of one claim and keeps all; a tombstone where nobody makes it. */
export function itemOfClaims(model: CompiledModel, { source, target }: ItemKey, { shown, byMaker }: Claims): Item {
  const content = byMaker.get(shown)?.content;
  const makers: Item = {};
  for (const [maker, { token, content: own, goneSince }] of byMaker) {
    makers[maker] = {
      M: {
        [CLAIM_TOKEN]: { N: String(token) },
        ...(goneSince !== undefined && { gone: { N: String(goneSince) } }),
        ...(own !== undefined && maker !== shown && { content: { M: own } }),
      },
    };
  }
  return {
    ...content,
    [model.table.partitionKey]: { S: source },
    [model.table.sortKey]: { S: target },
    [MIRROR]: { M: { shown: { S: shown }, makers: { M: makers } } },
    ...tombstoneParts(model.table.ttl, { byMaker }, content),
  };
}

/** The parts of a tombstone. Live content has no expiry: DynamoDB would delete it. */
function tombstoneParts(ttl: string, claims: Pick<Claims, 'byMaker'>, content: Item | undefined): Item {
  // rule: source-live-content-does-not-expire
  if (content !== undefined) return {};
  // rule: source-tombstone-outlives-every-write
  const expiry = forgottenAt(claims);
  return { [GONE]: { BOOL: true }, [ttl]: { N: String(expiry) } };
}

/** When nothing of a key has to be remembered any more, of what is gone now: in seconds since 1970. */
export function expiryAt(nowMs: number): number {
  return Math.floor(nowMs / 1000) + REMEMBERED_SECONDS;
}

function forgottenAt({ byMaker }: Pick<Claims, 'byMaker'>): number {
  return Math.max(...[...byMaker.values()].map(({ goneSince = 0 }) => goneSince)) + REMEMBERED_SECONDS;
}

/** The condition that a base item is as it was seen. */
export function asSeen(item: Item | undefined): BaseCondition {
  if (item === undefined) return { present: false };
  const mirror = attributeOf(item, MIRROR);
  return mirror === undefined ? { present: true, absent: [MIRROR] } : { equal: { [MIRROR]: mirror } };
}

/** The content of a base item, without its keys. */
export function contentOf({ table }: CompiledModel, item: Item): Item {
  const { [table.partitionKey]: _source, [table.sortKey]: _target, ...content } = item;
  return content;
}

/** A text of a content; two are equal exactly if the contents are. */
export function textOf(content: Item | undefined): string {
  return content === undefined ? '' : canonicalText({ M: content });
}

function mapOf(item: Item, name: string): Item | undefined {
  const value = attributeOf(item, name);
  return value !== undefined && 'M' in value ? value.M : undefined;
}
