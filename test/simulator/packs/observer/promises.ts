import type { ObservedDrift } from '../../../../src/trust/observe/drift.ts';
import type { WrongPart } from './wrong-parts.ts';

/** The claim of an observer, as a judge reads it: what is wrong is listed, or was touched since the time that is claimed. */

/** Says which wrong items the observer lists. */
export function knownAs(drift: readonly ObservedDrift[]): (item: Pick<WrongPart, 'source' | 'target'>) => boolean {
  const known = new Set(drift.map(({ suspect }) => `${suspect.source} ${suspect.sortKey}`));
  return ({ source, target }) => known.has(`${source} ${target}`);
}

/**
 * Whether a part, or a base item behind it, was written since a time.
 *
 * @param written when each item was written last, in milliseconds since 1970, by `source target`.
 */
export function touchedSince(
  written: ReadonlyMap<string, number>,
  { source, target, bases }: WrongPart,
  sinceMs: number,
): boolean {
  return [`${source} ${target}`, ...bases].some((name) => {
    if (!name.includes('*')) return (written.get(name) ?? 0) >= sinceMs;
    // The total of what enters a node has its edges in all partitions.
    const isBase = (key: string): boolean =>
      name.startsWith('*') ? key.endsWith(name.slice(1)) : key.startsWith(name.slice(0, -1));
    return [...written].some(([key, atMs]) => isBase(key) && atMs >= sinceMs);
  });
}
