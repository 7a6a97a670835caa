import type { Command } from 'commander';
import { withTableName } from '../../../src/core/model/compile/define-graph.ts';
import type { CompiledModel } from '../../../src/core/model/compiled.ts';
import { loadModel, loadSources } from '../../../src/deployment/package/load-model.ts';
import type { Source } from '../../../src/sources/source.ts';
import { type Output, print } from './output.ts';
import { readSettings, type Settings } from './settings.ts';

export interface ModelSession {
  settings: Settings;
  graph: CompiledModel;
}

export async function openModel(settings: Settings): Promise<ModelSession> {
  const model = await printingToStderr(() => loadModel(settings.config));
  return { settings, graph: settings.table === undefined ? model : withTableName(model, settings.table) };
}

export async function openSources({ config }: Settings): Promise<readonly Source[]> {
  return await printingToStderr(() => loadSources(config));
}

/** Sends what the model file prints to stderr, so that stdout has only the command's output. */
async function printingToStderr<T>(run: () => Promise<T>): Promise<T> {
  const { write } = process.stdout;
  process.stdout.write = process.stderr.write.bind(process.stderr);
  try {
    return await run();
  } finally {
    process.stdout.write = write;
  }
}

/** Runs a command that needs only the model, and prints its output. Doesn't load the SDK. */
export function inModel<Args extends unknown[]>(run: (session: ModelSession, ...args: Args) => Promise<Output>) {
  return async (...args: [...Args, Command]): Promise<void> => {
    const session = await openModel(settingsOf(args));
    print(await run(session, ...(args.slice(0, -1) as Args)), session.settings.json);
  };
}

export function settingsOf(args: readonly [...unknown[], Command]): Settings {
  return readSettings((args.at(-1) as Command).optsWithGlobals());
}
