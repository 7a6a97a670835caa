import type { DifferenceKind, Suspect } from '../../core/kinds/difference.ts';

/** A difference that the observer has found, and that nothing is on its way to put right. */
export interface ObservedDrift {
  suspect: Suspect;
  /** What differs in it; `about`: the edge, element or edge type, if the kind does not say. */
  differences: readonly { kind: DifferenceKind; about?: string | undefined }[];
  /** The content that the base items ask for, and the actual one; null: nothing. */
  expected: string | null;
  stored: string | null;
  /** When the newest record was made that touched it, in milliseconds since 1970; absent if none was seen. */
  touchedMs?: number | undefined;
  /** When it was found, in milliseconds since 1970. */
  foundMs: number;
  /** True if the low watermark was known. If not, the passed time alone has decided. */
  isCertain: boolean;
}
