/** The changes that the feed reports. A kind that is left out reports none. */
export interface FeedNames<NodeType extends string = string, EdgeType extends string = string> {
  /** Node types whose views are reported. */
  readonly views?: readonly NodeType[];
  /** Edge types with all their orders (`TICKET`) or one (`TICKET.byPriority`), and node types with `list: true`. */
  readonly lists?: readonly (NodeType | EdgeType | `${EdgeType}.${string}`)[];
  /** Node types with all their searches (`USER`), or single searches (`USER.name`). */
  readonly searches?: readonly (NodeType | `${NodeType}.${string}`)[];
  /** Edge types whose counts are reported. */
  readonly counts?: readonly EdgeType[];
}

export const FEED_KINDS = ['views', 'lists', 'searches', 'counts'] as const satisfies readonly (keyof FeedNames)[];
