import type { CompiledModel } from 'edgeloom';
import type { Place } from '../place.ts';

/** One strategy of keeping many children of one parent. */
export interface Example {
  /** What it shows, in a sentence. */
  title: string;
  graph: CompiledModel;
  /** Writes, reads, and gives what was read, by question. */
  run: (place: Place) => Promise<Record<string, unknown>>;
}
