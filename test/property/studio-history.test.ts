import fc from 'fast-check';
import { expect, it } from 'vitest';
import { differencesOf } from '../../packages/studio/base/differences.ts';
import { itemsAfterEach, momentAt, type PartitionItems, stretchesOf } from '../../packages/studio/base/history.ts';
import type { CompiledModel } from '../../src/core/model/compiled.ts';
import { createProjector } from '../../src/projecting/apply/projector.ts';
import { fixedModel } from '../../src/registry/writer-model.ts';
import { runs } from '../support/extent.ts';
import type { ItemChange } from '../support/memory-store/memory-store.ts';
import { StreamedStore } from '../support/streamed-store.ts';
import { keyed, richGraph, type Write, writes } from './small-graphs.ts';

const RUNS = { numRuns: runs({ part: 60, whole: 400 }) };
const PARTITIONS = ['GOAL-1', 'GOAL-2', 'USER-1'];

function partitionOf(table: StreamedStore, source: string): PartitionItems {
  const items = [...table.items()] as { source: { S: string }; target: { S: string } }[];
  return new Map(items.filter((item) => item.source.S === source).map((item) => [item.target.S, { ...item }]));
}

/** A table that is written and projected by turns, with all of its changes in their order, and with its partitions after some of them. */
async function run(graph: CompiledModel, history: readonly Write[], turns: readonly boolean[]) {
  const table = new StreamedStore(graph);
  const projector = createProjector(graph, { model: fixedModel(graph), store: table });
  const changes: ItemChange[] = [];
  const snapshots: { count: number; partitions: PartitionItems[] }[] = [];
  let [projected, records, derived] = [0, 0, 0];
  const note = (): void => {
    const images = table.records.slice(records).map(({ source, target, oldImage, newImage }): ItemChange => {
      return { key: { source, target }, ...(oldImage && { oldImage }), ...(newImage && { newImage }) };
    });
    changes.push(...images, ...table.derivedChanges.slice(derived));
    [records, derived] = [table.records.length, table.derivedChanges.length];
    snapshots.push({ count: changes.length, partitions: PARTITIONS.map((source) => partitionOf(table, source)) });
  };
  const project = async (): Promise<void> => {
    const batch = table.records.slice(projected);
    projected = table.records.length;
    if (batch.length > 0) expect((await projector.project(batch)).failedFrom).toBeUndefined();
    note();
  };
  for (const [i, write] of history.entries()) {
    await table.producer(...keyed(graph, write));
    note();
    if (turns[i % turns.length]) await project();
  }
  // A continuation of a fan-out is a record that the projecting itself makes.
  while (projected < table.records.length) await project();
  return { table, changes, snapshots };
}

it('knows each partition after each change, in one state at each instant, and equal once all is projected', async () => {
  let [lags, equals] = [0, 0];
  await fc.assert(
    fc.asyncProperty(
      ...([richGraph, writes, fc.array(fc.boolean(), { minLength: 1, maxLength: 8 })] as const),
      async (graph, history, turns) => {
        const { table, changes, snapshots } = await run(graph, history, turns);
        for (const [which, source] of PARTITIONS.entries()) {
          const own = changes.flatMap(({ key, ...images }, i) => {
            return key.source === source ? [{ target: key.target, ...images, atMs: 1_000 * i, rev: `${i}` }] : [];
          });
          const after = itemsAfterEach(partitionOf(table, source), own);
          for (const { count, partitions } of snapshots) {
            const index = own.findLastIndex(({ rev }) => Number(rev) < count);
            if (index >= 0) expect(after[index]).toEqual(partitions[which]);
          }
          const judged: { atMs: number; isBase: boolean; isEqual: boolean }[] = [];
          for (const [i, { atMs, target }] of own.entries()) {
            const isEqual = (await differencesOf(graph, source, after[i]!)).length === 0;
            judged.push({ atMs, isBase: !target.startsWith('~'), isEqual });
          }
          const stretches = stretchesOf(judged, { isApplied: true, wasEqual: false });
          for (let atMs = -500; atMs < 1_000 * changes.length; atMs += 500) {
            const index = momentAt(own, { at: atMs, rev: undefined })!;
            const holding = stretches.filter(({ fromMs, untilMs }) => fromMs <= atMs && atMs < (untilMs ?? Infinity));
            expect(holding).toHaveLength(index < 0 ? 0 : 1);
            if (index < 0) continue;
            expect(holding[0]!.state === 'equal').toBe(judged[index]!.isEqual);
            expect(holding[0]!.first <= index && index <= holding[0]!.last).toBe(true);
          }
          if (own.length > 0) expect(stretches.at(-1)!.state).toBe('equal');
          lags += stretches.filter(({ state }) => state === 'lag').length;
          equals += stretches.filter(({ state }) => state === 'equal').length;
        }
      },
    ),
    RUNS,
  );
  expect(lags).toBeGreaterThan(0);
  expect(equals).toBeGreaterThan(0);
});
