import { describe, expect, it } from 'vitest';
import { type CompiledModel, defineGraph, edge, node } from '../../src/index.ts';
import { SHOWN_MS, Stage } from '../simulator/faults/stage.ts';
import { numberOf } from '../simulator/kernel/values.ts';
import { runs } from '../support/extent.ts';

/** One run of a repair, or of a rebuild, leaves each count at the number of edges, whatever was damaged before it. */

function modelOf(orders: Record<string, unknown>): CompiledModel {
  const inbound = Object.keys(orders).length > 0 ? { inbound: { shards: 1, orders } } : {};
  return defineGraph({
    table: 'records',
    nodes: { A: node({ view: 'ALL' }), B: node({ view: 'ALL' }) },
    edges: { AB: edge({ from: 'A', to: 'B', edgeSet: false, degree: true, ...inbound } as never) },
  } as never) as CompiledModel;
}

const MODELS = [
  { what: 'no order', graph: modelOf({}) },
  { what: 'an order', graph: modelOf({ gsi0: 'since' }) },
  { what: 'two orders and a named one', graph: modelOf({ gsi0: 'since', gsi1: 'role', byRole: 'role' }) },
];
const NODES = 4;

/** Takes something from some of the derived items, beside which counts may be wrong. */
function damage(stage: Stage, kinds: readonly Damage[]): string[] {
  const { random, table } = stage;
  const done: string[] = [];
  for (const { source, target, item } of stage.derived()) {
    const isCount = target === '~degree/AB';
    if ((!target.startsWith('~ix/') && !isCount) || random.chance(0.7)) continue;
    const kind = random.oneOf(kinds as [Damage]);
    if (isCount !== kind.startsWith('count ')) continue;
    const { counted: _, ...rest } = item;
    const damaged = {
      counted: rest,
      item: undefined,
      'other count': { ...item, counted: { S: '@7/AB' } },
      revision: { ...rest, r: { N: '900' } },
      'count gone': undefined,
      'count wrong': { ...item, count: { N: '77' } },
    }[kind];
    table.write({ source, target }, damaged);
    done.push(`${kind} of ${source} ${target}`);
  }
  return done;
}

const DAMAGE = ['counted', 'item', 'other count', 'revision', 'count gone', 'count wrong'] as const;
type Damage = (typeof DAMAGE)[number];

interface Circumstances {
  kinds: readonly Damage[];
  /** Whether edges come and go unseen beside the damage. */
  isUnseen: boolean;
}

/** What is wrong after one run; undefined where nothing is. */
async function drawn(
  stage: Stage,
  graph: CompiledModel,
  mode: 'repair' | 'rebuild',
  { kinds, isUnseen }: Circumstances,
): Promise<string | undefined> {
  const { random, table } = stage;
  if (random.chance(0.5)) await stage.migrate(graph);
  const left = new Map<string, number>();
  for (let a = 0; a < NODES; a++) {
    stage.node(`A-${a}`, {});
    const edges = 1 + random.below(5);
    for (let i = 0; i < edges; i++) stage.put(`A-${a}`, `AB-B-${i}`, { since: '2020', role: 'LEAD' });
    left.set(`A-${a}`, edges);
  }
  await stage.consume(graph);
  await stage.sleep(SHOWN_MS);
  const done = damage(stage, kinds);
  for (const [source, edges] of left) {
    if (!isUnseen || random.chance(0.7)) continue;
    stage.put(source, 'AB-B-0', undefined);
    left.set(source, edges - 1);
  }
  stage.loseRecords();
  await stage.sleep(SHOWN_MS);
  const store = stage.stallingStore(random.oneOf([0, 0.02, 0.1]), 15_000);
  await stage.check(graph, mode, { store, segments: 1 + random.below(4) });
  await stage.sleep(SHOWN_MS);
  const problems = [...left].flatMap(([source, edges]) => {
    const count = numberOf(table.current({ source, target: '~degree/AB' })?.['count']);
    return count === String(edges) ? [] : [`${source} counts ${count} instead of ${edges}`];
  });
  const { findings } = await stage.check(graph);
  problems.push(...findings.map(({ source, target, verdict }) => `${source} ${target} is ${verdict}`));
  return problems.length > 0 ? `${problems.join(', ')} after damage of ${done.join(', ')}` : undefined;
}

describe.each(MODELS)('counts of edges with $what', ({ graph }) => {
  it.each(
    (['repair', 'rebuild'] as const).flatMap((mode) => [
      {
        mode,
        what: 'where marks were lost',
        kinds: ['counted'] as const,
        isUnseen: false,
        seeds: runs({ part: 15, whole: 150 }),
      },
      {
        mode,
        what: 'where all kinds of damage were done',
        kinds: DAMAGE,
        isUnseen: true,
        seeds: runs({ part: 8, whole: 60 }),
      },
    ]),
  )('are right after one $mode $what', async ({ mode, seeds, ...circumstances }) => {
    const failures: string[] = [];
    for (let seed = 160; seed < 160 + seeds; seed++) {
      const stage = new Stage(seed);
      const failure = await stage.run(() => drawn(stage, graph, mode, circumstances));
      if (failure !== undefined) failures.push(`seed ${seed}: ${failure}`);
    }
    expect(failures).toEqual([]);
  });
});
