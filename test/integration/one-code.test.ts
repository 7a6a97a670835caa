import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { createWriter } from '../../src/client/write/writer.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { edge, node, number, part } from '../../src/core/model/schema.ts';
import { EdgeloomError } from '../../src/foundation/errors.ts';
import { testTable, uniqueTableName } from '../support/table.ts';

/**
 * One mistake has one code, whichever way it is written: alone, in a batch, by `putMany`, in a transaction, or once by a token. A row is a
 * write with a mistake. It is tried in every way that has such a write.
 */

const fields = z.object({ title: z.string().optional(), n: z.number().optional() });
const graph = defineGraph({
  table: uniqueTableName(),
  nodes: {
    TASK: node({ view: 'ALL', parts: { STATE: part({ view: 'ALL', fields }) }, search: { due: { type: 'number' } } }),
    NOTE: node({ view: 'ALL', fields, maxEntries: {} }),
    LIST: node({ view: 'ALL', maxEntries: { tags: 2 } }),
    DOC: node({ view: 'ALL', versionAttribute: 'v' }),
    SLOT: node({ view: 'ALL', expires: 'expiresAt' }),
    FROM: node({ view: 'ALL' }),
    BROKEN: node({
      view: 'ALL',
      fields: {
        '~standard': {
          version: 1,
          vendor: 'test',
          validate: () => {
            throw new Error('broken');
          },
        },
      },
    }),
  },
  edges: {
    LINK: edge({ from: 'TASK', to: 'TASK', inbound: { orders: { byRank: number('rank') } } }),
    NOTES: edge({ from: 'TASK', to: 'NOTE', fields }),
    COPIED: edge({ from: 'FROM', to: 'TASK' }),
  },
  mirrored: ['FROM', 'COPIED'],
});

type Parameters = readonly unknown[];
type Operations = Record<string, (...parameters: Parameters) => unknown>;
let store: Awaited<ReturnType<typeof testTable>>['store'];
let writer: Operations & { transact(build: (each: Operations) => void): Promise<unknown> };

beforeAll(async () => {
  ({ store } = await testTable(graph));
  writer = createWriter(graph, { store, wait: async () => undefined }) as never;
  await writer['putNode']!('TASK-here', { n: 1, text: 'a', list: [1] });
  await writer['putEdge']!('TASK-here', 'LINK', 'TASK-here', { n: 1, text: 'a' });
  await writer['putPart']!('TASK-here', 'STATE', { n: 1 });
  await writer['putNode']!('NOTE-here', { n: 1, title: 'a' });
  await writer['putNode']!('LIST-here', { tags: new Set(['a', 'b']) });
  await writer['putNode']!('DOC-here', { text: 'a' });
});
afterAll(async () => {
  const { item } = await store.get({ source: 'TASK-here', target: 'TASK-here' }, { consistent: true });
  // No row wrote anything.
  expect(item).toMatchObject({ n: { N: '1' }, text: { S: 'a' } });
});

