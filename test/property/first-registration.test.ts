import { describe, expect, it } from 'vitest';
import type { MigrateOptions } from '../../src/admin.ts';
import { type CompiledModel, defineGraph, edge, node, type Reader, rank } from '../../src/index.ts';
import { answerOf, SHOWN_MS, Stage } from '../simulator/faults/stage.ts';
import { runs } from '../support/extent.ts';

/**
 * A table is used without a registry, and then registered with a model that has other shards, or another rank. Readers that have
 * found no registry go on for a lease as if there were none: no answer of theirs is partial meanwhile.
 */

interface Options {
  shards: number;
  lead?: number;
  list?: boolean;
}

function modelOf({ shards, lead = 500, list = false }: Options): CompiledModel {
  return defineGraph({
    table: 'records',
    nodes: { A: node({ view: 'ALL', list, search: { name: { shards } } }), B: node({ view: 'ALL' }) },
    edges: {
      AB: edge({
        ...{ from: 'A', to: 'B', degree: true },
        inbound: { orders: { gsi0: rank('role', { LEAD: lead, MEMBER: 400, GUEST: 300 }) }, shards },
      }),
    },
  } as never) as CompiledModel;
}

const NODES = 8;
const SEEDS = runs({ part: 3, whole: 30 });

interface Question {
  name: string;
  /** What a reader of the model has to say. */
  right: (model: CompiledModel) => unknown;
  ask: (reader: Reader) => Promise<unknown>;
}

const QUESTIONS: readonly Question[] = [
  { name: 'all', right: () => NODES, ask: async (reader) => (await reader.search('A.name').all()).items.length },
  { name: 'eq', right: () => 1, ask: async (reader) => (await reader.search('A.name').equals('n5')).items.length },
  { name: 'inbound', right: () => NODES, ask: async (reader) => (await reader.inbound('B-1', 'AB')).items.length },
  {
    name: 'at least MEMBER',
    // Of the other rank, LEAD is below MEMBER.
    right: (model) => (model === CASES[2]!.after ? 0 : NODES / 2),
    ask: async (reader) => (await reader.inbound('B-1', 'AB', { atLeast: 'MEMBER' } as never)).items.length,
  },
  { name: 'inDegree', right: () => NODES, ask: async (reader) => (await reader.inDegree('B-1', 'AB')).count },
  { name: 'degree', right: () => 1, ask: (reader) => reader.degree('A-2', 'AB') },
  { name: 'views', right: () => NODES, ask: async (reader) => (await reader.getViews(ids())).filter(isThere).length },
];

const ids = () => Array.from({ length: NODES }, (_, i) => `A-${i}`) as never;
const isThere = (view: { attributes: unknown; edgeSet: readonly unknown[] } | null) =>
  view !== null && view.attributes !== null && view.edgeSet.length === 1;

interface Case {
  what: string;
  before: CompiledModel;
  after: CompiledModel;
}

const CASES: readonly Case[] = [
  { what: 'other shards', before: modelOf({ shards: 2 }), after: modelOf({ shards: 5 }) },
  { what: 'one shard less', before: modelOf({ shards: 3 }), after: modelOf({ shards: 2 }) },
  { what: 'another rank', before: modelOf({ shards: 1 }), after: modelOf({ shards: 1, lead: 100 }) },
];

function fill(stage: Stage): void {
  for (let i = 0; i < NODES; i++) {
    stage.node(`A-${i}`, { name: `n${i}`, note: '0' });
    stage.put(`A-${i}`, 'AB-B-1', { role: i % 2 === 0 ? 'LEAD' : 'GUEST', note: '0' });
  }
}

/** Readers of both models ask all the time; gives the answers that are neither right nor refused. */
async function drawn(seed: number, { before, after }: Case, isWritten: boolean): Promise<unknown[]> {
  const stage = new Stage(seed);
  return await stage.run(async () => {
    const { random } = stage;
    fill(stage);
    await stage.consume(before);
    await stage.sleep(SHOWN_MS);
    const wrong: unknown[] = [];
    let isOver = false;
    const read = async (model: CompiledModel): Promise<void> => {
      const reader = stage.reader(model);
      while (!isOver) {
        for (const { name, right, ask } of QUESTIONS) {
          // The new order of ranks is no order of the plain keys: before the registration nobody promises it.
          if (model === after && !isRegistered(stage)) continue;
          const answer = await answerOf(() => ask(reader));
          const isRefused = (answer as { refused?: string }).refused === 'projection-not-ready';
          if (answer !== right(model) && !isRefused) wrong.push([name, answer]);
        }
        await stage.sleep(random.below(1_500));
      }
    };
    const write = async (): Promise<void> => {
      for (let round = 1; !isOver && isWritten; round++) {
        // What readers ask for stays as it is.
        const i = random.below(NODES);
        stage.node(`A-${i}`, { name: `n${i}`, note: `${round}` });
        stage.put(`A-${i}`, 'AB-B-1', { role: i % 2 === 0 ? 'LEAD' : 'GUEST', note: `${round}` });
        // One of the new model is deployed when the table has been registered.
        await stage.consume(isRegistered(stage) && random.chance(0.5) ? after : before);
        await stage.sleep(random.below(2_000));
      }
    };
    const others = [read(before), read(before), read(after), write()];
    await stage.sleep(random.below(40_000));
    await bring(stage, after);
    await stage.sleep(random.below(60_000));
    isOver = true;
    await Promise.all(others);
    return wrong;
  });
}

/** Registers the table in one of the ways in which people do. */
async function bring(stage: Stage, model: CompiledModel): Promise<void> {
  const { random } = stage;
  const way = random.oneOf(['at once', 'twice at once', 'again', 'in calls'] as const);
  // One that is interrupted is begun again from the start.
  if (way === 'again') await stage.migrate(model, { mostSteps: 1 + random.below(3) });
  if (way === 'twice at once') await Promise.all([stage.migrate(model), stage.migrate(model)]);
  if (way !== 'in calls') {
    await stage.migrate(model);
    return;
  }
  for (let resume: MigrateOptions['resume']; ; ) {
    const endsAtMs = stage.timeline.nowMs + 500 + random.below(10_000);
    const remainingMs = (): number => endsAtMs - stage.timeline.nowMs;
    const {
      place,
      waitSeconds = 0,
      done,
    } = await stage.migrate(model, { remainingMs, waitsBetweenCalls: true, resume });
    if (done) return;
    resume = JSON.parse(JSON.stringify(place)) as typeof resume;
    await stage.sleep(waitSeconds * 1_000 + random.below(2_000));
  }
}

function isRegistered({ table }: Stage): boolean {
  return table.current({ source: '~edgeloom', target: 'head' }) !== undefined;
}

async function failuresOf(one: Case, isWritten: boolean): Promise<string[]> {
  const failures: string[] = [];
  for (let seed = 1; seed <= SEEDS; seed++) {
    const wrong = await drawn(seed, one, isWritten);
    if (wrong.length > 0) failures.push(`seed ${seed}: ${wrong.length} answers, first ${JSON.stringify(wrong[0])}`);
  }
  return failures;
}

describe('the first registration of a table that is in use', () => {
  it.each(CASES)('with $what gives no reader a partial answer', async (one) => {
    expect(await failuresOf(one, false)).toEqual([]);
  });

  it.each(CASES)('with $what gives no reader a partial answer while producers write', async (one) => {
    expect(await failuresOf(one, true)).toEqual([]);
  });
});
