import { attributeOf, canonicalText, type Item, numberOf, stringOf } from '../core/items/attribute-value.ts';
import { TOMBSTONE_HOURS } from '../core/items/derived-item.ts';
import { hash128 } from '../core/items/keys.ts';
import type { CompiledModel } from '../core/model/compiled.ts';
import { GONE } from '../core/model/gone.ts';
import { MIRROR, withoutBookkeeping } from '../core/model/mirrored.ts';
import type { BaseCondition, ItemKey } from '../core/store-port.ts';

/**
 * The bookkeeping of a mirrored base item. Each source item that makes the item, its maker, contributes a content; the item shows that of one maker.
 * Positions are compared within the contributions of one maker alone: those of two source items say nothing of each other.
 */

/** The number of seconds for which what is gone is remembered: longer than any delivery and any process. */
const REMEMBERED_SECONDS = TOMBSTONE_HOURS * 3600;

/** The newest content of one source item for a base item. */
export interface Contribution {
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
export interface Contributions {
  /** Moves with every write of the item. Two writes have the same only if all before them were the same too. */
  revision: string;
  /** The maker whose content the item shows. */
  shown: string;
  /** By maker, that is by source item. */
  byMaker: ReadonlyMap<string, Contribution>;
}

/** The bookkeeping of a base item; undefined: there is none, or nobody can read it. */
export function contributionsOf(model: CompiledModel, item: Item | undefined): Contributions | undefined {
  const mirror = item && mapOf(item, MIRROR);
  const shown = mirror && stringOf(attributeOf(mirror, 'shown'));
  const revision = mirror && numberOf(attributeOf(mirror, 'rev'));
  const stored = mirror && mapOf(mirror, 'makers');
  if (shown === undefined || revision === undefined || stored === undefined) return undefined;
  const { [model.table.partitionKey]: _source, [model.table.sortKey]: _target, ...content } = withoutBookkeeping(item!);
  const byMaker = new Map<string, Contribution>();
  for (const maker of Object.keys(stored)) {
    const entry = mapOf(stored, maker);
    if (entry === undefined) return undefined;
    const gone = numberOf(attributeOf(entry, 'gone'));
    byMaker.set(maker, {
      position: stringOf(attributeOf(entry, 'p')) ?? '',
      version: Number(numberOf(attributeOf(entry, 'v')) ?? 0),
      content: gone !== undefined ? undefined : maker === shown ? content : mapOf(entry, 'content'),
      ...(gone !== undefined && { goneSince: Number(gone) }),
    });
  }
  return { revision, shown, byMaker };
}

/** The contributions after a source item has said something new. */
export function withContribution(
  before: Contributions | undefined,
  maker: string,
  contribution: Contribution,
  nowMs: number,
): Contributions {
  const nowSeconds = Math.floor(nowMs / 1000);
  const said = before?.byMaker.get(maker);
  const byMaker = new Map<string, Contribution>();
  for (const [other, earlier] of before?.byMaker ?? []) {
    const isForgotten = earlier.goneSince !== undefined && earlier.goneSince < nowSeconds - REMEMBERED_SECONDS;
    if (!isForgotten) byMaker.set(other, earlier);
  }
  const { position, version, content } = contribution;
  const own: Contribution = { position, version, content };
  // Each deletion is remembered for its own time, and a repeated look at the same one prolongs nothing.
  if (content === undefined) own.goneSince = (said?.position === position ? said.goneSince : undefined) ?? nowSeconds;
  byMaker.set(maker, own);
  const live = liveMakers({ byMaker });
  const shownBefore = before?.shown ?? maker;
  // rule: mirror-smallest-live-maker-takes-over
  const shown = live.includes(shownBefore) ? shownBefore : (live.sort()[0] ?? maker);
  return { revision: revisionAfter(before?.revision ?? '', maker, own), shown, byMaker };
}

/** The source items that make a base item now. If there are two, the item shows the content of one: they are in conflict. */
export function liveMakers({ byMaker }: Pick<Contributions, 'byMaker'>): string[] {
  return [...byMaker].filter(([, { content }]) => content !== undefined).map(([maker]) => maker);
}

/** The base item that shows the content of one maker and keeps the contributions of all; a tombstone where nobody makes it. */
export function itemOfContributions(
  model: CompiledModel,
  { source, target }: ItemKey,
  contributions: Contributions,
): Item {
  const { shown, revision, byMaker } = contributions;
  const content = byMaker.get(shown)?.content;
  const stored: Item = {};
  for (const [maker, { position, version, content: own, goneSince }] of byMaker) {
    stored[maker] = {
      M: {
        p: { S: position },
        v: { N: String(version) },
        ...(goneSince !== undefined && { gone: { N: String(goneSince) } }),
        ...(own !== undefined && maker !== shown && { content: { M: own } }),
      },
    };
  }
  return {
    ...content,
    [model.table.partitionKey]: { S: source },
    [model.table.sortKey]: { S: target },
    [MIRROR]: { M: { rev: { N: revision }, shown: { S: shown }, makers: { M: stored } } },
    ...tombstoneParts(model.table.ttl, contributions, content),
  };
}

/** The parts of a tombstone. Live content has no expiry: DynamoDB would delete it. */
function tombstoneParts(ttl: string, contributions: Contributions, content: Item | undefined): Item {
  // rule: mirror-live-content-does-not-expire
  if (content !== undefined) return {};
  // rule: mirror-tombstone-outlives-every-delivery
  const expiry = forgottenAt(contributions);
  return { [GONE]: { BOOL: true }, [ttl]: { N: String(expiry) } };
}

/** The condition that a base item is as it was seen. */
export function asSeen(item: Item | undefined): BaseCondition {
  if (item === undefined) return { present: false };
  const mirror = attributeOf(item, MIRROR);
  return mirror === undefined ? { present: true, absent: [MIRROR] } : { equal: { [MIRROR]: mirror } };
}

/** Tells whether a contribution says the same as another, whatever its position. */
export function sameContribution(left: Contribution, right: Contribution): boolean {
  return left.version === right.version && textOf(left.content) === textOf(right.content);
}

/** The content of a base item, without its keys. */
export function contentOf(model: CompiledModel, item: Item | undefined): Item | undefined {
  if (item === undefined) return undefined;
  const { [model.table.partitionKey]: _source, [model.table.sortKey]: _target, ...content } = item;
  return content;
}

/** A text of a content; two are equal exactly if the contents are. */
export function textOf(content: Item | undefined): string {
  return content === undefined ? '' : canonicalText({ M: content });
}

function forgottenAt({ byMaker }: Contributions): number {
  const last = Math.max(...[...byMaker.values()].map(({ goneSince = 0 }) => goneSince));
  return last + REMEMBERED_SECONDS;
}

/** 124 bits of a hash, as a number of DynamoDB, which has 38 digits. A fast write does not see the revision before it. */
function revisionAfter(before: string, maker: string, { position, version, content }: Contribution): string {
  const text = JSON.stringify([before, maker, position, version, textOf(content)]);
  return BigInt(`0x${hash128(text).slice(0, 31)}`).toString();
}

function mapOf(item: Item, name: string): Item | undefined {
  const value = attributeOf(item, name);
  return value !== undefined && 'M' in value ? value.M : undefined;
}
