import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Item } from '../../src/core/items/attribute-value.ts';
import type { ChangeRecord } from '../../src/core/items/change-record.ts';
import type { CompiledModel } from '../../src/core/model/compiled.ts';
import { derivedOf, type Problem } from '../../src/core/plan/derive.ts';
import { fanOutUnits } from '../../src/core/plan/fan-out.ts';
import { foldBatch } from '../../src/core/plan/fold.ts';
import type { Unit } from '../../src/core/plan/unit.ts';
import { planBatch } from '../../src/core/plan/units.ts';
import { runs } from '../support/extent.ts';
import { plainFanOuts } from '../support/plain/copies.ts';
import { plainDerivedOf } from '../support/plain/derive.ts';
import { planUnits as plainUnits } from '../support/plain/units.ts';
import { StreamedStore } from '../support/streamed-store.ts';
import { keyed, richGraph, smallGraph, type Write, writes } from './small-graphs.ts';

/**
 * The planner works out once for each type what the model says. The plain planner beside it asks the model for each image;
 * both have to come to the same.
 */

const RUNS = { numRuns: runs({ part: 300, whole: 1_500 }) };

/** Values that some keys have no room for, and numbers that no sum has room for. */
const large = [{ S: 'x'.repeat(600) }, { S: 'x'.repeat(1_020) }, { N: '1e60' }, { BOOL: true }];
/** What no table holds, but a record that was made by hand may: each takes the place of one attribute. */
const damage = fc.constantFrom<unknown>(
  null,
  5,
  {},
  { S: 5 },
  { B: 'aGk=' },
  { M: { a: { X: 1 } } },
  { S: 'x\ud800' },
  ...large,
);
const damages = fc.array(
  fc.record({
    record: fc.nat({ max: 23 }),
    isOld: fc.boolean(),
    name: fc.constantFrom('title', 'role', 'tags', 'due', 'score', 'country'),
    damage,
  }),
  { maxLength: 4 },
);

/** A model alone, or with another kept beside it while views of goals are of a new shape. */
const anyModel = modelOf(smallGraph);
const richModel = modelOf(richGraph);

function modelOf(graphs: fc.Arbitrary<CompiledModel>): fc.Arbitrary<CompiledModel> {
  const models = fc.tuple(graphs, fc.option(graphs, { freq: 2, nil: undefined }), fc.boolean());
  return models.map(([graph, other, isReshaped]): CompiledModel => {
    const shape = { stamp: '2', ready: true, settleBefore: 1 };
    return {
      ...graph,
      ...(other !== undefined && { further: [other] }),
      ...(isReshaped && { shapes: new Map([['GOAL', shape]]) }),
    };
  });
}

async function recordsOf(graph: CompiledModel, history: readonly Write[]): Promise<ChangeRecord[]> {
  const table = new StreamedStore(graph);
  for (const write of history) await table.producer(...keyed(graph, write));
  return [...table.records];
}

function damaged(records: readonly ChangeRecord[], given: typeof damages extends fc.Arbitrary<infer T> ? T : never) {
  const copies = records.map((record) => ({ ...record }));
  for (const { record: place, isOld, name, damage: value } of given) {
    const record = copies[place % copies.length];
    const image = isOld ? record?.oldImage : record?.newImage;
    if (record === undefined || image === undefined) continue;
    record[isOld ? 'oldImage' : 'newImage'] = { ...image, [name]: value as Item[string] };
  }
  return copies;
}

/** Units of a batch are independent: their order says nothing, nor does that of a counted unit's items. */
function ordered(units: readonly Unit[]): unknown[] {
  const name = (unit: Unit): string => JSON.stringify([unit.kind, unit.source, unit.sortKey, unit.oldest, unit.newest]);
  const inOrder = <U extends Unit>(list: readonly U[]): U[] => [...list].sort((a, b) => (name(a) < name(b) ? -1 : 1));
  return inOrder(units).map((unit) => {
    if (unit.kind === 'quarantine') {
      return { ...unit, derivedKeys: [...unit.derivedKeys].sort(), problems: sorted(unit.problems) };
    }
    if (unit.kind === 'joined') {
      return { ...unit, sortKey: '', items: inOrder(unit.items), records: new Set(unit.records) };
    }
    return unit.kind === 'counted' ? { ...unit, items: inOrder(unit.items), records: new Set(unit.records) } : unit;
  });
}

describe('the planner and the plain planner', () => {
  it('make the same units of a batch, whatever the model, the history and the damage to its images', async () => {
    await fc.assert(
      fc.asyncProperty(anyModel, writes, damages, async (graph, history, given) => {
        const folded = foldBatch(damaged(await recordsOf(graph, history), given));
        const plain = [...folded].flatMap(([source, histories]) => plainUnits(graph, source, histories));
        expect(ordered(planBatch(graph, folded))).toEqual(ordered(plain));
      }),
      RUNS,
    );
  });

  it('derive the same of each image, alone and with its source node', async () => {
    await fc.assert(
      fc.asyncProperty(richModel, writes, damages, async (graph, history, given) => {
        const records = damaged(await recordsOf(graph, history), given);
        for (const { source, target, oldImage, newImage } of records) {
          const nodes = records.filter((record) => record.source === source && record.target === source);
          for (const image of [oldImage, newImage]) {
            for (const node of [undefined, { item: undefined }, ...nodes.map(({ newImage: item }) => ({ item }))]) {
              const { inTarget, ...plain } = plainDerivedOf(graph, source, target, image, node);
              const { joint: _, ...planned } = derivedOf(graph, source, target, image, node);
              const expected = { ...plain, ...(inTarget.length > 0 && { inTarget }) };
              expect(withSorted(planned)).toEqual(withSorted(expected));
            }
          }
        }
      }),
      RUNS,
    );
  });

  it('find the same fan-outs of each change', async () => {
    await fc.assert(
      fc.asyncProperty(richModel, writes, damages, async (graph, history, given) => {
        for (const record of damaged(await recordsOf(graph, history), given)) {
          const { source, target } = record;
          const planned = fanOutUnits(graph, { source, target, records: [record] });
          const names = (fanOuts: readonly { of: string; edgeType: string }[]): string[] =>
            fanOuts.map(({ of, edgeType }) => `${of} ${edgeType}`).sort();
          expect(names(planned)).toEqual(names(plainFanOuts(graph, record)));
        }
      }),
      RUNS,
    );
  });
});

/** The order of problems says nothing, and whether a migration may leave one aside is not the plain planner's. */
function withSorted<T extends { problems: readonly Problem[] }>(derived: T): T {
  return { ...derived, problems: sorted(derived.problems) };
}

function sorted(problems: readonly Problem[]): Problem[] {
  const shared = problems.map(({ isOfTotal: _, ...problem }) => problem);
  return shared.sort((left, right) => (left.message < right.message ? -1 : 1));
}
