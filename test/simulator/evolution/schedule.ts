import type { CompiledModel } from '../../../src/model/compiled.ts';
import { LEASE_MS } from '../../../src/registry/reader-lease.ts';
import type { SeedOutcome } from '../tally.ts';
import { EvolvingChecks } from './checks.ts';
import { answerOf, type Question, questions } from './oracle.ts';
import { LONGEST_STALL } from './process.ts';
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
  const newReaders = (): EvolvingReader[] =>
    Array.from({ length: READERS }, (_, i) => {
      return world.reader(specs[i < specs.length ? i : random.below(specs.length)]!);
    });
  let readers = newReaders();
  for (let phase = 0; phase < PHASES && world.failures.length === 0; phase++) {
    if (random.chance(0.1)) {
      await restore(world);
      readers = newReaders();
    }
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
  const isEmpty = random.chance(0.6);
  if (!isEmpty) await fill(world);
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

/** What is in a table that has no registry yet: some of it was never projected, some by consumers of several models. */
async function fill(world: EvolvingWorld): Promise<void> {
  const { random, table } = world;
  const unrecorded = (): void => {
    table.unrecorded(() => {
      for (let i = random.below(5); i > 0; i--) world.produce();
    });
  };
  if (random.chance(0.5)) unrecorded();
  for (let i = 0; i < 5; i++) world.produce();
  if (random.chance(0.5)) await world.pass(random.below(60_000));
  if (!random.chance(0.3)) return;
  unrecorded();
  // Records are lost from the oldest on: where the latest write has none, the table is not one that looks as if nothing had been.
  while (table.base.size === 0) world.produce();
}

/**
 * The table is restored: records of its latest writes are lost, so that derived items are behind for good. Readers of it begin when a
 * migration has noticed: from then on nothing counts as ready that was not verified.
 */
async function restore(world: EvolvingWorld): Promise<void> {
  const { random, table } = world;
  world.roughen();
  for (let i = random.below(4); i > 0; i--) world.produce();
  await world.pass(random.below(5_000));
  world.restore();
  world.calm();
  table.unrecorded(() => {
    for (let i = random.below(3); i > 0; i--) world.produce();
  });
  let isNoticed = false;
  while (!isNoticed && world.failures.length === 0) {
    let isOver = false;
    const onStep = ({ step }: { step: string }): void => {
      isNoticed ||= step === 'doubt';
    };
    // One without the code for what the table keeps cannot begin.
    void world.migrate(world.consumerModel(), { onStep }).then(() => {
      isOver = true;
    });
    await world.run(() => isNoticed || isOver);
  }
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

function migrateSometimes(
  world: EvolvingWorld,
  withinMs: number,
  onReady: (model: CompiledModel) => void = () => undefined,
): void {
  const { random, agenda } = world;
  for (let i = random.below(3); i > 0; i--) {
    agenda.in(random.below(withinMs), () => {
      const action = random.chance(0.2) ? world.drawAction() : undefined;
      const model = world.consumerModel();
      void world.migrate(model, {
        onStep: ({ step }) => {
          if (step === 'ready' || step === 'shape-ready') onReady(model);
        },
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
  let open = 0;
  const ask = (reader: EvolvingReader, question: Question): void => {
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
  };
  let isOver = false;
  // What has just become ready is asked for at once, by a reader that begins then; not when producers write again.
  migrateSometimes(world, length / 2, (model) => {
    const spec = world.specs[world.models.indexOf(model)];
    if (spec === undefined || isOver) return;
    world.count('readers that begin when something is ready');
    const reader = world.reader(spec);
    for (const question of questions(spec)) ask(reader, question);
  });
  for (const reader of readers) {
    for (const question of questions(reader.spec)) {
      agenda.in(random.below(length), () => {
        ask(reader, question);
        return true;
      });
    }
  }
  await world.pass(length);
  // A fan-out that has gone on meanwhile may need code that none of the models has.
  world.calm();
  await world.run(() => open === 0 && world.isRead);
  isOver = true;
}

/** All comes to rest at one model: nothing may be missing then, and nothing not ready. */
async function end(world: EvolvingWorld, checks: EvolvingChecks): Promise<void> {
  const { random, models, specs, table } = world;
  world.calm();
  const k = random.below(models.length);
  await world.run(() => !world.isMigrating);
  // What runs that have ended had under way has landed by then: it may take something from readers.
  await world.pass(LONGEST_STALL);
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
