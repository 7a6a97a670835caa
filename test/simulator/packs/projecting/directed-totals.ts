import type { Item } from '../../../../src/core/items/attribute-value.ts';
import type { ChangeRecord } from '../../../../src/core/items/change-record.ts';
import type { DerivedUpdate, QueryRequest, TransactResult, UpdateResult } from '../../../../src/core/store-port.ts';
import { createProjector } from '../../../../src/projecting/apply/projector.ts';
import { fixedModel } from '../../../../src/registry/writer-model.ts';
import { Repairer } from '../../../../src/trust/repair/repairer.ts';
import { MemoryStore } from '../../../support/memory-store/memory-store.ts';
import { graphOf, type ModelOptions, PLAIN_OPTIONS } from './models.ts';
import { derivedDifferences } from './verdict.ts';

/** Schedules of totals that are written down: groups that are full, and a repair beside the projector. */
export const TOTAL_SCHEDULES = [
  lastRoomForTwo,
  roomOfValuesThatWent,
  valueWhoseRoomIsGivenAway,
  repairBesideAnInsert,
  repairBesideASwap,
  repairBesideATransaction,
  repairByALaggingRead,
  entryOfNoEdge,
];

const OPTIONS: ModelOptions = { ...PLAIN_OPTIONS, totals: 'inbound' };
const USER = 'USER-1';
/** The most values of a group. */
const ROOM = 50;

function work(number: number, kind: string): Item {
  const source = { S: `GOAL-${number}` };
  return { source, target: { S: `WORK-${USER}` }, hours: { N: '1' }, kind: { S: kind } };
}

let position = 0;

function record(newImage: Item | undefined, oldImage?: Item): ChangeRecord {
  position += 1;
  const { source, target } = (newImage ?? oldImage) as { source: { S: string }; target: { S: string } };
  const at = { stream: '2026-01-01T00:00:00.000', sequenceNumber: String(position) };
  return { source: source.S, target: target.S, newImage, oldImage, ...at };
}

/** A table whose next Query of a partition's entries does something when it has its answer, and may be of an earlier time. */
class BesideStore extends MemoryStore {
  afterListing: (() => Promise<void>) | undefined;
  /** What reads that are not consistent see in place of entries. */
  lagging: readonly Item[] | undefined;
  beforeTransaction: (() => Promise<void>) | undefined;
  /** The sort key of an entry whose transaction is under way: a Query does not show it yet, a write of the total waits for its end. */
  underWay: string | undefined;

  override async query(request: QueryRequest): ReturnType<MemoryStore['query']> {
    const page = await super.query(request);
    const isListing = request.index === undefined && JSON.stringify(request.sortKey).includes('~in/');
    if (!isListing) return page;
    const { underWay } = this;
    if (underWay !== undefined) {
      return {
        ...page,
        items: page.items.filter((item) => JSON.stringify(item['target']) !== JSON.stringify({ S: underWay })),
      };
    }
    if (request.consistent !== true && this.lagging !== undefined) return { ...page, items: [...this.lagging] };
    const { afterListing } = this;
    this.afterListing = undefined;
    await afterListing?.();
    return page;
  }

  override async update(update: DerivedUpdate): Promise<UpdateResult> {
    if (update.key.target.startsWith('~total/')) this.underWay = undefined;
    return await super.update(update);
  }

  override async transact(updates: readonly DerivedUpdate[]): Promise<TransactResult> {
    const { beforeTransaction } = this;
    this.beforeTransaction = undefined;
    await beforeTransaction?.();
    return await super.transact(updates);
  }
}

function world() {
  const graph = graphOf(OPTIONS);
  const store = new BesideStore(graph.table);
  const project = async (...items: readonly Item[]): Promise<void> => {
    for (const item of items) await store.put(item);
    await createProjector(graph, { store, model: fixedModel(graph) }).project(items.map((item) => record(item)));
  };
  const remove = async (item: Item): Promise<void> => {
    const { source, target } = item as { source: { S: string }; target: { S: string } };
    await store.delete({ source: source.S, target: target.S });
  };
  const repair = async (): Promise<void> => {
    const mender = new Repairer({ graph, store, now: () => 0, wait: async () => undefined });
    await mender.repair([{ source: USER, sortKey: '~total/WORK' }]);
  };
  const total = async (): Promise<Item> => {
    const { item } = await store.get({ source: USER, target: '~total/WORK' }, { consistent: true });
    return item ?? {};
  };
  return { graph, store, project, remove, repair, total };
}

function valuesOf(total: Item): string[] {
  return Object.keys(total).filter((name) => name.startsWith('by/kind/S'));
}

function numberIn(total: Item, name: string): number {
  const value = total[name];
  return value !== undefined && 'N' in value ? Number(value.N) : 0;
}

