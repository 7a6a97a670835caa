import { setTimeout as delay } from 'node:timers/promises';
import type { Item } from '../../../../src/core/items/attribute-value.ts';
import type { ChangeRecord } from '../../../../src/core/items/change-record.ts';
import { isContinuationKey } from '../../../../src/core/plan/stream-filter.ts';
import type { DerivedUpdate, ItemKey, ScanSource, Store } from '../../../../src/core/store-port.ts';
import { EdgeloomError } from '../../../../src/foundation/errors.ts';
import { LEASE_MS } from '../../../../src/registry/reader-lease.ts';
import { decodeRegistry } from '../../../../src/registry/registry.ts';
import { fixedModel } from '../../../../src/registry/writer-model.ts';
import { redrive } from '../../../../src/trust/repair/redrive.ts';
import { redriveRecords } from '../../../../src/trust/repair/redrive-records.ts';
import { textOf } from '../../kernel/values.ts';
import { OBSERVED } from './directed-observer.ts';
import type { Question } from './questions.ts';
import type { ModelSpec, SearchSpec } from './specs.ts';
import { type IsCall, modelOf, Stage, UNSEARCHED } from './stage.ts';

/**
 * Schedules of model changes that are written down and not drawn: what they show is too rare for a draw. Each gives the answers
 * that are wrong.
 */

const SEARCH_P: Question = (questions) => questions.search('tag', { value: 'p' });
const GET: Question = (questions) => questions.views();
/** Longer than the margin in which a record still counts as old. */
const LATER_MS = 6 * 60_000;
const HOUR_MS = 60 * 60_000;

const BY_TAG = { by: 'attribute', name: 'tag' } as const;

/** A search, an order and a view. */
const PLAIN: ModelSpec = { ...UNSEARCHED, searches: { tag: { order: BY_TAG, shards: 2, project: [] } } };
const MORE_SHARDS: ModelSpec = { ...PLAIN, searches: { tag: { order: BY_TAG, shards: 3, project: [] } } };
const FOLDED: ModelSpec = {
  ...PLAIN,
  searches: { tag: { order: BY_TAG, shards: 2, project: [], caseInsensitive: true } },
};
const LABELLED: ModelSpec = { ...PLAIN, edge: { ...PLAIN.edge, set: ['r'] } };
const COPYING: ModelSpec = { ...PLAIN, edge: { ...PLAIN.edge, copy: ['a'] } };
const JOINED: ModelSpec = {
  ...PLAIN,
  edge: { ...PLAIN.edge, orders: { ...PLAIN.edge.orders, byA: { by: 'pair', name: 'r', source: 'a' } } },
};
const INITIAL: SearchSpec = { order: { by: 'derive', version: 1 }, shards: 1, project: [] };
const DERIVED: ModelSpec = { ...PLAIN, searches: { ...PLAIN.searches, initial: INITIAL } };
const UNTOTALLED: ModelSpec = { ...PLAIN, edge: { ...PLAIN.edge, orders: {} } };
const BY_KIND = { sums: {}, groups: ['kind'] };
const TOTALLED: ModelSpec = { ...PLAIN, edge: { ...UNTOTALLED.edge, incoming: BY_KIND, outgoing: BY_KIND } };
const ENTERING: ModelSpec = { ...PLAIN, edge: { ...UNTOTALLED.edge, incoming: BY_KIND } };
const LEAVING: ModelSpec = { ...PLAIN, edge: { ...PLAIN.edge, outgoing: BY_KIND } };
const STATE = { view: 'ALL', searches: {} } as const;
const PARTED: ModelSpec = { ...PLAIN, state: STATE };
const BY_MOOD: ModelSpec = {
  ...PARTED,
  edge: { ...PARTED.edge, orders: { ...PARTED.edge.orders, byMood: { by: 'source', name: 'STATE.mood' } } },
};
const BY_SINCE: ModelSpec = {
  ...PLAIN,
  edge: { ...PLAIN.edge, orders: { bySince: { by: 'attribute', name: 'since' } } },
};
const NATIVE: ModelSpec = { ...BY_SINCE, edge: { ...BY_SINCE.edge, native: true } };
const UNLISTED: ModelSpec = { ...PLAIN, edge: { ...PLAIN.edge, set: false } };
const EXTRA: ModelSpec = { ...PLAIN, extra: true };
const OTHER_VIEW: ModelSpec = { ...PLAIN, view: ['b'] };

/** More than a run lets another one take back. */
const MOST_TIMES = 20;

