import { check } from '../../../src/check/check.ts';
import { type Finding, WRONG } from '../../../src/check/finding.ts';
import type { CompiledModel } from '../../../src/model/compiled.ts';
import { readHead } from '../../../src/registry/head.ts';
import type { ItemKey } from '../../../src/store/port.ts';
import { Random } from '../random.ts';
import { REPLICA_LAG } from './table.ts';
import type { EvolvingWorld } from './world.ts';

/** Tells the checks' random numbers from those of the schedule: a check that writes nothing changes nothing else in it. */
const APART = 1_000_003;
const MODES = ['report', 'report', 'repair', 'rebuild'] as const;
const SETTLE_TIMES = [100, 2_000, 45_000] as const;
const LONGEST_SETTLE = 600_000;
/** Milliseconds that a call takes at most: the registry changes while a slow check runs. */
const SLOWNESS = [20, 5_000, 15_000] as const;
/** An id that is never given out. */
const UNKNOWN_ID = 999;

/**
 * Checks and repairs beside producers, consumers, readers and migrations, from checkouts of any model. They know how far the
 * consumers have come, so whatever they find wrong has to be so: only what a late writer has left under a retired id may be.
 */
export class EvolvingChecks {
  private readonly random: Random;

  constructor(
    private readonly world: EvolvingWorld,
    seed: number,
  ) {
    this.random = new Random(seed + APART);
  }

  /** Has a check begin within some time, in one of two schedules. */
  sometimes(withinMs: number): void {
    const { random, world } = this;
    if (random.chance(0.5)) return;
    world.agenda.in(random.below(withinMs), () => {
      void this.run(random.oneOf(MODES), random.oneOf(world.models as [CompiledModel, ...CompiledModel[]]));
      return true;
    });
  }

  /** In the end all garbage goes, what the registry does not know stays, and the next check finds nothing else. */
  async end(): Promise<void> {
    const { world } = this;
    const { store } = world.table;
    const head = await readHead({ store, stats: { rcu: 0 } });
    const planted = { retired: [] as ItemKey[], unknown: [] as ItemKey[] };
    for (const [name, { next, generations }] of head?.registry.projections ?? []) {
      for (let id = 1; id < next; id++) {
        if (!generations.some((generation) => generation.id === id)) planted.retired.push(keyOf(name, id));
      }
      planted.unknown.push(keyOf(name, UNKNOWN_ID));
    }
    for (const { source, target } of [...planted.retired, ...planted.unknown]) {
      const item = { source: { S: source }, target: { S: target }, r: { N: '1' }, w: { S: '' } };
      await world.table.items.put({ ...item, value: { S: 'planted' } });
    }
    world.count('retired items planted', planted.retired.length);
    // A check reads some of it at a replica.
    await world.pass(REPLICA_LAG + 1);
    for (const mode of ['repair', 'report'] as const) {
      let isOver = false;
      void this.run(mode, world.wholeCode, planted.unknown.length).then(() => {
        isOver = true;
      });
      await world.run(() => isOver);
    }
    for (const key of planted.retired) {
      const { item } = await store.get(key, { consistent: true });
      if (item !== undefined) world.fail('alarm', `repair has left ${key.source} ${key.target}, which is retired`);
    }
    for (const key of planted.unknown) {
      const { item } = await store.get(key, { consistent: true });
      if (item === undefined) world.fail('alarm', `repair has taken ${key.source} ${key.target}, which nobody knows`);
      await world.table.items.delete(key);
    }
  }

  /** A check, which has to find at least so many items that the registry does not know. */
  private async run(mode: (typeof MODES)[number], graph: CompiledModel, unregistered = 0): Promise<void> {
    const { random, world } = this;
    const { agenda } = world;
    const process = world.process({ random, slowness: random.oneOf(SLOWNESS) });
    world.count(`checks that ${mode}`);
    try {
      const result = await check({
        ...{ graph, store: process.store, wait: process.wait, mode },
        // In the end nothing may be left open: the consumers have their time.
        ...{ settleMs: unregistered > 0 ? LONGEST_SETTLE : random.oneOf(SETTLE_TIMES), segments: 1 },
        consumer: { appliedUpToMs: async () => world.appliedUpToMs },
        now: () => agenda.now,
        random: () => random.next(),
        serverTime: async () => agenda.now,
        onFinding: (finding) => this.judge(finding),
      });
      if (result.unregistered < unregistered)
        world.fail('alarm', `a check found ${result.unregistered} items that the registry does not know`);
      world.count('changing parts that checks told', result.changing.length);
    } catch (error) {
      const code = (error as { code?: string }).code ?? '';
      if (!['simulated', 'projection-code-missing'].includes(code))
        world.fail('threw', `a check threw ${String((error as Error).stack)}`);
    }
  }

  private judge(finding: Finding): void {
    if (!(WRONG as readonly string[]).includes(finding.verdict)) return;
    const found = rightlyFound(finding);
    if (found === undefined) this.world.fail('alarm', `a check found ${JSON.stringify(finding)}`);
    else this.world.count(found);
  }
}

/** What a check may find although no writer went wrong; undefined: it may not. */
function rightlyFound({ target, verdict, actual }: Finding): string | undefined {
  if (verdict === 'orphan' && actual?.includes('which is retired') === true) return 'retired items that checks found';
  // Consumers that know no registry wrote it before there was one, or it is planted: it has no stamp of the registry.
  const isStamped = actual?.includes('"model":{"S":"@') === true;
  if (verdict === 'unregistered' && !isStamped) return 'unregistered items that checks found';
  if (verdict === 'orphan' && !isStamped) return 'items from before the registry that checks found';
  // The fan-out was under way when views left off copying, and they copy again.
  return verdict === 'stale' && target.startsWith('~more/') ? 'stuck fan-outs that checks found' : undefined;
}

/** A key that an item of a generation of a projection may have; no base item wants it. */
function keyOf(name: string, id: number): ItemKey {
  const mark = id === 1 ? '' : `@${id}/`;
  const [, kind, part] = /^(\w+):\w+(?:\.(.+))?$/.exec(name)!;
  const rest = kind === 'search' ? part! : kind === 'order' ? `#${part}/E-N-9` : 'E-N-9';
  return { source: 'N-0', target: `~ix/${mark}${rest}` };
}
