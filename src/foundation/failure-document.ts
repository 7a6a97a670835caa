export interface FailureDocument {
  error: {
    code: string;
    message: string;
    hint: string;
    /** If a condition failed; null without an item. */
    current?: object | null;
  };
}

/** A model file may have its own copy of the package, so `instanceof` would miss its errors. */
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
