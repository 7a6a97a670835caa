/** What the feed reports; without `feed`, all changes. */
export interface FeedNames<NodeType extends string = string, EdgeType extends string = string> {
  /** Node types. */
  readonly views?: readonly NodeType[];
  /** Edge types, in every order or in one: `TICKET`, `TICKET.byPriority`; and node types with `list: true`. */
  readonly lists?: readonly (NodeType | EdgeType | `${EdgeType}.${string}`)[];
  /** Node types, or single searches: `USER`, `USER.name`. */
  readonly searches?: readonly (NodeType | `${NodeType}.${string}`)[];
  /** Edge types. */
  readonly counts?: readonly EdgeType[];
}

export const FEED_KINDS = ['views', 'lists', 'searches', 'counts'] as const satisfies readonly (keyof FeedNames)[];
