export class Refusal extends Error {
  /**
   * @param type such as `ValidationException`
   * @param details other fields of the response
   */
  constructor(
    readonly type: string,
    message: string,
    readonly details: Record<string, unknown> = {},
  ) {
    super(message);
  }
}

export function invalid(message: string): Refusal {
  return new Refusal('ValidationException', message);
}
