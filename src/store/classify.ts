import { docsPage } from '../foundation/docs.ts';
import { messageOf, StoreError, type StoreErrorKind } from '../foundation/errors.ts';

/** Also thrown for calls under way, which DynamoDB may have carried out. */
const DESTROYED = 'ClientDestroyedError';
const FATAL: Readonly<Record<string, string>> = {
  ResourceNotFoundException: 'Create the table first (edgeloom table create), or name it with --table.',
  AccessDeniedException: `Give the role the rights that its policy in the stack has: ${docsPage('deploying')}.`,
  UnrecognizedClientException: 'Check the credentials and the region.',
  InvalidSignatureException: 'Check the credentials and the clock of this machine.',
  ExpiredTokenException: 'Renew the credentials.',
  CredentialsProviderError: 'Set AWS credentials, or --endpoint for a local engine.',
  [DESTROYED]: 'Make the call before its client is destroyed, or with a new client.',
};
const COLLECTION_HINT = 'Delete items of this partition, or take the local index off the table.';
const HINTS: Readonly<Record<string, string>> = {
  ...FATAL,
  ...Object.fromEntries(
    [
      'ProvisionedThroughputExceededException',
      'ProvisionedThroughputExceeded',
      'ThrottlingException',
      'ThrottlingError',
      'RequestLimitExceeded',
    ].map((name) => [
      name,
      'Wait a moment; if it goes on, raise the capacity of the table or index, or send less at once.',
    ]),
  ),
  IdempotentParameterMismatchException:
    'Give each transaction a token of its own: within ten minutes, a token only repeats the same operations with the same values.',
  ItemCollectionSizeLimitExceededException: COLLECTION_HINT,
  ItemCollectionSizeLimitExceeded: COLLECTION_HINT,
};
const TERMINAL: ReadonlySet<string> = new Set([
  'ValidationException',
  'SerializationException',
  'ItemCollectionSizeLimitExceededException',
  'IdempotentParameterMismatchException',
]);
/** The SDK throws a plain `Error` with this message. */
const NO_REGION = 'Region is missing';

export function classifyError(error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  const name = error instanceof Error ? error.name : 'UnknownError';
  const code = errorCode(error);
  const detail = messageOf(error) || code || name;
  const kind: StoreErrorKind = Object.hasOwn(FATAL, name) ? 'fatal' : TERMINAL.has(name) ? 'terminal' : 'retryable';
  if (code === 'ECONNREFUSED') {
    const hint = 'Start an engine (edgeloom dev) or correct --endpoint.';
    return new StoreError('retryable', 'no-connection', `No DynamoDB answers at the endpoint: ${detail}.`, hint, {
      cause: error,
    });
  }
  if (detail === NO_REGION) {
    const hint = 'Name it with --region or AWS_REGION, or name an endpoint.';
    return new StoreError('fatal', 'invalid-environment', 'No AWS region is set.', hint, { cause: error });
  }
  // Without an answer from DynamoDB, the call may have been carried out.
  const isAnswer =
    (kind !== 'retryable' && name !== DESTROYED) || REFUSALS.has(name) || (error instanceof Error && '$fault' in error);
  const refused = name === 'CredentialsProviderError' ? 'The call was not sent' : 'DynamoDB refused the call';
  const said = isAnswer ? refused : 'The call has no answer that could be read';
  const message = `${said}: ${name}: ${detail.replace(/\.$/, '')}.${causesOfThrottle(error)}`;
  return new StoreError(kind, name, message, HINTS[name], { cause: error });
}

function causesOfThrottle(error: unknown): string {
  const { ThrottlingReasons, throttlingReasons = ThrottlingReasons } = (error ?? {}) as Throttled;
  const causes = new Set((throttlingReasons ?? []).map(({ reason, resource }) => `${reason} of ${resource}`));
  return causes.size === 0 ? '' : ` Throttled: ${[...causes].join(', ')}.`;
}

interface Throttled {
  ThrottlingReasons?: { reason?: string; resource?: string }[];
  throttlingReasons?: { reason?: string; resource?: string }[];
}

interface Reason {
  Code?: string;
  Message?: string;
}

const TERMINAL_REASONS: ReadonlySet<string> = new Set(['ValidationError', 'ItemCollectionSizeLimitExceeded']);

export function classifyCancellation(reasons: readonly Reason[], cause: unknown): StoreError | undefined {
  const others = reasons.filter(({ Code = 'None' }) => Code !== 'None' && Code !== 'ConditionalCheckFailed');
  const worst = others.find(({ Code = '' }) => TERMINAL_REASONS.has(Code)) ?? others[0];
  if (worst === undefined && reasons.some(({ Code }) => Code === 'ConditionalCheckFailed')) return undefined;
  const { Code = 'TransactionCanceled', Message = 'no reason was given' } = worst ?? {};
  const kind: StoreErrorKind = TERMINAL_REASONS.has(Code) ? 'terminal' : 'retryable';
  return new StoreError(kind, Code, `DynamoDB cancelled a transaction: ${Code}: ${Message}.`, HINTS[Code], { cause });
}

/** Maps the error codes of BatchExecuteStatement to exception names. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  AccessDenied: 'AccessDeniedException',
  ItemCollectionSizeLimitExceeded: 'ItemCollectionSizeLimitExceededException',
  ProvisionedThroughputExceeded: 'ProvisionedThroughputExceededException',
  ResourceNotFound: 'ResourceNotFoundException',
  ThrottlingError: 'ThrottlingException',
  TransactionConflict: 'TransactionConflictException',
  ValidationError: 'ValidationException',
};

export function classifyStatementError({ Code = 'UnknownError', Message = 'no reason was given' }: Reason): StoreError {
  const error = Object.assign(new Error(Message), { name: EXCEPTIONS[Code] ?? Code, $fault: 'client' });
  return classifyError(error);
}

/**
 * Retryable errors after which nothing was changed. `TransactionInProgressException` isn't among them, because it may
 * follow a lost answer to the same call.
 */
const REFUSALS: ReadonlySet<string> = new Set([
  'no-connection',
  'ProvisionedThroughputExceededException',
  'ProvisionedThroughputExceeded',
  'ThrottlingException',
  'ThrottlingError',
  'RequestLimitExceeded',
  'LimitExceededException',
  'TransactionConflictException',
  'TransactionConflict',
  'ReplicatedWriteConflictException',
]);

/** Tells whether a failed write certainly changed nothing, unlike after a lost connection, a timeout or a 5xx. */
export function isRefusal(error: StoreError): boolean {
  // The original error, if `withOutageLimit` has made it fatal.
  if (error.cause instanceof StoreError) return isRefusal(error.cause);
  return (error.kind !== 'retryable' && error.code !== DESTROYED) || REFUSALS.has(error.code);
}

function errorCode(error: unknown): string | undefined {
  return typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string'
    ? error.code
    : undefined;
}
