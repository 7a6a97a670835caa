import { expect, it } from 'vitest';
import { startLocal } from '../../packages/local/local.ts';
import { createWriter } from '../../src/client/write/writer.ts';
import { bookGraph } from '../support/book-graph.ts';
import { uniqueTableName } from '../support/table.ts';

it('an engine in memory gives the batch in hand no time after a stop: its data end anyway', async () => {
  const graph = bookGraph(uniqueTableName());
  let begin: () => void = () => undefined;
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  let end: () => void = () => undefined;
  const stopped = new Promise<void>((resolve) => {
    end = resolve;
  });
  let leftMs: number | undefined;
  const local = await startLocal(graph, {
    engine: 'memory',
    observe: false,
    projector: {
      project: async (records, options) => {
        begin();
        await stopped;
        leftMs = options?.remainingMs?.();
        const none = { records: records.length, units: 0, writes: 0, wcu: 0, rcu: 0 };
        return { ...none, failedFrom: records[0]! } as never;
      },
    },
  });
  const [type] = graph.nodes.keys();
  await createWriter(graph, { store: local.store }).putNode(`${type}-1` as never, {} as never);
  await begun;
  const stopping = local.stop();
  end();
  await stopping;
  expect(leftMs).toBeLessThanOrEqual(0);
});
