import {
  createSources,
  defineSource,
  type MappedItem,
  mappedEdge,
  mappedNode,
  type Sources,
} from '../../../../src/admin.ts';
import type { ItemKey } from '../../../../src/core/store-port.ts';
import { standstill } from '../../kernel/gate.ts';
import { AttackStore, type Change, GRAPH } from './store.ts';

/** Schedules of sources that are written down, since a draw hardly meets them: a touch stands still between two certain calls, or stops midway. */
export const DIRECTED: Readonly<Record<string, () => Promise<string[]>>> = {
  'the database fails over to a copy without the item while its first touch stands in its read of it': async () => {
    const scene = new Scene();
    await scene.open('1', new Map()).touch('theirs', ['other']);
    const late = await scene.standing(scene.open('1', new Map([['k', { n: '1' }]])), 'read');
    await scene.open('2', new Map()).sync('theirs');
    await late();
    return scene.differing({});
  },

  'an item is deleted, and its ledger expires, while its first touch stands in its read of it': async () => {
    const scene = new Scene();
    const rows = new Map([['k', { n: '1' }]]);
    const sources = scene.open('1', rows);
    const late = await scene.standing(sources, 'read');
    await sources.touch('theirs', ['k']);
    rows.delete('k');
    await sources.touch('theirs', ['k']);
    scene.now += MINUTE;
    scene.table.bury(() => true);
    await late();
    return scene.differing({});
  },

  'the item changes and changes back while a touch stands before its output': async () => {
    const scene = new Scene();
    const rows = new Map([['k', { n: '1' }]]);
    const sources = scene.open('1', rows);
    await sources.touch('theirs', ['k']);
    rows.set('k', { n: '2' });
    const late = await scene.standing(sources, 'USER-k');
    rows.set('k', { n: '1' });
    await sources.touch('theirs', ['k']);
    await late();
    return scene.differing({ 'USER-k': '1' });
  },

  'an item of many outputs changes after a touch of it has stopped midway': async () => {
    const scene = new Scene();
    const rows = new Map([['k', { n: '1', wide: 40 }]]);
    const sources = scene.open('1', rows);
    let looks = 0;
    const remainingMs = () => (++looks > 4 ? 0 : MINUTE);
    await sources.touch('theirs', ['k'], { remainingMs }).catch(() => undefined);
    rows.set('k', { n: '2', wide: 40 });
    await sources.touch('theirs', ['k']);
    const many = Array.from({ length: 40 }, (_, i) => [`AIMS-GOAL-${i}`, '2']);
    return scene.differing({ 'USER-k': '2', ...Object.fromEntries(many) });
  },

  'a function of the version before reads a head that is half an hour old': async () => {
    const scene = new Scene();
    const before = scene.open('1', new Map([['k', { n: '1' }]]));
    await before.sync('theirs');
    scene.now += 15 * MINUTE;
    await scene.open('2', new Map([['k', { n: '2' }]])).sync('theirs');
    scene.lagMs = (target) => (target.startsWith('source/') ? 30 * MINUTE : 0);
    await before.touch('theirs', ['k']).catch(() => undefined);
    return scene.differing({ 'USER-k': '2' });
  },
};

const MINUTE = 60_000;
type Row = Readonly<{ n: string; wide?: number }>;

/** A table, and one touch that may stand still. */
class Scene {
  now = Date.UTC(2026, 2, 1);
  lagMs: (target: string) => number = () => 0;
  private asked = '';
  readonly table = new AttackStore(
    () => this.now,
    () => this.lagMs(this.asked),
  );
  private hold: ((what: string) => Promise<void>) | undefined;

  open(version: string, rows: ReadonlyMap<string, Row>): Sources {
    const { table } = this;
    const store = {
      get: async (key: ItemKey, how: { consistent: boolean }) => {
        this.asked = key.target;
        return table.get(key, how);
      },
      change: async (change: Change) => {
        await this.hold?.(change.key.target);
        return table.change(change);
      },
      query: async (request: Parameters<AttackStore['query']>[0]) => table.query(request),
    };
    const map = ({ id, n, wide = 0 }: Row & { id: string }): MappedItem[] => [
      mappedNode(`USER-${id}`, { n }),
      ...Array.from({ length: wide }, (_, i) => mappedEdge(`USER-${id}`, 'AIMS', `GOAL-${i}`, { n })),
    ];
    const read = async (id: string) => {
      const row = rows.get(id);
      await this.hold?.('read');
      return row && { id, ...row };
    };
    const source = defineSource('theirs', { version, map: map as never, read, keys: () => [...rows.keys()].sort() });
    return createSources(GRAPH, {
      sources: [source],
      store: store as never,
      now: () => this.now,
      wait: async (milliseconds: number) => {
        this.now += milliseconds;
      },
      random: () => 0.5,
    });
  }

  /** Begins a touch of `k` that stands behind its read of the source, or before a write; the result lets it go on. */
  async standing(sources: Sources, there: string): Promise<() => Promise<void>> {
    const { pass, arrived, letGo } = standstill();
    this.hold = async (what) => {
      if (what !== there) return;
      this.hold = undefined;
      await pass();
    };
    const ended = sources.touch('theirs', ['k']).catch(() => undefined);
    await arrived;
    return async () => {
      letGo();
      await ended;
    };
  }

  /** What readers see other than expected, by sort keys. */
  differing(expected: Readonly<Record<string, string>>): string[] {
    const items = this.table
      .all()
      .filter(({ key, item }) => !key.source.startsWith('~') && item['~gone'] === undefined);
    const shown = new Map(items.map(({ key, item }) => [key.target, (item['n'] as { S: string }).S]));
    const targets = new Set([...shown.keys(), ...Object.keys(expected)]);
    return [...targets].flatMap((target) =>
      shown.get(target) === expected[target] ? [] : [`${target} shows ${shown.get(target)}, not ${expected[target]}`],
    );
  }
}