/** The schedules, by what happens in them. */
export const DIRECTED: Readonly<Record<string, () => Promise<string[]>>> = {
  'one worker of a divided migration is gone, and the others are done': async () => {
    const stage = new Stage();
    await stage.migrate(UNSEARCHED);
    for (let i = 1; i <= 7; i++) {
      await stage.project(UNSEARCHED, await stage.write(`A-${i}`, `A-${i}`, { tag: 'p' }));
    }
    await stage.divided(PLAIN, (share) => share === 0);
    return await stage.wrongAnswers(PLAIN);
  },
  'two divided migrations to different models take turns': async () => {
    const stage = await tagged();
    const ended = new Set<ModelSpec>();
    for (let turn = 0; turn < 60 && ended.size === 0; turn++) {
      for (const spec of [MORE_SHARDS, FOLDED]) if (await stage.hasEnded(spec)) ended.add(spec);
    }
    return ended.size === 0 ? ['neither of them comes to its end'] : [];
  },

  'a migration takes back what another one builds, each time that it waits': async () => {
    const stage = new Stage();
    await stage.migrate(UNSEARCHED);
    let times = 0;
    const takeBack = async (): Promise<void> => {
      times += 1;
      if (times > MOST_TIMES) throw new Error('it is taken back again and again');
      await stage.migrate(UNSEARCHED, { action: { kind: 'drop', name: 'search:A.tag' } });
    };
    await stage.migrate(PLAIN, { wait: takeBack }).catch((error: unknown) => {
      if (!(error instanceof EdgeloomError && error.code === 'overtaken') && times <= MOST_TIMES) throw error;
    });
    return times > MOST_TIMES ? ['neither of them comes to its end'] : [];
  },

  'an edge leaves its group while a build stands still that has read its entry': async () => {
    const stage = await projected(UNTOTALLED, ['A-1', 'AB-B-1', { kind: 'code' }]);
    const { store, arrived, letGo } = stage.standing((method) => method === 'transact');
    const building = stage.migrate(TOTALLED, { store });
    await arrived;
    stage.nowMs += LATER_MS;
    await stage.project(TOTALLED, await stage.write('A-1', 'AB-B-1', { kind: 'talk' }));
    letGo();
    await building;
    return await stage.wrongAnswers(TOTALLED);
  },

  'an edge leaves its group between two reads of a build that another run has finished': async () => {
    const stage = await projected(UNTOTALLED, ['A-1', 'AB-B-1', { kind: 'code' }]);
    // The first read of the entry tells that it is missing, the second one is the build's, the third one verifies.
    let reads = 0;
    const readsEntry: IsCall = (method, [read]) =>
      (method === 'getMany' && isOfEntry((read as ItemKey[])[0]!)) || (method === 'get' && isOfEntry(read as ItemKey));
    const isReadOfEntry = (read: number): IsCall => {
      return (method, parameters) => readsEntry(method, parameters) && reads === read;
    };
    const verifying = stage.standing(isReadOfEntry(3));
    const build = stage.standing(isReadOfEntry(2), 'before', verifying.store);
    const { store } = stage.standing(
      (method, parameters) => {
        if (readsEntry(method, parameters)) reads += 1;
        return false;
      },
      'before',
      build.store,
    );
    const building = stage.migrate(ENTERING, { store });
    await build.arrived;
    await stage.migrate(ENTERING);
    stage.nowMs += LATER_MS;
    await stage.project(ENTERING, await stage.write('A-1', 'AB-B-1', { kind: 'talk' }));
    build.letGo();
    // If the build sees that the other run has finished, it ends without verifying.
    await Promise.race([verifying.arrived, building]);
    const wrong = await stage.wrongAnswers(ENTERING);
    verifying.letGo();
    await building;
    return wrong;
  },

  'a table is registered after a model without its total has taken an edge away': async () => {
    const stage = new Stage();
    await stage.project(LEAVING, await stage.write('A-1', 'AB-B-1', { kind: 'code', r: 'X' }));
    await stage.project(PLAIN, await stage.write('A-1', 'AB-B-1'));
    await stage.migrate(LEAVING);
    return await stage.wrongAnswers(LEAVING);
  },

  'a table is registered in which the deletion of a counted edge was never projected': async () => {
    const stage = new Stage();
    await stage.project(ENTERING, await stage.write('A-1', 'AB-B-1', { kind: 'code' }));
    await stage.write('A-1', 'AB-B-1');
    await stage.migrate(ENTERING);
    return await stage.wrongAnswers(ENTERING);
  },

  'an order by a part is added to nodes that have the part': async () => {
    const stage = await projected(
      PARTED,
      ['A-1', 'A-1', { a: '1' }],
      ['A-1', 'STATE', { mood: 'calm' }],
      ['A-1', 'AB-B-1', { r: 'X' }],
    );
    await stage.migrate(BY_MOOD);
    return await stage.wrongAnswers(BY_MOOD);
  },

  'the views of a type are dropped, and come again with those of its part as they were': async () => {
    const stage = await projected(PARTED, ['A-1', 'A-1', { a: '1' }], ['A-1', 'STATE', { mood: 'calm' }]);
    await stage.migrate(PARTED, { action: { kind: 'drop', name: 'view:A' } });
    const wrong = await stage.reader(PARTED).ask(GET);
    await stage.migrate(PARTED);
    return [...wrong, ...(await stage.wrongAnswers(PARTED))];
  },

  'a reader stands still while its generation goes': async () => {
    const stage = await tagged();
    const { store, arrived, letGo } = stage.standing((method) => method === 'query');
    const wrong = stage.reader(PLAIN, { store }).ask(SEARCH_P);
    await arrived;
    await stage.migrate(MORE_SHARDS);
    letGo();
    return await wrong;
  },

  'what a reader has read of the registry comes late': async () => {
    const stage = await tagged();
    const { store, arrived, letGo } = stage.standing((method) => method === 'get', 'after');
    const wrong = stage.reader(PLAIN, { store }).ask(SEARCH_P);
    await arrived;
    await stage.migrate(MORE_SHARDS);
    letGo();
    return await wrong;
  },

  'a node changes while its generation is withdrawn beside a reader that has a lease': async () => {
    const stage = await tagged();
    const reader = stage.reader(PLAIN);
    await reader.ask(SEARCH_P);
    // Kept, noted, built, shown, ready, withdrawn.
    await stage.migrate(MORE_SHARDS, { mostSteps: 6 });
    await stage.project(PLAIN, await stage.write('A-2', 'A-2', { tag: 'p' }));
    return await reader.ask(SEARCH_P);
  },

  'a generation that a migration has waited for is ready again, has a reader, and is withdrawn once more': async () => {
    const stage = await tagged();
    await stage.migrate(FOLDED);
    let hasWaited = false;
    const deciding = stage.standing((method, [key]) => hasWaited && isOfHead(method, key));
    const onStep = ({ step }: { step: string }): void => {
      hasWaited ||= step === 'wait';
    };
    const action = { kind: 'retire', name: 'search:A.tag' } as const;
    // Withdrawn and waited for, twice.
    const retiring = stage.migrate(FOLDED, { store: deciding.store, onStep, action, mostSteps: 4 });
    await deciding.arrived;
    // Built, shown, ready.
    await stage.migrate(PLAIN, { mostSteps: 3 });
    const reader = stage.reader(PLAIN);
    const before = await reader.ask(SEARCH_P);
    deciding.letGo();
    await retiring;
    await stage.project(PLAIN, await stage.write('A-2', 'A-2', { tag: 'p' }));
    return [...before, ...(await reader.ask(SEARCH_P))];
  },

  'a reader sleeps while its generation goes, and its steady clock with it': () => answersAfterSleep(0),

  'a reader sleeps while its generation goes, and its wall clock is set back': () => answersAfterSleep(HOUR_MS),

  'a lease was asked for before a generation went, and comes when an answer has missed it': async () => {
    const stage = await tagged();
    const query = stage.standing((method) => method === 'query');
    let isSecond = false;
    const head = stage.standing((method, [key]) => isSecond && isOfHead(method, key), 'after', query.store);
    const reader = stage.reader(PLAIN, { store: head.store });
    const wrong = reader.ask(SEARCH_P);
    await query.arrived;
    stage.nowMs += LEASE_MS + 1;
    isSecond = true;
    const other = reader.ask(GET);
    await head.arrived;
    await stage.migrate(MORE_SHARDS);
    query.letGo();
    // The answer without the item that has moved is there by now, and waits for the lease.
    await delay(0);
    head.letGo();
    await other;
    return await wrong;
  },

  'a table that is projected is registered by a model of more shards beside a reader that found no registry':
    async () => {
      const stage = new Stage();
      await stage.project(PLAIN, await stage.write('A-1', 'A-1', { a: '1', b: '2', tag: 'p' }));
      const reader = stage.reader(PLAIN);
      await reader.ask(SEARCH_P);
      const other: ModelSpec = { ...MORE_SHARDS, view: ['b'] };
      const wrong: string[] = [];
      for (let mostSteps = 1; mostSteps < 12; mostSteps++) {
        await stage.migrate(other, { mostSteps });
        for (const question of [SEARCH_P, GET]) wrong.push(...(await reader.ask(question)));
      }
      return wrong;
    },

  'a consumer projects while a table is being registered, beside a reader that found no registry': async () => {
    const stage = new Stage();
    await stage.project(PLAIN, await stage.write('A-1', 'A-1', { tag: 'p' }));
    const reader = stage.reader(PLAIN);
    await reader.ask(SEARCH_P);
    await stage.migrate(MORE_SHARDS, { mostSteps: 1 });
    await stage.project(PLAIN, await stage.write('A-2', 'A-2', { tag: 'p' }));
    const wrong = await reader.ask(SEARCH_P);
    await stage.migrate(MORE_SHARDS);
    return [...wrong, ...(await stage.wrongAnswers(MORE_SHARDS))];
  },

  'a reader begins when views have just become ready, and asks a replica that lacks them': async () => {
    const stage = new Stage();
    await stage.write('A-1', 'A-1', { a: '1' });
    const store = await stage.replicated(9_000);
    await stage.migrate(PLAIN, { store });
    return await stage.reader(PLAIN, { store }).ask(GET);
  },

  'a session forgets a write that a generation lacks which is ready before the next answer': async () => {
    const stage = await tagged();
    let isShown = false;
    const making = stage.standing((method) => isShown && method === 'update');
    const onStep = ({ step }: { step: string }): void => {
      isShown ||= step === 'pause';
    };
    const migrating = stage.migrate(MORE_SHARDS, { store: making.store, onStep, mostSteps: 5 });
    await making.arrived;
    const records = await stage.write('A-2', 'A-2', { a: '2', tag: 'p' });
    const session = stage.session('A-2', 'A-2');
    // The batch fails after its first writes, and comes again later.
    const store = stage.failing((method, [update]) => method === 'update' && isOfGeneration(2, update));
    await expectFailure(stage.project(PLAIN, records, { store }));
    const reader = stage.reader(PLAIN, { session });
    const wrong: string[] = [];
    for (let look = 0; look < 4; look++) {
      stage.nowMs += 61_000;
      wrong.push(...(await reader.ask(SEARCH_P)));
    }
    making.letGo();
    await migrating;
    stage.nowMs += LEASE_MS;
    return [...wrong, ...(await reader.ask(SEARCH_P))];
  },

  'a session of a model whose views have another shape by now lets go of what is projected': async () => {
    const stage = await tagged();
    await stage.migrate(OTHER_VIEW);
    await stage.project(PLAIN, await stage.write('A-2', 'A-2', { a: '2', tag: 'p' }));
    const session = stage.session('A-2', 'A-2');
    const reader = stage.reader(PLAIN, { session });
    const wrong: string[] = [];
    for (let look = 0; look < 4; look++) {
      stage.nowMs += 61_000;
      for (const question of [GET, SEARCH_P]) wrong.push(...(await reader.ask(question)));
    }
    return session.keys().length === 0 ? wrong : [...wrong, 'the session keeps its key'];
  },

  'an edge is added to a view of the shape before': async () => {
    const stage = await projected(PLAIN, ['A-1', 'AB-B-2', { r: 'X' }]);
    // Withdrawn, waited, replaced, noted.
    await stage.migrate(LABELLED, { mostSteps: 4 });
    stage.nowMs += LATER_MS;
    await stage.project(LABELLED, await stage.write('A-1', 'AB-B-3', { r: 'Y' }));
    await stage.migrate(LABELLED);
    return await stage.wrongAnswers(LABELLED);
  },

  'a view is made whole while the node changes that it copies': async () => {
    const stage = await projected(PLAIN, ['B-2', 'B-2', { a: '1' }], ['A-1', 'AB-B-2', {}]);
    // Withdrawn, waited, replaced, noted.
    await stage.migrate(COPYING, { mostSteps: 4 });
    stage.nowMs += LATER_MS;
    const { store, arrived, letGo } = stage.standing(
      (method, [update]) => method === 'update' && isOfReverse(update, 'B-2'),
    );
    const making = stage.project(COPYING, await stage.write('A-1', 'A-1', { a: '5' }), { store });
    await arrived;
    await stage.project(COPYING, await stage.write('B-2', 'B-2', { a: '2' }));
    letGo();
    await making;
    await stage.migrate(COPYING);
    return await stage.wrongAnswers(COPYING);
  },

  'a node that was never projected is read before its view is made': async () => {
    const stage = new Stage();
    await stage.write('A-1', 'A-1', { a: '1', tag: 'p' });
    // Registered, waited, enforced, noted.
    await stage.migrate(PLAIN, { mostSteps: 4 });
    return await stage.reader(PLAIN).ask(GET);
  },

  'a reader begins when a projection has just become ready': async () => {
    const stage = await projected(UNSEARCHED, ['A-1', 'A-1', { tag: 'p' }]);
    const store = await stage.lagging(60_000);
    await stage.migrate(PLAIN, { store });
    return await stage.reader(PLAIN, { store }).ask(SEARCH_P);
  },

  'a consumer that knew no registry has another definition of a search that is added': async () => {
    const stage = new Stage();
    await stage.migrate(UNSEARCHED);
    const held: ChangeRecord[] = [];
    for (const id of ['A-1', 'A-2', 'A-3', 'A-4', 'A-5', 'A-6', 'A-7'])
      held.push(...(await stage.write(id, id, { tag: 'p' })));
    await stage.migrate(PLAIN);
    await stage.project(MORE_SHARDS, held, { model: fixedModel(modelOf(MORE_SHARDS)) });
    return await stage.wrongAnswers(PLAIN);
  },

  'a run stands still before its write of the registry': async () => {
    const stage = await tagged();
    let isVerified = false;
    const { store, arrived, letGo } = stage.standing((method) => isVerified && method === 'update');
    const onStep = ({ step }: { step: string }): void => {
      isVerified ||= step === 'backfill';
    };
    const making = stage.migrate(FOLDED, { store, onStep, mostSteps: 5 });
    await arrived;
    await stage.migrate(PLAIN, { action: { kind: 'withdraw', name: 'search:A.tag@2' } });
    letGo();
    await making;
    return await stage.wrongAnswers(FOLDED);
  },

  'a reader goes on with its lease while views get another shape': async () => {
    const stage = await projected(LABELLED, ['A-1', 'AB-B-2', { r: 'X' }]);
    const reader = stage.reader(LABELLED);
    await reader.ask(GET);
    const { store, arrived, letGo } = stage.standing((method) => method === 'scan');
    const changing = stage.migrate(PLAIN, { store });
    await arrived;
    await stage.project(PLAIN, await stage.write('A-1', 'AB-B-2', { r: 'Y' }));
    const wrong = await reader.ask(GET);
    letGo();
    await changing;
    return wrong;
  },

  'a repair meets an item of an id that the registry does not know': async () => {
    const stage = await tagged();
    const key = { source: 'A-1', target: '~ix/@9/tag' };
    const { item } = await stage.table.get({ ...key, target: '~ix/tag' }, { consistent: true });
    await stage.table.put({ ...item, target: { S: key.target }, gsi0pk: { S: 'A.tag@9#0' } });
    await stage.check(PLAIN, 'repair');
    const { item: left } = await stage.table.get(key, { consistent: true });
    return left?.['gsi0pk'] === undefined ? ['it is gone'] : [];
  },

  'a count is asked for before it is ready, of edges that no set lists': async () => {
    const stage = await projected(UNLISTED, ['A-1', 'AB-B-1', { r: 'X' }]);
    const counted: ModelSpec = { ...UNLISTED, edge: { ...UNLISTED.edge, degree: true } };
    // Kept, noted.
    await stage.migrate(counted, { mostSteps: 2 });
    return await stage.wrongAnswers(counted);
  },

  'a consumer of another model projects beside a list of nodes': async () => {
    const stage = new Stage();
    await stage.migrate({ ...PLAIN, list: true });
    return await refusals(stage.project(PLAIN, await stage.write('A-1', 'A-1', { a: '1' })));
  },

  'a consumer that lacks a function is given a record first': async () => {
    const stage = new Stage();
    await stage.migrate(DERIVED);
    const records = await stage.write('A-1', 'A-1', { a: '1', name: 'Ann' });
    // It applies nothing, so that the batch comes again.
    const waits = await refusals(stage.project(PLAIN, records));
    if (waits.length > 0) await stage.project(DERIVED, records);
    return await stage.wrongAnswers(DERIVED);
  },

  'a consumer stands still with a view that is not there yet, and writes it in a shape of before': async () => {
    const stage = new Stage();
    await stage.migrate(PLAIN);
    const records = await stage.write('A-1', 'AB-B-1', { r: 'X' });
    const { store, arrived, letGo } = stage.standing((method, [update]) => method === 'update' && isOfView(update));
    const held = stage.project(PLAIN, records, { store });
    await arrived;
    await stage.write('A-1', 'AB-B-1');
    await stage.migrate(LABELLED);
    letGo();
    await held;
    return await stage.reader(LABELLED).ask(GET);
  },

  'what a function gives is dropped by a model that lacks the function': async () => {
    const stage = new Stage();
    await stage.migrate(DERIVED);
    await stage.write('A-1', 'A-1', { a: '1', name: 'Ann' });
    return await refusals(stage.migrate(PLAIN, { action: { kind: 'drop', name: 'search:A.initial' } }));
  },

  'views with a derived label are replaced by a model that lacks the function and adds a search': async () => {
    const stage = new Stage();
    const marked: ModelSpec = { ...UNSEARCHED, edge: { ...PLAIN.edge, set: ['r'], mark: 1 } };
    await stage.migrate(marked);
    await stage.project(marked, await stage.write('A-1', 'AB-B-1', { r: 'X' }));
    return [...(await refusals(stage.migrate(LABELLED))), ...(await stage.wrongAnswers(LABELLED))];
  },

  'a registry is deleted, and made anew by a model of other views': async () => {
    const stage = await projected(PLAIN, ['A-1', 'A-1', { a: '1', b: '2' }]);
    await stage.deleteRegistry();
    await stage.migrate(OTHER_VIEW);
    return await stage.wrongAnswers(OTHER_VIEW);
  },

  'a type comes back after the registry was deleted that had it': async () => {
    const stage = await projected(EXTRA, ['C-1', 'C-1', { label: 'x' }]);
    await stage.deleteRegistry();
    await stage.project(PLAIN, await stage.write('C-1', 'C-1', { label: 'y' }));
    await stage.migrate(PLAIN);
    await stage.migrate(EXTRA);
    return await stage.wrongAnswers(EXTRA);
  },

  'a redrive meets an entry that names an item that only a deleted registry kept': async () => {
    const stage = new Stage();
    await stage.migrate(UNTOTALLED);
    await stage.migrate(LEAVING);
    const records = await stage.write('A-1', 'AB-B-1', { kind: 'code' });
    await stage.project(LEAVING, records);
    // The table refuses the edge's item in the total: the entry in quarantine names that item.
    await stage.project(LEAVING, records, {
      store: stage.failing((_method, [first]) => isOfGeneration(2, first), 'terminal'),
    });
    const left = textOfLaterGenerations(stage);
    await stage.deleteRegistry();
    await stage.migrate(UNTOTALLED);
    await redrive(modelOf(UNTOTALLED), { store: stage.table });
    return textOfLaterGenerations(stage) === left ? [] : ['an item of a generation that nobody knows has changed'];
  },

  'a registry is deleted, a repair without one ends halfway, and the projection is built anew': async () => {
    const stage = await secondGeneration();
    await repairedHalfway(stage);
    await stage.migrate(ENTERING);
    await stage.migrate(TOTALLED);
    return await stage.wrongAnswers(TOTALLED);
  },

  'a registry is deleted, a repair without one ends halfway, and the projection is added anew': async () => {
    const stage = new Stage();
    await stage.migrate(UNTOTALLED);
    await stage.migrate(TOTALLED);
    await stage.project(TOTALLED, await stage.write('A-1', 'AB-B-1', { kind: 'code', r: 'X' }));
    await repairedHalfway(stage);
    await stage.migrate(UNTOTALLED);
    await stage.migrate(TOTALLED);
    return await stage.wrongAnswers(TOTALLED);
  },

  'a table is restored, and the records of its latest writes are lost': async () => {
    const stage = new Stage();
    const table = { id: 'table-1', streamLabel: '2026-01-01T00:00:00.000' };
    await stage.migrate(PLAIN, { table });
    await stage.project(PLAIN, await stage.write('A-1', 'A-1', { a: '1', tag: 'p' }));
    await stage.write('A-1', 'A-1', { a: '2', tag: 'q' });
    await stage.migrate(PLAIN, { table: { ...table, id: 'table-2' } });
    return await stage.wrongAnswers(PLAIN);
  },

  'an index still shows what was mended right before its projection becomes ready': async () => {
    const stage = new Stage();
    const table = { id: 'table-1', streamLabel: '2026-01-01T00:00:00.000' };
    await stage.migrate(PLAIN, { table });
    await stage.project(PLAIN, await stage.write('A-1', 'A-1', { a: '1', tag: 'p' }));
    await stage.write('A-1', 'A-1', { a: '1' });
    const store = await stage.lagging(60_000);
    // Doubted, noted, built, shown, ready.
    await stage.migrate(PLAIN, { store, table: { ...table, id: 'table-2' }, mostSteps: 5 });
    return await stage.reader(PLAIN, { store }).ask(SEARCH_P);
  },

  'a check stands still while views get another shape, and another one when it looks again': async () => {
    const stage = await tagged();
    const scan = stage.standing((method) => method === 'scan');
    const look = stage.standing((method, [key]) => isOfHead(method, key) && hasScanned, 'after', scan.store);
    let hasScanned = false;
    const wrong = stage.check(PLAIN, 'report', look.store);
    await scan.arrived;
    hasScanned = true;
    await stage.migrate(OTHER_VIEW);
    scan.letGo();
    await look.arrived;
    await stage.migrate({ ...PLAIN, view: ['a', 'b'] });
    look.letGo();
    return await wrong;
  },

  'a batch that was given up is redriven by a tool of the model before': async () => {
    const stage = new Stage();
    await stage.migrate(PLAIN);
    const records = await stage.write('A-1', 'A-1', { tag: 'p' });
    await redriveRecords(records, { graph: modelOf(UNSEARCHED), store: stage.table });
    return await stage.wrongAnswers(PLAIN);
  },

  'a reader of another shape reads what edges copy': async () => {
    const stage = new Stage();
    const copying: ModelSpec = { ...PLAIN, edge: { ...PLAIN.edge, set: ['r'], copy: ['a'] } };
    await stage.migrate(copying);
    await stage.project(copying, await stage.write('B-2', 'B-2', { a: '1', b: '3' }));
    await stage.project(copying, await stage.write('A-1', 'AB-B-2', { r: 'X' }));
    return await stage.wrongAnswers({ ...copying, view: ['b'] });
  },

  'a check of views that are being made anew finds nothing missing': async () => {
    const stage = await tagged();
    const other: ModelSpec = OTHER_VIEW;
    // Out of use, waited for, installed: what has no view yet is no drift.
    await stage.migrate(other, { mostSteps: 3 });
    await stage.write('A-2', 'A-2', { a: '1' });
    return await stage.check(other);
  },

  'views that copy again leave no reverse item of an edge that went meanwhile': async () => {
    const stage = await projected(COPYING, ['B-2', 'B-2', { a: '1' }], ['A-1', 'AB-B-2', {}]);
    await stage.migrate(PLAIN);
    await stage.project(PLAIN, await stage.write('A-1', 'AB-B-2'));
    await stage.migrate(COPYING);
    return await stage.check(COPYING);
  },

  'views leave off copying while a fan-out is under way': async () => {
    const stage = await connected(COPYING);
    await fanOut(stage, COPYING, '2');
    await stage.migrate(PLAIN);
    return [...(await stage.check(PLAIN)), ...openFanOuts(stage)];
  },

  'an order that a source node decides goes while a fan-out is under way': async () => {
    const stage = await connected(JOINED);
    await fanOut(stage, JOINED, '2');
    await stage.migrate(PLAIN);
    await stage.migrate(PLAIN, { action: { kind: 'drop', name: 'order:AB.byA' } });
    return [...(await stage.check(PLAIN)), ...openFanOuts(stage)];
  },

  'the record of a fan-out comes when nothing needs the fan-out, before something needs it again': async () => {
    const stage = await connected(JOINED);
    const rest = await fanOut(stage, JOINED, '2');
    await withoutJoined(stage);
    await stage.project(PLAIN, rest);
    await stage.migrate(JOINED);
    return [...(await stage.check(JOINED)), ...openFanOuts(stage), ...(await stage.wrongAnswers(JOINED))];
  },

  'the record of a fan-out comes after views have left off copying, before they copy again': async () => {
    const stage = await connected(COPYING);
    const rest = await fanOut(stage, COPYING, '2');
    // Out of use, waited for, installed.
    await stage.migrate(PLAIN, { mostSteps: 3 });
    await stage.project(PLAIN, rest);
    const left = openFanOuts(stage);
    await stage.migrate(COPYING);
    return [...left, ...(await stage.check(COPYING)), ...(await stage.wrongAnswers(COPYING))];
  },

  'a consumer stands still that is about to end a fan-out, and the fan-out is needed again': async () => {
    const wrong: string[] = [];
    for (const method of ['get', 'update']) {
      const stage = await connected(JOINED);
      const rest = await fanOut(stage, JOINED, '2');
      await withoutJoined(stage);
      const { store, arrived, letGo } = stage.standing(
        (called, [first]) =>
          called === method && isOfFanOut((method === 'get' ? first : (first as DerivedUpdate).key) as ItemKey),
      );
      const held = stage.project(PLAIN, rest, { store });
      await arrived;
      await stage.migrate(JOINED);
      const later = await fanOut(stage, JOINED, '3');
      letGo();
      await held;
      await projectAll(stage, JOINED, later);
      wrong.push(...(await stage.check(JOINED)), ...openFanOuts(stage), ...(await stage.wrongAnswers(JOINED)));
    }
    return wrong;
  },

  'consumers of two models share a table without a registry, and one of them has no such fan-out': async () => {
    const stage = new Stage();
    await connect(stage, COPYING);
    await stage.project(PLAIN, await fanOut(stage, COPYING, '2'));
    return openFanOuts(stage).length === 0 ? ['a fan-out has ended before it came to its end'] : [];
  },

  'views copy again while a run is about to end a fan-out that nothing needs': async () => {
    const stage = await connected(COPYING);
    await fanOut(stage, COPYING, '2');
    // The run stands still with a page of the table, when the registry has said that it may go on with that page.
    let hasScanned = false;
    const { store, arrived, letGo } = stage.standing((method, [key]) => {
      hasScanned ||= method === 'scan';
      return hasScanned && isOfHead(method, key);
    }, 'after');
    // Out of use, waited for, installed, noted; the run ends when it has made the views.
    const leavingOff = stage.migrate(PLAIN, { store, mostSteps: 5 });
    await arrived;
    await stage.migrate(COPYING);
    await fanOut(stage, COPYING, '3');
    letGo();
    await leavingOff;
    return openFanOuts(stage).length === 0 ? ['a fan-out has ended before it came to its end'] : [];
  },

  'a writer stands still with a fan-out that nothing needs any more': async () => {
    const stage = await connected(COPYING);
    const { store, arrived, letGo } = stage.standing(
      (method, [update]) => method === 'update' && isOfFanOut((update as DerivedUpdate).key),
    );
    const held = fanOut(stage, COPYING, '2', store);
    await arrived;
    await stage.migrate(PLAIN);
    letGo();
    await held;
    const found = await stage.check(PLAIN, 'repair');
    const isFound = found.includes('B-2 ~more/AB is orphan');
    return [...(isFound ? [] : ['the check does not find it']), ...openFanOuts(stage)];
  },

  'views copy again while a repair ends a fan-out that nothing needs': async () => {
    const stage = await connected(COPYING);
    await fanOut(stage, COPYING, '2');
    const [left] = fanOuts(stage);
    await stage.migrate(PLAIN);
    await stage.table.put(left!);
    const { store, arrived, letGo } = stage.standing((method, [key]) => method === 'get' && isOfFanOut(key as ItemKey));
    const repair = stage.check(PLAIN, 'repair', store);
    await arrived;
    await stage.migrate(COPYING);
    const rest = await fanOut(stage, COPYING, '3');
    letGo();
    await repair;
    await projectAll(stage, COPYING, rest);
    return [...(await stage.wrongAnswers(COPYING)), ...openFanOuts(stage)];
  },

  'a reader of a native list goes on where a reader of the derived one has begun': async () => {
    const stage = new Stage(modelOf(NATIVE));
    await stage.migrate(BY_SINCE);
    await stage.migrate(NATIVE);
    for (const id of ['A-1', 'A-2', 'A-3', 'A-4'])
      await stage.project(BY_SINCE, await stage.write(id, 'AB-B-1', { since: 'the same' }));
    const others = stage.reader(NATIVE).questions;
    const isOutdated = (error: unknown): boolean => error instanceof EdgeloomError && error.code === 'cursor-outdated';
    return await stage.reader(BY_SINCE).ask((questions) => questions.across('bySince', 'B-1', 1, others, isOutdated));
  },

  'a run that deletes an index stands still, and another one brings the index back': async () => {
    const stage = await nativelyListed();
    let looks = 0;
    // The first look of the two says what the model lacks.
    const isLook = (method: string): boolean => method === 'describe' && isRetired(stage, INDEX) && ++looks === 2;
    const deleting = stage.standing(isLook, 'after');
    const run = dropIndex(stage, deleting.store);
    await deleting.arrived;
    await stage.migrate(NATIVE);
    deleting.letGo();
    await run;
    return await unlessGone(stage.wrongAnswers(NATIVE));
  },

  'an index is deleted while another run is about to let readers use it': async () => {
    const stage = new Stage(modelOf(NATIVE));
    await stage.migrate(BY_SINCE);
    let isDropped = false;
    const wait = async (milliseconds: number): Promise<void> => {
      stage.nowMs += milliseconds;
      if (isDropped) return;
      isDropped = true;
      await dropIndex(stage);
    };
    await stage.migrate(NATIVE, { wait });
    return await unlessGone(stage.wrongAnswers(NATIVE));
  },

  'a reader of a native list stands still until its index is gone': async () => {
    const stage = await nativelyListed();
    const asking = stage.standing((method) => method === 'queryNative');
    const answer = stage
      .reader(NATIVE, { store: asking.store })
      .ask((questions) => questions.inbound('bySince', 'B-1'));
    await asking.arrived;
    await dropIndex(stage);
    asking.letGo();
    return await unlessGone(answer);
  },

  ...OBSERVED,
};

