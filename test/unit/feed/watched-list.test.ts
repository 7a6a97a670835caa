import { describe, expect, it } from 'vitest';
import { WatchedList } from '../../../src/client/feed/watched-list.ts';
import type { ReadContext } from '../../../src/client/read/request/read-context.ts';
import type { Item } from '../../../src/core/items/attribute-value.ts';
import type { IndexPartitionKey } from '../../../src/core/items/keys.ts';
import { followGraph } from '../../support/follow-graph.ts';
import { MemoryStore } from '../../support/memory-store/memory-store.ts';

const graph = followGraph();
const [source, target, partition] = ['USER-1', '~ix/FOLLOWS-USER-2', 'FOLLOWS-USER-2'];

function rowOf(revision: number, note: string): Item {
  return {
    ...{ source: { S: source! }, target: { S: target! }, gsi0pk: { S: partition! }, gsi0sk: { S: `a\0${source}` } },
    ...{ attributes: { M: { note: { S: note } } }, r: { N: String(revision) } },
  };
}

/** A list of one index partition, begun. */
async function begun(indexesOfAll: boolean) {
  const store = new MemoryStore(graph.table, { indexesOfAll });
  await store.put(rowOf(3, 'new'));
  const list = new WatchedList<unknown>(
    {
      ...{ index: 'gsi0', partitions: [partition as IndexPartitionKey], range: {}, reverse: false, limit: 10 },
      ...{
        where: undefined,
        maxRcu: undefined,
        native: undefined,
        accept: () => true,
        resultOf: (item) => item['attributes'],
      },
    },
    1_000,
  );
  await list.begin({ graph, store, concurrency: 1 } as unknown as ReadContext, () => 0);
  return list;
}

describe.each([false, true])('a watched list, with an index of all attributes: %s', (indexesOfAll) => {
  it('keeps a row that it has read where an older record comes after it, and takes a newer one', async () => {
    const list = await begun(indexesOfAll);
    const shown = (): unknown => list.rows.map((row) => list.resultOf(row));
    const receive = (revision: number, note: string): void => {
      const images = { oldImage: rowOf(revision - 1, 'older'), newImage: rowOf(revision, note) };
      list.receive({ source: source!, target: target!, ...images }, 5_000);
    };
    receive(2, 'old');
    expect(shown()).toEqual([{ M: { note: { S: 'new' } } }]);
    receive(4, 'newest');
    expect(shown()).toEqual([{ M: { note: { S: 'newest' } } }]);
  });
});
