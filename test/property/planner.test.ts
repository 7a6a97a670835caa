import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Item } from '../../src/core/items/attribute-value.ts';
import type { ChangeRecord } from '../../src/core/items/change-record.ts';
import type { CompiledModel } from '../../src/core/model/compiled.ts';
import { derivedOf } from '../../src/core/plan/derive.ts';
import { foldBatch } from '../../src/core/plan/fold.ts';
import type { Unit } from '../../src/core/plan/unit.ts';
import { planBatch } from '../../src/core/plan/units.ts';
import { runs } from '../support/extent.ts';
import { derive as plainDerive } from '../support/reference-planner/derive.ts';
import { planUnits as plainUnits } from '../support/reference-planner/units.ts';
import { StreamedStore } from '../support/streamed-store.ts';
import { keyed, smallGraph, type Write, writes } from './small-graphs.ts';

/**
 * The planner works out once for each type what the model says. The plain planner beside it asks the model for each image;
 * both have to come to the same.
 */

const RUNS = { numRuns: runs({ part: 300, whole: 1_500 }) };

/** What no table holds, but a record that was made by hand may: each takes the place of one attribute. */
const damage = fc.constantFrom<unknown>(null, 5, {}, { S: 5 }, { B: 'aGk=' }, { M: { a: { X: 1 } } }, { S: 'x\ud800' });
const damages = fc.array(
  fc.record({
    record: fc.nat({ max: 23 }),
    isOld: fc.boolean(),
    name: fc.constantFrom('title', 'role', 'tags', 'due'),
    damage,
  }),
  { maxLength: 4 },
);

/** A model alone, or with another kept beside it while views of goals are of a new shape. */
const anyModel = fc
  .tuple(smallGraph, fc.option(smallGraph, { freq: 2, nil: undefined }), fc.boolean())
  .map(([graph, other, isReshaped]): CompiledModel => {
    const shape = { stamp: '2', ready: true, settleBefore: 1 };
    return {
      ...graph,
      ...(other !== undefined && { further: [other] }),
      ...(isReshaped && { shapes: new Map([['GOAL', shape]]) }),
    };
  });

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
    if (unit.kind === 'quarantine') return { ...unit, derivedKeys: [...unit.derivedKeys].sort() };
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

  it('derive the same of each image', async () => {
    await fc.assert(
      fc.asyncProperty(anyModel, writes, damages, async (graph, history, given) => {
        for (const { source, target, oldImage, newImage } of damaged(await recordsOf(graph, history), given)) {
          for (const image of [oldImage, newImage]) {
            // When the base item decides is in the units.
            const { settleBefore: _, reverse, ...plain } = plainDerive(graph, source, target, image);
            const inTarget = reverse && [reverse];
            expect(derivedOf(graph, source, target, image)).toEqual({ ...plain, inTarget });
          }
        }
      }),
      RUNS,
    );
  });
});
