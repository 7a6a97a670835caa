import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RuntimeApi } from '../../../packages/local/emulator/function/runtime-api.ts';

let api: RuntimeApi;
beforeEach(async () => {
  api = await RuntimeApi.start();
});
afterEach(() => api.close());

function call(path: string, init?: RequestInit): Promise<Response> {
  return fetch(`http://${api.address}/2018-06-01/runtime/${path}`, init);
}

function post(path: string, body: string): Promise<Response> {
  return call(path, { method: 'POST', body });
}

/** Hands an invocation over, and gives what it comes to. */
function invoke(requestId: string, payload = '{"Records":[]}') {
  return api.invoke({ requestId, payload, functionArn: 'arn:aws:lambda:function:f', deadlineMs: 1_800_000_000_000 });
}

describe('the Runtime API', () => {
  it('hands out invocations in order, with what a client needs to know', async () => {
    const first = invoke('one', '{"n":1}');
    const second = invoke('two', '{"n":2}');
    const next = await call('invocation/next');
    expect(next.status).toBe(200);
    expect(Object.fromEntries(next.headers)).toMatchObject({
      'lambda-runtime-aws-request-id': 'one',
      'lambda-runtime-deadline-ms': '1800000000000',
      'lambda-runtime-invoked-function-arn': 'arn:aws:lambda:function:f',
    });
    expect(await next.json()).toEqual({ n: 1 });
    expect((await post('invocation/one/response', '{"batchItemFailures":[]}')).status).toBe(202);
    expect(await first).toEqual({ kind: 'response', payload: { batchItemFailures: [] } });
    expect(await (await call('invocation/next')).json()).toEqual({ n: 2 });
    const error = { errorType: 'TypeError', errorMessage: 'no' };
    expect((await post('invocation/two/error', JSON.stringify(error))).status).toBe(202);
    expect(await second).toEqual({ kind: 'error', ...error });
  });

  it('lets a client wait for an invocation, and says that it is ready', async () => {
    const poll = call('invocation/next');
    expect(await api.waitUntilInitialized()).toEqual({ kind: 'ready' });
    const result = invoke('late');
    expect((await poll).headers.get('lambda-runtime-aws-request-id')).toBe('late');
    await post('invocation/late/response', '');
    expect(await result).toEqual({ kind: 'response', payload: undefined });
  });

  it('keeps an invocation for the next poll where a client that waited is gone', async () => {
    const gone = new AbortController();
    const poll = call('invocation/next', { signal: gone.signal });
    await api.waitUntilInitialized();
    gone.abort();
    await expect(poll).rejects.toThrow();
    // The server learns of it by the closed connection, which the next request of a client comes after.
    await post('invocation/none/response', '{}');
    void invoke('kept');
    expect((await call('invocation/next')).headers.get('lambda-runtime-aws-request-id')).toBe('kept');
  });

  it('tells of a client that cannot start', async () => {
    const error = { errorType: 'Runtime.ImportModuleError', errorMessage: 'no such module', stackTrace: [] };
    expect((await post('init/error', JSON.stringify(error))).status).toBe(202);
    expect(await api.waitUntilInitialized()).toEqual({
      kind: 'error',
      errorType: 'Runtime.ImportModuleError',
      errorMessage: 'no such module',
    });
  });

  it('refuses answers to what it does not know, or that came before, and other paths', async () => {
    expect((await post('invocation/unknown/response', '{}')).status).toBe(400);
    const result = invoke('once');
    await call('invocation/next');
    await post('invocation/once/response', '1');
    expect((await post('invocation/once/response', '2')).status).toBe(400);
    expect(await result).toEqual({ kind: 'response', payload: 1 });
    expect((await call('invocation/once/response')).status).toBe(404);
    expect((await call('elsewhere')).status).toBe(404);
  });

  it('takes what is no JSON as text, and fails what is too large', async () => {
    const text = invoke('text');
    const large = invoke('large');
    await call('invocation/next');
    await post('invocation/text/response', 'done');
    expect(await text).toEqual({ kind: 'response', payload: 'done' });
    await call('invocation/next');
    expect((await post('invocation/large/response', 'x'.repeat(6 * 1024 * 1024 + 1))).status).toBe(413);
    expect(await large).toMatchObject({ kind: 'error', errorType: 'Function.ResponseSizeTooLarge' });
  });
});
