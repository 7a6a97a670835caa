import { describe, expect, it } from 'vitest';
import type { Item } from '../../../src/core/items/attribute-value.ts';
import type { ChangeRecord } from '../../../src/core/items/change-record.ts';
import { defineGraph } from '../../../src/core/model/compile/define-graph.ts';
import { edge, node } from '../../../src/core/model/schema.ts';
import { isStale } from '../../../src/core/plan/by-base.ts';
import { foldBatch } from '../../../src/core/plan/fold.ts';
import type { IndexUnit, Truth, ViewUnit } from '../../../src/core/plan/unit.ts';
import { planBatch } from '../../../src/core/plan/units.ts';
import { hasExpectedFields, indexUpdate, reconciledIndexUpdate } from '../../../src/core/plan/writes/index-update.ts';
import { contradictingChanges, fastViewUpdate, slowViewUpdate } from '../../../src/core/plan/writes/view-update.ts';
import { at, change, history } from '../../support/records.ts';

const graph = defineGraph({
  table: { name: 'records', ttl: 'ttl' },
  nodes: { GOAL: node({ view: ['title'] }), USER: node({ view: 'ALL' }) },
  edges: {
    MEMBER: edge({
      from: 'GOAL',
      to: 'USER',
      edgeSet: ['role'],
      inbound: { orders: { gsi0: 'role', gsi1: 'since' }, project: 'ALL' },
    }),
    SHOWN: edge({ from: 'GOAL', to: 'USER' }),
  },
});

const G = 'GOAL-1';
const EDGE = 'MEMBER-USER-1';
const KEY = { source: G, target: '~view' };
const NOW = 1_000_000;
const EXPIRY = { N: String(NOW + 48 * 3600) };
const role = (text: string): Item => ({ role: { S: text } });
const element = (text: string): string => `MEMBER-USER-1|role=${text}`;
const none = new Map<string, Truth>();
/** Five minutes before the records of these tests were made. */
const fenceBefore = Date.UTC(2026, 0, 1) - 295_000;

function viewUnit(records: readonly ChangeRecord[]): ViewUnit {
  const units = planBatch(graph, foldBatch(records));
  return units.find((unit) => unit.kind === 'view')!;
}
function indexUnit(states: readonly (Item | undefined)[], firstSequence = 5): IndexUnit {
  const units = planBatch(graph, foldBatch(history(G, EDGE, states, firstSequence)));
  return units.find((unit) => unit.kind === 'index')!;
}
const edgeUnit = (states: readonly (Item | undefined)[], firstSequence = 5): ViewUnit =>
  viewUnit(history(G, EDGE, states, firstSequence));
const nodeUnit = (states: readonly (Item | undefined)[], firstSequence = 5): ViewUnit =>
  viewUnit(history(G, G, states, firstSequence));

/** A view as stored. */
function view(elements: readonly string[], more: Item = {}, watermark = at(9)): Item {
  const set: Item = elements.length > 0 ? { edgeSet: { SS: [...elements] } } : {};
  return { source: { S: G }, target: { S: '~view' }, w: { S: watermark }, r: { N: '3' }, ...set, ...more };
}
const title = (text: string): Item => ({ attributes: { M: { title: { S: text } } } });

