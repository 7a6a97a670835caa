import { describe, expect, it } from 'vitest';
import { modelCost } from '../../../packages/cost/capacity.ts';
import { changedModel, type ModelChange, modelDiff } from '../../../packages/cost/what-if.ts';
import { defineGraph } from '../../../src/core/model/compile/define-graph.ts';
import type { CompiledModel } from '../../../src/core/model/compiled.ts';
import { nativeIndexes } from '../../../src/core/model/native-indexes.ts';
import { date, edge, node } from '../../../src/core/model/schema.ts';
import { definitionsOf } from '../../../src/registry/definition.ts';

/** The clinic's model, with options as somebody would write them. */
function clinic({
  degree = false,
  orders = { bySince: date('since') } as Record<string, unknown>,
  shards = 1,
  searchShards = 200,
  expires = false,
  indexes = 2,
  native = false,
} = {}): CompiledModel {
  return defineGraph({
    table: { name: 'clinic', indexes },
    nodes: {
      DOCTOR: node({
        view: ['name'],
        search: { name: { shards: searchShards }, code: { shards: 'value' } },
        list: true,
      }),
      PATIENT: node({ view: 'ALL' }),
    },
    edges: {
      TREATS: edge({
        from: 'DOCTOR',
        to: 'PATIENT',
        ...(degree && { degree }),
        ...(expires && { expires: 'expiresAt' }),
        inbound: { orders: orders as never, ...(native ? { native } : { shards }) },
      }),
      KNOWS: edge({ from: 'PATIENT', to: 'PATIENT' }),
    },
  }) as unknown as CompiledModel;
}

/** Names and fingerprints of a model's projections. */
function projectionsOf(model: CompiledModel): Record<string, string> {
  return Object.fromEntries([...definitionsOf(model).values()].map(({ name, fingerprint }) => [name, fingerprint]));
}

const TREATS = { edge: 'TREATS' } as const;
const BY_ROOM: ModelChange = { kind: 'order', ...TREATS, name: 'byRoom', by: { attribute: 'room', type: 'string' } };
const BY_DAY: ModelChange = { kind: 'order', ...TREATS, name: 'byDay', by: { attribute: 'day', type: 'date' } };
const present = { bySince: date('since') };
const NATIVE = { native: true, orders: { byWard: 'ward' } };
const CASES: [what: string, from: CompiledModel, changes: ModelChange[], to: CompiledModel][] = [
  ['a count', clinic(), [{ kind: 'count', ...TREATS, isCounted: true }], clinic({ degree: true })],
  ['no count', clinic({ degree: true }), [{ kind: 'count', ...TREATS, isCounted: false }], clinic()],
  [
    'a count of edges that end',
    clinic({ expires: true }),
    [{ kind: 'count', ...TREATS, isCounted: true }],
    clinic({ expires: true, degree: true }),
  ],
  [
    'no count of edges that end',
    clinic({ expires: true, degree: true }),
    [{ kind: 'count', ...TREATS, isCounted: false }],
    clinic({ expires: true }),
  ],
  ['an order in the shared item', clinic(), [BY_ROOM], clinic({ orders: { ...present, byRoom: 'room' } })],
  [
    'an order with an item of its own',
    clinic(),
    [BY_ROOM, BY_DAY],
    clinic({ orders: { ...present, byRoom: 'room', byDay: date('day') } }),
  ],
  [
    'a third order over three indexes',
    clinic({ indexes: 3 }),
    [BY_ROOM, BY_DAY],
    clinic({ indexes: 3, orders: { ...present, byRoom: 'room', byDay: date('day') } }),
  ],
  [
    'another native order',
    clinic(NATIVE),
    [BY_ROOM],
    clinic({ ...NATIVE, orders: { ...NATIVE.orders, byRoom: 'room' } }),
  ],
  [
    'a count of native edges that end, and another order',
    clinic({ ...NATIVE, expires: true }),
    [{ kind: 'count', ...TREATS, isCounted: true }, BY_ROOM],
    clinic({ ...NATIVE, orders: { ...NATIVE.orders, byRoom: 'room' }, expires: true, degree: true }),
  ],
  [
    'no count of native edges',
    clinic({ ...NATIVE, degree: true }),
    [{ kind: 'count', ...TREATS, isCounted: false }],
    clinic(NATIVE),
  ],
  ['shards of orders', clinic(), [{ kind: 'edge-shards', ...TREATS, shards: 8 }], clinic({ shards: 8 })],
  [
    'shards of a search',
    clinic(),
    [{ kind: 'search-shards', node: 'DOCTOR', search: 'name', shards: 4 }],
    clinic({ searchShards: 4 }),
  ],
  [
    'all of it',
    clinic({ expires: true }),
    [
      { kind: 'edge-shards', ...TREATS, shards: 8 },
      BY_ROOM,
      { kind: 'search-shards', node: 'DOCTOR', search: 'name', shards: 1 },
      { kind: 'count', ...TREATS, isCounted: true },
      BY_DAY,
    ],
    clinic({
      ...{ expires: true, degree: true, shards: 8, searchShards: 1 },
      orders: { ...present, byRoom: 'room', byDay: date('day') },
    }),
  ],
];

