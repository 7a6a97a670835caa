import type { DifferenceKind, Suspect } from '../../core/kinds/difference.ts';

/** A difference that the observer has found, and that nothing on its way will correct. */
export interface ObservedDrift {
  suspect: Suspect;
  /** What differs. `about` is the edge, element or edge type, if the kind doesn't imply it. */
  differences: readonly { kind: DifferenceKind; about?: string | undefined }[];
  /** The content that the base items ask for, and the stored content; null: nothing. */
  expected: string | null;
  stored: string | null;
  /** When the newest record that touched it was made, or the check that left it ended, in milliseconds since 1970. */
  touchedMs?: number | undefined;
  /** When it was found, in milliseconds since 1970. */
  foundMs: number;
  /**
   * True if the low watermark was known. If false, only the time for which the difference lasted shows that it is
   * drift.
   */
  isCertain: boolean;
}