/** Nothing in a schedule waits for the outside: what takes longer waits for something that does not come. */
const LONGEST_MS = 20_000;

/**
 * Runs them until one gives something wrong; returns what is wrong, by the schedule, and `threw` where one cannot be played to its end, which
 * does not stop the others.
 */
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
    if (answers.some((answer) => !answer.startsWith('threw: '))) break;
  }
  return wrong;
}

/** A reader's steady clock stops while its generation is removed, and its wall clock is set back. */
async function answersAfterSleep(setBackMs: number): Promise<string[]> {
  const stage = await tagged();
  let backMs = 0;
  const reader = stage.reader(PLAIN, { moment: () => ({ steadyMs: 0, wallMs: stage.nowMs - backMs }) });
  await reader.ask(SEARCH_P);
  await stage.migrate(MORE_SHARDS);
  backMs = setBackMs;
  return await reader.ask(SEARCH_P);
}

/** A registered table of a model, with items that are projected. */
async function projected(spec: ModelSpec, ...writes: readonly Parameters<Stage['write']>[]): Promise<Stage> {
  const stage = new Stage();
  await stage.migrate(spec);
  for (const write of writes) await stage.project(spec, await stage.write(...write));
  return stage;
}

/** A registered table with a node that is found. */
function tagged(): Promise<Stage> {
  return projected(PLAIN, ['A-1', 'A-1', { a: '1', tag: 'p' }]);
}

