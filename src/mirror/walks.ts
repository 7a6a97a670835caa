import pMap from 'p-map';
import type { Item } from '../core/items/attribute-value.ts';
import { isDerivedKey, textOfKey } from '../core/items/keys.ts';
import { GONE } from '../core/model/gone.ts';
import { isMirrored } from '../core/model/mirrored.ts';
import type { ItemKey } from '../core/store-port.ts';
import { StoreError } from '../foundation/errors.ts';
import { TableWalk, walkStart } from '../store/table-walk.ts';
import type { MirrorContext } from './context.ts';
import { type Contribution, contentOf, contributionsOf, liveMakers, textOf } from './contributions.ts';
import { keyOfText, mapped } from './mapped.ts';
import { correctPoisoned, isOfItem } from './mend.ts';
import { isTaken, poisonedItems, quarantine } from './poison.ts';
import { BEFORE_ALL } from './position.ts';
import { isOfSource, keyOfMaker, makerOf } from './source.ts';
import { sourcePages } from './source-store.ts';
import { settle, type Word, writeOfScan } from './write-contribution.ts';

/** The walks of a mirror: over the source table, and over the base items that it made. */

/** Items that are worked on at once. */
const CONCURRENCY = 16;

/** Options of each walk. */
export interface WalkOptions {
  signal?: AbortSignal | undefined;
  /** Called after each page, with the items read so far. */
  onProgress?: ((items: number) => void) | undefined;
}

/** The counts of a walk. */
export interface WalkResult {
  /** Items that were read. */
  items: number;
  /** Base items that were written. */
  written: number;
  /** Source items that the mapping does not take. */
  poisoned: number;
}

/** Callbacks of a walk, next to the visit itself. */
export interface WalkNotes {
  /** Takes a source item that is not taken. Default: it goes into quarantine. */
  poisoned?: (maker: string, found: Found) => Promise<void> | void;
  /** Takes a base item of a mirrored type without bookkeeping. Default: it is passed over. */
  strays?: (key: ItemKey) => void;
}

type Found = Parameters<typeof quarantine>[2];

/**
 * Puts what every source item makes, where nothing is known of it yet or an older mapping said it. It runs next to the consumer, which has
 * been started before.
 */
export async function snapshot(context: MirrorContext, options: WalkOptions): Promise<WalkResult> {
  const result = await overSource(context, options, async (word, content) => writeOfScan(context, word, content));
  result.written += await correctAllPoisoned(context, options);
  return result;
}

/**
 * Corrects the base items that are not what their source items make now. It looks also at those of the present version: while two versions of
 * a consumer run side by side, the older one may have had the last word about another key.
 */
export async function sweep(context: MirrorContext, options: WalkOptions): Promise<WalkResult> {
  return overBase(context, options, async (word, entry) => {
    // rule: mirror-sweep-looks-at-every-version
    if (isRight(context, entry, await wantedOf(context, word))) return false;
    return settle(context, word);
  });
}

/** Corrects both ways: what each source item makes, and what makes each base item. */
export async function reconcile(context: MirrorContext, options: WalkOptions): Promise<WalkResult> {
  const mended = await correctAllPoisoned(context, options);
  // rule: mirror-reconciles-what-source-items-make
  const forth = await overSource(context, options, async (word, content) => {
    const { item } = await context.store.get(word.key, { consistent: true });
    const entry = contributionsOf(context.graph, item)?.byMaker.get(word.maker);
    return isRight(context, entry, content) ? false : settle(context, word);
  });
  // rule: mirror-reconciles-what-makes-base-items
  const back = await sweep(context, options);
  return {
    items: forth.items + back.items,
    written: mended + forth.written + back.written,
    poisoned: forth.poisoned + back.poisoned,
  };
}

/** The content that the source item makes now of a base item. */
export async function wantedOf({ graph, source, sourceStore }: MirrorContext, word: Word): Promise<Item | undefined> {
  const image = await sourceStore.get(keyOfMaker(source, word.maker));
  return contentOf(graph, mapped(graph, source, image).get(textOfKey(word.key)));
}

/** Tells whether an entry has the content of the source item, in the present version. */
export function isRight({ source }: MirrorContext, entry: Contribution | undefined, wanted: Item | undefined): boolean {
  if (entry === undefined) return wanted === undefined;
  return entry.version >= source.version && textOf(entry.content) === textOf(wanted);
}

