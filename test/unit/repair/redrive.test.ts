import { describe, expect, it } from 'vitest';
import { defineGraph } from '../../../src/core/model/compile/define-graph.ts';
import { node } from '../../../src/core/model/schema.ts';
import type { QueryRequest, Store } from '../../../src/core/store-port.ts';
import { StoreError } from '../../../src/foundation/errors.ts';
import { createProjector } from '../../../src/projecting/apply/projector.ts';
import { fixedModel } from '../../../src/registry/writer-model.ts';
import { redrive } from '../../../src/trust/repair/redrive.ts';
import { StreamedStore } from '../../support/streamed-store.ts';

const graph = defineGraph({
  table: 'records',
  nodes: { GOAL: node({ view: 'ALL', search: { status: {} } }) },
  edges: {},
});
const model = fixedModel(graph);

/** A table with some quarantined records. */
async function withEntries(count: number): Promise<StreamedStore> {
  const table = new StreamedStore(graph);
  for (let i = 1; i <= count; i++) await table.producer(`GOAL-${i}`, `GOAL-${i}`, { status: { N: '7' } });
  const { quarantined } = await createProjector(graph, { model, store: table }).project(table.records);
  expect(quarantined).toBe(count);
  return table;
}

/** A store that answers the quarantine's first page, of two entries, and fails at the second when the work on the first has ended. */
function failingAtSecondPage(table: StreamedStore): Store {
  return new Proxy<Store>(table, {
    get: (target, name) => {
      if (name !== 'query') return (Reflect.get(target, name) as () => unknown).bind(target);
      return async (request: QueryRequest) => {
        if (request.startKey === undefined) return await target.query({ ...request, limit: 2 });
        await new Promise((resolve) => setTimeout(resolve, 20));
        throw new StoreError('retryable', 'ThrottlingException', 'Slow down.');
      };
    },
  });
}

describe('redrive', () => {
  it('fails where a page of the quarantine cannot be read, and does not say that all is done', async () => {
    const table = await withEntries(5);
    let seen = 0;
    const onProgress = (entries: number): void => {
      seen = entries;
    };
    const redriven = redrive(graph, { store: failingAtSecondPage(table), model, onProgress });
    await expect(redriven).rejects.toThrow('Slow down.');
    expect(seen).toBe(2);
  });
});
