import { describe, expect, it } from 'vitest';
import { StoreError } from '../../../src/foundation/errors.ts';
import { classifyError } from '../../../src/store/classify.ts';

function named(name: string, message = 'Something.', properties: object = {}): Error {
  return Object.assign(new Error(message), { name }, properties);
}

describe('classifyError', () => {
  it.each([
    'ProvisionedThroughputExceededException',
    'ThrottlingException',
    'RequestLimitExceeded',
    'InternalServerError',
    'ServiceUnavailable',
    'TransactionConflictException',
    'TimeoutError',
    'SomethingNobodyKnows',
  ])('takes %s as retryable', (name) => {
    expect(classifyError(named(name))).toMatchObject({ kind: 'retryable', code: name });
  });

  it.each(['ValidationException', 'SerializationException', 'ItemCollectionSizeLimitExceededException'])(
    'takes %s as terminal',
    (name) => {
      expect(classifyError(named(name))).toMatchObject({ kind: 'terminal', code: name });
    },
  );

  it.each([
    'ResourceNotFoundException',
    'AccessDeniedException',
    'UnrecognizedClientException',
    'InvalidSignatureException',
    'ExpiredTokenException',
    'CredentialsProviderError',
  ])('takes %s as fatal, with a hint', (name) => {
    const error = classifyError(named(name));
    expect(error).toMatchObject({ kind: 'fatal', code: name });
    expect(error.hint).not.toBe('');
  });

  it('takes a missing region as fatal: no retry would find one', () => {
    const error = classifyError(new Error('Region is missing'));
    expect(error).toMatchObject({ kind: 'fatal', code: 'no-region', hint: expect.stringContaining('--region') });
  });

  it('takes a refused connection as retryable and says how to start an engine', () => {
    const cause = named('Error', 'connect ECONNREFUSED 127.0.0.1:8000', { code: 'ECONNREFUSED' });
    expect(classifyError(cause)).toMatchObject({
      kind: 'retryable',
      code: 'no-connection',
      hint: expect.stringContaining('edgeloom dev'),
    });
  });

  it('names a refused connection of several addresses, whose message is empty', () => {
    const cause = Object.assign(new AggregateError([], ''), { code: 'ECONNREFUSED' });
    expect(classifyError(cause).message).toBe('No DynamoDB answers at the endpoint: ECONNREFUSED.');
  });

  it('is one sentence that keeps the message and the cause', () => {
    const cause = named('ValidationException', 'Item size has exceeded the maximum allowed size.');
    const error = classifyError(cause);
    expect(error.message).toBe(
      'DynamoDB refused the call: ValidationException: Item size has exceeded the maximum allowed size.',
    );
    expect(error.cause).toBe(cause);
  });

  it('leaves an error that is classified as it is, and takes what is no error', () => {
    const classified = new StoreError('terminal', 'a', 'b');
    expect(classifyError(classified)).toBe(classified);
    expect(classifyError('odd')).toMatchObject({ kind: 'retryable' });
  });
});