/** Two values of a full group have no edges. One of them comes back, and another takes the room of the second, in one write. */
async function roomOfValuesThatWent(): Promise<string[]> {
  const { graph, store, project, remove, total } = world();
  for (let i = 1; i <= ROOM; i++) await project(work(i, `kind ${i}`));
  const gone = [work(1, 'kind 1'), work(2, 'kind 2')];
  for (const item of gone) await remove(item);
  const projector = createProjector(graph, { store, model: fixedModel(graph) });
  await projector.project(gone.map((item) => record(undefined, item)));
  await project(work(101, 'kind 1'), work(102, 'new'));
  const found = await total();
  const isRight = valuesOf(found).length === ROOM && numberIn(found, 'by/kind/Snew') === 1;
  if (!isRight || numberIn(found, 'by/kind/Skind 1') !== 1) return [`a value has no room: ${JSON.stringify(found)}`];
  return derivedDifferences(OPTIONS, [...store.items()]);
}

/** A worker is to add to a value while the group fills, the value goes, and another takes its room. */
async function valueWhoseRoomIsGivenAway(): Promise<string[]> {
  const { graph, store, project, remove, total } = world();
  await project(work(1, 'kind 1'));
  store.beforeTransaction = async () => {
    for (let i = 2; i <= ROOM; i++) await project(work(i, `kind ${i}`));
    await remove(work(1, 'kind 1'));
    await createProjector(graph, { store, model: fixedModel(graph) }).project([record(undefined, work(1, 'kind 1'))]);
    await project(work(101, 'new'));
  };
  await project(work(102, 'kind 1'));
  const found = await total();
  const isRight = valuesOf(found).length === ROOM && numberIn(found, 'by/kind/~other') === 1;
  return isRight ? [] : [`a group has a value more than it may: ${JSON.stringify(found)}`];
}

/** Two workers bring a value each while there is room for one. */
async function lastRoomForTwo(): Promise<string[]> {
  const { store, project, total } = world();
  for (let i = 1; i < ROOM; i++) await project(work(i, `kind ${i}`));
  store.beforeTransaction = async () => await project(work(101, 'one of two'));
  await project(work(102, 'the other'));
  const found = await total();
  const isRight = valuesOf(found).length === ROOM && numberIn(found, 'by/kind/~other') === 1;
  return isRight ? [] : [`the last room was taken twice: ${JSON.stringify(found)}`];
}

/** A total is wrong, and an edge comes while a repair has listed the entries. */
async function repairBesideAnInsert(): Promise<string[]> {
  const { store, project, repair, total } = world();
  await project(work(1, 'code'));
  await store.put({ ...(await total()), count: { N: '7' } });
  store.afterListing = async () => {
    // The repair lists the entries once to compare them, and once to count them.
    store.afterListing = async () => await project(work(2, 'code'));
  };
  await repair();
  return derivedDifferences(OPTIONS, [...store.items()]);
}

/** The same, with a batch in which as much goes as comes. */
async function repairBesideASwap(): Promise<string[]> {
  const { graph, store, project, remove, repair, total } = world();
  const before = work(1, 'code');
  await project(before);
  await store.put({ ...(await total()), count: { N: '7' } });
  store.afterListing = async () => {
    store.afterListing = async () => {
      const after = work(2, 'code');
      await remove(before);
      await store.put(after);
      const records = [record(undefined, before), record(after)];
      await createProjector(graph, { store, model: fixedModel(graph) }).project(records);
    };
  };
  await repair();
  return derivedDifferences(OPTIONS, [...store.items()]);
}

/** The total of a transaction is there, and a Query shows an entry of it only when it has ended. */
async function repairBesideATransaction(): Promise<string[]> {
  const { store, project, repair } = world();
  await project(work(1, 'code'));
  await project(work(2, 'code'));
  store.underWay = '~in/WORK-GOAL-2';
  await repair();
  return derivedDifferences(OPTIONS, [...store.items()]);
}

/** A read that is not consistent lacks the entry that came last. */
async function repairByALaggingRead(): Promise<string[]> {
  const { store, project, repair, total } = world();
  await project(work(1, 'code'));
  const entry = await store.get({ source: USER, target: '~in/WORK-GOAL-1' }, { consistent: true });
  store.lagging = [entry.item!];
  await project(work(2, 'talk'));
  await store.put({ ...(await total()), count: { N: '7' } });
  await repair();
  return derivedDifferences(OPTIONS, [...store.items()]);
}

/** An entry that names no edge is buried, and its part leaves the total. */
async function entryOfNoEdge(): Promise<string[]> {
  const { graph, store, project, total } = world();
  await project(work(1, 'code'));
  const target = `~in/WORK-#${'0'.repeat(32)}`;
  const stray = { source: { S: USER }, target: { S: target }, counted: { S: '~total/WORK' }, r: { N: '1' } };
  await store.put(stray);
  await store.put({ ...(await total()), count: { N: '2' } });
  const mender = new Repairer({ graph, store, now: () => 0, wait: async () => undefined });
  await mender.repair([{ source: USER, sortKey: target }]);
  return derivedDifferences(OPTIONS, [...store.items()]);
}
