import type { Bench } from '../bench.ts';
import type { Feature } from '../features.ts';

/** What became of a cell. */
export type Outcome =
  | { state: 'ran' }
  /** The code says no, with this error. */
  | { state: 'refused'; code: string }
  /** The operation has nothing to do with the feature, and why. */
  | { state: 'none'; why: string };

/** The operation was carried out against the oracle. */
export const RAN: Outcome = { state: 'ran' };

/** A column of the matrix: one operation, whatever feature it meets. */
export interface Operation {
  name: string;
  /** The commands, methods and functions that it is about, as `vocabulary.ts` names them. Default: none that others are not about. */
  covers?: readonly string[];
  /** Why it has nothing to do with a feature; undefined: it has. */
  except?: (feature: Feature) => string | undefined;
  /** Carries it out on a table of its own; throws what is wrong. */
  run: (bench: Bench) => Promise<Outcome>;
}
