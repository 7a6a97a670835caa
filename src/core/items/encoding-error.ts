/** The message completes "attribute x ...". */
export class EncodingError extends Error {}

export class TooLongError extends EncodingError {
  constructor(length: number, most: number) {
    super(`has ${length} characters; here it may have ${most}`);
  }
}
