import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { CompiledModel } from '../../core/model/compiled.ts';
import { EdgeloomError, messageOf } from '../../foundation/errors.ts';
import type { Source } from '../../sources/source.ts';
import { createModuleLoader } from './module-loader.ts';

export async function loadModel(file: string): Promise<CompiledModel> {
  const loaded = await loadFile(file, { default: true });
  if (isGraph(loaded)) return loaded;
  throw new EdgeloomError(
    'invalid-config',
    `The model file ${file} does not export a graph.`,
    'End it with: export default defineGraph({ ... });',
  );
}

export async function loadSources(file: string): Promise<readonly Source[]> {
  const { sources = [] } = (await loadFile(file)) as { sources?: unknown };
  if (!Array.isArray(sources)) {
    throw new EdgeloomError(
      'invalid-config',
      `The model file ${file} exports sources that are not a list.`,
      "Export a list: export const sources = [sourceTable('app-table', { map })];",
    );
  }
  for (const source of sources) {
    if (typeof source?.name === 'string' && typeof source.map === 'function' && 'from' in source) continue;
    throw new EdgeloomError(
      'invalid-config',
      `The model file ${file} exports something that is not a source.`,
      "Make each with sourceTable or defineSource: sourceTable('app-table', { map }).",
    );
  }
  return sources as readonly Source[];
}

async function loadFile(file: string, options?: { default: true }): Promise<unknown> {
  const path = resolve(file);
  if (!existsSync(path)) {
    throw new EdgeloomError(
      'invalid-config',
      `There is no model file ${file}.`,
      'Create edgeloom.config.ts, or name another file with --config.',
    );
  }
  try {
    const loader = await createModuleLoader();
    return await loader.import(path, options);
  } catch (error) {
    if (error instanceof Error && 'hint' in error) throw error;
    throw new EdgeloomError(
      'invalid-config',
      `The model file ${file} cannot be loaded: ${messageOf(error)}`,
      'Correct the file: node --check or tsc shows the line.',
      { cause: error },
    );
  }
}

function isGraph(value: unknown): value is CompiledModel {
  return (
    typeof value === 'object' &&
    value !== null &&
    'fingerprint' in value &&
    'nodes' in value &&
    value.nodes instanceof Map
  );
}
