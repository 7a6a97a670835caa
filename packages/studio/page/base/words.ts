import type { QuarantineEntry } from '../../../../src/core/plan/quarantine-entry.ts';
import type { LookedAt } from '../../base/table-sample.ts';

const COMPACT = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

/** Returns text such as `1,204`, `≈ 27K` or `≥ 500`. */
export function sampledText(count: number, { isWhole, items, of }: LookedAt): string {
  if (isWhole) return count.toLocaleString('en');
  return `${of > items ? '≈' : '≥'} ${COMPACT.format(count < 1_000 ? Math.round(count) : count)}`;
}

/** Removes the key, which the page shows separately. */
export function reasonOf({ source, target, reason }: Pick<QuarantineEntry, 'source' | 'target' | 'reason'>): string {
  const key = `${source} ${target} - `;
  return reason.startsWith(key) ? reason.slice(key.length) : reason;
}