const INDEX = 'index:target-since';

/** A table with an order that is derived, and that DynamoDB keeps. */
async function nativelyListed(): Promise<Stage> {
  const stage = new Stage();
  await stage.migrate(BY_SINCE);
  await stage.migrate(NATIVE);
  await stage.project(BY_SINCE, await stage.write('A-1', 'AB-B-1', { since: '1' }));
  return stage;
}

/** The answers, and that a reader was told of an index that is gone. */
async function unlessGone(answers: Promise<string[]>): Promise<string[]> {
  return await answers.catch((error: unknown) => {
    if (error instanceof EdgeloomError && error.code === 'no-index') return ['a reader hears that there is no index'];
    throw error;
  });
}

/** Drops the native order. */
async function dropIndex(stage: Stage, store: Store & ScanSource = stage.table): Promise<void> {
  await stage.migrate(BY_SINCE, { store, action: { kind: 'drop', name: INDEX } });
}

/** Whether a generation of a projection is retired, and not forgotten. */
function isRetired(stage: Stage, name: string): boolean {
  const head = [...stage.table.items()].find(
    ({ source, target }) => textOf(source) === '~edgeloom' && textOf(target) === 'head',
  );
  const { projections } = decodeRegistry(textOf(head?.['state']));
  return projections.get(name)?.generations.some(({ state }) => state === 'retired') === true;
}

