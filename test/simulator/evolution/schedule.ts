import { LEASE_MS } from '../../../src/registry/reader-lease.ts';
import type { SeedOutcome } from '../tally.ts';
import { EvolvingChecks } from './checks.ts';
import { answerOf, questions } from './oracle.ts';
import type { EvolvingReader } from './reader.ts';
import { INDEX_LAG } from './table.ts';
import { EvolvingWorld } from './world.ts';

/**
 * A schedule: a table is registered by one model, and producers write, consumers of three models project, migrations to any of
 * them begin, crash and meet, checks mend what they find, and readers of all three ask. When nothing is written for a while and all records are answered
 * for, each answer has to be the right one of the reader's own model, or `projection-not-ready`, whatever migrations do then.
 */

const PHASES = 3;
const READERS = 4;
/** Checks begin within this time of a phase; its second half is longer than that, and quiet. */
const PHASE_MS = 300_000;

/** Runs the schedule of a seed. */
export async function runEvolution(seed: number): Promise<SeedOutcome> {
  const world = new EvolvingWorld(seed);
  const { random, specs } = world;
  const checks = new EvolvingChecks(world, seed);
  await begin(world);
  const readers = Array.from({ length: READERS }, (_, i) => {
    return world.reader(specs[i < specs.length ? i : random.below(specs.length)]!);
  });
  for (let phase = 0; phase < PHASES && world.failures.length === 0; phase++) {
    world.roughen();
    checks.sometimes(PHASE_MS);
    await busy(world, readers);
    await quiet(world, readers);
  }
  if (world.failures.length === 0) await end(world, checks);
  return { failures: world.failures, counters: world.counters };
}

/** The table's first registration: of an empty table, or of one that was projected without a registry. */
async function begin(world: EvolvingWorld): Promise<void> {
  const { random, models, agenda } = world;
  world.calm();
  let isDone = false;
  const isEmpty = random.chance(0.7);
  if (!isEmpty) for (let i = 0; i < 5; i++) world.produce();
  // Producers that write while an empty table is registered, and a consumer that has not read the registry yet.
  if (isEmpty && random.chance(0.4)) {
    for (let i = 0; i < 3; i++) {
      agenda.in(random.below(100), () => {
        world.produce();
        return true;
      });
    }
  }
  void world.migrate(models[0]!).then((how) => {
    isDone = how === 'done';
  });
  await world.run(() => isDone);
}

/** Producers write while everything else goes on. */
async function busy(world: EvolvingWorld, readers: readonly EvolvingReader[]): Promise<void> {
  const { random, agenda } = world;
  const length = random.chance(0.3) ? 900_000 : 120_000;
  for (let i = 0; i < 4 + random.below(8); i++) {
    agenda.in(random.below(length), () => {
      world.produce();
      return true;
    });
  }
  migrateSometimes(world, length);
  for (const reader of readers) {
    agenda.in(random.below(length), () => {
      const asked = questions(reader.spec);
      reader
        .ask(asked[random.below(asked.length)]!)
        .catch((error: unknown) => world.fail('threw', `a read threw ${String(error)}`));
      return true;
    });
  }
  await world.pass(length);
}

function migrateSometimes(world: EvolvingWorld, withinMs: number): void {
  const { random, agenda } = world;
  for (let i = random.below(3); i > 0; i--) {
    agenda.in(random.below(withinMs), () => {
      const action = random.chance(0.2) ? world.drawAction() : undefined;
      void world.migrate(world.consumerModel(), {
        ...(action && { action }),
        ...(random.chance(0.3) && { mostSteps: 1 + random.below(5) }),
      });
      return true;
    });
  }
}

/** Nothing is written: every answer has to be right, while migrations go on. */
async function quiet(world: EvolvingWorld, readers: readonly EvolvingReader[]): Promise<void> {
  const { random, agenda, table } = world;
  const deadline = agenda.now + 3_600_000;
  await world.run(() => world.isRead || agenda.now > deadline);
  world.calm();
  await world.run(() => world.isRead);
  await world.pass(INDEX_LAG + 1);
  world.roughen();
  const length = 2 * LEASE_MS + random.below(120_000);
  migrateSometimes(world, length / 2);
  let open = 0;
  for (const reader of readers) {
    for (const question of questions(reader.spec)) {
      agenda.in(random.below(length), () => {
        open += 1;
        const right = answerOf(reader.spec, table.base, question);
        reader
          .ask(question)
          .then((answer) => {
            open -= 1;
            world.count(answer === 'not-ready' ? 'answers that say not ready' : 'right answers');
            if (answer === right || answer === 'not-ready') return;
            world.fail('wrong', `${question.text} of ${JSON.stringify(reader.spec)} gave ${answer}, not ${right}`);
          })
          .catch((error: unknown) => world.fail('threw', `a read threw ${String((error as Error).stack)}`));
        return true;
      });
    }
  }
  await world.pass(length);
  await world.run(() => open === 0 && world.isRead);
}

/** All comes to rest at one model: nothing may be missing then, and nothing not ready. */
async function end(world: EvolvingWorld, checks: EvolvingChecks): Promise<void> {
  const { random, models, specs, table } = world;
  world.calm();
  const k = random.below(models.length);
  await world.run(() => !world.isMigrating);
  let how: string | undefined;
  void world.migrate(models[k]!).then((end) => {
    how = end;
  });
  await world.run(() => how !== undefined && world.isRead);
  // A model without the code for what the table keeps cannot change it.
  if (how === 'projection-code-missing') return;
  if (how !== 'done') world.fail('unfinished', `the last migration ended with ${how}`);
  await checks.end();
  await world.pass(LEASE_MS + INDEX_LAG);
  const reader = world.reader(specs[k]!);
  let open = 0;
  for (const question of questions(specs[k]!)) {
    open += 1;
    const right = answerOf(specs[k]!, table.base, question);
    reader
      .ask(question)
      .then((answer) => {
        open -= 1;
        if (answer === right) return;
        world.fail('wrong', `in the end ${question.text} of ${JSON.stringify(specs[k])} gave ${answer}, not ${right}`);
      })
      .catch((error: unknown) => world.fail('threw', `a read threw ${String((error as Error).stack)}`));
  }
  await world.run(() => open === 0);
}
