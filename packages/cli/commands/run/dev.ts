import { type Command, Option } from 'commander';
import type { CompiledModel } from '../../../../src/core/model/compiled.ts';
import type { Projector } from '../../../../src/projecting/apply/projector-types.ts';
import { createClient, createStreamsClient } from '../../../../src/store/client.ts';
import { DynamoDBStreamSource } from '../../../../src/stream/dynamodb-source.ts';
import { positionOfStream } from '../../../../src/trust/explain/position.ts';
import { status } from '../../../../src/trust/explain/status.ts';
import type { ObservedDrift } from '../../../../src/trust/observe/drift.ts';
import { ENGINES, type EngineName } from '../../../local/engine/engine.ts';
import { type Local, type LocalOptions, startLocal } from '../../../local/local.ts';
import { ProjectorTap } from '../../../studio/base/projector-tap.ts';
import { type Studio, startStudio } from '../../../studio/server/studio.ts';
import { driftLine } from '../../shared/difference.ts';
import { LiveLine } from '../../shared/live-line.ts';
import { openModel, openSources } from '../../shared/model.ts';
import { printModelNotice } from '../../shared/model-notice.ts';
import { endpointUrl, examples, portNumber } from '../../shared/options.ts';
import { print } from '../../shared/output.ts';
import { createLogger } from '../../shared/session.ts';
import { readSettings, type Settings } from '../../shared/settings.ts';
import { stopOnSignal } from '../../shared/signals.ts';

interface DevOptions {
  port?: number;
  data?: string;
  engine?: EngineName;
  observe: boolean;
  sourceEndpoint?: string;
  studio?: boolean;
}

export function devCommand(command: Command): void {
  command
    .option('--port <port>', 'TCP port of the engine (default: a free one)', portNumber)
    .option('--data <dir>', 'keep the data in this folder (default: data is lost at the end)')
    .addOption(
      new Option(
        '--engine <engine>',
        'engine to run (default: dynoxide; on platforms without it memory, or dynamodb-local with --data)',
      ).choices(ENGINES),
    )
    .option('--no-observe', "don't run the observer, which verifies what is projected")
    .option(
      '--source-endpoint <url>',
      'DynamoDB endpoint with the source tables, such as the one of your application (default: this engine)',
      endpointUrl,
    )
    .option('--studio', 'open the studio, which can write, and follows each write')
    .addHelpText(
      'after',
      examples(
        'dev',
        'dev --port 8000 --data .edgeloom/data',
        'dev --studio',
        'dev --source-endpoint http://127.0.0.1:8000',
        'dev --engine memory',
      ),
    )
    .action(
      async ({ port, data, engine, observe, sourceEndpoint, studio: hasStudio }: DevOptions, command: Command) => {
        const settings = readSettings(command.optsWithGlobals());
        const { graph } = await openModel(settings);
        const onDrift = (drift: ObservedDrift): void => void process.stderr.write(`${driftLine(drift)}\n`);
        const sources = await openSources(settings);
        const options = { engine, port, dataDir: data, observe, onDrift, sources, sourceEndpoint };
        const tap = hasStudio === true ? new ProjectorTap() : undefined;
        const projecting = await devWorker(graph, options, settings, tap);
        const studio = tap && (await devStudio(graph, projecting.local, tap, settings));
        const stop = async (): Promise<void> => {
          await studio?.close();
          await projecting.stop();
        };
        const ended = new Promise<void>((resolve, reject) => {
          stopOnSignal(() => stop().then(resolve, reject));
          Promise.all([projecting.local.worker.ended, projecting.local.mirrors?.ended]).catch((error: unknown) =>
            stop().finally(() => reject(error)),
          );
        });
        const { endpoint, store, engine: running } = projecting.local;
        const engineLine = `engine:   ${engineText(running)}`;
        const notice = await printModelNotice(graph, store);
        const sourceLines = sources.map(({ name }) => `source:   ${name}`);
        const text = [
          `endpoint: ${endpoint}`,
          `table:    ${graph.table.name}`,
          ...sourceLines,
          engineLine,
          ...(studio === undefined ? [] : [`studio:   ${studio.url}`]),
          'projecting; Ctrl-C stops',
          '',
          'Next, in another terminal:',
          `  npx edgeloom import FILE --endpoint ${endpoint}`,
          `  npx edgeloom studio --endpoint ${endpoint}`,
        ].join('\n');
        const shown = studio && { studio: studio.url };
        const json = { endpoint, table: graph.table.name, engine: running, ...shown, ...notice };
        print({ json, text }, settings.json);
        await ended;
      },
    );
}

function engineText(engine: EngineName): string {
  return engine === 'memory' ? 'memory; the data end with this process' : engine;
}

async function devStudio(
  graph: CompiledModel,
  { endpoint, store }: Local,
  tap: ProjectorTap,
  settings: Settings,
): Promise<Pick<Studio, 'url' | 'close'>> {
  const streams = createStreamsClient({ endpoint });
  const client = createClient({ endpoint });
  const logger = createLogger(settings);
  const { url, close } = await startStudio({ graph, store, client, streams, tap, isWritable: true, logger });
  return {
    url,
    close: async () => {
      await close();
      streams.destroy();
      client.destroy();
    },
  };
}

/** Returns a projector whose `project` waits for `open`: the worker starts before its store exists. */
function tappedProjector(
  graph: CompiledModel,
  tap: ProjectorTap,
): { projector: Projector; open: (store: Local['store']) => void } {
  let open: (store: Local['store']) => void = () => undefined;
  const made = new Promise<Local['store']>((resolve) => {
    open = resolve;
  }).then((store) => tap.projector(graph, store));
  return { open, projector: { project: async (records, options) => await (await made).project(records, options) } };
}

async function devWorker(
  graph: CompiledModel,
  options: LocalOptions,
  settings: Settings,
  tap: ProjectorTap | undefined,
): Promise<{ local: Local; stop(): Promise<void> }> {
  const logger = createLogger(settings);
  let line: LiveLine | undefined;
  const tapped = tap && tappedProjector(graph, tap);
  const local = await startLocal(graph, {
    ...options,
    ...(tapped && { projector: tapped.projector }),
    logger,
    onBatch: ({ totals: { records, writes }, newestRecordAgeMs, milliseconds }) =>
      line?.addProjected({ records, writes, newestRecordAgeMs, batchMs: milliseconds }),
  });
  const { endpoint, store, streamArn } = local;
  tapped?.open(store);
  const streams = createStreamsClient({ endpoint });
  const position = positionOfStream(graph, store, new DynamoDBStreamSource(streams, streamArn));
  line = new LiveLine({
    stream: process.stderr,
    quarantined: async () =>
      Object.values((await status(graph, { store })).quarantined).reduce((sum, count) => sum + count, 0),
    behindSeconds: async () => Math.max(0, ...(await position.look()).shards.map(({ behindSeconds }) => behindSeconds)),
    verified: () => local.observer,
  });
  line.start((error) => logger.debug({ error: String(error) }, 'The table could not be asked for the live line.'));
  return {
    local,
    stop: async () => {
      await line?.stop();
      streams.destroy();
      await local.stop();
    },
  };
}
