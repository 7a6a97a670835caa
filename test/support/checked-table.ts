import { createWriter } from '../../src/client/write/writer.ts';
import type { Item } from '../../src/core/items/attribute-value.ts';
import type { CompiledModel } from '../../src/core/model/compiled.ts';
import type { ScanSource, Store } from '../../src/core/store-port.ts';
import { type CheckOptions, type CheckResult, check } from '../../src/trust/check/check.ts';
import type { Finding } from '../../src/trust/check/finding.ts';
import { goalGraph } from './contracts-model.ts';
import { testTable, uniqueTableName } from './table.ts';

/** Long enough for nothing: the tests project before they check. */
const GRACE_MS = 20;

/** A table of goals, users and teams, projected, with what tests of the check do to it. */
export async function checkedTable(goals = 3, model: (table: string) => ReturnType<typeof goalGraph> = goalGraph) {
  const table = await testTable(model(uniqueTableName()));
  const { graph, store } = table;
  const writer = createWriter(graph, { store });
  for (let u = 1; u <= 3; u++) {
    await writer.putNode(`USER-U${u}`, {
      name: `User ${u}`,
      email: `U${u}@x.org`,
      favoriteFoods: ['ramen', `dish ${u}`],
    });
  }
  for (let g = 1; g <= goals; g++) {
    await writer.putNode(`GOAL-G${g}`, { title: `Goal ${g}`, status: 'open', dueDate: `2026-0${1 + (g % 9)}-01` });
    for (let u = 1; u <= 3; u++) {
      await writer.putEdge(`GOAL-G${g}`, 'GOALMEMBERSHIP', `USER-U${u}`, {
        memberRole: u === 1 ? 'LEAD' : 'CONTRIBUTOR',
        date: '2026-07-01',
      });
      await writer.putEdge(`GOAL-G${g}`, 'GOALSUBSCRIBER', `USER-U${u}`, { since: '2026' });
    }
  }
  await table.projectAll();

  return { ...table, writer, ...checkTools(graph, store) };
}

/** What tests of the check do to a table. */
export function checkTools(graph: CompiledModel, store: Store & ScanSource) {
  /** Runs a check; gives its result and what it found, worst first. */
  async function run(options: Partial<CheckOptions> = {}): Promise<CheckResult & { findings: Finding[] }> {
    const findings: Finding[] = [];
    const result = await check(graph, {
      ...{ store, graceMs: GRACE_MS, segments: 4 },
      onFinding: (finding) => findings.push(finding),
      ...options,
    });
    return { ...result, findings };
  }

  /** A stored item, which has to be there. */
  async function read(source: string, target: string): Promise<Item> {
    const { item } = await store.get({ source, target }, { consistent: true });
    if (item === undefined) throw new Error(`there is no ${source} ${target}`);
    return item;
  }

  /** Changes a derived item by hand, which no program but the projector should do. */
  async function corrupt(source: string, target: string, change: (item: Item) => Item): Promise<void> {
    await store.put(change(await read(source, target)));
  }

  return { run, read, corrupt };
}

/** `source target verdict` of each finding that is drift, sorted. */
export function driftOf(findings: readonly Finding[]): string[] {
  return findings
    .filter(({ verdict }) => ['missing', 'stale', 'orphan', 'pending'].includes(verdict))
    .map(({ source, target, verdict }) => `${source} ${target} ${verdict}`)
    .sort();
}
