import type { OptionNames } from '../../../foundation/options.ts';
import type { Where } from '../request/where.ts';

/** A filter of a list's items, and the limit of what a page may cost. */
export interface FilterOptions<Attributes = Record<string, unknown>> {
  /**
   * Only items whose projected attributes have these values, or pass these comparisons, all of them. DynamoDB filters: what is left out is read and
   * paid for. Pages are filled up to their limit as far as `maxRcu` goes. Throws `not-projected` for an attribute that the
   * model does not project.
   */
  where?: Where<Attributes> | undefined;
  /**
   * Read capacity units that one page may cost, whatever it reads: its list, and in a `page` the nodes and their neighbours. A page exceeds
   * the limit by one call at most, and by one of each partition where several are read at once. It is short then: its cursor goes on, and `truncated` names neighbours that are left out. At least half a unit
   * for each partition that is asked. Default with `where`: 50 for the list, or one read of each partition if that is more. Default
   * without: no limit, and of a native list 50 for rows that the page does not show, such as soft-deleted ones.
   */
  maxRcu?: number | undefined;
}

/** The names of these options. */
export const FILTER_OPTIONS: OptionNames<FilterOptions> = { where: true, maxRcu: true };
