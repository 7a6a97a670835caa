import { describe, expect, it } from 'vitest';
import { createProjector } from '../../src/admin.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { edge, node } from '../../src/core/model/schema.ts';
import type { Store } from '../../src/core/store-port.ts';
import { createReader, createSession, createWriter } from '../../src/index.ts';
import { withoutRegistry } from '../../src/registry/reader-lease.ts';
import { ForwardingStore, type StoreCallName } from '../../src/store/forwarding.ts';
import { memoryRig } from '../matrix/rig.ts';
import { Random } from '../simulator/kernel/random.ts';
import { runs } from '../support/extent.ts';
import { SIZES } from '../support/sizes.ts';

/** Notes what each call costs. */
class NotingStore extends ForwardingStore {
  private calls: { name: StoreCallName; partition: unknown; rcu: number }[] = [];

  protected override pass<Name extends StoreCallName>(
    name: Name,
    ...args: Parameters<Store[Name]>
  ): ReturnType<Store[Name]> {
    const call = super.pass(name, ...args) as Promise<{ rcu?: number }>;
    return call.then((result) => {
      const { partition } = args[0] as { partition?: unknown };
      this.calls.push({ name, partition, rcu: result.rcu ?? 0 });
      return result;
    }) as ReturnType<Store[Name]>;
  }

  /**
   * What the calls since the last time cost, the dearest of them, and what a page cannot do without: a look at each partition of its list,
   * and of a `page` the list before its first nodes.
   */
  take(kind: 'page' | 'inbound' | 'search'): { rcu: number; dearest: number; least: number } {
    const { calls } = this;
    this.calls = [];
    const sum = (some: readonly { rcu: number }[]) => some.reduce((total, { rcu }) => total + rcu, 0);
    const queries = calls.slice(
      0,
      calls.findIndex(({ name }, i) => name === 'getMany' && i > 0 && calls[i - 1]!.name === 'query'),
    );
    const looks = calls.filter(
      ({ name, partition }, i) => name === 'query' && calls.findIndex((one) => one.partition === partition) === i,
    );
    return {
      rcu: sum(calls),
      dearest: Math.max(0, ...calls.map(({ rcu }) => rcu)),
      least: sum(kind === 'page' ? queries : looks),
    };
  }
}

function drawnModel(random: Random) {
  const shards = random.chance(0.5) ? 1 : 3;
  const model = defineGraph({
    table: 'bounded',
    nodes: {
      TEAM: node(),
      GOAL: node({ view: ['title', 'text'], viewBudgetBytes: 1024, search: { title: { shards, project: ['text'] } } }),
      USER: node({ view: ['name', 'text'] }),
      TASK: node({ view: ['text'] }),
    },
    edges: {
      LIST: edge({
        from: 'GOAL',
        to: 'TEAM',
        inbound: { orders: { at: 'at' }, shards, project: ['text'] },
        edgeSet: false as const,
      }),
      MEMBER: edge({ from: 'GOAL', to: 'USER', edgeSet: ['role'] }),
      TASK_OF: edge({ from: 'TASK', to: 'GOAL', inbound: { orders: { at: 'at' } }, edgeSet: false as const }),
    },
  });
  return { model, shards };
}

/** Mostly small texts, and some that cost units of their own. */
function drawnText(random: Random): string {
  return 'x'.repeat(random.chance(0.15) ? random.below(40_000) : random.below(300));
}

const GOALS = 14;

