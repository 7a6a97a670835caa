import { describe, expect, it } from 'vitest';
import { printModelNotice } from '../../../packages/cli/shared/model-notice.ts';
import { defineGraph } from '../../../src/core/model/compile/define-graph.ts';
import { node } from '../../../src/core/model/schema.ts';
import { migrate } from '../../../src/migrate/migrate.ts';
import { definitionsOf } from '../../../src/registry/definition.ts';
import { readDefinitions, readHead } from '../../../src/registry/head.ts';
import { changeText, plannedChanges } from '../../../src/registry/planned-changes.ts';
import { StreamedStore } from '../../support/streamed-store.ts';

function model(search: Record<string, { shards: number }>) {
  return defineGraph({ table: 'records', nodes: { USER: node({ view: 'ALL', search }) }, edges: {} });
}

/** What is printed of a model and a table, and what is given. */
async function noticed(graph: ReturnType<typeof model>, store: StreamedStore) {
  const lines: string[] = [];
  const given = await printModelNotice(graph, store, (text) => lines.push(text));
  return { lines, given };
}

describe('the notice of how a model stands to a table', () => {
  const before = model({ name: { shards: 2 } });
  const after = model({ name: { shards: 4 }, email: { shards: 1 }, age: { shards: 1 } });

  it('says that a table has no registry, and the command that makes one', async () => {
    expect(await noticed(before, new StreamedStore(before))).toEqual({
      lines: ['not managed: run edgeloom migrate\n'],
      given: { managed: false, differs: [] },
    });
  });

  it('says nothing where the table keeps this model', async () => {
    const store = new StreamedStore(before);
    await migrate(before, { store });
    expect(await noticed(before, store)).toEqual({ lines: [], given: { managed: true, differs: [] } });
  });

  it('says that views are replaced, and nothing of what is retired and only waits to be deleted', async () => {
    const store = new StreamedStore(before);
    await migrate(before, { store });
    const graph = defineGraph({ table: 'records', nodes: { USER: node({ view: ['name'] }) }, edges: {} });
    const { registry } = (await readHead({ store, stats: { rcu: 0 } }))!;
    const data = await readDefinitions({ store, stats: { rcu: 0 } }, registry, new Map());
    const textsOf = (state: 'ready' | 'retired') => {
      const projections = new Map(
        [...registry.projections].map(([name, one]) => {
          const generations = one.generations.map((own) => (name.startsWith('search:') ? { ...own, state } : own));
          return [name, { ...one, generations }] as const;
        }),
      );
      return plannedChanges({ ...registry, projections }, data, definitionsOf(graph)).map(changeText);
    };
    expect(textsOf('retired')).toEqual(['view:USER will be replaced']);
    expect(textsOf('ready')).toEqual([
      'view:USER will be replaced',
      'search:USER.name is not in this model; it stays until edgeloom migrate --drop of its name, or --undo',
    ]);
  });

  it('names each thing that differs, and the command that mends it', async () => {
    const store = new StreamedStore(before);
    await migrate(before, { store });
    const { lines, given } = await noticed(after, store);
    expect(lines).toEqual([expect.stringMatching(/^the table keeps another model .*: run edgeloom migrate \(.*\)\n$/)]);
    for (const change of [
      /^search:USER\.name \(with email\) will be built in its new place/,
      /^search:USER\.age will be built$/,
    ]) {
      expect(given.differs).toContainEqual(expect.stringMatching(change));
      expect(lines[0]).toMatch(new RegExp(change.source.replace(/^\^|\$$/g, '')));
    }
  });
});
