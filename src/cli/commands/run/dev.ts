import { type Command, Option } from 'commander';
import { readSettings, type Settings } from '../../../config.ts';
import { figure } from '../../../figure.ts';
import type { EngineName, EngineOptions } from '../../../local/engine/engine.ts';
import { startLocal } from '../../../local/local.ts';
import { withTableName } from '../../../model/compile/define-graph.ts';
import type { CompiledModel } from '../../../model/compiled.ts';
import { loadModel } from '../../session/load-model.ts';
import { warnOfModel } from '../../session/model-notice.ts';
import { examples, portNumber } from '../../session/options.ts';
import { print } from '../../session/output.ts';
import { createLogger } from '../../session/session.ts';
import { stopOnSignal } from '../../session/signals.ts';
import { DEFAULT_HANDLER, devLambda, type Projecting } from './dev-lambda.ts';

/** How often it tells how far it came while it works, in milliseconds. */
const TELL_MS = 5_000;

interface DevOptions {
  port?: number;
  data?: string;
  engine?: EngineName;
  lambda?: string | true;
}

/** `edgeloom dev`: engine, table and projector until Ctrl-C. */
export function devCommand(program: Command): void {
  program
    .command('dev')
    .description("run an embedded engine with the model's table and a projector, until Ctrl-C")
    .option('--port <port>', 'TCP port of the engine (default: a free one)', portNumber)
    .option('--data <dir>', 'keep data in this folder (default: nothing is kept)')
    .addOption(
      new Option(
        '--engine <engine>',
        'engine to run (default: dynoxide, or dynamodb-local where it has no package)',
      ).choices(['dynoxide', 'dynamodb-local']),
    )
    .option(
      '--lambda [file]',
      `project with your own handler, invoked as Lambda would, in place of the built-in projector (file: ${DEFAULT_HANDLER})`,
    )
    .addHelpText(
      'after',
      examples(
        'dev',
        'dev --port 8000 --data .edgeloom/data',
        'dev --engine dynamodb-local',
        'dev --lambda',
        'dev --lambda src/my-handler.ts',
      ),
    )
    .action(async ({ port, data, engine, lambda }: DevOptions, command: Command) => {
      const settings = readSettings(command.optsWithGlobals());
      const model = await loadModel(settings.config);
      const graph = settings.table === undefined ? model : withTableName(model, settings.table);
      const options = { engine, port, dataDir: data };
      const projecting =
        lambda === undefined
          ? await devWorker(graph, options, settings)
          : await devLambda(graph, lambda === true ? DEFAULT_HANDLER : lambda, options, createLogger(settings));
      const ended = new Promise<void>((resolve, reject) => {
        stopOnSignal(() => projecting.stop().then(resolve, reject));
        // A projector that gives up ends the command with its error, and with all that it runs.
        projecting.ended.catch((error: unknown) => projecting.stop().finally(() => reject(error)));
      });
      const { endpoint, lines } = projecting;
      const text = [`endpoint: ${endpoint}`, `table:    ${graph.table.name}`, ...lines].join('\n');
      print({ json: { endpoint, table: graph.table.name }, text }, settings.json);
      await ended;
    });
}

async function devWorker(graph: CompiledModel, options: EngineOptions, settings: Settings): Promise<Projecting> {
  let toldMs = Date.now();
  let told = 0;
  const logger = createLogger(settings);
  const local = await startLocal({
    ...{ ...options, graph, logger },
    // Minutes of work show that they are work; a quiet table says nothing.
    onBatch: ({ totals: { records, writes, quarantined } }) => {
      if (Date.now() - toldMs < TELL_MS || records === told) return;
      toldMs = Date.now();
      told = records;
      process.stderr.write(
        `projected: ${figure(records)} records, ${figure(writes)} writes, ${figure(quarantined)} quarantined\n`,
      );
    },
  });
  // What a new table holds is of this model.
  if (options.dataDir !== undefined) await warnOfModel(logger, graph, local.store);
  return {
    endpoint: local.endpoint,
    ended: local.worker.ended,
    lines: ['projecting; Ctrl-C stops'],
    stop: () => local.stop(),
  };
}
