import { type Item, stringOf } from '../../../../src/core/items/attribute-value.ts';
import type { CompiledModel } from '../../../../src/core/model/compiled.ts';
import { StoreError } from '../../../../src/foundation/errors.ts';
import { defineGraph, edge, node, source } from '../../../../src/index.ts';
import { createProjector } from '../../../../src/projecting/apply/projector.ts';
import { fixedModel } from '../../../../src/registry/writer-model.ts';
import { HookedStore } from '../../../support/hooked-store.ts';
import { LABEL } from '../../../support/records.ts';
import { StandingStore } from '../projecting/standing-store.ts';
import { INTERRUPTED } from './interrupted.ts';

/** Schedules that are written down, since they are too rare for a draw. Each gives what is wrong in the end. */
export const DIRECTED: Readonly<Record<string, () => Promise<string[]>>> = {
  ...INTERRUPTED,

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
