import { countText } from '../../foundation/figure.ts';

/** The verified time of a status, as people read it. */

/** The parts of derived items that no observer judges, in words. */
export const NOT_VERIFIED: readonly string[] = ['the content of the indexes', 'edge types that have left their view'];

/** The verified time, as a status has it. */
interface VerifiedStatus {
  /** ISO 8601; null: not known. */
  verifiedThrough: string | null;
  /** The item, shard or gap that holds the time; null: nothing does. */
  verifiedHeldBy: string | null;
  /** Number of known differences. */
  drift: number;
}

/** Says through when everything is verified, how long ago that is, and what holds it. */
export function verifiedText({ verifiedThrough, verifiedHeldBy, drift }: VerifiedStatus, nowMs: number): string {
  if (verifiedThrough === null) return `verified through: ${verifiedHeldBy ?? 'not known, no observer ran'}`;
  const seconds = Math.max(0, Math.round((nowMs - Date.parse(verifiedThrough)) / 1000));
  const but = drift === 0 ? '' : `, but for ${countText(drift, 'difference')}`;
  const held = verifiedHeldBy === null ? '' : `; held by ${verifiedHeldBy}`;
  return `verified through ${verifiedThrough.slice(11, 19)}Z (${seconds} s ago)${but}${held}`;
}