describe('the fast path of a view', () => {
  it('only adds: one ADD under the watermark, the expiry removed', () => {
    const unit = viewUnit([
      change(G, EDGE, undefined, role('LEAD'), 5),
      change(G, 'SHOWN-USER-2', undefined, {}, 7),
      change(G, G, undefined, { title: { S: 'a' } }, 6),
    ]);
    expect(fastViewUpdate(graph, unit)).toEqual({
      key: KEY,
      set: { w: { S: at(7) }, model: { S: graph.fingerprint }, attributes: { M: { title: { S: 'a' } } } },
      unset: ['ttl'],
      addElements: [element('LEAD'), 'SHOWN-USER-2'],
      deleteElements: [],
      // The oldest record decides, and evicted types must not fill up again.
      condition: { kind: 'newer-than', watermark: at(5), notEvicted: ['MEMBER', 'SHOWN'], fenceBefore },
    });
  });
  it('only removes: one DELETE of everything that was mentioned', () => {
    const update = fastViewUpdate(graph, edgeUnit([role('A'), role('B'), undefined]));
    expect(update).toMatchObject({
      addElements: [],
      deleteElements: [element('A'), element('B')],
      condition: { watermark: at(5), notEvicted: ['MEMBER'] },
      set: { w: { S: at(6) } },
    });
  });
  it('the node alone: its attributes whole', () => {
    const update = fastViewUpdate(graph, nodeUnit([{ title: { S: 'a' } }, { title: { S: 'b' } }]));
    expect(update).toMatchObject({ set: title('b'), addElements: [], deleteElements: [] });
    expect(update?.condition).toMatchObject({ notEvicted: [] });
  });
  it.each<[string, ViewUnit]>([
    [
      'adds and removes mix',
      viewUnit([change(G, EDGE, undefined, role('A'), 5), change(G, 'SHOWN-USER-2', {}, undefined, 6)]),
    ],
    ['a label changes, which is both', edgeUnit([role('A'), role('B')])],
    ['a new edge changes its label', edgeUnit([undefined, role('A'), role('B')])],
    ['the node goes, which may leave a tombstone', nodeUnit([{ title: { S: 'a' } }, undefined])],
  ])('is not taken where %s', (_name, unit) => {
    expect(fastViewUpdate(graph, unit)).toBeUndefined();
  });
});

describe('stale records', () => {
  it('are those not newer than the watermark', () => {
    expect(isStale(at(9), view([], {}, at(9)))).toBe(true);
    expect(isStale(at(8), view([], {}, at(9)))).toBe(true);
    expect(isStale(at(10), view([], {}, at(9)))).toBe(false);
    expect(isStale(at(1), undefined)).toBe(false);
    expect(isStale(at(1), { r: { N: '1' } })).toBe(false);
  });
  it('are all of them where the watermark is no text: it says nothing of what was applied', () => {
    expect(isStale(at(10), { w: { N: '5' } })).toBe(true);
  });

  it.each<[string, ViewUnit, Item]>([
    ['an element that is there', edgeUnit([undefined, role('A')]), view([element('A')])],
    ['an element that is gone', edgeUnit([role('A'), undefined]), view([])],
    ['an evicted type', edgeUnit([undefined, role('A')]), view([], { evicted: { SS: ['MEMBER'] } })],
    ['attributes that are as they say', nodeUnit([undefined, { title: { S: 'a' } }]), view([], title('a'))],
    ['a node that is gone', nodeUnit([{ title: { S: 'a' } }, undefined]), view([])],
  ])('do not contradict where they say what the view says: %s', (_name, unit, stored) => {
    expect(contradictingChanges(unit, stored)).toEqual([]);
  });

  it.each<[string, ViewUnit, Item]>([
    ['an element that is missing', edgeUnit([undefined, role('A')]), view([])],
    ['another element of the edge', edgeUnit([undefined, role('A')]), view([element('B')])],
    ['one element more than one', edgeUnit([undefined, role('A')]), view([element('A'), element('B')])],
    ['an element that should be gone', edgeUnit([role('A'), undefined]), view([element('B')])],
    ['other attributes', nodeUnit([undefined, { title: { S: 'a' } }]), view([], title('b'))],
    ['a node that should be gone', nodeUnit([{ title: { S: 'a' } }, undefined]), view([], title('a'))],
    ['a node that is missing', nodeUnit([undefined, {}]), view([])],
  ])('contradict: %s', (_name, unit, stored) => {
    expect(contradictingChanges(unit, stored)).toEqual(unit.changes);
  });

  it('newer records never contradict: they are right', () => {
    expect(contradictingChanges(edgeUnit([undefined, role('A')]), view([], {}, at(4)))).toEqual([]);
  });
});

