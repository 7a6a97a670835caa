import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { StoreError } from '../../../src/foundation/errors.ts';
import { classifyCancellation, classifyError, isRefusal } from '../../../src/store/classify.ts';
import { createClient } from '../../../src/store/client.ts';
import { DynamoDBStore } from '../../../src/store/dynamodb.ts';
import { goalGraph } from '../../support/contracts-model.ts';

function named(name: string, message = 'Something.', properties: object = {}): Error {
  return Object.assign(new Error(message), { name }, properties);
}

describe('classifyError', () => {
  it.each([
    ...['ProvisionedThroughputExceededException', 'ThrottlingException', 'RequestLimitExceeded', 'InternalServerError'],
    ...['ServiceUnavailable', 'TransactionConflictException', 'TimeoutError', 'SomethingNobodyKnows'],
  ])('takes %s as retryable', (name) => {
    expect(classifyError(named(name))).toMatchObject({ kind: 'retryable', code: name });
  });

  it.each([
    ['TransactionConflictException', true],
    ['ThrottlingException', true],
    ['ValidationException', true],
    // The SDK repeats a transaction whose answer was lost, and learns that the first call is under way.
    ['TransactionInProgressException', false],
    ['InternalServerError', false],
    ['TimeoutError', false],
  ])('tells whether nothing was changed after %s: %s', (name, isSure) => {
    expect(isRefusal(classifyError(named(name)))).toBe(isSure);
  });

  it.each(['ValidationException', 'SerializationException', 'ItemCollectionSizeLimitExceededException'])(
    'takes %s as terminal',
    (name) => {
      expect(classifyError(named(name))).toMatchObject({ kind: 'terminal', code: name });
    },
  );

  it.each([
    ...['ResourceNotFoundException', 'AccessDeniedException', 'UnrecognizedClientException'],
    ...['InvalidSignatureException', 'ExpiredTokenException', 'CredentialsProviderError', 'ClientDestroyedError'],
  ])('takes %s as fatal, with a hint', (name) => {
    const error = classifyError(named(name));
    expect(error).toMatchObject({ kind: 'fatal', code: name });
    expect(error.hint).not.toBe('');
  });

  it('says what a token that comes again with other content is for', () => {
    const error = classifyError(named('IdempotentParameterMismatchException'));
    expect(error).toMatchObject({ kind: 'terminal', hint: expect.stringContaining('a token of its own') });
  });

  it('takes a missing region as fatal: no retry would find one', () => {
    const error = classifyError(new Error('Region is missing'));
    expect(error).toMatchObject({
      kind: 'fatal',
      code: 'invalid-environment',
      hint: expect.stringContaining('--region'),
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

  it('does not say that DynamoDB refused a call that had no answer', () => {
    const unsent = classifyError(named('CredentialsProviderError', 'Could not load credentials.'));
    expect(unsent.message).toBe('The call was not sent: CredentialsProviderError: Could not load credentials.');
    expect(isRefusal(unsent)).toBe(true);
    // A call under way when its client is destroyed may have been carried out.
    const cut = classifyError(named('ClientDestroyedError', 'The client is destroyed'));
    expect(cut.message).toMatch(/^The call has no answer that could be read: /);
    expect(isRefusal(cut)).toBe(false);
  });

  it('leaves an error that is classified as it is, and takes what is no error', () => {
    const classified = new StoreError('terminal', 'a', 'b');
    expect(classifyError(classified)).toBe(classified);
    expect(classifyError('odd')).toMatchObject({ kind: 'retryable' });
  });
});

it('gives a cancelled transaction the remedy of the same error outside of one', () => {
  const reasons = [{ Code: 'None' }, { Code: 'ItemCollectionSizeLimitExceeded', Message: 'Too large.' }];
  const cancelled = classifyCancellation(reasons, undefined);
  const { hint } = classifyError(named('ItemCollectionSizeLimitExceededException'));
  expect(cancelled).toMatchObject({ kind: 'terminal', code: 'ItemCollectionSizeLimitExceeded', hint });
});

describe('a throttled call', () => {
  const resource = 'arn:aws:dynamodb:eu-central-1:123456789012:table/records/index/gsi0';

  it.each([
    ['ProvisionedThroughputExceededException', 'ThrottlingReasons'],
    ['RequestLimitExceeded', 'ThrottlingReasons'],
    ['ThrottlingException', 'throttlingReasons'],
  ])('%s names its causes, each once, and the table or index', (name, member) => {
    const reason = { reason: 'IndexWriteKeyRangeThroughputExceeded', resource };
    const error = classifyError(named(name, 'Too fast.', { [member]: [reason, reason] }));
    expect(error.message).toMatch(
      new RegExp(`: Too fast\\. Throttled: IndexWriteKeyRangeThroughputExceeded of ${resource}\\.$`),
    );
  });
  it('names its causes as they come over the wire, through the lean way and the SDK', async () => {
    const server = createServer((request, response) => {
      request.resume().on('end', () => {
        response.statusCode = 400;
        response.end(
          JSON.stringify({
            __type: 'com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException',
            message: 'Too fast',
            ThrottlingReasons: [{ reason: 'TableWriteAccountLimitExceeded', resource }],
          }),
        );
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    for (const lean of [true, false]) {
      const client = createClient({ endpoint, maxAttempts: 1, lean });
      onTestFinished(() => client.destroy());
      const store = new DynamoDBStore(client, goalGraph().table);
      await expect(store.put({ source: { S: 'GOAL-1' }, target: { S: 'GOAL-1' } })).rejects.toThrow(
        `Throttled: TableWriteAccountLimitExceeded of ${resource}.`,
      );
    }
  });
});