describe('a changed model', () => {
  it.each(CASES)('with %s is the model that somebody would write', (_what, from, changes, to) => {
    const before = projectionsOf(from);
    const changed = changedModel(from, changes);
    expect(projectionsOf(changed)).toEqual(projectionsOf(to));
    expect(nativeIndexes(changed)).toEqual(nativeIndexes(to));
    expect([projectionsOf(changed), nativeIndexes(changed)]).not.toEqual([before, nativeIndexes(from)]);
    expect(modelCost(changed)).toEqual(modelCost(to));
    expect(changed.indexes).toEqual(to.indexes);
    expect(projectionsOf(from)).toEqual(before);
  });

  it.each<[ModelChange, object]>([
    [{ kind: 'count', edge: 'TREAT', isCounted: true }, { code: 'unknown-type' }],
    [{ kind: 'search-shards', node: 'PATIENT', search: 'name', shards: 2 }, { code: 'unknown-name' }],
    [{ kind: 'search-shards', node: 'DOCTOR', search: '', shards: 2 }, { code: 'unknown-name' }],
    [
      { kind: 'search-shards', node: 'DOCTOR', search: 'code', shards: 2 },
      { code: 'invalid-argument', message: expect.stringContaining('a partition for each value') },
    ],
    [
      { kind: 'edge-shards', edge: 'KNOWS', shards: 2 },
      { code: 'invalid-argument', message: expect.stringContaining('has no order') },
    ],
    [
      { kind: 'edge-shards', ...TREATS, shards: 0.5 },
      { code: 'invalid-model', message: expect.stringContaining('edges.TREATS.inbound.shards') },
    ],
    [
      { ...BY_ROOM, name: 'bySince' },
      { code: 'invalid-model', message: expect.stringContaining('edges.TREATS.inbound.orders.bySince') },
    ],
    [
      { ...BY_ROOM, name: 'expires' },
      { code: 'invalid-model', message: expect.stringContaining('edges.TREATS.inbound.orders.expires') },
    ],
  ])('refuses %j', (change, error) => {
    expect(() => changedModel(clinic(), [change])).toThrow(expect.objectContaining(error));
  });
});

describe('a native edge type', () => {
  it.each<[ModelChange, string]>([
    [{ kind: 'edge-shards', ...TREATS, shards: 8 }, 'edges.TREATS.inbound.shards'],
    [BY_DAY, 'edges.TREATS.inbound.orders.byDay'],
    [{ ...BY_ROOM, name: 'byWard' }, 'edges.TREATS.inbound.orders.byWard'],
    [{ ...BY_ROOM, by: { attribute: 'count', type: 'string' } }, 'edges.TREATS.inbound.orders.byRoom'],
  ])('is not changed by %j', (change, path) => {
    const error = { code: 'invalid-model', message: expect.stringContaining(path) };
    expect(() => changedModel(clinic(NATIVE), [change])).toThrow(expect.objectContaining(error));
  });

  it('has no more orders than a table has indexes', () => {
    const orders: ModelChange[] = Array.from({ length: 18 }, (_, i) => ({
      ...{ kind: 'order', ...TREATS, name: `by${i}` },
      by: { attribute: `a${i}`, type: 'number' },
    }));
    const error = { code: 'invalid-model', message: expect.stringContaining('are 21 with the native ones') };
    expect(() => changedModel(clinic(NATIVE), orders)).toThrow(expect.objectContaining(error));
    expect(nativeIndexes(changedModel(clinic(NATIVE), orders.slice(1)))).toHaveLength(18);
  });
});

it('shows the lines of the model file', () => {
  const changes: ModelChange[] = [
    { kind: 'count', ...TREATS, isCounted: true },
    BY_ROOM,
    BY_DAY,
    { kind: 'edge-shards', ...TREATS, shards: 8 },
    { kind: 'search-shards', node: 'DOCTOR', search: 'name', shards: 4 },
  ];
  expect(modelDiff(clinic(), changes)).toEqual([
    ...['  edges.TREATS', '+   degree: true', '  edges.TREATS.inbound.orders', "+   byRoom: 'room'"],
    ...['  edges.TREATS.inbound.orders', "+   byDay: date('day')", '  edges.TREATS.inbound', '+   shards: 8'],
    ...['  nodes.DOCTOR.search.name', '+   shards: 4'],
  ]);
});

it('shows no line for what the model already has, or has by an earlier change', () => {
  const count = (isCounted: boolean): ModelChange => ({ kind: 'count', ...TREATS, isCounted });
  expect(modelDiff(clinic({ degree: true }), [count(true)])).toEqual([]);
  expect(modelDiff(clinic(), [count(false)])).toEqual([]);
  expect(modelDiff(clinic(), [count(true), count(true)])).toEqual(['  edges.TREATS', '+   degree: true']);
  expect(modelDiff(clinic({ shards: 8 }), [{ kind: 'edge-shards', ...TREATS, shards: 8 }])).toEqual([]);
  expect(modelDiff(clinic(), [{ kind: 'search-shards', node: 'DOCTOR', search: 'name', shards: 200 }])).toEqual([]);
});

it('shows no line for a default, before or after', () => {
  const changes: ModelChange[] = [
    { kind: 'edge-shards', ...TREATS, shards: 1 },
    { kind: 'search-shards', node: 'DOCTOR', search: 'name', shards: 200 },
  ];
  expect(modelDiff(clinic({ shards: 8, searchShards: 4 }), changes)).toEqual([
    '  edges.TREATS.inbound',
    '-   shards: 8',
    '  nodes.DOCTOR.search.name',
    '-   shards: 4',
  ]);
});
