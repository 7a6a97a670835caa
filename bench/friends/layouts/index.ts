import { colLayout } from './col.ts';
import { countLayout } from './count.ts';
import { defaultLayout } from './default.ts';
import { hashLayout, type KeyHash } from './hash.ts';
import type { Layout } from './layout.ts';
import { rowLayout } from './row.ts';

/** The article's five layouts, in its order. */
export const LAYOUTS: readonly Layout[] = layoutsWith('sha256');

/** The same with the layout `hash` on one of the hashes. */
export function layoutsWith(hash: KeyHash): Layout[] {
  return [defaultLayout, countLayout, colLayout, rowLayout, hashLayout(hash)];
}