describe('the slow path of a view', () => {
  const slow = (unit: ViewUnit, stored: Item | undefined, truths: ReadonlyMap<string, Truth> = none) =>
    slowViewUpdate(graph, unit, stored, truths, NOW);
  const older = at(4);

  it('writes under the revision that was seen, or under its absence', () => {
    expect(slow(edgeUnit([undefined, role('A')]), view([])).condition).toEqual({ kind: 'revision', revision: '3' });
    expect(slow(edgeUnit([undefined, role('A')]), undefined).condition).toEqual({
      kind: 'revision',
      revision: undefined,
    });
  });
  it('a mixture sets the set whole, what only comes or goes travels as such', () => {
    const other = 'SHOWN-USER-2';
    const mixed = slow(edgeUnit([role('A'), role('B')]), view([element('A'), other], {}, older));
    expect(mixed.setElements).toEqual([element('B'), other]);
    expect(slow(edgeUnit([undefined, role('B')]), view([other], {}, older))).toMatchObject({
      addElements: [element('B')],
      deleteElements: [],
    });
    expect(slow(edgeUnit([role('A'), undefined]), view([element('A'), other], {}, older))).toMatchObject({
      addElements: [],
      deleteElements: [element('A')],
    });
  });
  it('removes every element of an edge, also one that no record of the batch mentions', () => {
    const stored = view([element('X'), element('Y')], {}, older);
    expect(slow(edgeUnit([role('A'), undefined]), stored).deleteElements).toEqual([element('X'), element('Y')]);
    expect(slow(edgeUnit([role('A'), role('B')]), stored).setElements).toEqual([element('B')]);
  });
  it('w is the later of what was seen and the newest record', () => {
    expect(slow(edgeUnit([undefined, role('A')]), view([], {}, at(9))).set).toMatchObject({ w: { S: at(9) } });
    expect(slow(edgeUnit([undefined, role('A')]), view([], {}, at(2))).set).toMatchObject({ w: { S: at(5) } });
  });
  it('a stale unit that agrees still writes the revision', () => {
    const update = slow(edgeUnit([undefined, role('A')]), view([element('A')]));
    expect(update).toMatchObject({ addElements: [], deleteElements: [] });
    expect(update.setElements).toBeUndefined();
    expect(update.set).toMatchObject({ w: { S: at(9) } });
  });
  it('a stale change is applied only as the base item says, not as its record does', () => {
    const unit = edgeUnit([undefined, role('A')]);
    expect(slow(unit, view([element('B')]))).toMatchObject({ addElements: [], deleteElements: [] });
    const truths = new Map<string, Truth>([[EDGE, { element: element('C') }]]);
    expect(slow(unit, view([element('B')]), truths).setElements).toEqual([element('C')]);
    const gone = new Map<string, Truth>([[EDGE, {}]]);
    expect(slow(unit, view([element('B')]), gone).deleteElements).toEqual([element('B')]);
  });
  it('newer changes of a unit are applied beside stale ones', () => {
    const unit = viewUnit([change(G, EDGE, undefined, role('A'), 5), change(G, 'SHOWN-USER-2', undefined, {}, 12)]);
    const update = slow(unit, view([element('A')]));
    expect(update).toMatchObject({ addElements: ['SHOWN-USER-2'], set: { w: { S: at(12) } } });
  });
  it('an evicted type is not filled up again, and its mark stays', () => {
    const stored = view([], { evicted: { SS: ['MEMBER'] } }, older);
    const update = slow(edgeUnit([undefined, role('A')]), stored);
    expect(update).toMatchObject({ addElements: [], deleteElements: [], set: { evicted: { SS: ['MEMBER'] } } });
  });

  describe('leaves a tombstone where nothing is left', () => {
    const empty = nodeUnit([{ title: { S: 'a' } }, undefined]);
    it('for 48 hours, with watermark and revision', () => {
      const update = slow(empty, view([], title('a'), older));
      expect(update.set).toEqual({ w: { S: at(5) }, model: { S: graph.fingerprint }, ttl: EXPIRY });
      expect(update.unset).toContain('attributes');
      expect(update.unset).not.toContain('ttl');
      expect(update.condition).toEqual({ kind: 'revision', revision: '3' });
    });
    it('also where no view was seen', () => {
      expect(slow(empty, undefined).set).toMatchObject({ ttl: EXPIRY });
    });
    it('when the last element goes', () => {
      const update = slow(edgeUnit([role('A'), undefined]), view([element('A')], {}, older));
      expect(update).toMatchObject({ deleteElements: [element('A')], set: { ttl: EXPIRY } });
    });
    it('but never with elements left, with a node, or with an eviction mark', () => {
      for (const stored of [
        view(['SHOWN-USER-2'], title('a'), older),
        view([], { ...title('a'), evicted: { SS: ['MEMBER'] } }, older),
      ]) {
        const update = slow(empty, stored);
        expect(update.set).not.toHaveProperty('ttl');
        expect(update.unset).toContain('ttl');
      }
      const withNode = slow(edgeUnit([role('A'), undefined]), view([element('A')], { attributes: { M: {} } }, older));
      expect(withNode.set).not.toHaveProperty('ttl');
    });
  });
  it('every other write removes the expiry: TTL would bury a live view', () => {
    const update = slow(edgeUnit([undefined, role('A')]), view([], { ttl: { N: '1' } }, older));
    expect(update.unset).toContain('ttl');
  });
  it('puts a set in the place of an attribute that is none: DynamoDB adds no element to another type', () => {
    const update = slow(edgeUnit([undefined, role('A')]), { ...view([], {}, older), edgeSet: { S: 'odd' } });
    expect(update.setElements).toEqual([element('A')]);
    expect(update.addElements).toBeUndefined();
  });
});

