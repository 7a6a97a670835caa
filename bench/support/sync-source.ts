import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { defineGraph, edge, node } from '../../src/index.ts';
import type { SourcesOptions } from '../../src/sources/create-sources.ts';
import { mappedEdge, mappedNode } from '../../src/sources/items.ts';
import { sourceTable } from '../../src/sources/source.ts';
import { DynamoDBStore } from '../../src/store/dynamodb.ts';
import { MeteredStore } from '../../src/store/metered.ts';
import { DynamoDBSourceStore } from '../../src/store/source-table.ts';

/** A source table of issues. Each issue becomes a node and an edge. */

export const SOURCE = 'bench-source';

export const mirrorModel = defineGraph({
  table: 'bench-mirror',
  nodes: { ISSUE: node({ view: ['subject'] }), REPO: node() },
  edges: { IN_REPO: edge({ from: 'ISSUE', to: 'REPO' }) },
  mirrored: ['ISSUE', 'IN_REPO'],
});

export const sourceModel = defineGraph({
  table: { name: SOURCE, partitionKey: 'pk', sortKey: 'sk' },
  nodes: { ISSUE: node() },
});

export function issue(number: number, state = 'open') {
  const subject = `Subject of the issue ${number}: ${'words '.repeat(15)}`;
  return { pk: `repo#${number % 1000}`, sk: `issue#${number}`, number, repo: number % 1000, subject, state };
}

/** `rcu` and `wcu` are of the mirroring table. */
export interface SyncCounts {
  rcu: number;
  wcu: number;
  sourceRcu: number;
}

/** Returns the options of `createSources`, and a function that returns the units consumed so far. */
export function countedSources(client: DynamoDBClient): {
  graph: typeof mirrorModel;
  options: SourcesOptions;
  counts: () => SyncCounts;
} {
  const store = new MeteredStore(new DynamoDBStore(client, mirrorModel.table), {});
  const table = new DynamoDBSourceStore(client, SOURCE);
  let sourceRcu = 0;
  const counted = async <T extends { rcu: number }>(answer: Promise<T>): Promise<T> => {
    const { rcu } = await answer;
    sourceRcu += rcu;
    return answer;
  };
  const map = ({ number, repo, subject, state }: Record<string, unknown>) => [
    mappedNode(`ISSUE-${number}`, { subject, state }),
    mappedEdge(`ISSUE-${number}`, 'IN_REPO', `REPO-${repo}`, { state }),
  ];
  return {
    graph: mirrorModel,
    options: {
      sources: [sourceTable(SOURCE, { map })],
      store,
      openTable: () => ({
        get: (key) => counted(table.get(key)),
        scan: (request) => counted(table.scan(request)),
      }),
    },
    counts: () => ({ rcu: store.rcu, wcu: store.wcu, sourceRcu }),
  };
}
