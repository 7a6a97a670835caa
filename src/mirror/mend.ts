import { EdgeloomError, StoreError } from '../foundation/errors.ts';
import type { MirrorContext } from './context.ts';
import { keyOfText, mapped } from './mapped.ts';
import { type Poisoned, poisonedEntry, resolve } from './poison.ts';
import { BEFORE_ALL } from './position.ts';
import { keyOfMaker } from './source.ts';
import { settle } from './write-contribution.ts';

/** Tells whether an error is of one item, which fails again however often it is tried. */
export function isOfItem(error: unknown): error is EdgeloomError {
  if (error instanceof StoreError) return error.kind === 'terminal';
  return error instanceof EdgeloomError && error.code === 'invalid-mapping';
}

/**
 * Maps a source item again that the mapping did not take, and corrects what it makes and has made. The source item itself decides: the record
 * that seems to end the quarantine may be an old one that came again. Starts over where the entry has changed meanwhile. Returns the number
 * of base items that were written.
 *
 * @param seen the entry, if there is one.
 */
export async function correctPoisoned(
  context: MirrorContext,
  maker: string,
  seen: Poisoned | undefined,
  at = BEFORE_ALL,
): Promise<number> {
  const { graph, source, sourceStore } = context;
  let written = 0;
  let entry = seen;
  for (;;) {
    try {
      const made = entry && mapped(graph, source, await sourceStore.get(keyOfMaker(source, maker)));
      for (const text of new Set([...(entry?.keys ?? []), ...(made?.keys() ?? [])])) {
        if (await settle(context, { key: keyOfText(text), maker }, at)) written += 1;
      }
    } catch (error) {
      if (!isOfItem(error)) throw error;
      return written;
    }
    if (await resolve(context, maker, { seen: entry, position: at })) return written;
    entry = await poisonedEntry(context, maker);
  }
}
