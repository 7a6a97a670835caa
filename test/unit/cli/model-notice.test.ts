import { describe, expect, it } from 'vitest';
import { warnOfModel } from '../../../src/cli/session/model-notice.ts';
import { migrate } from '../../../src/migrate/migrate.ts';
import { defineGraph } from '../../../src/model/compile/define-graph.ts';
import { node } from '../../../src/model/schema.ts';
import { StreamedStore } from '../../support/streamed-store.ts';

function model(search: Record<string, { shards: number }>) {
  return defineGraph({ table: 'records', nodes: { USER: node({ search }) }, edges: {} });
}

/** What is logged of a model and a table. */
async function noticed(graph: ReturnType<typeof model>, store: StreamedStore) {
  const lines: unknown[][] = [];
  const note =
    (level: string) =>
    (...args: unknown[]): void => {
      lines.push([level, ...args]);
    };
  await warnOfModel({ info: note('info'), warn: note('warn') }, graph, store);
  return lines;
}

describe('the notice of how a model stands to a table', () => {
  const before = model({ name: { shards: 2 } });
  const after = model({ name: { shards: 4 }, email: { shards: 1 } });

  it('says that a table has no registry, and the command that makes one', async () => {
    expect(await noticed(before, new StreamedStore(before))).toEqual([
      ['info', { remedy: 'Run edgeloom migrate.' }, expect.stringContaining('not managed')],
    ]);
  });

  it('says nothing where the table keeps this model', async () => {
    const store = new StreamedStore(before);
    await migrate({ graph: before, store, isEmpty: true });
    expect(await noticed(before, store)).toEqual([]);
  });

  it('names each thing that differs, and the command that mends it', async () => {
    const store = new StreamedStore(before);
    await migrate({ graph: before, store, isEmpty: true });
    const changes = [expect.stringMatching(/^search:USER\.name .*shards/), 'search:USER.email is built'];
    expect(await noticed(after, store)).toEqual([
      ['warn', { changes: expect.arrayContaining(changes), remedy: 'Run edgeloom migrate.' }, expect.anything()],
    ]);
  });
});
