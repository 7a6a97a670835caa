import { describe, expect, it } from 'vitest';
import type { RawRecord } from '../../src/admin.ts';
import { type CompiledModel, defineGraph, edge, node, source } from '../../src/index.ts';
import { SHOWN_MS, Stage } from '../simulator/faults/stage.ts';
import { runs } from '../support/extent.ts';

/**
 * A model is changed so that nothing is copied any more while a fan-out is on its way. Nothing of it stays in the table: no
 * continuation that is open, nothing that a check finds.
 */

function modelOf({ copy, joined }: { copy: boolean; joined: boolean }): CompiledModel {
  return defineGraph({
    table: 'records',
    nodes: { A: node({ view: ['name'] }), B: node({ view: ['title'] }) },
    edges: {
      AB: edge({
        ...{ from: 'A', to: 'B', ...(copy && { copy: ['title'] }) },
        inbound: { orders: { gsi0: 'since', ...(joined && { byName: source('name') }) } },
      } as never),
    },
  } as never) as CompiledModel;
}

const both = modelOf({ copy: true, joined: true });
const SEEDS = runs({ part: 12, whole: 60 });
const EDGES = 9;

interface Case {
  what: string;
  after: CompiledModel;
  drop?: string;
}

const CASES: readonly Case[] = [
  { what: 'without copy', after: modelOf({ copy: false, joined: true }) },
  { what: 'without an order of the source', after: modelOf({ copy: true, joined: false }), drop: 'order:AB.byName' },
  { what: 'without either', after: modelOf({ copy: false, joined: false }), drop: 'order:AB.byName' },
];

function openContinuations(stage: Stage): string[] {
  return stage
    .derived()
    .filter(({ target, item }) => target.startsWith('~more/') && item['after'] !== undefined)
    .map(({ source, target }) => `${source} ${target}`);
}

describe('a fan-out that is open', () => {
  it.each(CASES)('leaves nothing behind when a model comes $what', async ({ after, drop }) => {
    const failures: string[] = [];
    for (let seed = 1; seed <= SEEDS; seed++) {
      const stage = new Stage(seed);
      const left = await stage.run(() => drawn(stage, after, drop));
      if (left.length > 0) failures.push(`seed ${seed}: ${left.join(', ')}`);
    }
    expect(failures).toEqual([]);
  });
});

/** Changes the model between the first page of two fan-outs and the second; gives what is left of them. */
async function drawn(stage: Stage, after: CompiledModel, drop: string | undefined): Promise<string[]> {
  const { random } = stage;
  await stage.migrate(both);
  stage.node('B-1', { title: 'old' });
  stage.node('A-1', { name: 'old' });
  for (let i = 0; i < EDGES; i++) {
    stage.put(`A-${i}`, 'AB-B-1', { since: '2020' });
    stage.put('A-1', `AB-B-${i + 2}`, { since: '2020' });
  }
  await stage.consume(both);
  await stage.sleep(SHOWN_MS);
  stage.node('B-1', { title: 'new' });
  stage.node('A-1', { name: 'new' });
  const late: RawRecord[] = [];
  let batch = stage.loseRecords();
  for (let pages = 1 + random.below(2); pages > 0; pages--) {
    const { error } = await stage.project(both, batch, { fanOutPageSize: 2 });
    if (error !== undefined) throw error;
    batch = stage.loseRecords();
  }
  expect(openContinuations(stage)).toHaveLength(2);
  late.push(...batch);
  // The records of the continuations come before the model is brought to the table, meanwhile, or after it; or never.
  const deliver = async (): Promise<void> => {
    await stage.sleep(random.below(60_000));
    if (random.chance(0.3)) return;
    await stage.project(random.chance(0.5) ? both : after, late);
    await stage.consume(after);
  };
  const delivering = deliver();
  await stage.sleep(random.below(20_000));
  await stage.migrate(after);
  if (drop !== undefined) await stage.migrate(after, { action: { kind: 'drop', name: drop } });
  await delivering;
  await stage.consume(after);
  await stage.sleep(SHOWN_MS);
  await stage.check(after, 'repair');
  await stage.consume(after);
  await stage.sleep(SHOWN_MS);
  const { findings } = await stage.check(after);
  return [
    ...openContinuations(stage).filter((key) => !isKept(after, key)),
    ...findings.map(({ source, target, verdict }) => `${source} ${target} is ${verdict}`),
  ];
}

/** What the model still has goes on; the other fan-out was to go. */
function isKept(after: CompiledModel, key: string): boolean {
  const { copy } = after.edges.get('AB')!;
  return key.includes('#source/') ? after.fingerprint === CASES[0]!.after.fingerprint : copy !== undefined;
}
