import type { Item } from '../../../../src/core/items/attribute-value.ts';
import type { ChangeRecord } from '../../../../src/core/items/change-record.ts';
import { createProjector } from '../../../../src/projecting/apply/projector.ts';
import { fixedModel } from '../../../../src/registry/writer-model.ts';
import { check } from '../../../../src/trust/check/check.ts';
import { MemoryStore } from '../../../support/memory-store/memory-store.ts';
import { baseItem, change } from '../../../support/records.ts';
import { textOf } from '../../kernel/values.ts';
import { REFUSAL_SCHEDULES } from './directed-refusals.ts';
import { TOTAL_SCHEDULES } from './directed-totals.ts';
import { graphOf, type ModelOptions, PLAIN_OPTIONS } from './models.ts';
import { StandingStore } from './standing-store.ts';
import { derivedDifferences } from './verdict.ts';

/**
 * Schedules that are written down and not drawn: what they show is too rare for a draw. Each gives what is wrong in the end.
 */
export async function directedSchedules(): Promise<string[]> {
  const played = [
    ...[writeMinutesLater, copyBehindAFanOut, shrunkenType, baseItemsComeBack],
    ...REFUSAL_SCHEDULES,
    ...TOTAL_SCHEDULES,
  ];
  const wrong: string[] = [];
  for (const play of played) wrong.push(...(await play()));
  return wrong;
}

const SOURCE = 'GOAL-1';

function edge(target: string, role: string): Item {
  return baseItem(SOURCE, target, { role: { S: role } });
}

function record(number: number, target: string, before?: string, after?: string): ChangeRecord {
  const [oldRole, newRole] = [before, after].map((role) => (role === undefined ? undefined : { role: { S: role } }));
  return change(SOURCE, target, oldRole, newRole, number);
}

/** A write of an edge's item lands minutes after its reads. By then the edge has been removed, and TTL has deleted what it may. */
async function writeMinutesLater(): Promise<string[]> {
  const graph = graphOf(PLAIN_OPTIONS);
  const store = new StandingStore(graph.table);
  let nowMs = Date.parse('2026-01-02');
  const project = (one: ChangeRecord) =>
    createProjector(graph, { store, model: fixedModel(graph), now: () => nowMs }).project([one]);
  const target = 'MEMBER-USER-1';
  await store.put(edge(target, 'LEAD'));
  const { arrived, letGo } = store.stand('write');
  const late = project(record(1, target, undefined, 'LEAD'));
  await arrived;
  await store.delete({ source: SOURCE, target });
  await project(record(2, target, 'LEAD'));
  nowMs += 14 * 60_000;
  store.expire(nowMs / 1000);
  letGo();
  await late;
  return derivedDifferences(PLAIN_OPTIONS, [...store.items()]);
}

/**
 * A copy is lost that a fan-out has passed. The fan-out goes on all the while a check looks, and will not come back: the check has
 * to mend the copy.
 */
async function copyBehindAFanOut(): Promise<string[]> {
  const options: ModelOptions = { ...PLAIN_OPTIONS, copies: 'name' };
  const graph = graphOf(options);
  const store = new MemoryStore(graph.table);
  const model = fixedModel(graph);
  const user: Item = baseItem('USER-1', 'USER-1', { name: { S: 'First' } });
  const member = edge('MEMBER-USER-1', 'LEAD');
  for (const item of [user, member]) await store.put(item);
  await createProjector(graph, { store, model }).project([
    { ...record(1, 'USER-1'), source: 'USER-1', newImage: user },
    record(2, 'MEMBER-USER-1', undefined, 'LEAD'),
  ]);
  const view = { source: SOURCE, target: '~view' };
  const { item } = await store.get(view, { consistent: true });
  await store.put({ ...item, copies: { M: {} } });
  const continuation = { source: 'USER-1', target: '~more/MEMBER' };
  let nowMs = Date.parse('2026-01-02');
  let place = 2;
  const goOn = async (): Promise<void> => {
    const keys = { source: { S: continuation.source }, target: { S: continuation.target } };
    await store.put({ ...keys, after: { S: `~rev/MEMBER-GOAL-${place}` }, r: { N: String(place) } });
    place += 1;
  };
  await goOn();
  await check(graph, {
    ...{ store, model, mode: 'repair', segments: 1, graceMs: 1_000 },
    now: () => nowMs,
    wait: async (milliseconds) => {
      nowMs += milliseconds;
      await goOn();
    },
  });
  await store.delete(continuation);
  return derivedDifferences(options, [...store.items()]);
}

/** An edge type that has left its view shrinks until it fits again: a repair brings it back, with all of its edges. */
async function shrunkenType(): Promise<string[]> {
  const options: ModelOptions = { ...PLAIN_OPTIONS, labels: 'computed', budget: 'tight' };
  const graph = graphOf(options);
  const store = new MemoryStore(graph.table);
  const model = fixedModel(graph);
  const targets = ['MEMBER-USER-1', 'MEMBER-USER-2'];
  const put = async (role: string, before?: string): Promise<void> => {
    for (const target of targets) await store.put(edge(target, role));
    const records = targets.map((target, i) => record(i + 1, target, before, role));
    await createProjector(graph, { store, model }).project(records);
  };
  await put('LEAD');
  const { item: view } = await store.get({ source: SOURCE, target: '~view' }, { consistent: true });
  await put('TEAM', 'LEAD');
  await check(graph, { store, model, mode: 'repair', segments: 1, graceMs: 0 });
  const before = view?.['evicted'] === undefined ? [`${SOURCE} ~view: no edge type has left it`] : [];
  return [...before, ...derivedDifferences(options, [...store.items()])];
}

/**
 * A check finds index items whose base items are gone, and these come back before it looks again: only the key of an index item says
 * which base item that is.
 */
async function baseItemsComeBack(): Promise<string[]> {
  const options: ModelOptions = { ...PLAIN_OPTIONS, named: 'date', parts: 'ordering' };
  const graph = graphOf(options);
  const store = new MemoryStore(graph.table);
  const model = fixedModel(graph);
  const node: Item = baseItem(SOURCE, SOURCE, { title: { S: 'First' } });
  const part: Item = baseItem(SOURCE, 'STATE', { status: { S: 'open' }, tags: { SS: ['red'] } });
  const member: Item = { ...edge('MEMBER-USER-1', 'LEAD'), date: { S: '2026-01-01' } };
  let number = 0;
  const put = async (newImage: Item): Promise<void> => {
    await store.put(newImage);
    number += 1;
    const only = { ...record(number, textOf(newImage['target'])), oldImage: undefined, newImage };
    await createProjector(graph, { store, model }).project([only]);
  };
  for (const item of [node, part, member]) await put(item);
  for (const { target } of [part, member]) await store.delete({ source: SOURCE, target: textOf(target) });
  let nowMs = Date.parse('2026-01-02');
  await check(graph, {
    ...{ store, model, mode: 'repair', segments: 1, graceMs: 1_000 },
    now: () => nowMs,
    wait: async (milliseconds) => {
      nowMs += milliseconds;
      for (const item of [part, member]) await put(item);
    },
  });
  return derivedDifferences(options, [...store.items()]);
}
