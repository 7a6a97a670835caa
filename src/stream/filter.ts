/**
 * Which stream records concern the projector: those of base items, whose sort keys begin with a type name, so with `A`
 * to `Z`. The same rule stands in the event source mapping's filter, where it is positive because Lambda promises no
 * "anything but this prefix".
 */
export function isBaseSortKey(sortKey: string): boolean {
  const first = sortKey.charCodeAt(0);
  return first >= 65 && first <= 90;
}

/** The same rule as a filter pattern of an event source mapping, for a table with that sort key. */
export function baseItemFilter({ sortKey }: { sortKey: string }): {
  dynamodb: { Keys: { [name: string]: { S: { prefix: string }[] } } };
} {
  const letters = Array.from({ length: 26 }, (_, i) => ({ prefix: String.fromCharCode(65 + i) }));
  return { dynamodb: { Keys: { [sortKey]: { S: letters } } } };
}
