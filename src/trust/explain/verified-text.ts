import { countText } from '../../foundation/figure.ts';

export const NOT_VERIFIED: readonly string[] = ['the content of the indexes', 'edge types that have left their view'];

interface VerifiedStatus {
  /** ISO 8601; null if unknown. */
  verifiedThrough: string | null;
  verifiedHeldBy: string | null;
  drift: number;
}

export function verifiedText({ verifiedThrough, verifiedHeldBy, drift }: VerifiedStatus, nowMs: number): string {
  if (verifiedThrough === null) return `verified through: ${verifiedHeldBy ?? 'not known, no observer ran'}`;
  const seconds = Math.max(0, Math.round((nowMs - Date.parse(verifiedThrough)) / 1000));
  const but = drift === 0 ? '' : `, but for ${countText(drift, 'difference')}`;
  const held = verifiedHeldBy === null ? '' : `; held by ${verifiedHeldBy}`;
  return `verified through ${verifiedThrough.slice(11, 19)}Z (${seconds} s ago)${but}${held}`;
}
