import { type Item, stringOf } from '../../../../src/core/items/attribute-value.ts';
import type { CompiledModel } from '../../../../src/core/model/compiled.ts';
import type { ItemKey } from '../../../../src/core/store-port.ts';
import { StoreError } from '../../../../src/foundation/errors.ts';
import { defineGraph, edge, node, source } from '../../../../src/index.ts';
import { createProjector } from '../../../../src/projecting/apply/projector.ts';
import { fixedModel } from '../../../../src/registry/writer-model.ts';
import { HookedStore } from '../../../support/hooked-store.ts';
import { LABEL } from '../../../support/records.ts';
import { graphOf, type ModelOptions, PLAIN_OPTIONS } from '../projecting/models.ts';
import { StandingStore } from '../projecting/standing-store.ts';
import { derivedDifferences } from '../projecting/verdict.ts';

/**
 * Schedules that are written down: a worker has to stand still, or to end, between two certain calls, which is too rare for a draw. Each
 * gives what is wrong in the end.
 */
export const DIRECTED: Readonly<Record<string, () => Promise<string[]>>> = {
  'a parent changes while a worker stands before its write of the reverse item': async () => {
    const scene = new Scene();
    await scene.rename('First');
    await scene.changeWhileStanding('~rev/', () => scene.link('GOAL-1'));
    return await scene.differences();
  },

  'a parent changes while a worker that has read it stands before its write of the view': async () => {
    const scene = new Scene();
    await scene.rename('First');
    await scene.changeWhileStanding('~view', () => scene.link('GOAL-1'));
    return await scene.differences();
  },

  'a parent changes while a worker stands before its write that ends a fan-out': async () => {
    const scene = new Scene();
    for (const child of ['GOAL-1', 'GOAL-2', 'GOAL-3']) await scene.link(child);
    await scene.rename('First');
    for (let page = 2; page <= 3; page++) await scene.goOn();
    await scene.changeWhileStanding('~more/', () => scene.goOn());
    return await scene.differences();
  },

  'a worker ends before its write of the entry of an edge that is mended': async () => {
    const graph = jointGraph();
    const table = new StandingStore(graph.table);
    let isEnding = false;
    const ending = new HookedStore(table, ({ method, keys }) => {
      if (isEnding && method === 'update' && keys[0]!.includes(' ~quarantine/'))
        throw new StoreError('fatal', 'simulated', 'The worker ends.');
    });
    const project = async (newImage: Item, oldImage: Item | undefined, number: number): Promise<boolean> => {
      const [source = '', target = ''] = [stringOf(newImage['source']), stringOf(newImage['target'])];
      const record = { source, target, newImage, stream: LABEL, sequenceNumber: String(number) };
      const projector = createProjector(graph, { store: ending, model: fixedModel(graph) });
      const { error } = await projector.project([{ ...record, ...(oldImage && { oldImage }) }]);
      return error === undefined;
    };
    const node: Item = { source: { S: 'A-1' }, target: { S: 'A-1' }, x: { S: LONG } };
    const [faulty, mended] = [LONG, 'd1'].map((date): Item => ({ ...EDGE_OF_NODE, date: { S: date } })) as [Item, Item];
    for (const item of [node, faulty]) await table.put(item);
    await project(node, undefined, 1);
    await project(faulty, undefined, 2);
    await table.put(mended);
    isEnding = true;
    if (await project(mended, faulty, 3)) return ['the worker does not end'];
    isEnding = false;
    await project(mended, faulty, 3);
    const entries = [...table.items()].filter((item) => item['of'] !== undefined);
    return entries.map((entry) => `an entry is left: ${JSON.stringify(entry)}`);
  },
};

const EDGE_OF_NODE: Item = { source: { S: 'A-1' }, target: { S: 'AB-B-1' } };
/** Two of these are too long for one index key. */
const LONG = 'v'.repeat(600);

/** A model with an order by values of the edge and of its source together. */
function jointGraph(): CompiledModel {
  return defineGraph({
    table: 'level',
    nodes: { A: node({}), B: node({}) },
    edges: { AB: edge({ from: 'A', to: 'B', inbound: { orders: { third: ['date', source('x')] } } }) },
  });
}

/** Plays the schedules that are written down; gives what is wrong. */
export async function directedSchedules(): Promise<string[]> {
  const wrong: string[] = [];
  for (const [name, play] of Object.entries(DIRECTED)) {
    const texts = await play().catch((error: unknown) => [`threw: ${String(error)}`]);
    wrong.push(...texts.map((text) => `${name}: ${text}`));
  }
  return wrong;
}

const OPTIONS: ModelOptions = { ...PLAIN_OPTIONS, copies: 'name' };
const PARENT = 'USER-1';
const CONTINUATION: ItemKey = { source: PARENT, target: '~more/MEMBER' };
/** A fan-out that goes on for ever is at no end: after so many pages it is left. */
const MOST_PAGES = 20;

/** A parent, children whose views copy its name, and fan-outs with a child to a page. */
class Scene {
  private readonly graph = graphOf(OPTIONS);
  private readonly store = new StandingStore(this.graph.table);
  private records = 0;
  private parent: Item | undefined;

  /** Gives the parent a name, and projects that: its fan-out visits the first page. */
  async rename(name: string): Promise<void> {
    const before = this.parent;
    this.parent = { source: { S: PARENT }, target: { S: PARENT }, name: { S: name } };
    await this.store.put(this.parent);
    await this.project(this.parent, before);
  }

  /** Puts the edge of a child, and projects that. */
  async link(child: string): Promise<void> {
    const edge: Item = { source: { S: child }, target: { S: `MEMBER-${PARENT}` }, role: { S: 'LEAD' } };
    await this.store.put(edge);
    await this.project(edge);
  }

  /** Projects the record of the continuation as it is now, unless it is at its end; says whether it was not. */
  async goOn(): Promise<boolean> {
    const { item } = await this.store.get(CONTINUATION, { consistent: true });
    if (item?.['after'] === undefined) return false;
    await this.project(item);
    return true;
  }

  /** Does work, in which the first write of an item with this prefix waits until the parent's change is projected. */
  async changeWhileStanding(prefix: string, work: () => Promise<unknown>): Promise<void> {
    const { arrived, letGo } = this.store.stand('write', prefix);
    const standing = work();
    // With a bug planted, there may be no such write: then nobody stands.
    await Promise.race([arrived, standing.then(letGo)]);
    await this.rename('Second');
    letGo();
    await standing;
  }

  /** What is wrong when every fan-out is at its end. */
  async differences(): Promise<string[]> {
    for (let page = 0; page < MOST_PAGES && (await this.goOn()); page++);
    return derivedDifferences(OPTIONS, [...this.store.items()]);
  }

  private async project(newImage: Item, oldImage?: Item): Promise<void> {
    this.records += 1;
    const [source = '', target = ''] = [stringOf(newImage['source']), stringOf(newImage['target'])];
    const projector = createProjector(this.graph, {
      store: this.store,
      model: fixedModel(this.graph),
      fanOutPageSize: 1,
    });
    const record = { source, target, newImage, stream: LABEL, sequenceNumber: String(this.records) };
    const { error } = await projector.project([{ ...record, ...(oldImage && { oldImage }) }]);
    if (error !== undefined) throw error;
  }
}
