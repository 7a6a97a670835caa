import { describe, expect, it } from 'vitest';
import type { RawRecord } from '../../src/admin.ts';
import { type CompiledModel, defineGraph, edge, node, source } from '../../src/index.ts';
import { SHOWN_MS, Stage } from '../simulator/faults/stage.ts';
import { mapOf, textOf } from '../simulator/kernel/values.ts';
import { runs } from '../support/extent.ts';

/**
 * A node's change comes to all whom it concerns, however many there are and however often it changes: a fan-out that has begun
 * gets to its end, and what changed meanwhile is brought to the first of them once more.
 */

const graph = defineGraph({
  table: 'records',
  nodes: { CHILD: node({ view: 'ALL' }), PARENT: node({ view: ['title'] }), ITEM: node({ view: 'ALL' }) },
  edges: {
    OF: edge({ from: 'CHILD', to: 'PARENT', copy: ['title'] }),
    HAS: edge({ from: 'PARENT', to: 'ITEM', edgeSet: false, inbound: { orders: { byTitle: source('title') } } }),
  },
}) as CompiledModel;

/** What of a parent comes to others: by copies, and by index items that it decides together with its edges. */
const WAYS = [
  {
    way: 'copies',
    put: (stage: Stage, i: number) => stage.put(numbered('CHILD', i), 'OF-PARENT-1', {}),
    shown: (stage: Stage, i: number) => {
      const view = stage.table.current({ source: numbered('CHILD', i), target: '~view' });
      return textOf(mapOf(mapOf(view?.['copies'])['OF-PARENT-1'])['title']);
    },
  },
  {
    way: 'joined index items',
    put: (stage: Stage, i: number) => stage.put('PARENT-1', `HAS-${numbered('ITEM', i)}`, {}),
    shown: (stage: Stage, i: number) => {
      const key = { source: 'PARENT-1', target: `~ix/HAS-${numbered('ITEM', i)}` };
      return textOf(stage.table.current(key)?.['gsi0sk']).split('\0')[0]!;
    },
  },
] as const;

function numbered(type: string, i: number): string {
  return `${type}-${String(i).padStart(4, '0')}`;
}

/** A parent with others whom its title concerns, all of it projected. */
async function fill(stage: Stage, { put }: (typeof WAYS)[number], children: number): Promise<void> {
  await stage.migrate(graph);
  stage.node('PARENT-1', { title: 't0' });
  for (let i = 0; i < children; i++) put(stage, i);
  await stage.consume(graph);
  await stage.sleep(SHOWN_MS);
}

describe.each(WAYS)('a parent that changes faster than its fan-out ends, by $way', (one) => {
  it.each([
    { children: 520, fanOutPageSize: undefined },
    { children: 24, fanOutPageSize: 4 },
    { children: 7, fanOutPageSize: 1 },
  ])('brings something of it to the last of $children', async ({ children, fanOutPageSize }) => {
    const stage = new Stage();
    const CHANGES = 30;
    const { seen, settled } = await stage.run(async () => {
      await fill(stage, one, children);
      for (let i = 1; i <= CHANGES; i++) {
        stage.node('PARENT-1', { title: `t${i}` });
        // What is projected makes records of its own: those come with the parent's next change.
        const batch = stage.loseRecords();
        await stage.project(graph, batch, { fanOutPageSize });
        await stage.sleep(1_000);
      }
      const last = one.shown(stage, children - 1);
      await stage.consume(graph, { fanOutPageSize });
      return { seen: last, settled: Array.from({ length: children }, (_, i) => one.shown(stage, i)) };
    });
    // It is behind, but not for ever.
    expect(Number(seen.slice(1))).toBeGreaterThan(0);
    expect([...new Set(settled)]).toEqual([`t${CHANGES}`]);
  });

  it('leaves nobody behind once it is quiet, in any order of shards and with duplicates', async () => {
    const failures: string[] = [];
    for (let seed = 1; seed <= runs({ part: 15, whole: 400 }); seed++) {
      const stage = new Stage(seed);
      const CHILDREN = 3 + stage.random.below(10);
      const left = await stage.run(async () => {
        await fill(stage, one, CHILDREN);
        const last = await drawn(stage, one);
        return Array.from({ length: CHILDREN }, (_, i) => one.shown(stage, i)).filter((title) => title !== last);
      });
      if (left.length > 0) failures.push(`seed ${seed}: ${left.length} of ${CHILDREN} have ${left[0]}`);
    }
    expect(failures).toEqual([]);
  });
});

/** Changes of the parent and records of its continuations in shards of their own, some of them twice; gives its last title. */
async function drawn(stage: Stage, { put }: (typeof WAYS)[number]): Promise<string> {
  const { random } = stage;
  const fanOutPageSize = 1 + random.below(3);
  const shards = new Map<string, { records: RawRecord[]; done: number }>();
  const spread = (): void => {
    for (const record of stage.loseRecords()) {
      const target = record.dynamodb?.Keys?.['target']?.S ?? '';
      const name = target.startsWith('~') ? 'continuations' : target.startsWith('PARENT') ? 'parent' : 'edges';
      const shard = shards.get(name) ?? { records: [], done: 0 };
      shard.records.push(record);
      shards.set(name, shard);
    }
  };
  let title = 't0';
  let changes = 3 + random.below(8);
  let busy = 0;
  const deliver = async (name: string): Promise<void> => {
    for (;;) {
      spread();
      const shard = shards.get(name);
      const left = shard === undefined ? 0 : shard.records.length - shard.done;
      const isQuiet = busy === 0 && [...shards.values()].every(({ records, done }) => records.length === done);
      if (left === 0 && changes === 0 && isQuiet) return;
      if (shard === undefined || left === 0) {
        await stage.sleep(20 + random.below(60));
        continue;
      }
      busy += 1;
      const batch = shard.records.slice(shard.done, shard.done + 1 + random.below(left));
      const store = stage.stallingStore(0.05, 3_000);
      const { error } = await stage.project(graph, batch, { fanOutPageSize, store });
      if (error !== undefined) throw error;
      shard.done += batch.length;
      if (random.chance(0.2)) {
        const first = random.below(shard.done);
        await stage.project(graph, shard.records.slice(first, first + 1 + random.below(3)), { fanOutPageSize });
      }
      busy -= 1;
    }
  };
  const change = async (): Promise<void> => {
    for (let i = 1; changes > 0; changes -= 1, i++) {
      title = `t${i}`;
      stage.node('PARENT-1', { title });
      if (random.chance(0.3)) put(stage, random.below(3));
      await stage.sleep(random.below(random.chance(0.5) ? 50 : 2_000));
    }
  };
  await Promise.all([change(), deliver('parent'), deliver('continuations'), deliver('edges')]);
  return title;
}
