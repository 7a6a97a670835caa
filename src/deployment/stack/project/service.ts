import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { docsPage } from '../../../foundation/docs.ts';
import { EdgeloomError } from '../../../foundation/errors.ts';
import type { Source } from '../../../sources/source.ts';
import { tableNameIn } from '../base/arns.ts';
import { functionsOf } from '../base/ids.ts';
import type { Parameters } from '../base/parameters.ts';

export interface RecordedNames {
  service?: string;
  table?: string;
}

export function recordedNames(modelFile: string): RecordedNames {
  const path = nearestManifest(dirname(resolve(modelFile)));
  if (path === undefined) return {};
  const { edgeloom = {} } = JSON.parse(readFileSync(path, 'utf8')) as { edgeloom?: Record<string, unknown> };
  const text = (name: keyof RecordedNames): string | undefined => {
    const value = edgeloom[name];
    if (value === undefined || typeof value === 'string') return value;
    throw new EdgeloomError(
      'invalid-config',
      `In ${path}, edgeloom.${name} is not a text.`,
      `Give it the name of the ${name}, as it was deployed.`,
    );
  };
  return { service: text('service'), table: text('table') };
}

/**
 * Throws if a name has changed, because CloudFormation would create an empty stack or table.
 *
 * @param names without the table if it is not the stack's own.
 */
export function checkNames(modelFile: string, names: { service: string; table?: string | undefined }): void {
  const recorded = recordedNames(modelFile);
  if (recorded.service !== undefined && recorded.service !== names.service) {
    throw new EdgeloomError(
      'name-changed',
      `The service is ${names.service}, and package.json records ${recorded.service}. A different name makes a new stack with an empty table.`,
      `Call the service ${recorded.service} again; for a new service change edgeloom.service in package.json too.`,
    );
  }
  if (recorded.table === undefined || names.table === undefined || recorded.table === names.table) return;
  throw new EdgeloomError(
    'name-changed',
    `The model's table is ${names.table}, and package.json records ${recorded.table}. Another name is a new and empty table.`,
    `Call the table ${recorded.table} again; for a new table change edgeloom.table in package.json too.`,
  );
}

/**
 * Throws if a stream's table is not a source made by `sourceTable`, because its batches would fail. Returns warnings
 * about sources that nothing reads.
 */
export function checkSources(
  sources: readonly Pick<Source, 'name' | 'from'>[],
  { sourceStreamArns }: Parameters,
): string[] {
  const read = sourceStreamArns.map(tableNameIn);
  const tables = sources.filter(({ from }) => 'partitionKey' in from);
  const stranger = read.find((name) => !tables.some((source) => source.name === name));
  if (stranger !== undefined) {
    throw new EdgeloomError(
      'invalid-parameters',
      `These parameters of the stack are wrong: sourceStreamArns: ${stranger} is not a source table of the model file.`,
      'Export it there as one of the sources, made by sourceTable, or take its stream away.',
    );
  }
  const unread = tables.filter(({ name }) => !read.includes(name));
  return unread.map(({ name }) => `The stack does not mirror the source ${name}: set sourceStreamArns.`);
}

const MODULE_ENDINGS = ['.ts', '.mts', '.cts', '.js', '.mjs', '.cjs'];

/** Throws if a handler is missing. A project without the stream's module keeps its handlers elsewhere. */
export function checkHandlers(modelFile: string, parameters: Parameters): void {
  const folder = join(dirname(resolve(modelFile)), 'handlers');
  const has = (module: string): boolean => MODULE_ENDINGS.some((ending) => existsSync(join(folder, module + ending)));
  if (!has('stream')) return;
  for (const name of functionsOf(parameters)) {
    const module = name === 'rebuild' ? 'check' : name;
    if (has(module)) continue;
    throw new EdgeloomError(
      'invalid-parameters',
      `These parameters of the stack ask for the function ${name}, and ${join(folder, `${module}.ts`)} is absent.`,
      `Take the file out of a project that edgeloom init makes in an empty folder; that of mirror out of ${docsPage('adopting')}.`,
    );
  }
}

function nearestManifest(folder: string): string | undefined {
  const path = join(folder, 'package.json');
  if (existsSync(path)) return path;
  const above = dirname(folder);
  return above === folder ? undefined : nearestManifest(above);
}
