import { expect, it } from 'vitest';
import type { ChangeRecord } from '../../src/core/items/change-record.ts';
import { check } from '../../src/trust/check/check.ts';
import { Random } from '../simulator/kernel/random.ts';
import { firstSpec, type ModelSpec, nextSpec, withTotalsAndParts } from '../simulator/packs/evolution/specs.ts';
import { modelOf, Stage } from '../simulator/packs/evolution/stage.ts';
import { runs } from '../support/extent.ts';

/**
 * The model of a table without a registry changes while consumers of both models run. Then only those of the new one do, the table is
 * rebuilt, and batches come again that were applied before: nothing may differ in the end.
 */

const SEEDS = runs({ part: 40, whole: 1_500 });
/** Schedules in which an index item came back, or an item of an edge in its target's partition, of what was deleted before. */
const SHOWN: readonly number[] = [8, 10, 325, 371];

/** Writes a person, a group, a part of a person, or an edge, or deletes it. */
async function write(stage: Stage, random: Random, hasState: boolean): Promise<ChangeRecord[]> {
  const [person, group] = [`A-${random.below(3)}`, `B-${random.below(2)}`];
  const value = `${random.below(4)}`;
  const kind = random.below(4);
  if (kind === 0) {
    const isGone = random.chance(0.3);
    const node = () => ({ name: `n${value}`, status: random.oneOf(['open', 'busy', 'done']), num: value });
    return await stage.write(person, person, isGone ? undefined : node());
  }
  if (kind === 1) {
    return await stage.write(group, group, random.chance(0.3) ? undefined : { title: `t${value}`, city: value });
  }
  if (kind === 2 && hasState) {
    return await stage.write(person, 'STATE', random.chance(0.3) ? undefined : { mood: value, level: value });
  }
  const edge = () => ({ role: random.oneOf(['LEAD', 'MEMBER']), since: value, hours: value, kind: value, note: value });
  return await stage.write(person, `AB-${group}`, random.chance(0.4) ? undefined : edge());
}

/** Every partition that a schedule may write. */
const SOURCES = ['A-0', 'A-1', 'A-2', 'B-0', 'B-1'];

/** Plays one schedule; gives what a check finds at its end. `bySource`: the partitions are rebuilt one by one. */
async function play(seed: number, bySource = false): Promise<string[]> {
  const random = new Random(seed);
  const first = firstSpec(random);
  const specs = withTotalsAndParts([first, nextSpec(first, random)], random);
  const [before, after] = specs as [ModelSpec, ModelSpec];
  const stage = new Stage();
  const batches: ChangeRecord[][] = [];
  const anyBatch = (): ChangeRecord[] => random.oneOf(batches as [ChangeRecord[], ...ChangeRecord[][]]);
  const writeAndProject = async (model: () => ModelSpec): Promise<void> => {
    const records = await write(stage, random, after.state !== undefined);
    stage.nowMs += 1_000;
    if (records.length === 0) return;
    batches.push(records);
    await stage.project(model(), records);
  };
  const projectAll = async (): Promise<void> => {
    for (let left = stage.records(); left.length > 0; left = stage.records()) await stage.project(after, left);
  };
  const either = (): ModelSpec => (random.chance(0.5) ? before : after);
  for (let i = 0; i < 8; i++) await writeAndProject(() => before);
  for (let i = 0; i < 12; i++) {
    await writeAndProject(either);
    if (random.chance(0.3)) await stage.project(either(), anyBatch());
  }
  for (let i = 0; i < 4; i++) {
    await writeAndProject(() => after);
    if (random.chance(0.3)) await stage.project(after, anyBatch());
  }
  await projectAll();
  for (const part of bySource ? SOURCES.map((source) => ({ sources: [source] })) : [{ segments: 1 }]) {
    await check(modelOf(after), {
      ...{ store: stage.table, mode: 'rebuild', ...part },
      now: () => stage.nowMs,
    });
  }
  await projectAll();
  for (let i = 0; i < 4; i++) await stage.project(after, anyBatch());
  await projectAll();
  // The texts of numbers are in quarantine.
  return (await stage.check(after)).filter((text) => !text.endsWith('quarantined'));
}

it.each([
  ['a rebuild', false],
  ['a rebuild of each partition', true],
])(
  'a table without a registry is right after a change of its model and %s, whatever comes again later',
  async (_name, bySource) => {
    const wrong: string[] = [];
    const seeds = new Set([...SHOWN, ...Array.from({ length: SEEDS }, (_, i) => i + 1)]);
    for (const seed of seeds) {
      const found = await play(seed, bySource);
      if (found.length > 0) wrong.push(`seed ${seed}: ${found.join(', ')}`);
    }
    expect(wrong).toEqual([]);
  },
  900_000,
);
