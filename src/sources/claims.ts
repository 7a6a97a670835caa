import { attributeOf, canonicalText, type Item, numberOf, stringOf } from '../core/items/attribute-value.ts';
import { TOMBSTONE_HOURS } from '../core/items/derived-item.ts';
import type { CompiledModel } from '../core/model/compiled.ts';
import { GONE } from '../core/model/gone.ts';
import { CLAIM_TOKEN, MIRROR, withoutBookkeeping } from '../core/model/mirrored.ts';
import type { BaseCondition, ItemKey } from '../core/store-port.ts';
import { sourceOfMaker } from './source.ts';

/**
 * A source item that makes a base item is the base item's *maker* and holds one claim on it. The base item shows one
 * claim's content; the claims and the declared sources determine which. Tokens are only compared within one maker.
 */

/** Longer than a write can be late (`LATEST_WRITE_MS`). */
const REMEMBERED_SECONDS = TOMBSTONE_HOURS * 3600;

export interface Claim {
  /** The revision of the maker's ledger under which this claim was written. */
  token: number;
  /** The base item's content without keys; undefined if the source item no longer makes the base item. */
  content: Item | undefined;
  /** In seconds since 1970. */
  goneSince?: number | undefined;
}

export interface Claims {
  /** The maker whose content the item shows. */
  shown: string;
  byMaker: ReadonlyMap<string, Claim>;
}

/** Damaged claims count as none. */
export function claimsOf({ table }: CompiledModel, item: Item | undefined): Claims | undefined {
  const mirror = item && mapOf(item, MIRROR);
  const shown = mirror && stringOf(attributeOf(mirror, 'shown'));
  const stored = mirror && mapOf(mirror, 'makers');
  if (shown === undefined || stored === undefined) return undefined;
  const { [table.partitionKey]: _source, [table.sortKey]: _target, ...content } = withoutBookkeeping(item!);
  const byMaker = new Map<string, Claim>();
  for (const maker of Object.keys(stored)) {
    const entry = mapOf(stored, maker) ?? {};
    const [token, gone] = [CLAIM_TOKEN, 'gone'].map((name) => numberOf(attributeOf(entry, name)));
    if (token === undefined) return undefined;
    byMaker.set(maker, {
      token: Number(token),
      content: gone !== undefined ? undefined : maker === shown ? content : mapOf(entry, 'content'),
      ...(gone !== undefined && { goneSince: Number(gone) }),
    });
  }
  return { shown, byMaker };
}

/**
 * `names` are the sources in the model file. Claims of other sources, such as a renamed one, are shown only if no
 * declared source has a live claim.
 */
export function withClaim(
  before: Claims | undefined,
  maker: string,
  { token, content }: Pick<Claim, 'token' | 'content'>,
  { nowMs, names }: { nowMs: number; names: ReadonlySet<string> },
): Claims {
  const nowSeconds = Math.floor(nowMs / 1000);
  const remembered = [...(before?.byMaker ?? [])].filter(
    ([, { goneSince = nowSeconds }]) => goneSince >= nowSeconds - REMEMBERED_SECONDS,
  );
  const byMaker = new Map(remembered);
  // rule: source-gone-claim-keeps-its-token
  byMaker.set(maker, { token, content, ...(content === undefined && { goneSince: nowSeconds }) });
  const live = liveMakers({ byMaker });
  const declared = live.filter((one) => names.has(sourceOfMaker(one)));
  // rule: source-the-first-claim-is-shown
  const shown = (declared.length > 0 ? declared : live).sort()[0] ?? maker;
  return { shown, byMaker };
}

export function liveMakers({ byMaker }: Pick<Claims, 'byMaker'>): string[] {
  return [...byMaker].filter(([, { content }]) => content !== undefined).map(([maker]) => maker);
}

export function itemOfClaims({ table }: CompiledModel, { source, target }: ItemKey, { shown, byMaker }: Claims): Item {
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
  // rule: source-tombstone-outlives-every-write
  const expiry = Math.max(...[...byMaker.values()].map(({ goneSince = 0 }) => goneSince)) + REMEMBERED_SECONDS;
  return {
    ...content,
    [table.partitionKey]: { S: source },
    [table.sortKey]: { S: target },
    [MIRROR]: { M: { shown: { S: shown }, makers: { M: makers } } },
    // DynamoDB would delete an item with an expiry, so only tombstones have one.
    // rule: source-live-content-does-not-expire
    ...(content === undefined && { [GONE]: { BOOL: true }, [table.ttl]: { N: String(expiry) } }),
  };
}

export function expiryAt(nowMs: number): number {
  return Math.floor(nowMs / 1000) + REMEMBERED_SECONDS;
}

export function asSeen(item: Item | undefined): BaseCondition {
  if (item === undefined) return { present: false };
  const mirror = attributeOf(item, MIRROR);
  return mirror === undefined ? { present: true, absent: [MIRROR] } : { equal: { [MIRROR]: mirror } };
}

export function textOf(content: Item | undefined): string {
  return content === undefined ? '' : canonicalText({ M: content });
}

function mapOf(item: Item, name: string): Item | undefined {
  const value = attributeOf(item, name);
  return value !== undefined && 'M' in value ? value.M : undefined;
}
