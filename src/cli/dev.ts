import { type Command, Option } from 'commander';
import { readSettings } from '../config.ts';
import type { EngineName } from '../local/engine.ts';
import { startLocal } from '../local/local.ts';
import { withTableName } from '../model/graph.ts';
import { loadModel } from './load-model.ts';
import { examples, portNumber } from './options.ts';
import { print } from './output.ts';
import { createLogger } from './session.ts';
import { stopOnSignal } from './signals.ts';

interface DevOptions {
  port?: number;
  data?: string;
  engine: EngineName;
}

/** `edgeloom dev`: engine, table and projector until Ctrl-C. */
export function devCommand(program: Command): void {
  program
    .command('dev')
    .description("run an embedded engine with the model's table and a projector, until Ctrl-C")
    .option('--port <port>', 'TCP port of the engine (default: a free one)', portNumber)
    .option('--data <dir>', 'keep data in this folder (default: nothing is kept)')
    .addOption(
      new Option('--engine <engine>', 'engine to run').choices(['dynoxide', 'dynamodb-local']).default('dynoxide'),
    )
    .addHelpText('after', examples('dev', 'dev --port 8000 --data .edgeloom/data', 'dev --engine dynamodb-local'))
    .action(async ({ port, data, engine }: DevOptions, command: Command) => {
      const settings = readSettings(command.optsWithGlobals());
      const model = await loadModel(settings.config);
      const graph = settings.table === undefined ? model : withTableName(model, settings.table);
      const local = await startLocal({ graph, engine, port, dataDir: data, logger: createLogger(settings) });
      const ended = new Promise<void>((resolve, reject) => {
        stopOnSignal(() => local.stop().then(resolve, reject));
        // A projector that gives up ends the command with its error.
        local.worker.ended.catch(reject);
      });
      const { endpoint } = local;
      const text = `endpoint: ${endpoint}\ntable:    ${graph.table.name}\nprojecting; Ctrl-C stops`;
      print({ json: { endpoint, table: graph.table.name }, text }, settings.json);
      await ended;
    });
}
