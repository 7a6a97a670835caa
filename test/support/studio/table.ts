import { ProjectorTap } from '../../../packages/studio/base/projector-tap.ts';
import { startStudio } from '../../../packages/studio/server/studio.ts';
import { createWriter } from '../../../src/client/write/writer.ts';
import { defineGraph } from '../../../src/core/model/compile/define-graph.ts';
import type { CompiledModel } from '../../../src/core/model/compiled.ts';
import { date, edge, node, number, rank } from '../../../src/core/model/schema.ts';
import { createWorker } from '../../../src/projecting/worker/worker.ts';
import { testTable, uniqueTableName } from '../table.ts';
import { stubPage } from './page.ts';

/** A model with every kind of search and order that the studio makes forms for. */
export function studioGraph(table = uniqueTableName()) {
  return defineGraph({
    table,
    nodes: {
      GOAL: node({
        view: ['title', 'status'],
        search: { status: { shardBy: 'source', shards: 4 }, due: { type: 'date' } },
      }),
      USER: node({
        view: 'ALL',
        search: {
          name: { caseInsensitive: true, shards: 20 },
          place: { partition: 'country', path: ['state', 'city'], shards: 1 },
          mail: { native: true, project: ['name'] },
        },
      }),
    },
    edges: {
      MEMBER: edge({
        from: 'GOAL',
        to: 'USER',
        edgeSet: ['role'],
        inbound: {
          orders: { gsi0: rank('role', { LEAD: 500, HELPER: 400 }), gsi1: date('since') },
          project: ['role'],
        },
      }),
      STARRED: edge({
        ...{ from: 'USER', to: 'GOAL', edgeSet: false, deletedWhen: 'void' },
        inbound: { native: true, orders: { byStars: number('stars') }, project: ['note'] },
      }),
    },
  });
}

/** A table of that model with a projector that runs. */
async function studioTable<G extends CompiledModel>(model: G) {
  const table = await testTable(model);
  const { graph, store, streams, streamArn } = table;
  const writer = createWriter(graph, { store });
  const tap = new ProjectorTap();
  const projector = tap.projector(graph, store);
  const worker = createWorker(graph, { store, streams, streamArn, projector, pollIntervalMs: 20 });
  const run = worker.run();
  run.catch(() => undefined);
  return { ...table, tap, writer, worker, run };
}

/** Everything that a logger was told, details included. */
export function keepingLogger() {
  const lines: string[] = [];
  const keep = (details: object, message: string): void => {
    lines.push(JSON.stringify({ ...details, message }));
  };
  return { lines, logger: { debug: keep, info: keep, warn: keep, error: keep } };
}

interface StudioOptions {
  isWritable?: boolean;
  /** The folder of the page where the built one is not expected, or one that is made for this studio. */
  page?: URL | 'stub';
  isTapped?: boolean;
}

/** Opens a table with a projector and a studio. */
export async function openStudio(options: StudioOptions = {}) {
  return openStudioOf(studioGraph(), options);
}

/** The same with a model of one's own. */
export async function openStudioOf<G extends CompiledModel>(
  model: G,
  { isWritable = false, page: given, isTapped = true }: StudioOptions = {},
) {
  const table = await studioTable(model);
  const { graph, store, client, streams } = table;
  const tap = isTapped ? table.tap : undefined;
  const log = keepingLogger();
  const stub = given === 'stub' ? await stubPage() : undefined;
  const page = given === 'stub' ? stub?.page : given;
  const studio = await startStudio({ graph, store, client, streams, tap, isWritable, page, logger: log.logger });
  return {
    ...table,
    studio,
    lines: log.lines,
    close: async () => {
      await studio.close();
      await table.worker.stop();
      await table.run;
      await stub?.remove();
    },
  };
}
