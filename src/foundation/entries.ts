/**
 * Orders entries by their keys' UTF-16 code units, which, unlike the order of a locale, is the same on every machine.
 */
export function byKey([left]: readonly [string, unknown], [right]: readonly [string, unknown]): number {
  return left < right ? -1 : 1;
}
