import type { Writer } from '../../../src/client/write/writer.ts';
import { defineGraph } from '../../../src/core/model/compile/define-graph.ts';
import { date, edge, node, rank, sum } from '../../../src/core/model/schema.ts';
import { uniqueTableName } from '../table.ts';

const name = { name: { caseInsensitive: true, shards: 20 } } as const;
const byDay = { orders: { gsi0: date('at') } } as const;

/** A model of sixteen node types and twenty-five edge types: a firm that sells, ships and works on goals. */
export function wideGraph(table = uniqueTableName()) {
  return defineGraph({
    table,
    nodes: {
      ORG: node({ view: ['name'], search: name }),
      TEAM: node({ view: ['name'], search: name }),
      USER: node({
        view: ['name', 'city'],
        search: { ...name, place: { partition: 'country', path: ['state', 'city'], shards: 1 } },
      }),
      ROLE: node({ view: ['name'] }),
      GOAL: node({ view: ['title', 'status'], search: { status: { shards: 4 }, due: { type: 'date', shards: 4 } } }),
      PROJECT: node({ view: ['title'] }),
      TASK: node({ view: ['title', 'status'], search: { status: { shards: 4 } } }),
      COMMENT: node({ view: ['text'] }),
      FILE: node({ view: ['name'] }),
      TAG: node({ view: ['name'] }),
      PRODUCT: node({ view: ['name'], search: name }),
      ORDER: node({ view: ['state'], search: { state: { shards: 4 } } }),
      INVOICE: node({ view: ['state'], search: { due: { type: 'date', shards: 4 } } }),
      PAYMENT: node({ view: ['amount'] }),
      SHIPMENT: node({ view: ['state'] }),
      WAREHOUSE: node({ view: ['name'] }),
    },
    edges: {
      PART_OF: edge({ from: 'TEAM', to: 'ORG', inbound: byDay }),
      MEMBER: edge({
        from: 'USER',
        to: 'TEAM',
        edgeSet: ['role'],
        inbound: { orders: { gsi0: rank('role', { LEAD: 500, HELPER: 400 }), gsi1: date('at') }, project: ['role'] },
      }),
      HAS_ROLE: edge({ from: 'USER', to: 'ROLE' }),
      FOLLOWS: edge({ from: 'USER', to: 'USER', edgeSet: false, inbound: { ...byDay, shards: 8 } }),
      OWNS: edge({ from: 'TEAM', to: 'GOAL', inbound: byDay }),
      AIMS: edge({ from: 'PROJECT', to: 'GOAL', inbound: byDay }),
      LEADS: edge({ from: 'USER', to: 'PROJECT', inbound: byDay }),
      IN_PROJECT: edge({
        from: 'TASK',
        to: 'PROJECT',
        inbound: { orders: { gsi0: date('at') }, total: { hours: sum('hours') } },
      }),
      DOES: edge({ from: 'USER', to: 'TASK', inbound: byDay }),
      NEEDS: edge({ from: 'TASK', to: 'TASK' }),
      WROTE: edge({ from: 'USER', to: 'COMMENT', inbound: byDay }),
      ABOUT: edge({ from: 'COMMENT', to: ['GOAL', 'TASK', 'PRODUCT'], inbound: byDay }),
      ATTACHED: edge({ from: 'FILE', to: ['TASK', 'COMMENT', 'INVOICE'], inbound: byDay }),
      TAGGED: edge({ from: ['GOAL', 'TASK', 'PRODUCT'], to: 'TAG', inbound: byDay }),
      BOUGHT: edge({ from: 'USER', to: 'ORDER', degree: true, inbound: byDay }),
      VIEWED: edge({ from: 'USER', to: 'PRODUCT', inbound: byDay }),
      LINE: edge({
        from: 'ORDER',
        to: 'PRODUCT',
        edgeSet: ['amount'],
        inbound: { orders: { gsi0: date('at') }, total: { amount: sum('amount') } },
      }),
      BILLED: edge({ from: 'ORDER', to: 'INVOICE' }),
      PAID: edge({ from: 'PAYMENT', to: 'INVOICE', inbound: byDay }),
      PAYER: edge({ from: 'PAYMENT', to: 'ORG', inbound: byDay }),
      SHIPS: edge({ from: 'SHIPMENT', to: 'ORDER', inbound: byDay }),
      FROM_PLACE: edge({ from: 'SHIPMENT', to: 'WAREHOUSE', inbound: byDay }),
      STORES: edge({ from: 'WAREHOUSE', to: 'PRODUCT', edgeSet: ['amount'] }),
      RUNS: edge({ from: 'ORG', to: 'WAREHOUSE' }),
      SUPPLIES: edge({ from: 'ORG', to: 'PRODUCT', edgeSet: false, inbound: byDay }),
    },
  });
}

/** A few nodes of each type, with edges of each type between them. */
const FEW = 12;

/**
 * Fills the table of that model; waits for no projector. The node `USER-HUB` has viewed, and is followed by, `hubEdges` nodes, which
 * are too many for its view.
 */
export async function fillWide(
  writer: Writer<ReturnType<typeof wideGraph>>,
  { hubEdges }: { hubEdges: number },
): Promise<void> {
  const model = wideGraph('unused');
  const at = (i: number): string => new Date(Date.UTC(2026, 0, 1) + i * 60_000).toISOString();
  const states = ['OPEN', 'DONE', 'LATE'];
  const nodes = [...model.nodes.keys()].flatMap((type) =>
    Array.from({ length: FEW }, (_, i) => ({
      id: `${type}-${i}`,
      attributes: {
        name: `${type.toLowerCase()} ${i}`,
        title: `${type.toLowerCase()} ${i}`,
        text: `A remark about ${i}`,
        state: states[i % 3],
        status: states[i % 3],
        due: at(i * 1_000),
        country: 'UK',
        city: i % 2 === 0 ? 'Camden' : 'Hampstead',
        amount: i * 10,
      },
    })),
  );
  const edges = [...model.edges.values()].flatMap(({ type, from, to }) =>
    [...from].flatMap((source) =>
      [...to].flatMap((target) =>
        Array.from({ length: FEW }, (_, i) => ({
          source: `${source}-${i}`,
          type,
          target: `${target}-${(i * 5 + 1) % FEW}`,
          attributes: { at: at(i), role: i % 2 === 0 ? 'LEAD' : 'HELPER', amount: i, hours: i / 2 },
        })),
      ),
    ),
  );
  const hub = Array.from({ length: hubEdges }, (_, i) => [
    { source: 'USER-HUB', type: 'VIEWED', target: `PRODUCT-P${i}`, attributes: { at: at(i) } },
    { source: `USER-F${i}`, type: 'FOLLOWS', target: 'USER-HUB', attributes: { at: at(i) } },
  ]).flat();
  const all = [...nodes, { id: 'USER-HUB', attributes: { name: 'Hub', country: 'UK', city: 'Ely' } }, ...edges, ...hub];
  // The items are made of the model's names, so that their types are right though the compiler cannot see it.
  await writer.putMany(all as never);
}
