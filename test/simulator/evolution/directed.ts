import { setTimeout as delay } from 'node:timers/promises';
import { fixedModel } from '../../../src/registry/writer-model.ts';
import { redriveRecords } from '../../../src/repair/redrive-records.ts';
import { modelOf, PLAIN_SPEC, type Spec } from './models.ts';
import type { Question } from './oracle.ts';
import { Stage } from './stage.ts';

/**
 * Schedules of model changes that are written down and not drawn: what they show is too rare for a draw. Each gives the answers
 * that are wrong.
 */

const SEARCH_P: Question = { text: 'search p', kind: 'search', argument: 'p' };
const GET: Question = { text: 'get', kind: 'get', argument: '' };
/** Longer than the margin in which a record still counts as old. */
const LATER_MS = 6 * 60_000;
const HOUR_MS = 60 * 60_000;

const UNSEARCHED: Spec = { ...PLAIN_SPEC, hasSearch: false };
const MORE_SHARDS: Spec = { ...PLAIN_SPEC, shards: 3 };
const FOLDED: Spec = { ...PLAIN_SPEC, fold: true };
const LABELLED: Spec = { ...PLAIN_SPEC, labels: ['r'] };

/** The schedules, by what happens in them. */
export const DIRECTED: Readonly<Record<string, () => Promise<string[]>>> = {
  'an old record comes again after its projection was built': async () => {
    const stage = new Stage();
    await stage.migrate(UNSEARCHED);
    const first = await stage.write('N-0', 'N-0', { tag: 'p' });
    await stage.project(UNSEARCHED, first);
    await stage.project(UNSEARCHED, await stage.write('N-0', 'N-0', { tag: 'q' }));
    await stage.migrate(PLAIN_SPEC);
    await stage.project(PLAIN_SPEC, first);
    return await stage.wrongAnswers(PLAIN_SPEC);
  },

  'an old record comes again many hours after its projection was built': async () => {
    const stage = new Stage();
    await stage.migrate(UNSEARCHED);
    const first = await stage.write('N-0', 'N-0', { tag: 'p' });
    await stage.project(UNSEARCHED, first);
    await stage.project(UNSEARCHED, await stage.write('N-0', 'N-0', { tag: 'q' }));
    await stage.migrate(PLAIN_SPEC);
    stage.nowMs += 20 * HOUR_MS;
    await stage.project(PLAIN_SPEC, first);
    return await stage.wrongAnswers(PLAIN_SPEC);
  },

  'a consumer stands still with an old record, and the item agrees with the next one': async () => {
    const stage = new Stage();
    await stage.migrate(UNSEARCHED);
    await stage.project(UNSEARCHED, await stage.write('N-0', 'N-0', { tag: 'p' }));
    await stage.migrate(PLAIN_SPEC);
    const second = await stage.write('N-0', 'N-0', { tag: 'q' });
    const { store, arrived, letGo } = stage.standing((method, [update]) => method === 'update' && isOfSearch(update));
    const held = stage.project(PLAIN_SPEC, second, { store });
    await arrived;
    await stage.project(PLAIN_SPEC, await stage.write('N-0', 'N-0', { tag: 'p' }));
    letGo();
    await held;
    return await stage.wrongAnswers(PLAIN_SPEC);
  },

  'a reader stands still while its generation goes': async () => {
    const stage = await tagged();
    const { store, arrived, letGo } = stage.standing((method) => method === 'query');
    const wrong = stage.wrongAnswer(stage.reader(PLAIN_SPEC, store), SEARCH_P);
    await arrived;
    await stage.migrate(MORE_SHARDS);
    letGo();
    return await wrong;
  },

  'what a reader has read of the registry comes late': async () => {
    const stage = await tagged();
    const { store, arrived, letGo } = stage.standing((method) => method === 'get', 'after');
    const wrong = stage.wrongAnswer(stage.reader(PLAIN_SPEC, store), SEARCH_P);
    await arrived;
    await stage.migrate(MORE_SHARDS);
    letGo();
    return await wrong;
  },

  'a reader goes on with its lease while its generation goes': async () => {
    const stage = await tagged();
    const reader = stage.reader(PLAIN_SPEC);
    await reader.ask(SEARCH_P);
    await stage.migrate(MORE_SHARDS);
    return await stage.wrongAnswer(reader, SEARCH_P);
  },

  'an edge is added to a view of the shape before': async () => {
    const stage = new Stage();
    await stage.migrate(PLAIN_SPEC);
    await stage.project(PLAIN_SPEC, await stage.write('N-0', 'E-N-1', { r: 'X' }));
    // Distrusted, waited, installed, noted.
    await stage.migrate(LABELLED, { mostSteps: 4 });
    stage.nowMs += LATER_MS;
    await stage.project(LABELLED, await stage.write('N-0', 'E-N-2', { r: 'Y' }));
    await stage.migrate(LABELLED);
    return await stage.wrongAnswers(LABELLED);
  },

  'a node that was never projected is read before its view is made': async () => {
    const stage = await adopted();
    return await stage.wrongAnswer(stage.reader(PLAIN_SPEC), GET);
  },

  'a node that was never projected gets an edge before its view is made': async () => {
    const stage = await adopted();
    stage.nowMs += LATER_MS;
    await stage.project(PLAIN_SPEC, await stage.write('N-0', 'E-N-1', { r: 'X' }));
    await stage.migrate(PLAIN_SPEC);
    return await stage.wrongAnswers(PLAIN_SPEC);
  },

  'a reader begins when a projection has just become ready': async () => {
    const stage = new Stage();
    await stage.migrate(UNSEARCHED);
    await stage.project(UNSEARCHED, await stage.write('N-0', 'N-0', { tag: 'p' }));
    const store = await stage.lagging(3_000);
    await stage.migrate(PLAIN_SPEC, { store });
    return await stage.wrongAnswer(stage.reader(PLAIN_SPEC, store), SEARCH_P);
  },

  'a write of the backfill lands late': async () => {
    const stage = new Stage();
    await stage.migrate(UNSEARCHED);
    await stage.project(UNSEARCHED, await stage.write('N-0', 'N-0', { tag: 'p' }));
    const { store, land } = stage.late((method, [update]) => method === 'update' && isOfSearch(update));
    await expectFailure(stage.migrate(PLAIN_SPEC, { store }));
    await stage.migrate(PLAIN_SPEC);
    await stage.project(PLAIN_SPEC, await stage.write('N-0', 'N-0', { tag: 'q' }));
    await land();
    return await stage.wrongAnswers(PLAIN_SPEC);
  },

  'a table is registered in which a deletion was never projected': async () => {
    const stage = new Stage();
    await stage.project(PLAIN_SPEC, await stage.write('N-0', 'N-0', { tag: 'p' }));
    await stage.write('N-0', 'N-0');
    await stage.migrate(PLAIN_SPEC);
    return await stage.wrongAnswers(PLAIN_SPEC);
  },

  'a consumer that knew no registry stands still until the search is ready': async () => {
    const stage = new Stage();
    const held = await stage.write('N-0', 'N-0', { tag: 'p' });
    await stage.migrate(UNSEARCHED);
    await stage.project(UNSEARCHED, await stage.write('N-0', 'N-0'));
    await stage.migrate(PLAIN_SPEC);
    await stage.project(PLAIN_SPEC, held, { model: fixedModel(modelOf(PLAIN_SPEC)) });
    return await stage.wrongAnswers(PLAIN_SPEC);
  },

  'a generation becomes ready and is withdrawn once more while a run is about to leave it off': async () => {
    const stage = await tagged();
    await stage.migrate(FOLDED);
    const retire = { kind: 'retire', name: 'search:N.tag' } as const;
    let hasWaited = false;
    const { store, arrived, letGo } = stage.standing((method) => hasWaited && method === 'get');
    const onStep = ({ step }: { step: string }): void => {
      hasWaited ||= step === 'wait';
    };
    const leaving = stage.migrate(FOLDED, { store, action: retire, onStep });
    await arrived;
    await stage.migrate(PLAIN_SPEC);
    const reader = stage.reader(PLAIN_SPEC);
    await reader.ask(SEARCH_P);
    await stage.migrate(FOLDED, { action: retire, mostSteps: 1 });
    letGo();
    await leaving;
    return await stage.wrongAnswer(reader, SEARCH_P);
  },

  'a run stands still before its write of the registry': async () => {
    const stage = await tagged();
    let isVerified = false;
    const { store, arrived, letGo } = stage.standing((method) => isVerified && method === 'update');
    const onStep = ({ step }: { step: string }): void => {
      isVerified ||= step === 'backfill';
    };
    const making = stage.migrate(FOLDED, { store, onStep, mostSteps: 4 });
    await arrived;
    await stage.migrate(PLAIN_SPEC, { action: { kind: 'withdraw', name: 'search:N.tag@2' } });
    letGo();
    await making;
    return await stage.wrongAnswers(FOLDED);
  },

  'a reader goes on with its lease while views get another shape': async () => {
    const stage = new Stage();
    await stage.migrate(LABELLED);
    await stage.project(LABELLED, await stage.write('N-0', 'E-N-1', { r: 'X' }));
    const reader = stage.reader(LABELLED);
    await reader.ask(GET);
    const { store, arrived, letGo } = stage.standing((method) => method === 'scan');
    const changing = stage.migrate(PLAIN_SPEC, { store });
    await arrived;
    await stage.project(PLAIN_SPEC, await stage.write('N-0', 'E-N-1', { r: 'Y' }));
    const wrong = await stage.wrongAnswer(reader, GET);
    letGo();
    await changing;
    return wrong;
  },

  'a reader begins when views are out of use, and goes on with its lease': async () => {
    const stage = new Stage();
    await stage.migrate(LABELLED);
    await stage.project(LABELLED, await stage.write('N-0', 'E-N-1', { r: 'X' }));
    let hasWaited = false;
    const install = stage.standing((method) => hasWaited && method === 'update');
    const scan = stage.standing((method) => method === 'scan', 'before', install.store);
    const onStep = ({ step }: { step: string }): void => {
      hasWaited ||= step === 'wait';
    };
    const changing = stage.migrate(PLAIN_SPEC, { store: scan.store, onStep });
    await install.arrived;
    const reader = stage.reader(LABELLED);
    await reader.ask(GET);
    install.letGo();
    await scan.arrived;
    await stage.project(PLAIN_SPEC, await stage.write('N-0', 'E-N-1', { r: 'Y' }));
    const wrong = await stage.wrongAnswer(reader, GET);
    scan.letGo();
    await changing;
    return wrong;
  },

  'a repair meets an item of an id that the registry does not know': async () => {
    const stage = await tagged();
    const key = { source: 'N-0', target: '~ix/@9/tag' };
    const { item } = await stage.table.get({ ...key, target: '~ix/tag' }, { consistent: true });
    await stage.table.put({ ...item, target: { S: key.target }, gsi0pk: { S: 'N.tag@9#0' } });
    await stage.check(PLAIN_SPEC, 'repair');
    const { item: left } = await stage.table.get(key, { consistent: true });
    return left?.['gsi0pk'] === undefined ? ['it is gone'] : [];
  },

  'a table is restored, and the records of its latest writes are lost': async () => {
    const stage = new Stage();
    const table = { id: 'table-1', streamLabel: '2026-01-01T00:00:00.000' };
    await stage.migrate(PLAIN_SPEC, { table });
    await stage.project(PLAIN_SPEC, await stage.write('N-0', 'N-0', { a: '1', tag: 'p' }));
    await stage.write('N-0', 'N-0', { a: '2', tag: 'q' });
    await stage.migrate(PLAIN_SPEC, { table: { ...table, id: 'table-2' } });
    return await stage.wrongAnswers(PLAIN_SPEC);
  },

  'an index still shows what was mended right before its projection becomes ready': async () => {
    const stage = new Stage();
    const table = { id: 'table-1', streamLabel: '2026-01-01T00:00:00.000' };
    await stage.migrate(PLAIN_SPEC, { table });
    await stage.project(PLAIN_SPEC, await stage.write('N-0', 'N-0', { a: '1', tag: 'p' }));
    await stage.write('N-0', 'N-0', { a: '1' });
    const store = await stage.lagging(3_000);
    // Doubted, noted, built, ready.
    await stage.migrate(PLAIN_SPEC, { store, table: { ...table, id: 'table-2' }, mostSteps: 4 });
    return await stage.wrongAnswer(stage.reader(PLAIN_SPEC, store), SEARCH_P);
  },

  'a check stands still while views get another shape, and another one when it looks again': async () => {
    const stage = await tagged();
    const scan = stage.standing((method) => method === 'scan');
    const look = stage.standing((method, [key]) => isOfHead(method, key) && hasScanned, 'after', scan.store);
    let hasScanned = false;
    const wrong = stage.check(PLAIN_SPEC, 'report', look.store);
    await scan.arrived;
    hasScanned = true;
    await stage.migrate({ ...PLAIN_SPEC, view: ['b'] });
    scan.letGo();
    await look.arrived;
    await stage.migrate({ ...PLAIN_SPEC, view: ['a', 'b'] });
    look.letGo();
    return await wrong;
  },

  'a batch that was given up is redriven by a tool of the model before': async () => {
    const stage = new Stage();
    await stage.migrate(PLAIN_SPEC);
    const records = await stage.write('N-0', 'N-0', { tag: 'p' });
    await redriveRecords(records, { graph: modelOf(UNSEARCHED), store: stage.table });
    return await stage.wrongAnswers(PLAIN_SPEC);
  },

  'a reader of another shape reads what edges copy': async () => {
    const stage = new Stage();
    const copying: Spec = { ...LABELLED, copy: true };
    await stage.migrate(copying);
    await stage.project(copying, await stage.write('N-1', 'N-1', { a: '1', b: '3' }));
    await stage.project(copying, await stage.write('N-0', 'E-N-1', { r: 'X' }));
    return await stage.wrongAnswers({ ...copying, view: ['b'] });
  },

  'a check of views that are being made anew finds nothing missing': async () => {
    const stage = await tagged();
    const other: Spec = { ...PLAIN_SPEC, view: ['b'] };
    // Out of use, waited for, installed: what has no view yet is no drift.
    await stage.migrate(other, { mostSteps: 3 });
    await stage.write('N-1', 'N-1', { a: '1' });
    return await stage.check(other);
  },

  'views that copy again leave no reverse item of an edge that went meanwhile': async () => {
    const stage = new Stage();
    const copying: Spec = { ...PLAIN_SPEC, copy: true };
    await stage.migrate(copying);
    await stage.project(copying, await stage.write('N-1', 'N-1', { a: '1' }));
    await stage.project(copying, await stage.write('N-0', 'E-N-1', {}));
    await stage.migrate(PLAIN_SPEC);
    await stage.project(PLAIN_SPEC, await stage.write('N-0', 'E-N-1'));
    await stage.migrate(copying);
    return await stage.check(copying);
  },
};