/** A registered table with an edge whose totals are of a second generation. */
async function secondGeneration(): Promise<Stage> {
  const stage = new Stage();
  await stage.migrate(ENTERING);
  await stage.migrate(TOTALLED);
  await stage.project(TOTALLED, await stage.write('A-1', 'AB-B-1', { kind: 'code', r: 'X' }));
  return stage;
}

/** Somebody deletes the registry, and then a repair removes counts that no model keeps, and ends before their edges' items. */
async function repairedHalfway(stage: Stage): Promise<void> {
  await stage.deleteRegistry();
  const store = stage.failing((method, [first]) => method !== 'get' && isOfGeneration(2, first));
  await expectFailure(stage.check(UNTOTALLED, 'repair', store));
}

/** A registered table with nodes and edges, of which several leave A-2 and enter B-2. */
async function connected(spec: ModelSpec): Promise<Stage> {
  const stage = new Stage();
  await stage.migrate(spec);
  await connect(stage, spec);
  return stage;
}

/** Writes nodes and edges, of which several leave A-2 and enter B-2, and projects them. */
async function connect(stage: Stage, spec: ModelSpec): Promise<void> {
  for (const id of ['A-1', 'A-2', 'A-3', 'A-4', 'B-1', 'B-2', 'B-3'])
    await stage.project(spec, await stage.write(id, id, { a: '1' }));
  for (const id of ['A-1', 'A-3', 'A-4']) await stage.project(spec, await stage.write(id, 'AB-B-2', { r: 'X' }));
  for (const id of ['B-1', 'B-2', 'B-3']) await stage.project(spec, await stage.write('A-2', `AB-${id}`, { r: 'X' }));
}

