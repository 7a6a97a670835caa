import { describe, expect, it } from 'vitest';
import type { MigrateStep } from '../../src/admin.ts';
import { type CompiledModel, defineGraph, edge, node, type Reader } from '../../src/index.ts';
import { answerOf, SHOWN_MS, Stage } from '../simulator/faults/stage.ts';
import { runs } from '../support/extent.ts';

/**
 * What is ready is there for every reader, whichever replica of the table or of an index answers it: replicas are late by some
 * hundred milliseconds. The readers here begin in the moment in which something becomes ready, and their replicas are always late.
 */

interface Options {
  shards: number;
  view: 'ALL' | 'KEYS_ONLY' | string[];
  list?: boolean;
}

function modelOf({ shards, view, list = false }: Options): CompiledModel {
  return defineGraph({
    table: 'records',
    nodes: {
      A: node({ view, list, search: { name: { shards, project: ['name'] } } } as never),
      B: node({ view: 'ALL' }),
    },
    edges: {
      AB: edge({ from: 'A', to: 'B', edgeSet: ['role'], degree: true, inbound: { orders: { gsi0: 'since' }, shards } }),
    },
  } as never) as CompiledModel;
}

const NODES = 10;
const SEEDS = runs({ part: 8, whole: 40 });
const RIGHT = { views: NODES, edges: NODES, names: NODES, exact: 1, inbound: NODES, degree: 1, listed: NODES };

async function ask(reader: Reader, isListed: boolean): Promise<Partial<Record<keyof typeof RIGHT, unknown>>> {
  const ids = Array.from({ length: NODES }, (_, i) => `A-${i}`) as never;
  const count = (answer: () => Promise<readonly unknown[]>) => answerOf(async () => (await answer()).length);
  return {
    views: await count(async () =>
      (await reader.getViews(ids)).filter(
        (view) => (view?.attributes as { name?: string } | null | undefined)?.name !== undefined,
      ),
    ),
    edges: await count(async () => (await reader.getViews(ids)).filter((view) => view?.edgeSet.length === 1)),
    names: await count(async () => (await reader.search('A.name').all()).items),
    exact: await count(async () => (await reader.search('A.name').equals('n3')).items),
    inbound: await count(async () => (await reader.inbound('B-1', 'AB')).items),
    degree: await answerOf(() => reader.degree('A-4', 'AB')),
    ...(isListed && { listed: await count(async () => (await reader.nodes('A')).items) }),
  };
}

/** Asks at once after each step of a migration by which something becomes ready; gives what was wrong. */
async function migrateAsking(stage: Stage, model: CompiledModel, isListed = false): Promise<unknown[]> {
  const wrong: unknown[] = [];
  const asking: Promise<void>[] = [];
  const onStep = ({ step, projection }: MigrateStep): void => {
    if (!step.includes('ready') && step !== 'open-empty') return;
    asking.push(
      ask(stage.reader(model, stage.lateStore()), isListed).then((answers) => {
        for (const [question, answer] of Object.entries(answers)) {
          const isRefused = (answer as { refused?: string }).refused === 'projection-not-ready';
          if (answer !== RIGHT[question as keyof typeof RIGHT] && !isRefused)
            wrong.push(`after ${step} of ${projection}: ${question} ${JSON.stringify(answer)}`);
        }
      }),
    );
  };
  await stage.migrate(model, { onStep });
  await Promise.all(asking);
  return wrong;
}

function fill(stage: Stage): void {
  for (let i = 0; i < NODES; i++) {
    stage.node(`A-${i}`, { name: `n${i}`, status: 'open' });
    stage.put(`A-${i}`, 'AB-B-1', { since: '2020', role: 'LEAD' });
  }
}

const before = modelOf({ shards: 2, view: ['name'] });

/** The first of what is wrong in each of some schedules. */
async function failuresOf(schedule: (stage: Stage) => Promise<unknown[]>): Promise<string[]> {
  const failures: string[] = [];
  for (let seed = 1; seed <= SEEDS; seed++) {
    const stage = new Stage(seed);
    const [first] = await stage.run(() => schedule(stage));
    if (first !== undefined) failures.push(`seed ${seed}: ${first}`);
  }
  return failures;
}

describe('readers that are answered by late replicas', () => {
  it('find all that a table had when it was registered', async () => {
    const failures = await failuresOf(async (stage) => {
      // Loaded before there was a stream: nothing is derived yet.
      fill(stage);
      stage.loseRecords();
      await stage.sleep(SHOWN_MS);
      return await migrateAsking(stage, before);
    });
    expect(failures).toEqual([]);
  });

  it.each([
    { what: 'shards', after: modelOf({ shards: 3, view: ['name'] }) },
    { what: 'the view', after: modelOf({ shards: 2, view: ['name', 'status'] }) },
    { what: 'both, and a list', after: modelOf({ shards: 3, view: 'ALL', list: true }), isListed: true },
  ])('find all after a change of $what', async ({ after, isListed }) => {
    const failures = await failuresOf(async (stage) => {
      await stage.migrate(before);
      fill(stage);
      await stage.consume(before);
      await stage.sleep(SHOWN_MS);
      return await migrateAsking(stage, after, isListed);
    });
    expect(failures).toEqual([]);
  });

  it('find what only the migration has made, after a stream that began again', async () => {
    const failures = await failuresOf(async (stage) => {
      await stage.migrate(before);
      fill(stage);
      // No consumer was there for a day.
      stage.loseRecords();
      await stage.sleep(SHOWN_MS);
      stage.identity = { ...stage.identity, streamLabel: '2026-03-02T00:00:00.000' };
      return await migrateAsking(stage, before);
    });
    expect(failures).toEqual([]);
  });
});
