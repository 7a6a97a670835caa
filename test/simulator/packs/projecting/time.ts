/** The times that the protocol's promises rest on, in milliseconds. */
export const SECOND = 1_000;
export const HOUR = 3_600 * SECOND;
/** No record is delivered later than this after its write, but for tries again. */
export const RETENTION = 24 * HOUR;
/** The longest that an invocation lives, and that a write which it sent off may still be under way. */
export const LONGEST_TIMEOUT = 60 * SECOND;