/** Brings a table from the joined model to the plain one, until writers leave off the order that a source node decides; its items are still there. */
async function withoutJoined(stage: Stage): Promise<void> {
  await stage.migrate(PLAIN);
  // Withdrawn, waited for, abandoned.
  await stage.migrate(PLAIN, { action: { kind: 'drop', name: 'order:AB.byA' }, mostSteps: 3 });
}

/** Changes a node of several edges, and visits one page of the fan-out; gives the records that drive the next page. */
async function fanOut(stage: Stage, spec: ModelSpec, a: string, store: Store = stage.table): Promise<ChangeRecord[]> {
  const id = spec === JOINED ? 'A-2' : 'B-2';
  const records = await stage.write(id, id, { a });
  await stage.project(spec, records, { store, fanOutPageSize: 1 });
  return stage.records();
}

/** Projects records and those that come of them. */
async function projectAll(stage: Stage, spec: ModelSpec, records: readonly ChangeRecord[]): Promise<void> {
  for (let batch = records; batch.length > 0; batch = stage.records()) await stage.project(spec, batch);
}

function fanOuts(stage: Stage): Item[] {
  return [...stage.table.items()].filter((item) => isContinuationKey((item['target'] as { S: string }).S));
}

/** Fan-outs that have not come to their end. */
function openFanOuts(stage: Stage): string[] {
  const open = fanOuts(stage).filter((item) => item['after'] !== undefined);
  return open.map((item) => `${(item['target'] as { S: string }).S} is open`);
}

