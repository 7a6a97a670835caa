import { createReader, type Reader } from '../src/client/read/reader.ts';
import { defineGraph } from '../src/core/model/compile/define-graph.ts';
import type { CompiledModel } from '../src/core/model/compiled.ts';
import { node, part } from '../src/core/model/schema.ts';
import { MeteredStore } from '../src/store/metered.ts';
import type { Item } from './support/images.ts';
import { projecting, recordsOf } from './support/projecting.ts';
import { atMost, type Figure, figure, type Report } from './support/report.ts';
import { keyOf, withFreshTable } from './support/table.ts';

/** Compares a status in a node with a profile of 4 KB and a status in a part of the node. */

const ID = 'USER-1';
const PROFILE = { about: { S: 'x'.repeat(4_000) } };
const key = (target: string): Item => ({ source: { S: ID }, target: { S: target } });

const WHOLE = defineGraph({ table: 'bench', nodes: { USER: node({ view: ['about', 'status'] }) } });
const SPLIT = defineGraph({
  table: 'bench',
  nodes: { USER: node({ view: ['about'], parts: { STATE: part({ view: ['status'] }) } }) },
});

export async function parts(): Promise<Report[]> {
  const status = (text: string): Item => ({ status: { S: text } });
  const whole = await measure(WHOLE, (text) => ({ ...key(ID), ...PROFILE, ...status(text) }));
  const split = await measure(SPLIT, (text) => ({ ...key('STATE'), ...status(text) }));
  const small = await measure(WHOLE, (text) => ({ ...key(ID), ...status(text) }), {});
  const figures: Figure[] = [
    ...costs('in the node, next to 4 KB', whole),
    ...costs('in a part of the node', split, small.wcu),
    ...costs('in a node without a profile', small),
  ];
  return [{ name: 'parts', title: 'a status changes, and the node is read', figures }];
}

interface Cost {
  wcu: number;
  rcu: number;
}

/** `most` is the cost of a status that is stored alone. */
function costs(name: string, { wcu, rcu }: Cost, most?: number): Figure[] {
  return [
    figure(`change, ${name}`, wcu, 'WCU', most === undefined ? undefined : atMost(most)),
    figure(`read, ${name}`, rcu, 'RCU'),
  ];
}

async function measure(graph: CompiledModel, changed: (text: string) => Item, profile: Item = PROFILE): Promise<Cost> {
  const [before, after] = [changed('away'), changed('online')];
  const isPart = JSON.stringify(before['target']) !== JSON.stringify({ S: ID });
  const stored = isPart ? [{ ...key(ID), ...profile }, before] : [before];
  return await withFreshTable(graph, stored, async ({ store }) => {
    const metered = new MeteredStore(store);
    const project = projecting(graph, { store: metered });
    for (const record of recordsOf(stored)) await project([record]);
    const { wcu } = metered;
    await metered.put(after);
    await project([
      { ...keyOf(after), oldImage: before, newImage: after, stream: 'bench', sequenceNumber: String(stored.length) },
    ]);
    const spent = metered.wcu - wcu;
    const { rcu } = metered;
    const [user] = await (createReader(graph, { store: metered }) as Reader).getViews([ID]);
    if (!JSON.stringify(user).includes('online')) throw new Error(`the status is not shown: ${JSON.stringify(user)}`);
    return { wcu: spent, rcu: metered.rcu - rcu };
  });
}