type Row = readonly [code: string, method: string, ...parameters: unknown[]];
const big = 'x'.repeat(420_000);
const KEYS: readonly Row[] = [
  ['invalid-id', 'putNode', 'TASK', {}],
  ['invalid-key', 'putNode', '', {}],
  ['invalid-key', 'putNode', 5, {}],
  ['unknown-type', 'putNode', 'NONE-1', {}],
  ['invalid-key', 'putNode', '~view', {}],
  ['key-too-long', 'putNode', `TASK-${'x'.repeat(2_000)}`, {}],
  ['unknown-type', 'putEdge', 'TASK-1', 'NONE', 'TASK-2', {}],
  ['invalid-edge', 'putEdge', 'NOTE-1', 'LINK', 'TASK-2', {}],
  ['invalid-edge', 'putEdge', 'TASK-1', 'LINK', 'NOTE-2', {}],
  ['unknown-type', 'putPart', 'TASK-1', 'NONE', {}],
  ['unknown-type', 'putPart', 'NOTE-1', 'STATE', {}],
  ['mirrored-type', 'putNode', 'FROM-1', {}],
  ['mirrored-type', 'putEdge', 'FROM-1', 'COPIED', 'TASK-1', {}],
];
const ATTRIBUTES: readonly Row[] = [
  ['invalid-attribute', 'putNode', 'NOTE-1', { n: 'x' }],
  ['invalid-attribute', 'putNode', 'TASK-1', { n: Number.NaN }],
  ['invalid-attribute', 'putNode', 'TASK-1', { due: 'text' }],
  ['invalid-attribute', 'putNode', 'TASK-1', { target: 'x' }],
  ['invalid-attribute', 'putNode', 'TASK-1', [1]],
  ['invalid-attribute', 'putNode', 'TASK-1', 'text'],
  ['invalid-attribute', 'putNode', 'SLOT-1', { expiresAt: 5 }],
  ['item-too-large', 'putNode', 'TASK-1', { big }],
  ['too-many-entries', 'putNode', 'LIST-1', { tags: new Set(['a', 'b', 'c']) }],
  ['validator-failed', 'putNode', 'BROKEN-1', {}],
  ['invalid-attribute', 'putEdge', 'TASK-1', 'LINK', 'TASK-2', { rank: 'text' }],
  ['invalid-attribute', 'putEdge', 'TASK-1', 'NOTES', 'NOTE-2', { n: 'x' }],
  ['item-too-large', 'putEdge', 'TASK-1', 'LINK', 'TASK-2', { big }],
  ['invalid-attribute', 'putPart', 'TASK-1', 'STATE', { n: 'x' }],
];
const CONDITIONS: readonly Row[] = [
  ['condition-failed', 'putNode', 'TASK-here', {}, { ifAbsent: true }],
  ['condition-failed', 'putNode', 'TASK-none', {}, { ifPresent: true }],
  ['condition-failed', 'putNode', 'TASK-here', {}, { if: { n: 2 } }],
  ['condition-failed', 'putNode', 'DOC-here', {}],
  ['condition-failed', 'putEdge', 'TASK-here', 'LINK', 'TASK-here', {}, { ifAbsent: true }],
  ['condition-failed', 'putPart', 'TASK-here', 'STATE', {}, { ifAbsent: true }],
  ['invalid-argument', 'putNode', 'TASK-here', {}, { ifAbsent: true, ifPresent: true }],
  ['invalid-argument', 'putNode', 'TASK-here', {}, { if: 'text' }],
  ['invalid-attribute', 'putNode', 'TASK-here', {}, { if: { n: Number.NaN } }],
  ['invalid-argument', 'putNode', 'TASK-here', {}, { ifAbsnt: true }],
  ['invalid-argument', 'putNode', 'TASK-here', {}, { ifAbsent: 'yes' }],
  ['condition-failed', 'deleteNode', 'TASK-here', { if: { n: 2 } }],
  ['condition-failed', 'deleteNode', 'TASK-none', { ifPresent: true }],
  ['condition-failed', 'deleteEdge', 'TASK-here', 'LINK', 'TASK-2', { ifPresent: true }],
  ['condition-failed', 'deletePart', 'TASK-none', 'STATE', { ifPresent: true }],
  ['condition-failed', 'deleteNode', 'DOC-here', { if: { v: 7 } }],
  ['versioned-type', 'deleteNode', 'DOC-here'],
  ['invalid-argument', 'deleteNode', 'TASK-here', { iff: {} }],
];
const DELETIONS: readonly Row[] = [
  ['unknown-type', 'deleteNode', 'NONE-1'],
  ['invalid-id', 'deleteNode', 'TASK'],
  ['unknown-type', 'deleteEdge', 'TASK-1', 'NONE', 'TASK-2'],
  ['invalid-edge', 'deleteEdge', 'NOTE-1', 'LINK', 'TASK-2'],
  ['unknown-type', 'deletePart', 'TASK-1', 'NONE'],
  ['mirrored-type', 'deleteNode', 'FROM-1'],
];
const UPDATES: readonly Row[] = [
  ['not-found', 'updateNode', 'TASK-none', { set: { n: 1 } }],
  ['not-found', 'updateNode', 'NOTE-none', { set: { n: 1 } }],
  ['condition-failed', 'updateNode', 'NOTE-none', { set: { n: 1 } }, { if: { n: 5 } }],
  ['condition-failed', 'updateNode', 'TASK-none', { set: { n: 1 } }, { if: { n: 5 } }],
  ['not-found', 'updateEdge', 'TASK-none', 'LINK', 'TASK-2', { set: { n: 1 } }],
  ['not-found', 'updateEdge', 'TASK-none', 'NOTES', 'NOTE-2', { set: { n: 1 } }],
  ['not-found', 'updatePart', 'TASK-none', 'STATE', { set: { n: 1 } }],
  ['condition-failed', 'updateNode', 'TASK-none', { set: { n: 1 } }, { ifPresent: true }],
  ['condition-failed', 'updateNode', 'TASK-none', { set: { n: 1 } }, { if: { n: 1 }, upsert: true }],
  ['condition-failed', 'updateNode', 'TASK-here', { set: { n: 1 } }, { ifAbsent: true }],
  ['condition-failed', 'updateNode', 'TASK-here', { set: { n: 1 } }, { if: { n: 3 } }],
  ['condition-failed', 'updateNode', 'NOTE-here', { set: { n: 1 } }, { if: { n: 3 } }],
  ['condition-failed', 'updatePart', 'TASK-here', 'STATE', { set: { n: 1 } }, { if: { n: 3 } }],
  ['invalid-attribute', 'updateNode', 'NOTE-here', { set: { n: 'x' } }],
  ['invalid-attribute', 'updateNode', 'NOTE-here', { set: { other: 'x' } }],
  ['invalid-attribute', 'updateNode', 'TASK-here', { set: { due: 'text' } }],
  ['invalid-attribute', 'updateNode', 'TASK-here', { set: { target: 'x' } }],
  ['invalid-attribute', 'updateNode', 'TASK-here', { set: { n: 1 }, remove: ['n'] }],
  ['invalid-attribute', 'updateNode', 'TASK-here', { add: { text: 1 } }],
  ['invalid-attribute', 'updateNode', 'TASK-here', { add: { n: 'x' } }],
  ['invalid-attribute', 'updateNode', 'TASK-here', { addTo: { list: ['x'] } }],
  ['invalid-attribute', 'updateNode', 'DOC-here', { set: { v: 9 } }],
  ['too-many-entries', 'updateNode', 'LIST-here', { addTo: { tags: ['c'] } }],
  ['validator-failed', 'updateNode', 'BROKEN-1', { set: { n: 1 } }, { upsert: true }],
  ['invalid-argument', 'updateNode', 'TASK-here', { put: { n: 1 } }],
  ['invalid-argument', 'updateNode', 'TASK-here', 5],
  ['invalid-argument', 'updateNode', 'TASK-here', { set: { n: 1 } }, { upsrt: true }],
  ['unknown-type', 'updateNode', 'NONE-1', { set: { n: 1 } }],
  ['unknown-type', 'updateEdge', 'TASK-1', 'NONE', 'TASK-2', { set: { n: 1 } }],
  ['invalid-edge', 'updateEdge', 'NOTE-1', 'LINK', 'TASK-2', { set: { n: 1 } }],
  ['unknown-type', 'updatePart', 'TASK-1', 'NONE', { set: { n: 1 } }],
  ['mirrored-type', 'updateNode', 'FROM-1', { set: { n: 1 } }],
];

