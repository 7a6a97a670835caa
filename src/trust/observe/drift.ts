import type { Suspect } from '../../core/kinds/part.ts';

/** A difference that the observer has found, and that nothing is on its way to put right. */
export interface ObservedDrift {
  suspect: Suspect;
  /** The content that the base items ask for, and the actual one; null: nothing. */
  expected: string | null;
  stored: string | null;
  /** When the newest record was made that touched it, in milliseconds since 1970; absent if none was seen. */
  touchedMs?: number | undefined;
  /** When it was found, in milliseconds since 1970. */
  foundMs: number;
  /**
   * `given-up`: a quarantine entry names its base item, or the fan-out that has to visit it is stuck. `not-ready`: it belongs to something that
   * readers do not use yet, or no more. It is drift once they do.
   */
  state: 'drift' | 'given-up' | 'not-ready';
  /** True if the low watermark was known. If not, the passed time alone has decided. */
  isCertain: boolean;
}

/** Tells whether readers may get a wrong answer by a difference: not by what they do not use. */
export function isOfReaders({ state }: ObservedDrift): boolean {
  return state !== 'not-ready';
}
