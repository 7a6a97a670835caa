import type { EdgeModel } from '../../../src/core/model/compiled.ts';
import { keepNewest } from './newest.ts';

/** The edges of one type at one end: those that leave a node, or those that enter it. */
export interface EdgeEnd {
  id: string;
  edge: EdgeModel;
  direction: 'outgoing' | 'incoming';
}

/** A number of edges. */
export interface EdgeCount {
  count: number;
  /** True if that is the number; else there are at least as many. */
  isExact: boolean;
}

/** How long a number is used that the budget ended, in milliseconds: each write at a hub asks for it again. */
const KEPT_MS = 60_000;
const MOST_KEPT = 500;

/** The numbers of a studio that a budget ended. */
export class EndedCounts {
  private readonly kept = new Map<string, { counted: EdgeCount; untilMs: number }>();

  /** The number that was found lately; undefined: none. */
  find(end: EdgeEnd): EdgeCount | undefined {
    const known = this.kept.get(nameOf(end));
    return known !== undefined && known.untilMs > performance.now() ? known.counted : undefined;
  }

  /** Keeps a number. */
  add(end: EdgeEnd, counted: EdgeCount): void {
    keepNewest(this.kept, nameOf(end), { counted, untilMs: performance.now() + KEPT_MS }, MOST_KEPT);
  }
}

function nameOf({ id, edge, direction }: EdgeEnd): string {
  return JSON.stringify([id, edge.type, direction]);
}
