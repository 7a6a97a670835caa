import { attributeOf, type Item } from '../core/items/attribute-value.ts';
import { textOfKey } from '../core/items/keys.ts';
import { MIRROR } from '../core/model/mirrored.ts';
import type { ItemKey } from '../core/store-port.ts';
import type { MirrorContext } from './context.ts';
import { contributionsOf, textOf } from './contributions.ts';
import { isOfItem } from './mend.ts';
import { type Poisoned, poisonedItems, reasonOf } from './poison.ts';
import {
  conflictOf,
  correctAllPoisoned,
  isRight,
  isStray,
  overBase,
  overSource,
  type WalkNotes,
  wantedOf,
} from './walks.ts';
import { settle, type Word } from './write-contribution.ts';

/** How long the check waits between its two looks, where nobody says how far the consumer has come. */
const SETTLE_MS = 60_000;

/** Options of `check`. */
export interface CheckSourceOptions {
  /** Makes base items what their source items say, and corrects the quarantine. Default: what is found is reported alone. */
  repair?: boolean | undefined;
  /**
   * Waits until the consumer has processed all records from before a time, in milliseconds since 1970; false: it has not, so that
   * differences may be late alone. Default: waits a minute.
   */
  processed?: ((throughMs: number) => Promise<boolean>) | undefined;
  signal?: AbortSignal | undefined;
  onProgress?: ((items: number) => void) | undefined;
}

/** A base item that does not say what its source item says. */
export interface SourceDifference extends ItemKey {
  /** The source item; '' if no source item has made the base item. Nothing repairs such a one: nobody can tell who wrote it. */
  maker: string;
  /** `missing`: it is not there; `stray`: nothing makes it; `different`: its content differs; `outdated`: an older mapping made it. */
  kind: 'missing' | 'stray' | 'different' | 'outdated';
  repaired: boolean;
}

/** The result of `check`. */
export interface SourceCheck {
  /** Source items and base items that were compared. */
  items: number;
  differences: SourceDifference[];
  /** Differences that may be late alone: the item moved between the looks, or the consumer is not far enough. */
  pending: number;
  /** Base items that several source items make, with all of them. */
  conflicts: (ItemKey & { makers: string[]; shown: string })[];
  /** Source items that the mapping does not take. */
  poisoned: Poisoned[];
}

/** A difference at the first look. */
interface Suspect extends Word {
  revision: string;
  wanted: string;
}

/** Compares source and base items both ways. A difference counts only if it is the same at two looks. */
export async function checkSource(context: MirrorContext, options: CheckSourceOptions): Promise<SourceCheck> {
  const { store, graph } = context;
  const conflicts: SourceCheck['conflicts'] = [];
  const suspects = new Map<string, Suspect>();
  const look = async (word: Word, item: Item | undefined): Promise<Suspect | undefined> => {
    const entry = contributionsOf(graph, item)?.byMaker.get(word.maker);
    const wanted = await wantedOf(context, word);
    if (isRight(context, entry, wanted)) return undefined;
    return { ...word, revision: revisionText(item), wanted: textOf(wanted) };
  };
  const note = async (word: Word, item: Item | undefined): Promise<void> => {
    const suspect = await look(word, item);
    if (suspect !== undefined) suspects.set(JSON.stringify([textOfKey(word.key), word.maker]), suspect);
  };
  const poisoned = new Map<string, Poisoned>();
  const strays: ItemKey[] = [];
  const notes: WalkNotes = {
    strays: (key) => strays.push(key),
    // A check alone writes nothing.
    ...(options.repair !== true && {
      poisoned: (maker, { error, position, keys }) => {
        const all = [...new Set([...(poisoned.get(maker)?.keys ?? []), ...keys])];
        const since = Math.floor(context.now() / 1000);
        poisoned.set(maker, { maker, ...reasonOf(error), since, position, keys: all });
      },
    }),
  };
  const seenConflicts = new Set<string>();
  const back = await overBase(
    context,
    options,
    async (word, _entry, { key, item }) => {
      await note(word, item);
      const makers = conflictOf(context, item);
      if (makers.length > 0 && !seenConflicts.has(textOfKey(key))) {
        seenConflicts.add(textOfKey(key));
        conflicts.push({ ...key, makers, shown: contributionsOf(graph, item)!.shown });
      }
      return false;
    },
    notes,
  );
  const forth = await overSource(
    context,
    options,
    async (word) => {
      await note(word, (await store.get(word.key, { consistent: true })).item);
      return false;
    },
    notes,
  );
  const result: SourceCheck = { items: back.items + forth.items, differences: [], pending: 0, conflicts, poisoned: [] };
  if (suspects.size + strays.length > 0) {
    const isProcessed = await (options.processed ?? waited(context, options.signal))(context.now());
    const found: { suspect: Suspect; item: Item | undefined }[] = [];
    const ofItem = async (visit: () => Promise<void>): Promise<void> => {
      options.signal?.throwIfAborted();
      try {
        await visit();
      } catch (error) {
        // The mapping takes the source item no more.
        if (!isOfItem(error)) throw error;
        result.pending += 1;
      }
    };
    for (const first of suspects.values()) {
      await ofItem(async () => {
        const { item } = await store.get(first.key, { consistent: true });
        const second = await look(first, item);
        if (second === undefined) return;
        // rule: mirror-check-looks-twice
        const isSame = second.revision === first.revision && second.wanted === first.wanted;
        if (!isSame || !isProcessed) result.pending += 1;
        else found.push({ suspect: first, item });
      });
    }
    // Content that a source item makes there, and has not made, counts as missing.
    const told = new Set([...suspects.values()].map(({ key }) => textOfKey(key)));
    for (const key of strays) {
      const { item } = await store.get(key, { consistent: true });
      if (told.has(textOfKey(key)) || item === undefined || !isStray(context, key, item)) continue;
      if (isProcessed) result.differences.push({ ...key, maker: '', kind: 'stray', repaired: false });
      else result.pending += 1;
    }
    // Repair comes after all second looks: it moves the revision, and an item may differ for several of its makers.
    for (const { suspect, item } of found) {
      await ofItem(async () => {
        result.differences.push(await differenceOf(context, suspect, item, options.repair === true));
      });
    }
  }
  if (options.repair === true) await correctAllPoisoned(context, options);
  for await (const entry of poisonedItems(store, context.source)) poisoned.set(entry.maker, entry);
  result.poisoned.push(...poisoned.values());
  return result;
}

async function differenceOf(
  context: MirrorContext,
  suspect: Suspect,
  item: Item | undefined,
  repair: boolean,
): Promise<SourceDifference> {
  const { key, maker, wanted } = suspect;
  const entry = contributionsOf(context.graph, item)?.byMaker.get(maker);
  const kind =
    entry?.content === undefined && wanted !== ''
      ? 'missing'
      : wanted === ''
        ? 'stray'
        : textOf(entry?.content) === wanted
          ? 'outdated'
          : 'different';
  const repaired = repair && (await settle(context, suspect));
  return { ...key, maker, kind, repaired };
}

function waited({ wait }: MirrorContext, signal: AbortSignal | undefined): () => Promise<boolean> {
  return async () => {
    await wait(SETTLE_MS, signal);
    return true;
  };
}

function revisionText(item: Item | undefined): string {
  const mirror = item && attributeOf(item, MIRROR);
  if (mirror === undefined || !('M' in mirror)) return item === undefined ? '' : 'none';
  return JSON.stringify(mirror.M['rev'] ?? null);
}