/** Nothing in a schedule waits for the outside: what takes longer waits for something that does not come. */
const LONGEST_MS = 5_000;

/** Runs them all; gives what is wrong, by the schedule, and `threw` where one cannot be played to its end. */
export async function directedEvolutions(): Promise<string[]> {
  const wrong: string[] = [];
  for (const [name, play] of Object.entries(DIRECTED)) {
    const end = new AbortController();
    const endless = delay(LONGEST_MS, undefined, { signal: end.signal }).then(() => [
      'threw: it does not come to its end',
    ]);
    const failed = (error: unknown): string[] => [`threw: ${String(error)}`];
    const answers = await Promise.race([play().catch(failed), endless]);
    end.abort();
    endless.catch(() => undefined);
    wrong.push(...answers.map((answer) => `${name}: ${answer}`));
  }
  return wrong;
}

/** A registered table with a node that is found. */
async function tagged(): Promise<Stage> {
  const stage = new Stage();
  await stage.migrate(PLAIN_SPEC);
  await stage.project(PLAIN_SPEC, await stage.write('N-0', 'N-0', { a: '1', tag: 'p' }));
  return stage;
}

/** A table that was filled before it had a stream, registered and noted. */
async function adopted(): Promise<Stage> {
  const stage = new Stage();
  await stage.write('N-0', 'N-0', { a: '1', tag: 'p' });
  // Registered, looked at, noted.
  await stage.migrate(PLAIN_SPEC, { mostSteps: 3 });
  return stage;
}

/** A run ends with the call that fails for it. */
async function expectFailure(run: Promise<void>): Promise<void> {
  const isOver = await run.then(
    () => true,
    () => false,
  );
  if (isOver) throw new Error('No call of the run has failed.');
}

function isOfHead(method: string, key: unknown): boolean {
  return method === 'get' && (key as { target: string }).target === 'head';
}

function isOfSearch(update: unknown): boolean {
  return /^~ix\/(@\d+\/)?tag/.test((update as { key: { target: string } }).key.target);
}
