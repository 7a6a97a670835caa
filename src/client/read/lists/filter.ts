import type { OptionNames } from '../../../foundation/options.ts';
import type { Where } from '../request/where.ts';

/** Options that filter a list and limit a page's cost. */
export interface FilterOptions<Attributes = Record<string, unknown>> {
  /** Returns only items whose projected attributes match. Other items still consume read capacity. Throws `not-projected`. */
  where?: Where<Attributes> | undefined;
  /**
   * Read capacity units of a page (with nodes and neighbours), at least half a unit per partition. Exceeded by at most one call per
   * partition. The page may be short; its cursor continues. Default with `where`: 50 for the list, or half a unit per partition if more.
   * Without: no limit; for a native list, 50 for hidden rows.
   */
  maxRcu?: number | undefined;
}

export const FILTER_OPTIONS: OptionNames<FilterOptions> = { where: true, maxRcu: 'checked' };
