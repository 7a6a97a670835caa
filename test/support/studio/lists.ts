import type { Writer } from '../../../src/client/write/writer.ts';
import { defineGraph } from '../../../src/core/model/compile/define-graph.ts';
import { edge, node, source, sum } from '../../../src/core/model/schema.ts';
import { uniqueTableName } from '../table.ts';
import { openStudioOf } from './table.ts';

/** A model with levels of each kind, with a count, sums and groups. */
function listGraph() {
  return defineGraph({
    table: uniqueTableName(),
    nodes: {
      BOARD: node({ view: ['name'] }),
      CARD: node({ view: ['title', 'state'] }),
      STEP: node({ view: ['text'] }),
      USER: node({ view: ['name'] }),
    },
    edges: {
      ON_BOARD: edge({
        from: 'CARD',
        to: 'BOARD',
        edgeSet: false,
        inbound: {
          orders: { gsi0: 'place', byKind: ['kind', 'place'], byState: source('state') },
          total: { hours: sum('hours') },
          groupBy: ['kind'],
        },
      }),
      HAS_STEP: edge({ from: 'CARD', to: 'STEP' }),
      DOES: edge({ from: ['CARD', 'STEP'], to: 'USER', edgeSet: ['part'] }),
      NEEDS: edge({ from: 'CARD', to: 'CARD' }),
      NOTE_OF: edge({ from: 'USER', to: 'CARD', edgeSet: false, degree: true, inbound: { orders: { gsi0: 'at' } } }),
    },
  });
}

type List = Awaited<ReturnType<typeof openStudioOf<ReturnType<typeof listGraph>>>>;

/** Two cards on a board: the second needs the first, which has two steps and a note. */
async function fillLists({ writer, worker }: { writer: Writer<ReturnType<typeof listGraph>>; worker: List['worker'] }) {
  await writer.batch((batch) => {
    batch.putNode('BOARD-B', { name: 'Spring' });
    batch.putNode('USER-A', { name: 'Ada' });
    batch.putNode('USER-L', { name: 'Li' });
    batch.putNode('CARD-1', { title: 'Dig', state: 'open' });
    batch.putNode('CARD-2', { title: 'Plant', state: 'open' });
    batch.putNode('STEP-1', { text: 'Borrow a spade' });
    batch.putNode('STEP-2', { text: 'Lift the turf' });
    batch.putEdge('CARD-1', 'ON_BOARD', 'BOARD-B', { place: '1', hours: 2.5, kind: 'work' });
    batch.putEdge('CARD-2', 'ON_BOARD', 'BOARD-B', { place: '2', hours: 4, kind: 'fun' });
    batch.putEdge('CARD-1', 'HAS_STEP', 'STEP-1');
    batch.putEdge('CARD-1', 'HAS_STEP', 'STEP-2');
    batch.putEdge('CARD-1', 'DOES', 'USER-A', { part: 'lead/main' });
    batch.putEdge('STEP-1', 'DOES', 'USER-L', { part: 'help' });
    batch.putEdge('STEP-2', 'DOES', 'USER-A', { part: 'lead/main' });
    batch.putEdge('CARD-2', 'NEEDS', 'CARD-1');
    batch.putEdge('CARD-2', 'DOES', 'USER-GONE', { part: 'help' });
    batch.putEdge('USER-L', 'NOTE_OF', 'CARD-1', { at: '2026-01-01', text: 'Mind the roots' });
  });
  await worker.idle();
}

/** Opens a studio over the lists of a board. */
export async function openLists(options: Parameters<typeof openStudioOf>[1] = {}) {
  const opened = await openStudioOf(listGraph(), options);
  await fillLists(opened);
  return opened;
}