describe('index items', () => {
  const wanted = { ...role('A'), since: { S: '2020' } };

  it('are set in all fields, those that are not wanted removed, if the item is older', () => {
    const update = indexUpdate(graph, indexUnit([undefined, role('A')]), NOW);
    expect(update).toEqual({
      key: { source: G, target: '~ix/MEMBER-USER-1' },
      set: {
        w: { S: at(5) },
        model: { S: graph.fingerprint },
        gsi0pk: { S: EDGE },
        gsi0sk: { S: `A\u0000${G}` },
        attributes: { M: role('A') },
      },
      unset: ['value', 'gsi1pk', 'gsi1sk', 'gsi1value', 'counted', 'ledger', 'child', 'ttl'],
      condition: { kind: 'newer-than', watermark: at(5), fenceBefore },
    });
  });
  it('are cleared to a tombstone without index keys, even where no item is seen', () => {
    const update = indexUpdate(graph, indexUnit([role('A'), undefined]), NOW);
    expect(update.set).toEqual({ w: { S: at(5) }, model: { S: graph.fingerprint }, ttl: EXPIRY });
    expect(update.unset).toEqual([
      'gsi0pk',
      'gsi0sk',
      'value',
      'gsi1pk',
      'gsi1sk',
      'gsi1value',
      'attributes',
      'counted',
      'ledger',
      'child',
    ]);
    expect(update.condition).toEqual({ kind: 'newer-than', watermark: at(5), fenceBefore });
  });
  it('the condition is on the newest record: the unit carries the state after all of them', () => {
    expect(indexUpdate(graph, indexUnit([undefined, role('A'), role('B')]), NOW).condition).toMatchObject({
      watermark: at(6),
    });
  });
  it('settled by truth: under the revision seen, with the later watermark', () => {
    const unit = indexUnit([undefined, wanted]);
    const stored = { w: { S: at(9) }, r: { N: '7' }, gsi0pk: { S: 'x' } };
    expect(reconciledIndexUpdate(graph, unit, stored, undefined, NOW)).toMatchObject({
      set: { w: { S: at(9) }, ttl: EXPIRY },
      condition: { kind: 'revision', revision: '7' },
    });
    const settled = reconciledIndexUpdate(graph, unit, undefined, unit.expected, NOW);
    expect(settled).toMatchObject({ set: { w: { S: at(5) } }, condition: { kind: 'revision', revision: undefined } });
    expect(settled.unset).toContain('ttl');
  });
  it('are as wanted by their fields alone; an absent item and a tombstone are alike', () => {
    const unit = indexUnit([undefined, wanted]);
    const stored = { source: { S: G }, w: { S: at(9) }, r: { N: '7' }, model: { S: 'old' }, ...unit.expected };
    expect(hasExpectedFields(stored, unit.expected)).toBe(true);
    expect(hasExpectedFields({ ...stored, value: { S: 'more' } }, unit.expected)).toBe(false);
    expect(hasExpectedFields({ ...stored, gsi0sk: { S: 'other' } }, unit.expected)).toBe(false);
    expect(hasExpectedFields(undefined, unit.expected)).toBe(false);
    expect(hasExpectedFields(undefined, undefined)).toBe(true);
    expect(hasExpectedFields({ w: { S: at(9) }, ttl: EXPIRY }, undefined)).toBe(true);
    expect(hasExpectedFields(stored, undefined)).toBe(false);
  });
});
