import { createHash } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import { crc32 } from 'node:zlib';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SignatureV4 } from '@smithy/signature-v4';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { sendChange } from '../../src/client/write/item/send.ts';
import type { ScanSource, Store } from '../../src/core/store-port.ts';
import { StoreError } from '../../src/foundation/errors.ts';
import { deferredCalls, knownRoute } from '../../src/store/client/deferred.ts';
import { WholeBodyAgent } from '../../src/store/client/http.ts';
import { createClient } from '../../src/store/client.ts';
import { DynamoDBStore } from '../../src/store/dynamodb.ts';
import { callsOf } from '../../src/store/lean/known-calls.ts';
import { listening } from '../support/local-server.ts';
import { contractGraph } from './stores.ts';

/** What the lean way sends, and what becomes of answers that are not plainly good. */

interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

interface Answered {
  status?: number;
  headers?: Record<string, string>;
  /** The body; an object is sent as JSON. Absent: the connection is cut. */
  body?: object | string;
}

type Responder = (request: Received, number: number) => Answered;

// Retries wait for a random part of what they may: none of it.
beforeEach(() => void vi.spyOn(Math, 'random').mockReturnValue(0));

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

/** A server that answers as told, and keeps what it received. */
async function answering(responder: Responder): Promise<{ endpoint: string; received: Received[] }> {
  const received: Received[] = [];
  // An idle connection is kept, however long the machine takes until the next request.
  const server = createServer({ keepAliveTimeout: 600_000 }, async (request, response: ServerResponse) => {
    received.push({ path: request.url ?? '', headers: request.headers, body: await textOf(request) });
    const { status = 200, headers, body } = responder(received.at(-1)!, received.length);
    if (body === undefined) return response.destroy();
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    response
      .writeHead(status, { 'x-amz-crc32': String(crc32(text)), date: new Date().toUTCString(), ...headers })
      .end(text);
  });
  const { endpoint, stop } = await listening(server);
  closers.push(stop);
  return { endpoint, received };
}

const graph = contractGraph();
const KEY = { source: 'USER-1', target: '~view' };
const CREDENTIALS = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret', sessionToken: 'token+/=' };
const EMPTY = { ConsumedCapacity: { CapacityUnits: 0.5 }, Items: [], Count: 0, ScannedCount: 0 };
const FOUND = { Item: { source: { S: 'USER-1' }, r: { N: '3' } }, ConsumedCapacity: { CapacityUnits: 0.5 } };

/** Nothing is found, and everything is written. */
function emptyAnswer({ headers }: Received): Answered {
  const target = String(headers['x-amz-target']);
  if (target.endsWith('.BatchGetItem')) return { body: { Responses: {} } };
  if (target.endsWith('.BatchExecuteStatement'))
    return { body: { Responses: [{}, { Error: { Code: 'DuplicateItem' } }] } };
  return { body: /(Transact|Batch)WriteItems?$/.test(target) ? {} : EMPTY };
}

/** Whether a request is one of the SDK's. */
function isBySdk({ headers }: Received): boolean {
  return 'user-agent' in headers;
}

