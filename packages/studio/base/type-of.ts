/** Returns the text before the first `-` of a key, or an empty string. Unlike `typePrefix`, works in a browser. */
export function typeOf(key: string): string {
  return key.slice(0, Math.max(0, key.indexOf('-')));
}
