import { createWriter, type Writer } from '../../../src/client/write/writer.ts';
import { stringOf } from '../../../src/core/items/attribute-value.ts';
import { DERIVED_PREFIX } from '../../../src/core/items/keys.ts';
import type { ScanSource, Store } from '../../../src/core/store-port.ts';
import { sleep } from '../../../src/foundation/runtime.ts';
import type { DemoData } from './data.ts';
import { airportId } from './expected.ts';
import { airportsAndGoals } from './model.ts';

const TEAMS = { web: 'Web', data: 'Data', ground: 'Ground crew', sales: 'Sales' } as const;
const PEOPLE = { terui: 'Terui', tanaka: 'Tanaka', ada: 'Ada', li: 'Li Wei', noor: 'Noor', omar: 'Omar' } as const;

const GOALS: Readonly<
  Record<string, readonly [title: string, team: string, lead: string, results: Record<string, number>]>
> = {
  speed: [
    'Halve the page load time',
    'web',
    'terui',
    { 'Serve images half as large': 60, 'Answer 9 of 10 from the cache': 35 },
  ],
  audit: ['Pass the audit', 'data', 'ada', { 'Review who may read what': 80, 'Encrypt the archive': 10 }],
  turn: [
    'Turn an aircraft in 30 minutes',
    'ground',
    'noor',
    { 'Load bags in parallel': 45, 'One walk-round for each gate': 20 },
  ],
  fares: ['Show every fare in one list', 'sales', 'omar', { 'Take fares from three partners': 70 }],
  fonts: ['Load no font before the text', 'web', 'tanaka', { 'Subset the fonts': 90 }],
  lag: ['Answer within 50 ms', 'data', 'li', { 'Read from the nearest region': 15, 'Keep lists short': 55 }],
};

export async function writeCompany(writer: Writer<typeof airportsAndGoals>): Promise<void> {
  const since = (i: number): string =>
    `2026-${String(1 + (i % 9)).padStart(2, '0')}-${String(1 + (i % 27)).padStart(2, '0')}`;
  await writer.batch((batch) => {
    for (const [id, name] of Object.entries(TEAMS)) batch.putNode(`TEAM-${id}`, { name });
    for (const [id, name] of Object.entries(PEOPLE)) batch.putNode(`USER-${id}`, { name });
    for (const [i, [id, [title, team, lead, results]]] of Object.entries(GOALS).entries()) {
      const goal = `GOAL-${id}` as const;
      batch.putNode(goal, { title, status: i % 3 === 2 ? 'PLANNED' : 'OPEN', dueDate: since(i + 8) });
      batch.putEdge(goal, 'MEMBER', `TEAM-${team}`, { role: 'TEAM', since: since(i), hours: 40 + i });
      batch.putEdge(goal, 'MEMBER', `USER-${lead}`, { role: 'LEAD', since: since(i), hours: 12 + i });
      for (const [n, [resultTitle, percent]] of Object.entries(results).entries()) {
        const result = `KEYRESULT-${id}${n + 1}` as const;
        batch.putNode(result, { title: resultTitle, percent });
        batch.putEdge(goal, 'HAS_RESULT', result);
        batch.putEdge(result, 'MEMBER', `TEAM-${team}`, { role: 'TEAM', since: since(n), hours: 8 });
      }
      const people = Object.keys(PEOPLE);
      for (const n of [1, 2, 3]) {
        const helper = people[(people.indexOf(lead) + n) % people.length]!;
        batch.putEdge(goal, 'MEMBER', `USER-${helper}`, { role: 'HELPER', since: since(i + n), hours: 2 + n });
      }
      for (const [n, user] of people.entries()) {
        if ((n + i) % 2 === 0) batch.putEdge(`USER-${user}`, 'FOLLOWS', goal, { since: since(n + i) });
      }
    }
    batch.putEdge('GOAL-speed', 'SUBGOAL', 'GOAL-fonts');
    batch.putEdge('GOAL-speed', 'SUBGOAL', 'GOAL-lag');
  });
}

/** Writes occasionally until the signal is aborted, so that the studio shows activity. */
export async function writeLightly(store: Store, { routes }: DemoData, signal: AbortSignal): Promise<void> {
  const writer = createWriter(airportsAndGoals, { store });
  const results = Object.entries(GOALS).flatMap(([id, [, , , all]]) =>
    Object.entries(all).map(([title], n) => ({ id: `KEYRESULT-${id}${n + 1}` as const, title })),
  );
  const roles = ['HELPER', 'LEAD'] as const;
  for (let i = 0; !signal.aborted; i++) {
    const result = results[i % results.length]!;
    const route = routes[(i * 37) % routes.length]!;
    const writes = [
      () => writer.putNode(result.id, { title: result.title, percent: (i * 7) % 101 }),
      () =>
        writer.putEdge('GOAL-lag', 'MEMBER', 'USER-omar', {
          role: roles[i % 2]!,
          since: '2026-07-15',
          hours: 4 + (i % 9),
        }),
      () => writer.putEdge(airportId(route.origin), 'ROUTE', airportId(route.destination), { count: route.count + i }),
    ];
    await writes[i % writes.length]!();
    // The signal ends the sleep early.
    await sleep(LIGHT_MS, signal).catch(() => undefined);
  }
}

const LIGHT_MS = 1_700;

/** The edge that `demo --studio` shows first. */
export const FIRST_EDGE = { source: 'GOAL-speed', target: 'MEMBER-USER-tanaka' } as const;

/** Writes a base item that no order can take, and corrupts a derived item. */
export async function plantTrouble(store: Store & ScanSource): Promise<void> {
  await store.put({ source: { S: 'AIRPORT-SEA' }, target: { S: 'ROUTE-AIRPORT-HOM' }, count: { S: 'many' } });
  const { items } = await store.query({
    partition: PLANTED,
    sortKey: { beginsWith: DERIVED_PREFIX },
    consistent: true,
  });
  const title = items.find(({ value }) => stringOf(value) === GOALS['audit']![0]);
  await store.put({ ...title!, gsi0sk: { S: `pass the odit\0${PLANTED}` } });
}

export const PLANTED = 'GOAL-audit';