/** A run ends with the call that fails for it. */
async function expectFailure(run: Promise<unknown>): Promise<void> {
  const isOver = await run.then(
    () => true,
    () => false,
  );
  if (isOver) throw new Error('No call of the run has failed.');
}

/** Says that code is missing where a run is refused for that. */
async function refusals(run: Promise<void>): Promise<string[]> {
  try {
    await run;
    return [];
  } catch (error) {
    if (error instanceof EdgeloomError && error.code === 'projection-code-missing') return [error.message];
    throw error;
  }
}

function isOfHead(method: string, key: unknown): boolean {
  return method === 'get' && (key as { target: string }).target === 'head';
}

/** The key that a write of one item is about; undefined for calls of other kinds. */
function keyOfCall(first: unknown): ItemKey | undefined {
  const { key, target } = first as { key?: ItemKey; target?: unknown };
  return key ?? (typeof target === 'string' ? (first as ItemKey) : undefined);
}

function isOfGeneration(id: number, update: unknown): boolean {
  return keyOfCall(update)?.target.startsWith(`~ix/@${id}/`) === true;
}

/** The derived items of all generations but the first. */
function textOfLaterGenerations(stage: Stage): string {
  const items = [...stage.table.items()].filter((item) => /^~[a-z]+\/@/.test((item['target'] as { S: string }).S));
  return JSON.stringify(items);
}

function isOfEntry({ target }: ItemKey): boolean {
  return target.startsWith('~in/');
}

function isOfFanOut({ target }: ItemKey): boolean {
  return isContinuationKey(target);
}

function isOfView(update: unknown): boolean {
  return (update as { key: { target: string } }).key.target === '~view';
}

function isOfReverse(update: unknown, parent: string): boolean {
  const { source, target } = (update as { key: { source: string; target: string } }).key;
  return source === parent && target.startsWith('~rev/');
}
