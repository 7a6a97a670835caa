import type { ItemKey } from '../../../src/core/store-port.ts';
import { type ObserveOptions, type ObserveResult, observe } from '../../../src/trust/observe/observe.ts';
import { type Bench, expectSame, holds } from '../bench.ts';
import { type Operation, RAN } from './operation.ts';

/** The operation of the observer, which judges each change as it comes. */

/** Long enough for any proof. */
export const LONG_MS = 3_600_000;
/** Too short for a proof that has to wait for the consumer. */
export const SHORT_MS = 12_000;

/** Runs the observer until it has verified what was written before, for at most some milliseconds of the table's clock. */
export async function runObserver(
  bench: Bench,
  forMs = LONG_MS,
  options: Partial<ObserveOptions> = {},
): Promise<ObserveResult> {
  const { rig, model: graph } = bench;
  const endMs = rig.nowMs() + forMs;
  return await observe({
    ...{ graph, store: rig.store, source: rig.stream, untilVerified: true, checks: false },
    lowWatermark: async () => ((await bench.isConsumed()) ? rig.nowMs() : rig.nowMs() - LONG_MS),
    ...{ now: () => rig.nowMs(), wait: (ms: number) => rig.wait(ms), random: () => 0.5 },
    remainingMs: () => endMs - rig.nowMs(),
    // There is one clock, and records are there at once. One lost item is several differences, and each of them is to be named.
    limits: { lateMs: 2_000, skewMs: 500, graceMs: 1_000, mostExceptions: 1_000 },
    ...options,
  });
}

/** The observer verifies everything that was written, and knows of no difference. */
async function expectVerified(bench: Bench, what: string, options: Partial<ObserveOptions> = {}): Promise<void> {
  const fromMs = bench.rig.nowMs();
  const { endedBy, heldBy, drift, verifiedThroughMs } = await runObserver(bench, LONG_MS, options);
  expectSame(drift, [], `the list of differences after ${what}`);
  expectSame(endedBy, 'verified', `the end of a run after ${what}, held by ${heldBy}`);
  holds(verifiedThroughMs! > fromMs, `only what was before ${what} is verified`);
  // So the claim is right.
  await bench.expectStored();
}

/** Whether an item is a count or a total. */
function isCount({ target }: ItemKey): boolean {
  return target.startsWith('~degree/') || target.startsWith('~total/');
}

/** Loses an item of each kind that is chosen, of the items of a kind the one that holds most; returns their keys. */
async function loseOneOfEachKind(bench: Bench, isChosen: (key: ItemKey) => boolean): Promise<ItemKey[]> {
  const largest = new Map<string, Awaited<ReturnType<Bench['derived']>>[number]>();
  const size = (item: object): number => JSON.stringify(item).length;
  for (const one of (await bench.derived()).filter(({ key }) => isChosen(key))) {
    const [kind] = /^~[a-z]+(?:\/#?\w+)?/.exec(one.key.target)!;
    const other = largest.get(kind);
    if (other === undefined || size(one.item) > size(other.item)) largest.set(kind, one);
  }
  const lost = [...largest.values()].map(({ key }) => key);
  for (const key of lost) await bench.rig.store.delete(key);
  return lost;
}

/** The column of the observer. */
export const OBSERVING_OPERATIONS: readonly Operation[] = [
  {
    name: 'observe',
    covers: ['command:observe'],
    run: async (bench) => {
      const { rig } = bench;
      await bench.migrate(bench.model);
      // The first run checks the table: that is the base of the proof.
      await expectVerified(bench, 'the registration', { checks: true });
      const writes: [string, () => Promise<void>][] = [
        ['the first write', () => bench.putAll()],
        ['a change', () => bench.putAll(1)],
        ['deletes', () => bench.deleteSome()],
      ];
      for (const [what, write] of writes) {
        await write();
        const writtenMs = rig.nowMs();
        const { drift, verifiedThroughMs } = await runObserver(bench, SHORT_MS);
        holds(verifiedThroughMs! < writtenMs, `${what} is verified before it is projected`);
        expectSame(drift, [], `the list of differences before ${what} is projected`);
        await bench.consume();
        await expectVerified(bench, what);
      }
      // A count that is lost together with all of its items counts none of them, and is right.
      for (const isChosen of [isCount, (key: ItemKey) => !isCount(key)]) {
        const lost = await loseOneOfEachKind(bench, isChosen);
        const { drift, endedBy, heldBy } = await runObserver(bench);
        expectSame(endedBy, 'verified', `the end of a run after a loss, held by ${heldBy}`);
        for (const { source, target } of lost) {
          const isFound = drift.some(({ suspect }) => suspect.source === source && suspect.sortKey === target);
          holds(isFound, `the observer does not find that ${source} ${target} is lost, only ${JSON.stringify(drift)}`);
        }
        await expectVerified(bench, 'a repair', { repairs: true });
        await bench.expectAnswers();
        await bench.expectClean();
      }
      return RAN;
    },
  },
];
