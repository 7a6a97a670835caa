import { createReader } from '../src/client/read/reader.ts';
import { defineGraph } from '../src/core/model/compile/define-graph.ts';
import { edge, node, rank } from '../src/core/model/schema.ts';
import type { BenchmarkOptions } from './support/command.ts';
import type { Item } from './support/images.ts';
import { interleaved, ratios, secondsOf, type Timing, timed } from './support/paired.ts';
import { loadProjected } from './support/projecting.ts';
import { atMost, figure, type Report } from './support/report.ts';
import { spread } from './support/statistics.ts';
import { withFreshTable } from './support/table.ts';

/** A page of goals with leads and teams: three steps, two with copied names, against a request for each node. */

const GOALS = 100;
const REPETITIONS = 7;
const TEAM = 'TEAM-T0';

const MEMBER = {
  from: 'GOAL',
  to: ['USER', 'TEAM'],
  edgeSet: ['role'],
  inbound: { orders: { gsi0: rank('role', { LEAD: 500, TEAM: 300 }) } },
} as const;
const definition = {
  table: 'bench',
  nodes: { GOAL: node({ view: ['title'] }), USER: node({ view: ['name'] }), TEAM: node({ view: ['name'] }) },
};
const model = defineGraph({ ...definition, edges: { MEMBER: edge(MEMBER) } });
const copying = defineGraph({ ...definition, edges: { MEMBER: edge({ ...MEMBER, copy: ['name'] }) } });

/** 100 goals of a team, each with its own lead and another team. */
function goals(): Item[] {
  const items: [source: string, target: string, attribute: string, value: string][] = [
    [TEAM, TEAM, 'name', 'Platform'],
  ];
  for (let i = 0; i < GOALS; i++) {
    const goal = `GOAL-G${i}`;
    items.push([goal, goal, 'title', `goal ${i}`], [`USER-U${i}`, `USER-U${i}`, 'name', `lead ${i}`]);
    items.push([goal, `MEMBER-USER-U${i}`, 'role', 'LEAD'], [goal, `MEMBER-${TEAM}`, 'role', 'TEAM']);
    items.push([goal, `MEMBER-TEAM-T${1 + (i % 5)}`, 'role', 'TEAM']);
  }
  for (let i = 1; i <= 5; i++) items.push([`TEAM-T${i}`, `TEAM-T${i}`, 'name', `team ${i}`]);
  return items.map(([source, target, attribute, value]) => ({
    ...{ source: { S: source }, target: { S: target } },
    [attribute]: { S: value },
  }));
}

/** Throws where a name is absent. */
async function callsWithCopies(neighbors: number): Promise<number> {
  return withFreshTable(copying, [], async ({ store }) => {
    await loadProjected(copying, store, goals());
    const { items, calls } = await createReader(copying, { store }).page(TEAM, 'MEMBER', { limit: GOALS });
    const members = items.flatMap(({ edges }) => edges.MEMBER.map(({ node }) => node));
    const names = new Map(members.map(({ id, attributes }) => [id, attributes?.name]));
    if ([...names.values()].some((name) => typeof name !== 'string')) throw new Error('a name is missing');
    if (names.size !== neighbors) throw new Error(`the page has ${names.size} names, not ${neighbors}`);
    return calls;
  });
}

export async function page({ repetitions = REPETITIONS }: BenchmarkOptions): Promise<Report[]> {
  return withFreshTable(model, [], async ({ store }) => {
    await loadProjected(model, store, goals());
    const reader = createReader(model, { store });
    let calls = 0;
    let neighbors = 0;
    const threeSteps = () =>
      timed(async () => {
        const result = await reader.page(TEAM, 'MEMBER', { limit: GOALS });
        ({ calls } = result);
        neighbors = new Set(result.items.flatMap(({ edges }) => edges.MEMBER.map(({ node }) => node.id))).size;
        if (result.items.length !== GOALS) throw new Error(`the page has ${result.items.length} goals, not ${GOALS}`);
      });
    let singleCalls = 0;
    const oneByOne = () =>
      timed(async () => {
        const { items } = await reader.inbound(TEAM, 'MEMBER', { limit: GOALS });
        singleCalls = 1;
        for (const { source } of items) {
          const [goal] = await reader.getViews([source]);
          singleCalls += 1;
          for (const { target } of goal!.edgeSet) {
            await reader.getViews([target]);
            singleCalls += 1;
          }
        }
      });
    const results = await interleaved(repetitions, { threeSteps, oneByOne }, { warmUps: 1 });
    const ms = (runs: Timing[]): number[] => secondsOf(runs, 1 / 1000);
    const fewest = 1 + Math.ceil(GOALS / 100) + Math.ceil(neighbors / 100);
    return [
      {
        name: 'page',
        title: `a page of ${GOALS} goals with ${neighbors} leads and teams`,
        figures: [
          figure('calls in three steps', calls, 'calls', atMost(fewest)),
          figure('calls where the names are copied', await callsWithCopies(neighbors), 'calls', atMost(2)),
          figure('calls one by one', singleCalls, 'calls'),
          figure('three steps', spread(ms(results.threeSteps)), 'ms'),
          figure('one by one', spread(ms(results.oneByOne)), 'ms'),
          figure('one by one against three steps', ratios(ms(results.oneByOne), ms(results.threeSteps)), 'x'),
        ],
      },
    ];
  });
}
