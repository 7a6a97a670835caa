/** The feed only tells changes of what is named here. Without `feed`, a model tells all changes. */
export interface FeedNames<NodeType extends string = string, EdgeType extends string = string> {
  /** Node types whose views are told. */
  readonly views?: readonly NodeType[];
  /**
   * Edge types whose lists are told, in every order or in one: `TICKET`, `TICKET.byPriority`; and node types with
   * `list: true`.
   */
  readonly lists?: readonly (NodeType | EdgeType | `${EdgeType}.${string}`)[];
  /** Node types whose searches are told, or single searches: `USER`, `USER.name`. */
  readonly searches?: readonly (NodeType | `${NodeType}.${string}`)[];
  /** Edge types whose counts and totals are told. */
  readonly counts?: readonly EdgeType[];
}

export const FEED_KINDS = ['views', 'lists', 'searches', 'counts'] as const satisfies readonly (keyof FeedNames)[];
