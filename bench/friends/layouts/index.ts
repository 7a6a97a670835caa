import { colLayout } from './col.ts';
import { countLayout } from './count.ts';
import { defaultLayout } from './default.ts';
import { hashLayout, type KeyHash } from './hash.ts';
import type { Layout } from './layout.ts';
import { rowLayout } from './row.ts';

/** In the article's order. */
export const LAYOUTS: readonly Layout[] = layoutsWith('sha256');

export function layoutsWith(hash: KeyHash): Layout[] {
  return [defaultLayout, countLayout, colLayout, rowLayout, hashLayout(hash)];
}