/** The parameters before the attributes of an item. */
const KEY_PARTS: Readonly<Record<string, readonly string[]>> = {
  putNode: ['id'],
  putPart: ['id', 'part'],
  putEdge: ['source', 'type', 'target'],
};

/** The ways of a write. */
function ways(kind: string, [, method, ...parameters]: Row): Record<string, () => unknown> {
  const alone = () => writer[method]!(...parameters);
  const transact = () => writer.transact((each) => void each[method]!(...parameters));
  const batch = () => writer['batch']!(((each: Operations) => void each[method]!(...parameters)) as never);
  const keys = KEY_PARTS[method];
  const isOption = parameters.length > (keys?.length ?? 0) + 1;
  const entry = keys && {
    ...Object.fromEntries(keys.map((name, i) => [name, parameters[i]])),
    attributes: parameters[keys.length],
  };
  async function* stream(): AsyncGenerator<unknown> {
    yield entry;
  }
  return {
    alone,
    transact,
    ...(kind !== 'a condition' && kind !== 'an update' && { batch }),
    ...(entry &&
      kind !== 'a condition' &&
      !isOption && {
        'putMany of an array': () => writer['putMany']!([entry]),
        'putMany of a stream': () => writer['putMany']!(stream()),
      }),
    ...(kind === 'an update' && {
      once: () => {
        const place = parameters.findLastIndex((one) => typeof one === 'object');
        const hasOptions = place > 0 && typeof parameters[place - 1] === 'object';
        const options = { ...(hasOptions ? (parameters[place] as object) : {}), idempotent: true };
        return writer[method]!(...(hasOptions ? parameters.slice(0, place) : parameters), options);
      },
    }),
  };
}

async function codeOf(write: () => unknown): Promise<string> {
  try {
    await write();
    return 'written';
  } catch (error) {
    if (!(error instanceof EdgeloomError)) throw error;
    return error.code;
  }
}

const ROWS = Object.entries({
  'a key': KEYS,
  attributes: ATTRIBUTES,
  'a condition': CONDITIONS,
  'a deletion': DELETIONS,
  'an update': UPDATES,
}).flatMap(([kind, rows]) => rows.map((row) => ({ kind, row, name: textOf(row) })));

function textOf([code, method, ...parameters]: Row): string {
  const text = parameters.map((one) => JSON.stringify(one, (_, value) => (value instanceof Set ? [...value] : value)));
  return `${code}: ${method} ${text.join(' ')}`.slice(0, 120);
}

it.each(ROWS)('$kind: $name', async ({ kind, row }) => {
  const codes: Record<string, string> = {};
  const expected: Record<string, string> = {};
  for (const [way, write] of Object.entries(ways(kind, row))) {
    codes[way] = await codeOf(write);
    expected[way] = row[0];
  }
  expect(codes).toEqual(expected);
});
