/** The JSON document of what failed. */
export interface FailureDocument {
  error: {
    code: string;
    message: string;
    hint: string;
    /** The attributes of the item as it is, where a condition did not hold; null where there is none. */
    current?: object | null;
  };
}

/**
 * Describes an error as a document. Errors are recognised by their shape: a model file may have its own copy of the package, so
 * `instanceof` would miss its errors.
 */
export function failureDocument(error: unknown): FailureDocument {
  const message = error instanceof Error ? error.message : String(error);
  const code = textProperty(error, 'code') ?? 'unexpected';
  const hint = textProperty(error, 'hint') ?? 'Run again with --log-level debug for the stack.';
  const { current } = code === 'condition-failed' ? (error as { current?: object | null }) : {};
  return { error: { code, message, hint, ...(current !== undefined && { current }) } };
}

function textProperty(error: unknown, name: string): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  const value = (error as Record<string, unknown>)[name];
  return typeof value === 'string' ? value : undefined;
}