async function filledRig(random: Random) {
  const { model, shards } = drawnModel(random);
  const rig = memoryRig(model);
  const writer = createWriter(model, { store: rig.store });
  const goals: string[] = [];
  for (let user = 0; user < 30; user++)
    await writer.putNode(`USER-${user}`, { name: `User ${user}`, text: drawnText(random) });
  for (let i = 0; i < GOALS; i++) {
    const id = `GOAL-${String(i).padStart(2, '0')}` as const;
    goals.push(id);
    const title = `Goal ${String(i).padStart(2, '0')}`;
    await writer.putNode(id, { title, text: drawnText(random) });
    await writer.putEdge(id, 'LIST', 'TEAM-1', { at: title, text: drawnText(random) });
    const members = random.chance(0.3) ? 30 : random.below(4);
    for (let user = 0; user < members; user++)
      await writer.putEdge(id, 'MEMBER', `USER-${user}`, {
        role: `role of many words ${user}`,
        text: drawnText(random),
      });
    for (let task = 0; task < random.below(4); task++) {
      await writer.putNode(`TASK-${i}-${task}`, { text: drawnText(random) });
      await writer.putEdge(`TASK-${i}-${task}`, 'TASK_OF', id, { at: `${task}` });
    }
  }
  const { error } = await createProjector(model, { store: rig.store }).project(await rig.records());
  if (error !== undefined) throw error;
  const store = new NotingStore(rig.store);
  const reader = createReader(model, { store, leases: withoutRegistry(model) });
  return { model, shards, goals, store, reader, rig };
}

const LEVELS = [
  { with: [] },
  {},
  { with: ['MEMBER'] },
  { with: [{ inbound: 'TASK_OF' }] },
  { with: ['MEMBER', { inbound: 'TASK_OF' }] },
] as const;

describe('maxRcu', () => {
  it('bounds what a page of a list, a search or levels costs, within one call, and loses no row', async () => {
    const met = { short: 0, truncated: 0, sessions: 0 };
    for (let seed = 1; seed <= runs(SIZES.maxRcu); seed++) {
      const random = new Random(seed);
      const { goals, shards, store, reader: plain, model, rig } = await filledRig(random);
      const session = createSession();
      if (random.chance(0.3)) {
        await createWriter(model, { store: rig.store })
          .with(session)
          .updateNode('GOAL-03', { set: { text: 'own' } });
        met.sessions += 1;
      }
      const reader = session.keys().length > 0 ? plain.with(session) : plain;
      for (let question = 0; question < 6; question++) {
        const maxRcu = 2 + random.below(80) / 2;
        const levels = LEVELS[random.below(LEVELS.length)]!;
        const limit = 1 + random.below(20);
        const kind = (['page', 'inbound', 'search'] as const)[random.below(3)]!;
        const where = random.chance(0.3) && kind !== 'page' ? { text: { exists: true } } : undefined;
        const read = async (cursor: string | undefined) => {
          const options = { maxRcu, limit, cursor, ...(where && { where }) } as const;
          if (kind === 'inbound') return await reader.inbound('TEAM-1', 'LIST', options as never);
          if (kind === 'search') return await reader.search('GOAL.title').all(options as never);
          return await reader.page('TEAM-1', 'LIST', { ...options, ...levels } as never);
        };
        const found: string[] = [];
        let cursor: string | undefined;
        store.take(kind);
        do {
          const page = (await read(cursor)) as {
            items: { id?: string; source?: string }[];
            cursor?: string;
            truncated?: object;
          };
          const { rcu, dearest, least } = store.take(kind);
          const text = `seed ${seed}: ${kind} of ${maxRcu} RCU with ${JSON.stringify({ limit, where, levels })} cost ${rcu}, its dearest call ${dearest}`;
          // Calls to several shards run at once, so each may exceed its share.
          expect(rcu, text).toBeLessThanOrEqual(Math.max(maxRcu, least) + shards * dearest);
          found.push(...page.items.map(({ id, source }) => id ?? source!));
          if (page.items.length < limit && page.cursor !== undefined) met.short += 1;
          if (page.truncated !== undefined) met.truncated += 1;
          ({ cursor } = page);
        } while (cursor !== undefined);
        expect(found, `seed ${seed}: ${kind}`).toEqual(goals);
      }
    }
    expect(
      Object.values(met).every((times) => times > 0),
      JSON.stringify(met),
    ).toBe(true);
  });
});