/** The content of a request; in place of a random token, whether there is one. */
function contentOf({ body }: Received, form: string): object {
  const content = JSON.parse(body);
  if (form === OWN_TOKEN) content.ClientRequestToken = UUID.test(content.ClientRequestToken);
  return content;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

function storeAt(endpoint: string, options: Parameters<typeof createClient>[0] = {}): Store & ScanSource {
  const client = createClient({ endpoint, region: 'eu-west-1', credentials: CREDENTIALS, ...options });
  closers.push(() => client.destroy());
  return new DynamoDBStore(client, graph.table);
}

const BASE_KEY = { source: 'USER-1', target: 'KNOWS-USER-"ü😀' };
const BASE_ITEM = { source: { S: BASE_KEY.source }, target: { S: BASE_KEY.target }, note: { S: 'a\u2028b' } };

/** Each call in each of its forms. */
const CALLS: Record<string, (store: Store & ScanSource) => Promise<unknown>> = {
  'a consistent get': (store) => store.get(KEY, { consistent: true }),
  'an eventual get of a key that needs escaping': (store) =>
    store.get({ source: 'USER-"ü\u2028\u0000😀\ud800', target: '~ix/%' }, { consistent: false }),
  'many gets': (store) => store.getMany([KEY, { source: 'USER-2', target: '~view' }], { consistent: true }),
  'an update of a view': (store) =>
    store.update({
      key: KEY,
      set: {
        attributes: { M: { age: { N: '12345678901234567890123456789012345678' }, off: { NULL: true } } },
      },
      unset: ['expiresAt'],
      addElements: ['KNOWS-USER-1', 'KNOWS-USER-"2'],
      condition: { kind: 'absent' },
    }),
  'an update under a revision': (store) =>
    store.update({
      key: KEY,
      set: { list: { L: [{ BOOL: false }, { NS: ['1', '2'] }] } },
      unset: [],
      condition: { kind: 'revision', revision: '7' },
    }),
  'an update with binary values': (store) =>
    store.update({
      key: KEY,
      set: { bytes: { M: { b: { B: new Uint8Array([1, 2, 255]) } } } },
      unset: [],
      condition: { kind: 'none' },
    }),
  'a query of the table': (store) =>
    store.query({ partition: 'USER-1', sortKey: { from: 'A', to: 'B' }, consistent: true }),
  'a query of an index, page after page': (store) =>
    store.query({
      index: 'gsi1',
      partition: 'KNOWS-USER-1',
      sortKey: { beginsWith: '5' },
      reverse: true,
      limit: 7,
      countOnly: true,
      startKey: { source: { S: 'USER-1' }, target: { S: '~ix/x' }, gsi1pk: { S: 'KNOWS-USER-1' }, gsi1sk: { S: '5' } },
    }),
  'a page of a scan': (store) =>
    store.scan({ segment: 1, segments: 4, startKey: BASE_ITEM, limit: 10, consistent: true, index: 'gsi0' }),
  'a put': (store) => store.put({ ...BASE_ITEM, deep: { M: { list: { L: [{ N: '1.50' }, { NULL: true }] } } } }),
  'a put with binary values': (store) => store.put({ ...BASE_ITEM, set: { BS: [Uint8Array.of(1), Uint8Array.of()] } }),
  'a put of empty binary': (store) => store.put({ ...BASE_ITEM, bytes: { B: new Uint8Array() } }),
  'a put of a buffer': (store) => store.put({ ...BASE_ITEM, list: { L: [{ B: Buffer.from('abc') }] } }),
  'a put of attributes that are named as types are': (store) =>
    store.put({ ...BASE_ITEM, B: { M: { 0: { S: '"B":{"0":1}' } } }, BS: { L: [{ M: { B: { M: {} } } }] } }),
  'a delete': (store) => store.delete(BASE_KEY),
  'a delete under a revision': (store) => store.delete(KEY, { kind: 'revision', revision: '4' }),
  'many writes': (store) => store.writeMany([{ put: BASE_ITEM }, { delete: { source: 'USER-2', target: 'USER-2' } }]),
  'many updates, in statements': (store) =>
    store.updateMany([
      { key: KEY, set: { a: { S: 'é"😀' } }, unset: ['b'], condition: { kind: 'revision', revision: '7' } },
      {
        key: { ...KEY, target: '~ix/"%' },
        set: { list: { L: [{ BOOL: false }, { NULL: true }] } },
        unset: [],
        condition: { kind: 'absent' },
      },
    ]),
  'a transaction of derived items': (store) =>
    store.transact([
      { key: KEY, set: { w: { S: 'label/1' } }, unset: ['gsi0pk'], condition: { kind: 'revision', revision: '1' } },
      {
        key: { ...KEY, target: '~degree/KNOWS' },
        set: {},
        unset: [],
        add: { count: '1', 'sum/hours': '-0.5' },
        addTo: { 'keys/kind': ['Scode'] },
        condition: { kind: 'none' },
      },
    ]),
  'a transaction of base items': (store) =>
    store.changeAll(
      [
        { kind: 'put', key: BASE_KEY, item: BASE_ITEM, condition: { present: false } },
        { kind: 'look', key: { source: 'USER-1', target: 'USER-1' }, condition: { equal: { v: { N: '3' } } } },
      ],
      'one token',
    ),
  'a put of a base item under a condition': (store) =>
    store.change({ kind: 'put', key: BASE_KEY, item: BASE_ITEM, condition: { present: false } }),
  'an update of a base item': (store) =>
    store.change({
      kind: 'update',
      key: BASE_KEY,
      changes: { set: { note: { S: 'x' } }, add: { n: '1' }, addTo: { tags: { SS: ['a'] } } },
      condition: { equal: { v: { N: '1' } } },
    }),
  'a delete of a base item under a condition': (store) =>
    store.change({ kind: 'delete', key: BASE_KEY, condition: { present: true, absent: ['locked'] } }),
};

/** Calls whose bytes the SDK has to write. */
const BINARY = /binary|buffer/;
/** Each transaction of derived items has a token of its own. */
const OWN_TOKEN = 'a transaction of derived items';

describe('the lean way', () => {
  describe.each(Object.entries(CALLS))('sends what the SDK sends: %s', (form, call) => {
    it('the same body, path and headers, with a signature that the SDK makes too', async () => {
      const { endpoint, received } = await answering(emptyAnswer);
      const store = storeAt(endpoint);
      await call(store);
      await call(store);
      const [bySdk, lean] = received as [Received, Received];
      expect(received.map(isBySdk)).toEqual([true, BINARY.test(form)]);
      expect(contentOf(lean, form)).toEqual(contentOf(bySdk, form));
      expect(lean.path).toBe(bySdk.path);
      for (const name of ['host', 'content-type', 'content-length', 'x-amz-target', 'x-amz-security-token']) {
        expect(lean.headers[name]).toBe(bySdk.headers[name]);
      }
      if (!isBySdk(lean)) expect(lean.headers.authorization).toBe(await signatureOf(endpoint, lean));
    });
  });

  it('signs with renewed credentials as soon as the provider gives them', async () => {
    const { endpoint, received } = await answering(() => ({ body: FOUND }));
    let generation = 0;
    // A second is far within the time before its end in which the SDK renews what expires.
    const provider = async () => ({
      accessKeyId: `AK${++generation}`,
      secretAccessKey: 's',
      expiration: new Date(Date.now() + 1_000),
    });
    const store = storeAt(endpoint, { credentials: provider as never });
    for (let i = 0; i < 4; i++) await store.get(KEY, { consistent: false });
    const keys = received.map(({ headers }) => /Credential=([^/]+)/.exec(headers.authorization ?? '')?.[1]);
    expect(new Set(keys).size).toBeGreaterThan(1);
    expect(keys.at(-1)).toBe(`AK${generation}`);
  });

  it.each([-3_600_000, 3_600_000])(
    'goes on where the clock is %i ms off from one moment on, with calls in parallel',
    async (aheadMs) => {
      let isStrict = false;
      const { endpoint, received } = await answering((request) => {
        const now = new Date(Date.now() + (isStrict ? aheadMs : 0));
        if (Math.abs(signedAt(request) - now.getTime()) < 300_000)
          return { headers: { date: now.toUTCString() }, body: FOUND };
        const message = `Signature ${aheadMs > 0 ? 'expired' : 'not yet current'}`;
        const body = { __type: 'com.amazon.coral.service#InvalidSignatureException', message };
        return { status: 400, headers: { date: now.toUTCString() }, body };
      });
      const store = storeAt(endpoint);
      await store.get(KEY, { consistent: false });
      isStrict = true;
      const change = { key: KEY, set: { name: { S: 'a' } }, unset: [], condition: { kind: 'none' } } as const;
      const calls = Array.from({ length: 64 }, (_, i) =>
        i % 2 === 0 ? store.get(KEY, { consistent: false }) : store.update(change),
      );
      const refused = (await Promise.allSettled(calls)).filter(({ status }) => status === 'rejected');
      expect(refused).toEqual([]);
      // The clock is put right: nothing is refused any more.
      const before = received.length;
      expect((await store.get(KEY, { consistent: false })).item).toEqual(FOUND.Item);
      expect(received).toHaveLength(before + 1);
    },
  );

  it.each(['/a@b/', '/a%20b/', '/a:b/'])(
    'leaves calls to the SDK where the path %s is signed otherwise than it stands',
    async (path) => {
      const { endpoint, received } = await answering(() => ({ body: FOUND }));
      const store = storeAt(endpoint + path);
      for (let i = 0; i < 3; i++) await store.get(KEY, { consistent: false });
      expect(received.filter(({ headers }) => headers['amz-sdk-request'] === undefined)).toEqual([]);
    },
  );

  it('sends no security token where it is empty', async () => {
    const { endpoint, received } = await answering(() => ({ body: FOUND }));
    const store = storeAt(endpoint, { credentials: { accessKeyId: 'AK', secretAccessKey: 's', sessionToken: '' } });
    for (let i = 0; i < 3; i++) await store.get(KEY, { consistent: false });
    expect(received.filter(({ headers }) => headers['x-amz-security-token'] !== undefined)).toEqual([]);
  });

  it.each<[string, Answered]>([
    ['a throttle', { status: 400, body: { __type: 'x#ProvisionedThroughputExceededException', message: 'slow' } }],
    ['an error of the server', { status: 500, body: { __type: 'x#InternalServerError', message: 'oops' } }],
    [
      'a body that is not the one that was sent',
      { headers: { 'x-amz-crc32': '1' }, body: { Item: { source: { S: 'x' } } } },
    ],
    ['a connection that is cut', {}],
  ])('lets the SDK try again after %s, which counts as its first attempt', async (_, fault) => {
    for (const [maxAttempts, sent] of [
      [1, 1],
      [3, 2],
    ] as const) {
      let isFaulty = false;
      let faults = 0;
      const { endpoint, received } = await answering(() => {
        if (!isFaulty || faults++ > 0) return { body: FOUND };
        return fault;
      });
      const store = storeAt(endpoint, { maxAttempts });
      await store.get(KEY, { consistent: false });
      isFaulty = true;
      const result = await store.get(KEY, { consistent: false }).catch((error: StoreError) => error.kind);
      expect(result).toEqual(maxAttempts === 1 ? 'retryable' : { item: FOUND.Item, rcu: 0.5 });
      expect(received).toHaveLength(1 + sent);
    }
  });

  it.each(['', 'null', '{}', '[]'])('takes %j for no answer, whichever way the call goes', async (body) => {
    for (const lean of [true, false]) {
      let isFaulty = false;
      const { endpoint } = await answering(() => ({ body: isFaulty ? body : FOUND }));
      const store = storeAt(endpoint, { maxAttempts: 1, lean });
      await store.get(KEY, { consistent: true });
      isFaulty = true;
      const calls = [
        store.get(KEY, { consistent: true }),
        store.getMany([KEY], { consistent: true }),
        store.query({ partition: 'USER-1', consistent: true }),
        store.query({ partition: 'USER-1', consistent: true, countOnly: true }),
        new DynamoDBStore(createClient({ endpoint, maxAttempts: 1 }), graph.table).scan({ segment: 0, segments: 1 }),
      ];
      for (const outcome of await Promise.allSettled(calls)) {
        expect(outcome).toMatchObject({ status: 'rejected', reason: { kind: 'retryable' } });
      }
    }
  });

  it('sends a plain put again whose answer cannot be read, and says that an update may have been made', async () => {
    let broken = 1;
    const { endpoint, received } = await answering(() => ({ body: broken-- > 0 ? '{"ConsumedCapacity": ...}' : {} }));
    const store = storeAt(endpoint, { maxAttempts: 3 });
    await store.put({ source: { S: 'USER-1' }, target: { S: 'USER-1' } });
    expect(received).toHaveLength(2);
    broken = Number.POSITIVE_INFINITY;
    const outcome = await store.put({ source: { S: 'USER-1' }, target: { S: 'USER-1' } }).catch((error) => error);
    expect(outcome).toMatchObject({ kind: 'retryable', message: expect.not.stringContaining('refused') });
    expect(received).toHaveLength(5);
    const change = {
      kind: 'update',
      key: { source: 'USER-1', target: 'USER-1' },
      changes: { add: { n: '1' } },
    } as const;
    const changed = sendChange({ graph: contractGraph(), store, now: Date.now, wait: async () => undefined }, change);
    await expect(changed).rejects.toMatchObject({ code: 'outcome-unknown' });
    expect(received).toHaveLength(6);
  });

  it('checks the body of every call against its checksum, also of one that can be aborted', async () => {
    const { endpoint } = await answering(() => ({ headers: { 'x-amz-crc32': '1' }, body: FOUND }));
    const agent = new WholeBodyAgent();
    closers.push(() => agent.destroy());
    for (const signal of [undefined, new AbortController().signal]) {
      const request = agent.request({ origin: endpoint, path: '/', method: 'POST', body: '{}', signal });
      await expect(request).rejects.toMatchObject({ code: 'ECONNRESET' });
    }
  });
});

describe('the two ways', () => {
  /** What a call gives, the lean way and by the SDK: an output, or what there is to an error. */
  async function bothWays(name: 'GetItem' | 'UpdateItem' | 'TransactWriteItems', answer: Answered): Promise<unknown[]> {
    let isReady = false;
    const { endpoint, received } = await answering(() => (isReady ? answer : { body: {} }));
    const input = { TableName: 't', Key: { source: { S: 'x' } }, TransactItems: [] } as never;
    const outcomes: unknown[] = [];
    for (const lean of [true, false]) {
      const client = createClient({ endpoint, region: 'eu-west-1', credentials: CREDENTIALS, lean, maxAttempts: 1 });
      closers.push(() => client.destroy());
      isReady = false;
      await callsOf(client).call('GetItem', input);
      isReady = true;
      outcomes.push(await callsOf(client).call(name, input).catch(partsOfError));
      outcomes.push(await callsOf(client).callOnce(name, input).catch(partsOfError));
    }
    expect(received.map(isBySdk)).toEqual([true, false, false, true, true, true]);
    return outcomes;
  }

  const partsOfError = (error: Error) => {
    const { name, message, $fault, $metadata, Item, CancellationReasons } = error as Error & Record<string, unknown>;
    // Only retries count attempts.
    const { attempts: _, totalRetryDelay: __, ...metadata } = $metadata as Record<string, unknown>;
    return { name, message, $fault, metadata, Item, CancellationReasons };
  };
  const requestId = { 'x-amzn-requestid': 'R1' };
  const typeOf = (name: string) => `com.amazonaws.dynamodb.v20120810#${name}`;

  it('give the same output', async () => {
    const body = { Item: { a: { S: 'x' }, m: { M: { n: { N: '1.0' } } } }, ConsumedCapacity: { CapacityUnits: 0.5 } };
    const [lean, leanOnce, bySdk] = await bothWays('GetItem', { headers: requestId, body: { ...body, Unset: null } });
    expect(lean).toEqual(bySdk);
    expect(leanOnce).toEqual(bySdk);
    expect(lean).toMatchObject({ ...body, $metadata: { httpStatusCode: 200, requestId: 'R1', attempts: 1 } });
  });

  it.each<[string, object]>([
    ['ConditionalCheckFailedException', { message: 'no', Item: { r: { N: '4' } } }],
    ['ConditionalCheckFailedException', { message: 'no', Item: { b: { B: 'AQL/' } } }],
    ['ProvisionedThroughputExceededException', { message: 'slow' }],
    ['ValidationException', { message: 'bad key' }],
    ['ExpiredTokenException', { message: 'old' }],
    ['UnheardOfException', { message: 'new' }],
  ])('throw the same %s %j', async (name, body) => {
    const answer = { status: 400, headers: requestId, body: { __type: typeOf(name), ...body } };
    const [lean, ...others] = await bothWays('UpdateItem', answer);
    expect(lean).toMatchObject({ name, $fault: 'client', metadata: { httpStatusCode: 400, requestId: 'R1' } });
    for (const other of others) expect(other).toEqual(lean);
  });

  it('give the same reasons of a cancelled transaction, with the items that failed', async () => {
    const CancellationReasons = [
      { Code: 'None' },
      { Code: 'ConditionalCheckFailed', Message: 'no', Item: { r: { N: '4' }, b: { B: 'AQL/' } } },
      { Code: 'TransactionConflict', Message: 'busy' },
    ];
    const body = { __type: typeOf('TransactionCanceledException'), message: 'cancelled', CancellationReasons };
    const [lean, ...others] = await bothWays('TransactWriteItems', { status: 400, headers: requestId, body });
    expect(lean).toMatchObject({ CancellationReasons: [{}, { Item: { b: { B: Uint8Array.of(1, 2, 255) } } }, {}] });
    for (const other of others) expect(other).toEqual(lean);
  });
});

describe.each([
  ['the lean way', true],
  ['the SDK alone', false],
])('%s', (_, lean) => {
  it('sends what was left unprocessed again, and no more', async () => {
    let rest = 1;
    const { endpoint, received } = await answering(({ body, headers }) => {
      if (!String(headers['x-amz-target']).endsWith('.BatchWriteItem')) return { body: FOUND };
      const requests = (JSON.parse(body) as { RequestItems: Record<string, object[]> }).RequestItems[graph.table.name]!;
      const left = rest-- > 0 ? requests.slice(1) : [];
      const ConsumedCapacity = [{ TableName: graph.table.name, CapacityUnits: requests.length - left.length }];
      return { body: { UnprocessedItems: left.length > 0 ? { [graph.table.name]: left } : {}, ConsumedCapacity } };
    });
    const store = storeAt(endpoint, { lean });
    await store.get(KEY, { consistent: false });
    const writes = [{ put: BASE_ITEM }, { delete: KEY }, { put: { source: { S: 'A' }, target: { S: 'A' } } }];
    expect(await store.writeMany(writes)).toEqual({ wcu: 3, calls: 2 });
    const sent = received.slice(1).map(({ body }) => JSON.parse(body).RequestItems[graph.table.name]);
    expect(sent[1]).toEqual(sent[0].slice(1));
  });

  it('reads the rest of the keys until all are read', async () => {
    const { name } = graph.table;
    let batches = 0;
    const { endpoint } = await answering(({ body, headers }) => {
      if (!String(headers['x-amz-target']).endsWith('.BatchGetItem')) return { body: FOUND };
      const { Keys } = JSON.parse(body).RequestItems[name];
      // Two at a time, and every other call none at all.
      const count = batches++ % 2 === 0 ? 2 : 0;
      const rest = Keys.length > count ? { [name]: { Keys: Keys.slice(count) } } : {};
      const ConsumedCapacity = [{ TableName: name, CapacityUnits: Math.min(count, Keys.length) }];
      return { body: { Responses: { [name]: Keys.slice(0, count) }, UnprocessedKeys: rest, ConsumedCapacity } };
    });
    const store = storeAt(endpoint, { lean });
    await store.get(KEY, { consistent: false });
    const targets = ['1', '2', '3'];
    const keys = targets.map((target) => ({ source: 'USER-1', target }));
    const { items, ...cost } = await store.getMany(keys, { consistent: true });
    expect(items.map((item) => item?.['target'])).toEqual(targets.map((S) => ({ S })));
    expect(cost).toEqual({ rcu: 3, calls: 3 });
  });

  it('sends a transaction whose answer was lost again with its own token', async () => {
    let isLost = false;
    const { endpoint, received } = await answering(() => {
      if (!isLost) return { body: {} };
      isLost = false;
      return {};
    });
    const store = storeAt(endpoint, { lean });
    await store.put(BASE_ITEM);
    for (let i = 0; i < 2; i++) {
      isLost = true;
      await store.transact([{ key: KEY, set: {}, unset: [], condition: { kind: 'none' } }]);
    }
    const [first, again, second, , ...none] = received.slice(1).map(({ body }) => JSON.parse(body).ClientRequestToken);
    expect(first).toMatch(UUID);
    expect(again).toBe(first);
    expect(second).not.toBe(first);
    expect(none).toEqual([]);
  });

  it('makes a change of one attempt again only where it was refused for the clock of this machine', async () => {
    const aheadMs = 3_600_000;
    let fault: Answered | undefined;
    const { endpoint, received } = await answering(() => {
      const given = fault ?? { body: EMPTY };
      fault = undefined;
      return given;
    });
    const store = storeAt(endpoint, { lean });
    const change = () => store.change({ kind: 'delete', key: BASE_KEY, condition: { present: true } });
    await change();
    const headers = { date: new Date(Date.now() + aheadMs).toUTCString() };
    const refusal = (name: string, status = 400) => ({ status, headers, body: { __type: `x#${name}`, message: 'no' } });
    // The clock is put right by each of these, but only the first says that nothing was changed because of it.
    fault = refusal('InvalidSignatureException');
    expect(await change()).toMatchObject({ applied: true });
    expect(received).toHaveLength(3);
    expect(signedAt(received[2]!) - signedAt(received[1]!)).toBeGreaterThan(aheadMs - 60_000);
    const faults: Answered[] = [refusal('InternalServerError', 500), refusal('ExpiredTokenException'), {}];
    for (const [i, given] of faults.entries()) {
      fault = { ...given, ...(given.headers && { headers: { date: new Date().toUTCString() } }) };
      await expect(change()).rejects.toBeInstanceOf(StoreError);
      expect(received).toHaveLength(4 + i);
    }
  });

  it('shows every call to middleware that is added when calls were made already', async () => {
    const { endpoint } = await answering(emptyAnswer);
    const ours = createClient({ endpoint, region: 'eu-west-1', credentials: CREDENTIALS, lean });
    const own = new DynamoDBClient({ endpoint, region: 'eu-west-1', credentials: CREDENTIALS });
    for (const client of [ours, own]) {
      closers.push(() => client.destroy());
      const store = new DynamoDBStore(client, graph.table);
      const makeCalls = async () => {
        for (const [form, call] of Object.entries(CALLS)) if (!BINARY.test(form)) await call(store);
      };
      await makeCalls();
      const seen: string[] = [];
      client.middlewareStack.add(
        (next, context) => (given) => {
          seen.push(context.commandName ?? '');
          return next(given);
        },
        { step: 'initialize' },
      );
      await makeCalls();
      expect(seen).toHaveLength(Object.keys(CALLS).filter((form) => !BINARY.test(form)).length);
    }
  });

  it('has as many retries after a long failure as before, once calls succeed again', async () => {
    for (const isDeferred of [false, true]) {
      let faults = 0;
      const { endpoint, received } = await answering(() => (faults-- > 0 ? {} : { body: FOUND }));
      const options = { endpoint, region: 'eu-west-1', credentials: CREDENTIALS, maxAttempts: 2 };
      const calls = deferredCalls(options);
      closers.push(() => calls.close());
      const store = isDeferred ? new DynamoDBStore(calls, graph.table) : storeAt(endpoint, { lean, maxAttempts: 2 });
      const get = () => store.get(KEY, { consistent: false });
      await get();
      // Nothing answers: the retries that the SDK allows itself run out.
      faults = Number.POSITIVE_INFINITY;
      for (let i = 0; i < 60; i++) await expect(get()).rejects.toBeInstanceOf(StoreError);
      faults = 0;
      for (let i = 0; i < 20; i++) await get();
      const before = received.length;
      faults = 1;
      expect((await get()).item).toEqual(FOUND.Item);
      expect(received).toHaveLength(before + 2);
    }
  });

  it('leaves it to adaptive retries when a call is sent', async () => {
    vi.stubEnv('AWS_RETRY_MODE', 'adaptive');
    closers.push(() => vi.unstubAllEnvs());
    const { endpoint, received } = await answering(() => ({ body: FOUND }));
    const store = storeAt(endpoint, { lean });
    for (let i = 0; i < 3; i++) await store.get(KEY, { consistent: false });
    const options = { endpoint, region: 'eu-west-1', credentials: CREDENTIALS };
    const deferred = new DynamoDBStore(deferredCalls(options), graph.table);
    await deferred.get(KEY, { consistent: false });
    await deferred.get(KEY, { consistent: false });
    expect(received.map(isBySdk)).toEqual([true, true, true, true, true]);
  });
});

/** When a request was signed, by its own time, in milliseconds. */
function signedAt({ headers }: Received): number {
  return Date.parse(String(headers['x-amz-date']).replace(/^(.{4})(..)(..)T(..)(..)(..)Z$/, '$1-$2-$3T$4:$5:$6Z'));
}

describe('the lean way of a function, which loads the SDK when it needs it', () => {
  const deferred = (endpoint: string, options: Parameters<typeof deferredCalls>[0] = {}): Store =>
    new DynamoDBStore(
      deferredCalls({ endpoint, region: 'eu-west-1', credentials: CREDENTIALS, ...options }),
      graph.table,
    );

  it('is taken at the first call, signed as the SDK signs', async () => {
    const { endpoint, received } = await answering(() => ({ body: FOUND }));
    const store = deferred(endpoint);
    expect(await store.get(KEY, { consistent: false })).toEqual({ item: FOUND.Item, rcu: 0.5 });
    expect(await storeAt(endpoint).get(KEY, { consistent: false })).toEqual({ item: FOUND.Item, rcu: 0.5 });
    const [lean, bySdk] = received as [Received, Received];
    expect(received.map(({ headers }) => 'amz-sdk-invocation-id' in headers)).toEqual([false, true]);
    for (const name of ['host', 'content-type', 'content-length', 'x-amz-target', 'x-amz-security-token']) {
      expect(lean.headers[name]).toBe(bySdk.headers[name]);
    }
    expect(lean.body).toBe(bySdk.body);
    expect(lean.headers.authorization).toBe(await signatureOf(endpoint, lean));
  });

  it('learns where calls go from the SDK where credentials come from a provider', async () => {
    const { endpoint, received } = await answering(() => ({ body: FOUND }));
    const store = deferred(endpoint, { credentials: (async () => CREDENTIALS) as never });
    for (let i = 0; i < 2; i++) await store.get(KEY, { consistent: false });
    expect(received.map(({ headers }) => 'amz-sdk-invocation-id' in headers)).toEqual([true, false]);
  });

  it.each([
    ['a throttle', { status: 400, body: { __type: 'x#ThrottlingException', message: 'slow' } }],
    ['a connection that is cut', {}],
  ])('loads it after %s, which counts as its first attempt', async (_, fault: Answered) => {
    for (const [maxAttempts, sent] of [
      [1, 1],
      [3, 2],
    ] as const) {
      const { endpoint, received } = await answering((_request, number) => (number === 1 ? fault : { body: FOUND }));
      const result = await deferred(endpoint, { maxAttempts })
        .get(KEY, { consistent: false })
        .catch((error: StoreError) => error.kind);
      expect(result).toEqual(maxAttempts === 1 ? 'retryable' : { item: FOUND.Item, rcu: 0.5 });
      expect(received).toHaveLength(sent);
    }
  });

  it('corrects its clock by what the SDK found', async () => {
    const aheadMs = 3_600_000;
    const { endpoint, received } = await answering(({ headers }) => {
      const date = new Date(Date.now() + aheadMs);
      const isNear =
        String(headers['x-amz-date']).slice(0, 11) === date.toISOString().replace(/[-:]/g, '').slice(0, 11);
      if (isNear) return { headers: { date: date.toUTCString() }, body: FOUND };
      const body = { __type: 'com.amazon.coral.service#InvalidSignatureException', message: 'Signature expired' };
      return { status: 400, headers: { date: date.toUTCString() }, body };
    });
    const store = deferred(endpoint);
    for (let i = 0; i < 2; i++) {
      expect((await store.get(KEY, { consistent: false })).item).toEqual(FOUND.Item);
    }
    expect(received).toHaveLength(3);
  });

  it('knows the endpoint of a region where the SDK finds the same, and asks it elsewhere', async () => {
    const client = createClient({ region: 'eu-west-1', credentials: CREDENTIALS });
    closers.push(() => client.destroy());
    const known = ['us-east-1', 'eu-central-1', 'ap-southeast-7', 'me-south-1', 'mx-central-1', 'sa-east-1'];
    const others = ['cn-north-1', 'us-gov-west-1', 'us-iso-east-1', 'eusc-de-east-1', 'local', 'eu-central-1x', ''];
    for (const region of known) {
      const parameters = { Region: region, UseDualStack: false, UseFIPS: false };
      const { url } = client.config.endpointProvider(parameters as never, {});
      expect(`${knownRoute({ region, credentials: CREDENTIALS })?.origin}/`).toBe(url.href);
    }
    for (const region of others) expect(knownRoute({ region, credentials: CREDENTIALS })).toBeUndefined();
    expect(knownRoute({ region: 'eu-west-1' })).toBeUndefined();
    expect(knownRoute({ region: 'eu-west-1', credentials: CREDENTIALS, endpoint: 'http://h/path' })).toBeUndefined();
  });
});

/** The SDK's own signature of a request as it was received. */
async function signatureOf(endpoint: string, request: Received): Promise<string | undefined> {
  const { path, headers, body } = request;
  class Sha256 {
    private readonly hash;
    constructor(private readonly secret?: string | Uint8Array) {
      this.hash = createHash('sha256');
    }
    private readonly chunks: Uint8Array[] = [];
    update(chunk: string | Uint8Array): void {
      this.chunks.push(typeof chunk === 'string' ? Buffer.from(chunk) : Buffer.from(chunk));
    }
    async digest(): Promise<Uint8Array> {
      const { createHmac } = await import('node:crypto');
      const hash = this.secret === undefined ? this.hash : createHmac('sha256', this.secret);
      for (const chunk of this.chunks) hash.update(chunk);
      return new Uint8Array(hash.digest());
    }
  }
  const scope = /Credential=[^/]+\/\d+\/([^/]+)\/([^/]+)\//.exec(headers.authorization ?? '')!;
  const signed = /SignedHeaders=([^,]+)/.exec(headers.authorization ?? '')![1]!.split(';');
  const signer = new SignatureV4({
    credentials: CREDENTIALS,
    region: scope[1]!,
    service: scope[2]!,
    sha256: Sha256 as never,
    applyChecksum: false,
  });
  const { hostname, port } = new URL(endpoint);
  const kept = Object.fromEntries(signed.map((name) => [name, String(headers[name])]));
  const result = await signer.sign(
    { method: 'POST', protocol: 'http:', hostname, port: Number(port), path, query: {}, headers: kept, body },
    { signingDate: new Date(signedAt(request)) },
  );
  return result.headers['authorization'];
}