/** Visits each base item that each source item makes. */
export async function overSource(
  context: MirrorContext,
  options: WalkOptions,
  visit: (word: Word, content: Item) => Promise<boolean>,
  notes: WalkNotes = {},
): Promise<WalkResult> {
  const { graph, source, sourceStore } = context;
  const result: WalkResult = { items: 0, written: 0, poisoned: 0 };
  for await (const images of sourcePages(sourceStore)) {
    await pMap(
      images,
      async (image) => {
        options.signal?.throwIfAborted();
        const maker = makerOf(source, image);
        let isFirst = true;
        await ofItem(context, { maker, result, keys: [], notes }, async () => {
          const now = isFirst ? image : await sourceStore.get(keyOfMaker(source, maker));
          isFirst = false;
          for (const [text, item] of mapped(graph, source, now)) {
            if (await visit({ key: keyOfText(text), maker }, contentOf(graph, item)!)) result.written += 1;
          }
        });
      },
      { concurrency: CONCURRENCY },
    );
    result.items += images.length;
    options.onProgress?.(result.items);
  }
  return result;
}

/** Visits each entry of this source in each base item. The base items are read consistently, and before their source items. */
export async function overBase(
  context: MirrorContext,
  options: WalkOptions,
  visit: (word: Word, entry: Contribution, seen: { key: ItemKey; item: Item }) => Promise<boolean>,
  notes: WalkNotes = {},
): Promise<WalkResult> {
  const { graph, source, store } = context;
  const result: WalkResult = { items: 0, written: 0, poisoned: 0 };
  const walk = new TableWalk(
    {
      graph,
      source: store,
      read: { consistent: true },
      concurrency: 1,
      isOver: () => options.signal?.aborted === true,
      onPage: (items) => {
        result.items += items;
        options.onProgress?.(result.items);
      },
    },
    walkStart(1),
  );
  await walk.run(async ({ items }) => {
    await pMap(
      items.filter(({ target }) => !isDerivedKey(target)),
      async ({ source: from, target, item }) => {
        const key = { source: from, target };
        if (isStray(context, key, item)) notes.strays?.(key);
        for (const [maker, entry] of contributionsOf(graph, item)?.byMaker ?? []) {
          if (!isOfSource(source, maker)) continue;
          await ofItem(context, { maker, result, keys: [textOfKey(key)], notes }, async () => {
            if (await visit({ key, maker }, entry, { key, item })) result.written += 1;
          });
        }
      },
      { concurrency: CONCURRENCY },
    );
    return true;
  });
  options.signal?.throwIfAborted();
  return result;
}

/** Corrects source items that the mapping did not take, and takes now. */
export async function correctAllPoisoned(context: MirrorContext, { signal }: WalkOptions): Promise<number> {
  let written = 0;
  for await (const entry of poisonedItems(context.store, context.source)) {
    signal?.throwIfAborted();
    written += await correctPoisoned(context, entry.maker, entry);
  }
  return written;
}

async function ofItem(
  context: MirrorContext,
  { maker, result, keys, notes }: { maker: string; result: WalkResult; keys: readonly string[]; notes: WalkNotes },
  run: () => Promise<void>,
): Promise<void> {
  let isLeft = true;
  while (isLeft) {
    isLeft = false;
    try {
      await run();
    } catch (error) {
      if (!isOfItem(error)) throw error;
      const found: Found = { position: BEFORE_ALL, error, keys };
      const isStill = async (): Promise<boolean> => {
        // Its record may not know what it made before, so one that is corrected meanwhile is visited again.
        isLeft = !(error instanceof StoreError) && (await isTaken(context, maker));
        return !isLeft;
      };
      if (notes.poisoned === undefined) await quarantine(context, maker, found, isStill);
      else if (await isStill()) await notes.poisoned(maker, found);
      if (!isLeft) result.poisoned += 1;
    }
  }
}

/** Tells whether a base item is of a mirrored type, and shows itself, but no source item has made it. */
export function isStray({ graph }: MirrorContext, key: ItemKey, item: Item): boolean {
  return isMirrored(graph, key) && !Object.hasOwn(item, GONE) && contributionsOf(graph, item) === undefined;
}

/** The makers of a base item that are in conflict; none where one alone makes it. */
export function conflictOf({ graph }: MirrorContext, item: Item): string[] {
  const contributions = contributionsOf(graph, item);
  const live = contributions === undefined ? [] : liveMakers(contributions);
  return live.length > 1 ? live.sort() : [];
}
