/** The JSON document of what failed. */
export interface FailureDocument {
  error: { code: string; message: string; hint: string };
}

/**
 * Describes an error as a document. Errors are recognised by their shape: a model file may have its own copy of the package, so
 * `instanceof` would miss its errors.
 */
export function failureDocument(error: unknown): FailureDocument {
  const message = error instanceof Error ? error.message : String(error);
  const code = textProperty(error, 'code') ?? 'unexpected';
  const hint = textProperty(error, 'hint') ?? 'Run again with --log-level debug for the stack.';
  return { error: { code, message, hint } };
}

function textProperty(error: unknown, name: string): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  const value = (error as Record<string, unknown>)[name];
  return typeof value === 'string' ? value : undefined;
}
