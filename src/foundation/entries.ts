/** Compares UTF-16 code units, because the order of a locale may differ between machines. */
export function byKey([left]: readonly [string, unknown], [right]: readonly [string, unknown]): number {
  return left < right ? -1 : 1;
}
