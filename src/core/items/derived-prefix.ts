/** The beginning of derived sort keys, for pages in a browser too: this file imports nothing. */

/** The first character of every derived item's sort key. */
export const DERIVED_PREFIX = '~';
/** The sort keys of derived items: `from` is below all of them, and `to` above. */
export const DERIVED_ITEMS = { from: DERIVED_PREFIX, to: '\u007f' } as const;
/** The sort keys below those of derived items. */
export const BELOW_DERIVED = { to: '}\u{10ffff}' } as const;
