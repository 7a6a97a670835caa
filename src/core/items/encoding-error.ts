/** A value that does not fit its order's type; `reason` completes "attribute x ...". */
export class EncodingError extends Error {}

/** A value that is longer than any that an index key can hold; `reason` as above. */
export class TooLongError extends EncodingError {
  constructor(length: number, most: number) {
    super(`has ${length} characters; here it may have ${most}`);
  }
}
