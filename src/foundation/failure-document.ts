import { messageOf } from './errors.ts';

export interface FailureDocument {
  error: {
    code: string;
    message: string;
    hint: string;
    /** Only for `condition-failed`: the stored item, or null if there is none. */
    current?: object | null;
  };
}

const PATH_ERRORS = /^E(NOENT|ACCES|PERM|ISDIR|NOTDIR|EXIST|ROFS|LOOP|NAMETOOLONG)$/;

/**
 * Checks properties instead of `instanceof`, because a model file may load its own copy of the package.
 */
export function failureDocument(error: unknown): FailureDocument {
  const message = messageOf(error);
  const code = textProperty(error, 'code') ?? 'unexpected';
  const path = textProperty(error, 'path');
  if (path !== undefined && PATH_ERRORS.test(code)) {
    // The message looks like "ENOENT: no such file or directory, open 'path'".
    const [reason] = message.slice(code.length + 2).split(',');
    const document = {
      code: 'file-failed',
      message: `${path} can't be used: ${reason}.`,
      hint: 'Correct the path, or its rights.',
    };
    return { error: document };
  }
  const hint = textProperty(error, 'hint') ?? 'Run again with --log-level debug for the stack.';
  const { current } = code === 'condition-failed' ? (error as { current?: object | null }) : {};
  return { error: { code, message, hint, ...(current !== undefined && { current }) } };
}

function textProperty(error: unknown, name: string): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  const value = (error as Record<string, unknown>)[name];
  return typeof value === 'string' ? value : undefined;
}
