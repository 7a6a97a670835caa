/** The names of things whose changes the feed tells: these alone. A model without `feed` tells all changes. */
export interface FeedNames<NodeType extends string = string, EdgeType extends string = string> {
  /** Node types whose views it tells. */
  readonly views?: readonly NodeType[];
  /** Edge types whose lists it tells, in every order, or in one: `TICKET`, `TICKET.byPriority`; and node types with `list: true`. */
  readonly lists?: readonly (NodeType | EdgeType | `${EdgeType}.${string}`)[];
  /** Node types whose searches it tells, or single searches: `USER`, `USER.name`. */
  readonly searches?: readonly (NodeType | `${NodeType}.${string}`)[];
  /** Edge types whose counts and totals it tells. */
  readonly counts?: readonly EdgeType[];
}

/** The options of `feed`. */
export const FEED_KINDS = ['views', 'lists', 'searches', 'counts'] as const satisfies readonly (keyof FeedNames)[];
