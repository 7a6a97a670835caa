import { attributeOf, canonicalText, type Item, numberOf, stringOf } from '../core/items/attribute-value.ts';
import { TOMBSTONE_HOURS } from '../core/items/derived-item.ts';
import { hash128 } from '../core/items/keys.ts';
import type { CompiledModel } from '../core/model/compiled.ts';
import { GONE } from '../core/model/gone.ts';
import { MIRROR, withoutBookkeeping } from '../core/model/mirrored.ts';
import type { BaseCondition, ItemKey } from '../core/store-port.ts';

/**
 * The bookkeeping of a mirrored base item. Each source item that makes the item has an entry; one of them, the owner, gives the content that
 * the item shows. Positions are compared within one entry alone: those of two source items say nothing of each other.
 */

/** The number of seconds for which what is gone is remembered: longer than any delivery and any process. */
const REMEMBERED_SECONDS = TOMBSTONE_HOURS * 3600;

/** The word of one source item about a base item. */
export interface Claim {
  /** The position of the record that said so; kept where the source item itself was asked. */
  position: string;
  /** The version of the mapping. */
  version: number;
  /** The content without keys; undefined: the source item does not make it, or no more. */
  content: Item | undefined;
  /** The time at which it was found not to make the item, in seconds since 1970. */
  goneSince?: number | undefined;
}

/** The bookkeeping of one base item. */
export interface Claims {
  /** Moves with every write of the item. Two writes have the same only if all before them were the same too. */
  revision: string;
  /** The claimant whose content the item shows. */
  owner: string;
  entries: ReadonlyMap<string, Claim>;
}

/** The bookkeeping of a base item; undefined: there is none, or nobody can read it. */
export function claimsOf({ table }: CompiledModel, item: Item | undefined): Claims | undefined {
  const mirror = item && mapOf(item, MIRROR);
  const owner = mirror && stringOf(attributeOf(mirror, 'owner'));
  const revision = mirror && numberOf(attributeOf(mirror, 'rev'));
  const stored = mirror && mapOf(mirror, 'entries');
  if (owner === undefined || revision === undefined || stored === undefined) return undefined;
  const { [table.partitionKey]: _source, [table.sortKey]: _target, ...shown } = withoutBookkeeping(item!);
  const entries = new Map<string, Claim>();
  for (const claimant of Object.keys(stored)) {
    const entry = mapOf(stored, claimant);
    if (entry === undefined) return undefined;
    const gone = numberOf(attributeOf(entry, 'gone'));
    entries.set(claimant, {
      position: stringOf(attributeOf(entry, 'p')) ?? '',
      version: Number(numberOf(attributeOf(entry, 'v')) ?? 0),
      content: gone !== undefined ? undefined : claimant === owner ? shown : mapOf(entry, 'content'),
      ...(gone !== undefined && { goneSince: Number(gone) }),
    });
  }
  return { revision, owner, entries };
}

/** The claims after a source item has said something new. */
export function withClaim(before: Claims | undefined, claimant: string, claim: Claim, nowMs: number): Claims {
  const nowSeconds = Math.floor(nowMs / 1000);
  const said = before?.entries.get(claimant);
  const entries = new Map<string, Claim>();
  for (const [other, entry] of before?.entries ?? []) {
    const isForgotten = entry.goneSince !== undefined && entry.goneSince < nowSeconds - REMEMBERED_SECONDS;
    if (!isForgotten) entries.set(other, entry);
  }
  const { position, version, content } = claim;
  const own: Claim = { position, version, content };
  // Each deletion is remembered for its own time, and a repeated look at the same one prolongs nothing.
  if (content === undefined) own.goneSince = (said?.position === position ? said.goneSince : undefined) ?? nowSeconds;
  entries.set(claimant, own);
  const live = [...entries].filter(([, entry]) => entry.content !== undefined).map(([name]) => name);
  const owned = before?.owner ?? claimant;
  // rule: mirror-smallest-live-claimant-takes-over
  const owner = live.includes(owned) ? owned : (live.sort()[0] ?? claimant);
  return { revision: revisionAfter(before?.revision ?? '', claimant, own), owner, entries };
}

/** The source items that make a base item now. If there are two, the item shows the content of one: they are in conflict. */
export function liveClaimants({ entries }: Claims): string[] {
  return [...entries].filter(([, { content }]) => content !== undefined).map(([claimant]) => claimant);
}

/** The base item that shows the owner's content and keeps the claims; a tombstone where nobody makes it. */
export function itemOfClaims({ table }: CompiledModel, { source, target }: ItemKey, claims: Claims): Item {
  const { owner, revision, entries } = claims;
  const shown = entries.get(owner)?.content;
  const stored: Item = {};
  for (const [claimant, { position, version, content, goneSince }] of entries) {
    stored[claimant] = {
      M: {
        p: { S: position },
        v: { N: String(version) },
        ...(goneSince !== undefined && { gone: { N: String(goneSince) } }),
        ...(content !== undefined && claimant !== owner && { content: { M: content } }),
      },
    };
  }
  return {
    ...shown,
    [table.partitionKey]: { S: source },
    [table.sortKey]: { S: target },
    [MIRROR]: { M: { rev: { N: revision }, owner: { S: owner }, entries: { M: stored } } },
    ...tombstoneParts(table.ttl, claims, shown),
  };
}

/** The parts of a tombstone. Live content has no expiry: DynamoDB would delete it. */
function tombstoneParts(ttl: string, claims: Claims, shown: Item | undefined): Item {
  // rule: mirror-live-content-does-not-expire
  if (shown !== undefined) return {};
  // rule: mirror-tombstone-outlives-every-delivery
  const expiry = forgottenAt(claims);
  return { [GONE]: { BOOL: true }, [ttl]: { N: String(expiry) } };
}

/** The condition that a base item is as it was seen. */
export function asSeen(item: Item | undefined): BaseCondition {
  if (item === undefined) return { present: false };
  const mirror = attributeOf(item, MIRROR);
  return mirror === undefined ? { present: true, absent: [MIRROR] } : { equal: { [MIRROR]: mirror } };
}

/** Whether a claim says the same as another, whatever its position. */
export function sameClaim(left: Claim, right: Claim): boolean {
  return left.version === right.version && textOf(left.content) === textOf(right.content);
}

/** The content of a base item, without its keys. */
export function contentOf({ table }: CompiledModel, item: Item | undefined): Item | undefined {
  if (item === undefined) return undefined;
  const { [table.partitionKey]: _source, [table.sortKey]: _target, ...content } = item;
  return content;
}

/** A text of a content; two are equal exactly if the contents are. */
export function textOf(content: Item | undefined): string {
  return content === undefined ? '' : canonicalText({ M: content });
}

function forgottenAt({ entries }: Claims): number {
  const last = Math.max(...[...entries.values()].map(({ goneSince = 0 }) => goneSince));
  return last + REMEMBERED_SECONDS;
}

/** 124 bits of a hash, as a number of DynamoDB, which has 38 digits. A fast write does not see the revision before it. */
function revisionAfter(before: string, claimant: string, { position, version, content }: Claim): string {
  const text = JSON.stringify([before, claimant, position, version, textOf(content)]);
  return BigInt(`0x${hash128(text).slice(0, 31)}`).toString();
}

function mapOf(item: Item, name: string): Item | undefined {
  const value = attributeOf(item, name);
  return value !== undefined && 'M' in value ? value.M : undefined;
}
