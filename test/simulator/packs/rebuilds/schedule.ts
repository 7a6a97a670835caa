import { check, redrive } from '../../../../src/admin.ts';
import type { ChangeRecord } from '../../../../src/core/items/change-record.ts';
import type { ScanSource, Store } from '../../../../src/core/store-port.ts';
import { createProjector } from '../../../../src/projecting/apply/projector.ts';
import { throughCalls } from '../../../support/calls.ts';
import { Gate } from '../../kernel/gate.ts';
import { packOfTexts } from '../../kernel/pack.ts';
import { Random } from '../../kernel/random.ts';
import { firstSpec, type ModelSpec, nextSpec, withTotalsAndParts } from '../evolution/specs.ts';
import { modelOf, Stage } from '../evolution/stage.ts';

/** The pack of these schedules. */
export const PACK = packOfTexts(runRebuilds);

/**
 * The model of a table without a registry changes while consumers of both models run. Once those of the old model have ended, the table is
 * rebuilt while batches of the new one are under way: each call of each of them waits for its turn. Then batches come again to consumers of the new model, as late duplicates,
 * and what is in quarantine is redriven: nothing may differ in the end.
 */
export async function runRebuilds(seed: number): Promise<string[]> {
  return await new Schedule(seed).play();
}

/** Every partition that a schedule may write. */
const SOURCES = ['A-0', 'A-1', 'A-2', 'B-0', 'B-1'];

class Schedule {
  private readonly random: Random;
  private readonly stage = new Stage();
  private readonly before: ModelSpec;
  private readonly after: ModelSpec;
  private readonly batches: ChangeRecord[][] = [];

  constructor(seed: number) {
    const random = new Random(seed);
    this.random = random;
    const first = firstSpec(random);
    const specs = withTotalsAndParts([first, nextSpec(first, random)], random);
    [this.before, this.after] = specs as [ModelSpec, ModelSpec];
  }

  async play(): Promise<string[]> {
    const { after, before, random, stage } = this;
    for (let i = 0; i < 6; i++) await this.writeAndProject(before);
    for (let i = 0; i < 8; i++) {
      await this.writeAndProject(this.either());
      if (random.chance(0.3)) await stage.project(this.either(), this.anyBatch());
    }
    await this.overlap();
    await this.projectAll();
    for (let i = 0; i < 4; i++) await stage.project(after, this.anyBatch());
    await this.projectAll();
    for (let round = 0; round < 2; round++) {
      await redrive(modelOf(after), { store: stage.table, now: () => stage.nowMs });
      await this.projectAll();
    }
    // The texts of numbers are in quarantine.
    return (await stage.check(after)).filter((text) => !text.endsWith('quarantined'));
  }

  /** Batches of both models and a rebuild at once. A batch that fails comes again, to a consumer of the new model. */
  private async overlap(): Promise<void> {
    const { random, stage } = this;
    const gate = new Gate(random);
    const batches = Array.from({ length: 1 + random.below(3) }, () => ({
      spec: this.either(),
      records: this.anyBatch(),
    }));
    if (random.chance(0.5)) {
      const records = await this.write();
      if (records.length > 0) batches.push({ spec: this.either(), records });
    }
    const failed: ChangeRecord[][] = [];
    const project = async (spec: ModelSpec, records: readonly ChangeRecord[]): Promise<void> => {
      const { error } = await createProjector(modelOf(spec), {
        store: this.gated(gate),
        now: () => stage.nowMs,
      }).project(records);
      if (error !== undefined) failed.push([...records]);
    };
    const projected = batches.map(({ spec, records }) => ({ spec, over: project(spec, records) }));
    const older = projected.filter(({ spec }) => spec === this.before);
    // A rebuild is refused while a consumer of the old model runs.
    const rebuilt = Promise.all(older.map(({ over }) => over)).then(() => this.rebuild(this.gated(gate)));
    await gate.run([rebuilt, ...projected.map(({ over }) => over)]);
    for (const records of failed) await stage.project(this.after, records);
  }

  private async rebuild(store: Store & ScanSource): Promise<void> {
    const { after, random, stage } = this;
    const parts = random.chance(0.3) ? SOURCES.map((source) => ({ sources: [source] })) : [{ segments: 1 }];
    for (const part of parts) {
      await check(modelOf(after), { store, mode: 'rebuild', ...part, now: () => stage.nowMs });
    }
  }

  /** The table of a process that waits for its turn before each call. */
  private gated(gate: Gate): Store & ScanSource {
    return throughCalls(this.stage.table, async (_method, _parameters, run) => {
      await gate.step();
      return await run();
    });
  }

  private either(): ModelSpec {
    return this.random.chance(0.5) ? this.before : this.after;
  }

  private anyBatch(): ChangeRecord[] {
    return this.random.oneOf(this.batches as [ChangeRecord[], ...ChangeRecord[][]]);
  }

  private async projectAll(): Promise<void> {
    const { stage } = this;
    for (let left = stage.records(); left.length > 0; left = stage.records()) await stage.project(this.after, left);
  }

  private async writeAndProject(spec: ModelSpec): Promise<void> {
    let records: ChangeRecord[] = [];
    while (records.length === 0) records = await this.write();
    await this.stage.project(spec, records);
  }

  /** Writes a person, a group, a part of a person, or an edge, or deletes it. */
  private async write(): Promise<ChangeRecord[]> {
    const { random, stage } = this;
    stage.nowMs += 1_000;
    const [person, group] = [`A-${random.below(3)}`, `B-${random.below(2)}`];
    const value = `${random.below(4)}`;
    const isGone = random.chance(0.35);
    const writeItem = async (source: string, target: string, attributes: Record<string, string>) => {
      const records = await stage.write(source, target, isGone ? undefined : attributes);
      if (records.length > 0) this.batches.push(records);
      return records;
    };
    const kind = random.below(4);
    if (kind === 0) {
      return await writeItem(person, person, {
        name: `n${value}`,
        status: random.oneOf(['open', 'busy', 'done']),
        num: value,
      });
    }
    if (kind === 1) return await writeItem(group, group, { title: `t${value}`, city: value });
    if (kind === 2 && this.after.state !== undefined) {
      return await writeItem(person, 'STATE', { mood: value, level: value });
    }
    const role = random.oneOf(['LEAD', 'MEMBER']);
    return await writeItem(person, `AB-${group}`, { role, since: value, hours: value, kind: value, note: value });
  }
}
