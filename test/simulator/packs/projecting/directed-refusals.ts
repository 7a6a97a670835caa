import type { Item } from '../../../../src/core/items/attribute-value.ts';
import type { ChangeRecord } from '../../../../src/core/items/change-record.ts';
import type { DerivedUpdate, UpdateResult } from '../../../../src/core/store-port.ts';
import { StoreError } from '../../../../src/foundation/errors.ts';
import { createProjector } from '../../../../src/projecting/apply/projector.ts';
import { fixedModel } from '../../../../src/registry/writer-model.ts';
import { redrive } from '../../../../src/trust/repair/redrive.ts';
import { textOf } from '../../kernel/values.ts';
import { graphOf, type ModelOptions, PLAIN_OPTIONS } from './models.ts';
import { StandingStore } from './standing-store.ts';
import { derivedDifferences } from './verdict.ts';

/** Schedules of views that the table refuses, written down: a redrive beside workers that stand still, and touches of several edges. */
export const REFUSAL_SCHEDULES = [
  ...[refusedDuringARedrive, refusedBetweenTwoRedrives, refusalAfterARedrive, refusedItemsElsewhere],
];

const SOURCE = 'GOAL-1';
const [FIRST, SECOND] = ['MEMBER-USER-1', 'MEMBER-USER-2'] as const;
const ENTRY = '~quarantine/~view';

/** A table that refuses each view with one of these elements, and each item with one of these keys. */
class RefusingStore extends StandingStore {
  refused = '~';
  refusedKey: string | undefined;

  override async update(update: DerivedUpdate): Promise<UpdateResult> {
    const { setElements = [], addElements = [] } = update;
    const hasElement = [...setElements, ...addElements].some((element) => element.startsWith(this.refused));
    if (hasElement || update.key.target === this.refusedKey) {
      await this.pass('write', [update.key]);
      throw new StoreError('terminal', 'ValidationException', 'Item size has exceeded the maximum allowed size.');
    }
    return await super.update(update);
  }
}

function setUp(options: ModelOptions = PLAIN_OPTIONS) {
  const graph = graphOf(options);
  const store = new RefusingStore(graph.table);
  const model = fixedModel(graph);
  let number = 0;
  /** Puts an edge, or deletes it, and gives the record. */
  const change = async (target: string, role?: string): Promise<ChangeRecord> => {
    const { item: oldImage } = await store.get({ source: SOURCE, target }, { consistent: true });
    const newImage: Item = { source: { S: SOURCE }, target: { S: target }, ...(role && { role: { S: role } }) };
    if (role === undefined) await store.delete({ source: SOURCE, target });
    else await store.put(newImage);
    number += 1;
    const sequenceNumber = String(number);
    return {
      ...{ source: SOURCE, target, stream: '2026-01-01T00:00:00.000', sequenceNumber, oldImage },
      newImage: role === undefined ? undefined : newImage,
    };
  };
  const project = (...records: ChangeRecord[]) => createProjector(graph, { store, model }).project(records);
  const differences = () => derivedDifferences(options, [...store.items()]);
  /** Whether the entry of the view should be there, and is. */
  const entryFaults = (isWanted: boolean): string[] => {
    const is = [...store.items()].some((item) => textOf(item['target']) === ENTRY && item['of'] !== undefined);
    return is === isWanted ? [] : [`${SOURCE} ${ENTRY}: ${is ? 'it is there' : 'it is not there'}`];
  };
  return { store, change, project, differences, entryFaults, redriveAll: () => redrive(graph, { store, model }) };
}

/** A redrive has reconciled a view, and stands still before it ends the entry. Meanwhile the table refuses the view once more. */
async function refusedDuringARedrive(): Promise<string[]> {
  const { store, change, project, differences, entryFaults, redriveAll } = setUp();
  store.refused = FIRST;
  await project(await change(FIRST, 'LEAD'));
  store.refused = '~';
  const { arrived, letGo } = store.stand('write', ENTRY);
  const redriven = redriveAll();
  await arrived;
  store.refused = FIRST;
  await project(await change(FIRST, 'TEAM'));
  letGo();
  await redriven;
  const wrong = entryFaults(true);
  store.refused = '~';
  await redriveAll();
  return [...wrong, ...differences(), ...entryFaults(false)];
}

/** A redrive stands still before it ends an entry, which another redrive ends. Then the table refuses the view once more. */
async function refusedBetweenTwoRedrives(): Promise<string[]> {
  const { store, change, project, entryFaults, redriveAll } = setUp();
  store.refused = FIRST;
  await project(await change(FIRST, 'LEAD'));
  store.refused = '~';
  const { arrived, letGo } = store.stand('write', ENTRY);
  const redriven = redriveAll();
  await arrived;
  await redriveAll();
  store.refused = FIRST;
  await project(await change(FIRST, 'TEAM'));
  letGo();
  await redriven;
  return entryFaults(true);
}

/** A worker whose view is refused stands still before it learns so. Meanwhile the view fits, and a redrive ends the entry. */
async function refusalAfterARedrive(): Promise<string[]> {
  const { store, change, project, differences, entryFaults, redriveAll } = setUp();
  store.refused = FIRST;
  await project(await change(FIRST, 'LEAD'));
  const { arrived, letGo } = store.stand('write', '~view');
  const late = project(await change(FIRST, 'TEAM'));
  await arrived;
  store.refused = '~';
  await redriveAll();
  letGo();
  await late;
  return [...differences(), ...entryFaults(false)];
}

/** The table refuses the items that two deleted edges of a node have in their targets: both have one sort key, and a redrive comes for both. */
async function refusedItemsElsewhere(): Promise<string[]> {
  const { store, change, project, differences, redriveAll } = setUp({ ...PLAIN_OPTIONS, copies: 'name' });
  for (const target of [FIRST, SECOND]) await project(await change(target, 'LEAD'));
  store.refusedKey = `~rev/MEMBER-${SOURCE}`;
  for (const target of [FIRST, SECOND]) await project(await change(target));
  store.refusedKey = undefined;
  await redriveAll();
  return differences();
}
