/** The feed only reports changes of what is named here. Without `feed`, it reports all changes. */
export interface FeedNames<NodeType extends string = string, EdgeType extends string = string> {
  /** Node types whose views are reported. */
  readonly views?: readonly NodeType[];
  /**
   * Edge types whose lists are reported, in every order or in one: `TICKET`, `TICKET.byPriority`; and node types with
   * `list: true`.
   */
  readonly lists?: readonly (NodeType | EdgeType | `${EdgeType}.${string}`)[];
  /** Node types whose searches are reported, or single searches: `USER`, `USER.name`. */
  readonly searches?: readonly (NodeType | `${NodeType}.${string}`)[];
  /** Edge types whose counts and totals are reported. */
  readonly counts?: readonly EdgeType[];
}

export const FEED_KINDS = ['views', 'lists', 'searches', 'counts'] as const satisfies readonly (keyof FeedNames)[];
