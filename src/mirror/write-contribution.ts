import type { Item } from '../core/items/attribute-value.ts';
import { textOfKey } from '../core/items/keys.ts';
import type { BaseCondition, ItemKey } from '../core/store-port.ts';
import { noteConflict } from './conflicts.ts';
import type { MirrorContext } from './context.ts';
import {
  asSeen,
  type Contribution,
  type Contributions,
  contentOf,
  contributionsOf,
  itemOfContributions,
  sameContribution,
  withContribution,
} from './contributions.ts';
import { mapped } from './mapped.ts';
import { BEFORE_ALL } from './position.ts';
import { keyOfMaker } from './source.ts';

/** The three ways in which a source item's word comes into a base item. */

/** A base item, and a source item that makes it. */
export interface Word {
  key: ItemKey;
  maker: string;
}

/**
 * Writes what a record says: content, or that the source item does not make the item. An item of no other maker takes one conditional
 * write; only where that fails the item is looked at.
 */
export async function writeOfRecord(
  context: MirrorContext,
  { key, maker }: Word,
  said: Pick<Contribution, 'position' | 'content'>,
): Promise<void> {
  const contribution: Contribution = { ...said, version: context.source.version };
  // rule: mirror-writes-only-what-is-newer
  const condition = { mirroredBefore: { maker, position: said.position } };
  await writeUnseen(context, { key, maker }, contribution, condition, (entry) => {
    // rule: mirror-compares-positions-of-one-maker
    if (entry !== undefined && entry.position >= said.position) return undefined;
    return contribution;
  });
}

/** Writes what a line of changes says, as a record does; an equal position counts where an older mapping wrote. Gives whether it wrote. */
export async function writeOfLine(
  context: MirrorContext,
  { key, maker }: Word,
  said: Pick<Contribution, 'position' | 'content'>,
): Promise<boolean> {
  const { version } = context.source;
  const contribution: Contribution = { ...said, version };
  return writeUnseen(context, { key, maker }, contribution, { present: false }, (entry) => {
    // rule: lines-the-highest-position-decides
    if (entry === undefined || entry.position < said.position) return contribution;
    // rule: lines-another-mapping-says-them-again
    return entry.position === said.position && entry.version < version ? contribution : undefined;
  });
}

/** Writes what a scan of the source table shows: only where nothing is known of the source item, or by an older mapping. */
export async function writeOfScan(context: MirrorContext, { key, maker }: Word, content: Item): Promise<boolean> {
  const { version } = context.source;
  const contribution: Contribution = { position: BEFORE_ALL, version, content };
  return writeUnseen(context, { key, maker }, contribution, { present: false }, (entry) => {
    if (entry === undefined) return contribution;
    // rule: mirror-snapshot-replaces-older-versions-alone
    if (entry.version >= version) return undefined;
    return { ...contribution, position: entry.position };
  });
}

/**
 * Makes a base item say what its source item is now, whatever records said. The order is the rule: the base item is read first, then the
 * source item, both consistently, and the write is made only if the base item is still as it was read.
 *
 * @param at the position of a record that asks for it; it is kept if it is later than the one found.
 */
export async function settle(context: MirrorContext, { key, maker }: Word, at = BEFORE_ALL): Promise<boolean> {
  const { graph, store, source, sourceStore } = context;
  // rule: mirror-base-item-is-read-first
  let { item: base } = await store.get(key, { consistent: true });
  for (;;) {
    // rule: mirror-source-item-is-read-in-each-round
    const image = await sourceStore.get(keyOfMaker(source, maker));
    const content = contentOf(graph, mapped(graph, source, image).get(textOfKey(key)));
    const result = await tryToWrite(context, { key, maker }, base, (entry) => {
      if (entry === undefined && content === undefined && at === BEFORE_ALL) return undefined;
      if (entry !== undefined && entry.version > source.version) return undefined;
      // rule: mirror-reconciling-keeps-the-position
      const position = entry !== undefined && entry.position > at ? entry.position : at;
      const contribution: Contribution = { position, version: source.version, content };
      return entry?.position === position && sameContribution(entry, contribution) ? undefined : contribution;
    });
    if (result.done) return result.wrote;
    base = result.current;
  }
}

/**
 * Writes a contribution without a look at the base item, which a condition allows where no other maker has a say. Where it does not hold, the
 * item is there: `next` says what becomes of it, as in `writeAsSeen`.
 */
async function writeUnseen(
  context: MirrorContext,
  { key, maker }: Word,
  contribution: Contribution,
  condition: BaseCondition,
  next: (entry: Contribution | undefined) => Contribution | undefined,
): Promise<boolean> {
  const { graph, store, now } = context;
  const item = itemOfContributions(graph, key, withContribution(undefined, maker, contribution, now()));
  const result = await store.change({ kind: 'put', key, item, condition });
  return result.applied || writeAsSeen(context, { key, maker }, result.current, next);
}

/** Writes a contribution until nobody has come between; `next` makes it of the present one, or says that it is not needed. */
export async function writeAsSeen(
  context: MirrorContext,
  word: Word,
  seen: Item | undefined,
  next: (entry: Contribution | undefined) => Contribution | undefined,
): Promise<boolean> {
  let base = seen;
  for (;;) {
    const result = await tryToWrite(context, word, base, next);
    if (result.done) return result.wrote;
    base = result.current;
  }
}

type Tried = { done: true; wrote: boolean } | { done: false; current: Item | undefined };

async function tryToWrite(
  { graph, store, now }: MirrorContext,
  { key, maker }: Word,
  base: Item | undefined,
  next: (entry: Contribution | undefined) => Contribution | undefined,
): Promise<Tried> {
  const contributions: Contributions | undefined = contributionsOf(graph, base);
  const contribution = next(contributions?.byMaker.get(maker));
  if (contribution === undefined) {
    // Whoever wrote it may have ended before its note.
    // rule: mirror-notes-a-conflict-that-it-meets
    if (contributions !== undefined) await noteConflict({ graph, store }, key, contributions);
    return { done: true, wrote: false };
  }
  const after = withContribution(contributions, maker, contribution, now());
  const item = itemOfContributions(graph, key, after);
  // rule: mirror-writes-to-what-it-saw
  const condition = asSeen(base);
  // rule: mirror-writes-an-item-before-its-note
  const result = await store.change({ kind: 'put', key, item, condition });
  if (!result.applied) return { done: false, current: result.current };
  // rule: mirror-notes-a-conflict
  await noteConflict({ graph, store }, key, after);
  return { done: true, wrote: true };
}
