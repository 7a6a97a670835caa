import type { OptionNames } from '../../../foundation/options.ts';
import type { Where } from '../request/where.ts';

/** Options that filter a list and limit a page's cost. */
export interface FilterOptions<Attributes = Record<string, unknown>> {
  /**
   * Returns only items whose projected attributes match. Other items still consume read capacity. Throws
   * `not-declared` for attributes that the list doesn't hold.
   */
  where?: Where<Attributes> | undefined;
  /**
   * Maximum read capacity units of a page, including its nodes and neighbors; at least half a unit per partition.
   * Exceeded by at most one call per partition. The page may be short, but its cursor continues. Default: no limit; for
   * a list with `where`, 50 or half a unit per partition if more; for rows that a native list hides, 50.
   */
  maxRcu?: number | undefined;
}

export const FILTER_OPTIONS: OptionNames<FilterOptions> = { where: true, maxRcu: 'checked' };
