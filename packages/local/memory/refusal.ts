export class Refusal extends Error {
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
