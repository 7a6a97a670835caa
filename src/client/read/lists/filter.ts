import type { OptionNames } from '../../../foundation/options.ts';
import type { Where } from '../request/where.ts';

/** Filters a list, and limits what a page may cost. */
export interface FilterOptions<Attributes = Record<string, unknown>> {
  /**
   * Only items whose projected attributes have all these values or pass all these comparisons. DynamoDB filters;
   * removed items still consume read capacity. Pages are filled up to their limit as far as `maxRcu` allows. Throws
   * `not-projected` for an attribute that the model doesn't project.
   */
  where?: Where<Attributes> | undefined;
  /**
   * Read capacity units that one page may cost, at least half a unit per partition; in a `page` this includes nodes and
   * neighbours. A page exceeds the limit by at most one call (one call per partition if several are read at once). It
   * is then short: its cursor continues, and `truncated` names neighbours left out. Default with `where`: 50 for the
   * list, or one read per partition if that is more. Default without: no limit; for a native list, 50 for rows that the
   * page doesn't show, such as soft-deleted ones.
   */
  maxRcu?: number | undefined;
}

export const FILTER_OPTIONS: OptionNames<FilterOptions> = { where: true, maxRcu: true };
