import type { DifferenceKind, Suspect } from '../../core/kinds/difference.ts';

/** A difference that the observer found, and that no record or fan-out under way will correct. */
export interface ObservedDrift {
  suspect: Suspect;
  /** What differs. `about` is the edge, element or edge type, if the kind doesn't imply it. */
  differences: readonly { kind: DifferenceKind; about?: string | undefined }[];
  /** The content that the base items ask for, and the stored content; null if there is none. */
  expected: string | null;
  stored: string | null;
  /**
   * When the newest record that touched the item was made, or the check that left it ended, in milliseconds since 1970.
   */
  touchedMs?: number | undefined;
  /** When the difference was found, in milliseconds since 1970. */
  foundMs: number;
  /** False if the low watermark was unknown, so that only the duration of the difference shows that it is drift. */
  isCertain: boolean;
}
