import goals from '../examples/goals/edgeloom.config.ts';
import type { AnyPageNode } from '../src/client/read/levels/page-tree.ts';
import { createReader } from '../src/client/read/reader.ts';
import type { Store } from '../src/core/store-port.ts';
import { withReplacedCalls } from '../src/store/wrapped.ts';
import type { Item } from './support/images.ts';
import { loadProjected } from './support/projecting.ts';
import { atMost, type Figure, figure, type Report } from './support/report.ts';
import { withFreshTable } from './support/table.ts';

/** Compares a page with levels, for the goals list of the example `goals`, with N + 1 requests. */

const PEOPLE = ['GOALMEMBERSHIP:LEAD', 'GOALMEMBERSHIP:TEAM'] as const;
const LEVELS = [...PEOPLE, { edge: 'KEYRESULT', with: PEOPLE }, { edge: 'SUBGOAL', with: PEOPLE }] as const;
const LISTS = [
  { name: '2 objectives with 7 key results', objectives: 2, keyResults: 7 },
  { name: '20 objectives with 80 key results', objectives: 20, keyResults: 80 },
] as const;
const USERS = 5;

type Size = (typeof LISTS)[number];
type Reader = ReturnType<typeof createReader<typeof goals>>;

interface Cost {
  calls: number;
  rcu: number;
  shown: string[];
}

export async function levels(): Promise<Report[]> {
  const figures: Figure[] = [];
  for (const list of LISTS) {
    await withFreshTable(goals, [], async ({ store }) => {
      await fill(store, list);
      const page = await costOf(store, readPage);
      const each = await costOf(store, readEach);
      const [first, second] = [page.shown, each.shown].map((shown) => [...new Set(shown)].sort().join());
      if (first !== second) throw new Error(`the ways differ: ${first} and ${second}`);
      // One Query, one BatchGetItem for the objectives, one for each 100 neighbors, and one for their neighbors.
      figures.push(
        figure(`calls, page with levels, ${list.name}`, page.calls, 'calls', atMost(4)),
        figure(`calls, each by itself, ${list.name}`, each.calls, 'calls'),
        figure(`units, page with levels, ${list.name}`, page.rcu, 'RCU'),
        figure(`units, each by itself, ${list.name}`, each.rcu, 'RCU'),
      );
    });
  }
  return [{ name: 'levels', title: "a team's objectives, key results, and who leads and pursues them", figures }];
}

async function fill(store: Store, { objectives, keyResults }: Size): Promise<void> {
  const items: Item[] = [];
  const put = (source: string, target: string, attributes: Readonly<Record<string, string>> = {}): void => {
    const values = Object.entries(attributes).map(([name, value]) => [name, { S: value }]);
    items.push({ source: { S: source }, target: { S: target }, ...Object.fromEntries(values) });
  };
  const addMembers = (of: string, i: number): void => {
    put(of, `GOALMEMBERSHIP-USER-${i % USERS}`, { memberRole: 'LEAD', date: '2026-01-02' });
    put(of, 'GOALMEMBERSHIP-TEAM-1', { memberRole: 'TEAM', date: '2026-01-02' });
  };
  put('TEAM-1', 'TEAM-1', { name: 'Platform' });
  for (let i = 0; i < USERS; i++) put(`USER-${i}`, `USER-${i}`, { name: `User ${i}` });
  for (let i = 0; i < objectives; i++) {
    put(`GOAL-${i}`, `GOAL-${i}`, { title: `Objective ${i}`, status: 'open' });
    put(`GOAL-${i}`, 'TEAMGOAL-TEAM-1', { rank: String(i).padStart(4, '0') });
    addMembers(`GOAL-${i}`, i);
  }
  for (let i = 0; i < keyResults; i++) {
    put(`KEYRESULT-${i}`, `KEYRESULT-${i}`, { title: `Key result ${i}` });
    put(`GOAL-${i % objectives}`, `KEYRESULT-KEYRESULT-${i}`);
    addMembers(`KEYRESULT-${i}`, i);
  }
  await loadProjected(goals, store, items);
}

/** Excludes the registry's reads. */
async function costOf(store: Store, read: (reader: Reader) => Promise<string[]>): Promise<Cost> {
  let calls = 0;
  let rcu = 0;
  const counted = async <Result extends { rcu: number; calls?: number }>(result: Promise<Result>): Promise<Result> => {
    const found = await result;
    calls += found.calls ?? 1;
    rcu += found.rcu;
    return found;
  };
  const counting = withReplacedCalls(store, {
    query: (request) => counted(store.query(request)),
    getMany: (keys, options) => {
      const isOfRegistry = keys.some(({ source }) => source === '~edgeloom');
      return keys.length === 0 || isOfRegistry ? store.getMany(keys, options) : counted(store.getMany(keys, options));
    },
  });
  const shown = await read(createReader(goals, { store: counting }));
  return { calls, rcu, shown };
}

async function readPage(reader: Reader): Promise<string[]> {
  const { items } = await reader.page('TEAM-1', 'TEAMGOAL', { with: LEVELS });
  const shown: string[] = [];
  const follow = ({ attributes, edges = {} }: AnyPageNode): void => {
    shown.push(nameOf(attributes));
    for (const { node } of Object.values(edges).flat()) follow(node);
  };
  items.forEach(follow);
  return shown;
}

async function readEach(reader: Reader): Promise<string[]> {
  const { items } = await reader.inbound('TEAM-1', 'TEAMGOAL');
  const shown: string[] = [];
  const follow = async (id: `GOAL-${string}` | `KEYRESULT-${string}`): Promise<void> => {
    const [node] = await reader.getViews([id]);
    shown.push(nameOf(node!.attributes));
    for (const { type, target } of node!.edgeSet) {
      if (type === 'GOALMEMBERSHIP') shown.push(nameOf((await reader.getViews([target]))[0]!.attributes));
      else await follow(target as `KEYRESULT-${string}`);
    }
  };
  for (const { source } of items) await follow(source);
  return shown;
}

function nameOf(attributes: unknown): string {
  const { name, title } = Object(attributes) as { name?: string; title?: string };
  return String(name ?? title);
}
