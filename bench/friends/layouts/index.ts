import { colLayout } from './col.ts';
import { countLayout } from './count.ts';
import { defaultLayout } from './default.ts';
import { hashLayout } from './hash.ts';
import type { Layout } from './layout.ts';
import { rowLayout } from './row.ts';

export const LAYOUTS: readonly Layout[] = [defaultLayout, countLayout, colLayout, rowLayout, hashLayout('sha256')];
