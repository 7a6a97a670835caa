export const DERIVED_PREFIX = '~';
export const DERIVED_ITEMS = { from: DERIVED_PREFIX, to: '\u007f' } as const;
export const BELOW_DERIVED = { to: '}\u{10ffff}' } as const;
