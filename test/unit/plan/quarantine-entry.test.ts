import { describe, expect, it } from 'vitest';
import { defineGraph } from '../../../src/core/model/compile/define-graph.ts';
import { edge, node } from '../../../src/core/model/schema.ts';
import { foldBatch } from '../../../src/core/plan/fold.ts';
import {
  derivationEntry,
  QUARANTINE_PARTITION,
  readEntry,
  refusalEntry,
} from '../../../src/core/plan/quarantine-entry.ts';
import type { QuarantineUnit, Unit } from '../../../src/core/plan/unit.ts';
import { planBatch } from '../../../src/core/plan/units.ts';
import { StoreError } from '../../../src/foundation/errors.ts';
import { at, change, history } from '../../support/records.ts';

const graph = defineGraph({
  table: 'records',
  nodes: { GOAL: node({ view: 'ALL', search: { a: {}, b: { type: 'number' } } }), USER: node({ view: 'ALL' }) },
  edges: { MEMBER: edge({ from: 'GOAL', to: 'USER', inbound: { orders: { gsi0: 'since' } } }) },
});
const G = 'GOAL-1';
const NOW = Date.UTC(2030, 0, 1);
const SINCE = '2026-01-01T00:00:01.000Z';

function unitsOf(records: ReturnType<typeof history>): Unit[] {
  return planBatch(graph, foldBatch(records));
}
const poison = unitsOf(history(G, G, [undefined, { a: { N: '1' }, b: { S: 'x' } }])).find(
  (unit): unit is QuarantineUnit => unit.kind === 'quarantine',
)!;
const refusal = new StoreError('terminal', 'ValidationException', 'Item size has exceeded the limit.');

describe('the entry of a record that could not be derived', () => {
  const entry = derivationEntry(graph, poison, NOW);

  it('stands beside the base item, one for each record, found through the first index by time', () => {
    expect(entry).toMatchObject({
      source: { S: G },
      target: { S: `~quarantine/${G}/${at(1)}` },
      gsi0pk: { S: QUARANTINE_PARTITION },
      gsi0sk: { S: `${SINCE}/${at(1)}` },
      w: { S: at(1) },
      r: { N: '1' },
    });
  });
  it('says which base item, why, since when, and which derived items are concerned', () => {
    const read = readEntry(graph, entry);
    expect(read).toMatchObject({ source: G, target: G, code: 'wrong-type', since: SINCE, derivedKeys: ['~view'] });
    expect(read.reason).toMatch(/^GOAL-1 GOAL-1 - attribute a, .*; attribute b, /);
  });
  it('is the same however often the record is replayed: its time is that of the stream', () => {
    expect(derivationEntry(graph, poison, NOW + 1)).toEqual(entry);
  });
  it('has the time of the projector where the stream gives none', () => {
    const timeless = { ...poison, records: [{ ...poison.records[0]!, createdAtSeconds: undefined }] };
    expect(readEntry(graph, derivationEntry(graph, timeless, NOW)).since).toBe('2030-01-01T00:00:00.000Z');
  });
  it('knows no derived keys where none could be derived', () => {
    const [misfit] = unitsOf([change(G, 'MEMBER-GOAL-2', undefined, {}, 1)]) as [QuarantineUnit];
    const stuck = derivationEntry(graph, misfit, NOW);
    expect(stuck).not.toHaveProperty('derivedKeys');
    expect(readEntry(graph, stuck)).toMatchObject({ code: 'misfit', derivedKeys: [] });
  });
});

describe('the entry of a derived item that DynamoDB refuses', () => {
  const units = unitsOf([change(G, 'MEMBER-USER-1', undefined, { since: { S: 'a' } }, 3)]);

  it('names a view as a view, since it is of no one base item', () => {
    const entry = refusalEntry(graph, units.find(({ kind }) => kind === 'view')!, refusal, NOW);
    expect(entry).toMatchObject({ target: { S: `~quarantine/~view/${at(3)}` } });
    expect(readEntry(graph, entry)).toMatchObject({
      target: '~view',
      code: 'ValidationException',
      derivedKeys: ['~view'],
      reason: 'GOAL-1 - ~view cannot be written: Item size has exceeded the limit.',
    });
  });
  it('names the base item of an index item, and has a key of its own', () => {
    const entry = refusalEntry(graph, units.find(({ kind }) => kind === 'index')!, refusal, NOW);
    expect(entry).toMatchObject({ target: { S: `~quarantine/~ix/MEMBER-USER-1/${at(3)}` } });
    expect(readEntry(graph, entry)).toMatchObject({ target: 'MEMBER-USER-1', derivedKeys: ['~ix/MEMBER-USER-1'] });
  });
});

describe('readEntry', () => {
  it('takes an entry that was tampered with for what is left of it', () => {
    expect(readEntry(graph, { source: { N: '1' }, derivedKeys: { S: 'x' } })).toEqual({
      source: '',
      target: '',
      code: '',
      reason: '',
      since: '',
      derivedKeys: [],
    });
  });
});
