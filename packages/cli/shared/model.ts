import type { Command } from 'commander';
import { withTableName } from '../../../src/core/model/compile/define-graph.ts';
import type { CompiledModel } from '../../../src/core/model/compiled.ts';
import { loadModel } from '../../../src/deployment/package/load-model.ts';
import { type Output, print } from './output.ts';
import { readSettings, type Settings } from './settings.ts';

/** Session of a command that needs no table. */
export interface ModelSession {
  settings: Settings;
  /** The model, with the table name of the global options if given. */
  graph: CompiledModel;
}

export async function openModel(settings: Settings): Promise<ModelSession> {
  const model = await loadModel(settings.config);
  return { settings, graph: settings.table === undefined ? model : withTableName(model, settings.table) };
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
