import { EdgeloomError, StoreError } from '../foundation/errors.ts';
import type { MirrorContext } from './context.ts';
import { keyOfText, mapped } from './mapped.ts';
import { type Poisoned, resolve } from './poison.ts';
import { BEFORE_ALL } from './position.ts';
import { keyOfClaimant } from './source.ts';
import { settle } from './write-claim.ts';

/** Whether an error is of one item, which fails again however often it is tried. */
export function isOfItem(error: unknown): error is EdgeloomError {
  if (error instanceof StoreError) return error.kind === 'terminal';
  return error instanceof EdgeloomError && error.code === 'invalid-mapping';
}

/**
 * Maps a source item again that the mapping did not take, and corrects what it makes and has made. The source item itself decides: the record
 * that seems to end the quarantine may be an old one that came again. Returns the number of base items that were written.
 */
export async function correctPoisoned(context: MirrorContext, entry: Poisoned, at = BEFORE_ALL): Promise<number> {
  const { graph, source, sourceStore } = context;
  const { claimant, keys } = entry;
  let written = 0;
  try {
    const made = mapped(graph, source, await sourceStore.get(keyOfClaimant(source, claimant)));
    for (const text of new Set([...keys, ...made.keys()])) {
      if (await settle(context, { key: keyOfText(text), claimant }, at)) written += 1;
    }
  } catch (error) {
    if (!isOfItem(error)) throw error;
    return written;
  }
  await resolve(context, entry, at);
  return written;
}
