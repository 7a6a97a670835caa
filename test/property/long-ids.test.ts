import { describe, expect, it } from 'vitest';
import { type CompiledModel, defineGraph, EdgeloomError, edge, node, type Reader } from '../../src/index.ts';
import { answerOf, SHOWN_MS, Stage } from '../simulator/faults/stage.ts';

/**
 * What fits into a generation fits into each that follows it, whose keys are longer: or nothing is changed, and the migration says
 * so. An id that was taken is not put into quarantine by a change of the model.
 */

function modelOf(shards: number): CompiledModel {
  return defineGraph({
    table: 'records',
    nodes: {
      A: node({ search: { name: { shards, project: [] }, tags: { multiValue: true, shards } } } as never),
      B: node({ list: true, search: { name: { shards } } } as never),
    },
    edges: {
      AB: edge({
        ...{ from: 'A', to: 'B', degree: true },
        inbound: { orders: { gsi0: 'since', gsi1: 'role', byRole: 'role' }, shards },
      } as never),
    },
  } as never) as CompiledModel;
}

/** Ids of every length around the bounds of sort keys and of index partitions, of edges' targets and of sources. */
const TARGET_BYTES = [
  980, 995, 1_000, 1_005, 1_008, 1_009, 1_010, 1_011, 1_012, 1_014, 1_016, 1_018, 1_019, 1_020, 1_021,
];
const SOURCE_BYTES = [900, 990, 1_000, 1_010, 1_015, 1_016, 1_017, 1_018, 1_019, 1_020];

const before = modelOf(1);

function idOf(type: string, bytes: number): string {
  return `${type}-${'x'.repeat(bytes - 2)}`;
}

/** What a table says about the edges of a target, the searches of a source, and what it could not derive. */
async function answers(stage: Stage, graph: CompiledModel, one: { source: string; target: string }) {
  const reader: Reader = stage.reader(graph);
  const sources = async (order: string) => {
    const { items } = await reader.inbound(one.target, 'AB', { order } as never);
    return items.length;
  };
  return {
    inbound: await answerOf(() => sources('gsi0')),
    byRole: await answerOf(() => sources('byRole')),
    name: await answerOf(async () => (await reader.search('A.name').equals('n')).items.length),
    tags: await answerOf(async () => (await reader.search('A.tags').equals('t')).items.length),
    degree: await answerOf(() => reader.degree(one.source, 'AB')),
    listed: await answerOf(async () => (await reader.nodes('B')).items.length),
    isQuarantined: [...stage.table.items()].some(({ key }) => key.target.startsWith('~quarantine/')),
  };
}

describe('an item whose ids just fit', () => {
  it.each([
    ...TARGET_BYTES.map((bytes) => ({ what: `target of ${bytes} bytes`, source: 'A-1', target: idOf('B', bytes) })),
    ...SOURCE_BYTES.map((bytes) => ({ what: `source of ${bytes} bytes`, source: idOf('A', bytes), target: 'B-1' })),
  ])('a $what is shown by later generations as it was by the first', async ({ source, target }) => {
    const stage = new Stage();
    const { first, later } = await stage.run(async () => {
      await stage.migrate(before);
      stage.node(source, { name: 'n', tags: ['t', 'u'] });
      stage.node(target, { name: 'n' });
      stage.put(source, `AB-${target}`, { since: '2020', role: 'LEAD' });
      await stage.consume(before);
      await stage.sleep(SHOWN_MS);
      const first = await answers(stage, before, { source, target });
      let graph = before;
      let isRefused = false;
      // Marks of generations get longer.
      for (let shards = 2; shards <= 11 && !isRefused; shards++) {
        try {
          await stage.migrate(modelOf(shards));
          graph = modelOf(shards);
        } catch (error) {
          if (!(error instanceof EdgeloomError)) throw error;
          isRefused = true;
        }
        stage.node(source, { name: 'n', tags: ['t', 'u'], round: shards });
        stage.node(target, { name: 'n', round: shards });
        stage.put(source, `AB-${target}`, { since: '2020', role: 'LEAD', round: shards });
        await stage.consume(graph);
      }
      await stage.sleep(SHOWN_MS);
      return { first, later: await answers(stage, graph, { source, target }) };
    });
    expect(later).toEqual(first);
  });
});
