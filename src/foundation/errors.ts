/**
 * The base class of Edgeloom's errors. `code` is stable, `message` describes the problem, and `hint` says how to fix
 * it.
 */
export class EdgeloomError extends Error {
  /** A stable name of the problem, such as `invalid-id` or `item-too-large`. */
  readonly code: string;
  readonly hint: string;

  constructor(code: string, message: string, hint: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'EdgeloomError';
    this.code = code;
    this.hint = hint;
  }
}

/** The state machine of checks doesn't retry errors with this `name`. */
export const WRONG_INPUT = 'WrongInput';

/** Thrown for a model with mistakes. `mistakes` lists each with its path, such as `edges.FOLLOWS.to`. */
export class ModelError extends EdgeloomError {
  declare readonly code: 'invalid-model';
  readonly mistakes: readonly Mistake[];

  constructor(mistakes: readonly Mistake[]) {
    const lines = mistakes.map((mistake) => `  ${mistake.path}: ${mistake.message}`);
    const count = mistakes.length === 1 ? '1 mistake' : `${mistakes.length} mistakes`;
    super('invalid-model', `The model has ${count}:\n${lines.join('\n')}`, 'Correct each path in the model file.');
    this.name = 'ModelError';
    this.mistakes = mistakes;
  }
}

/**
 * Thrown for attributes that their type's validator rejects. `issues` lists each reason with its path, such as
 * `tags[0]`.
 */
export class InvalidAttributesError extends EdgeloomError {
  declare readonly code: 'invalid-attribute';
  readonly issues: readonly Mistake[];

  constructor(item: string, issues: readonly Mistake[]) {
    const texts = issues.map(({ path, message }) => (path === '' ? message : `attribute ${path}: ${message}`));
    super(
      'invalid-attribute',
      `${item}: ${texts.join('; ')}.`,
      'The fields of its type in the model say what is allowed.',
    );
    this.name = 'InvalidAttributesError';
    this.issues = issues;
  }
}

/** A mistake in a model or in attributes, with its path. */
export interface Mistake {
  path: string;
  message: string;
}

/**
 * `retryable`: the same call may succeed later. `terminal`: the same call never succeeds, so the projector quarantines
 * the item. `fatal`: an operator has to act, so the batch fails at once.
 */
export type StoreErrorKind = 'retryable' | 'terminal' | 'fatal';

const STORE_HINTS: Readonly<Record<StoreErrorKind, string>> = {
  retryable: 'Make the call again; if it fails for minutes, look at the metrics of the table and at the network.',
  terminal: 'Correct the item as the message says: it is refused as often as it is written.',
  fatal: 'Correct the table, the rights or the settings that the message names; no call succeeds before.',
};

/** Thrown when a store call fails. The `cause` is the underlying error, if there is one. */
export class StoreError extends EdgeloomError {
  readonly kind: StoreErrorKind;

  constructor(kind: StoreErrorKind, code: string, message: string, hint = STORE_HINTS[kind], options?: ErrorOptions) {
    super(code, message, hint, options);
    this.name = 'StoreError';
    this.kind = kind;
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export function isRetryableStoreError(error: unknown): error is StoreError {
  return error instanceof StoreError && error.kind === 'retryable';
}
