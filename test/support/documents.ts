import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { ROOT } from './command.ts';

type JsonSchema = Parameters<typeof z.fromJSONSchema>[0];

const { $defs } = JSON.parse(readFileSync(join(ROOT, 'docs/reference/commands.schema.json'), 'utf8')) as {
  $defs: Record<string, object>;
};
const made = new Map<string, z.ZodType>();
/** Commands whose documents were compared in this process. */
export const comparedCommands = new Set<string>();

/** The names of all commands that print documents. */
export function documentedCommands(): string[] {
  return Object.keys($defs).filter((name) => /^[a-z]/.test(name) && name !== 'error');
}

/** Compares what a command printed with `--json`, line by line, with its schema in docs/reference; throws where they differ. */
export function compareDocuments(args: readonly string[], stdout: string): void {
  if (!args.includes('--json')) return;
  const words = args.filter((arg) => !arg.startsWith('-'));
  const name = [words.slice(0, 2).join(' '), words[0] ?? ''].find((one) => Object.hasOwn($defs, one));
  if (name === undefined) return;
  for (const line of stdout.split('\n').filter((text) => text !== '')) {
    const document: unknown = JSON.parse(line);
    const isFailure = typeof document === 'object' && document !== null && 'error' in document;
    const { success, error } = schemaOf(isFailure ? 'error' : name).safeParse(document);
    if (!success)
      throw new Error(`edgeloom ${args.join(' ')} printed ${line}, which its schema refuses: ${error.message}`);
    if (!isFailure) comparedCommands.add(name);
  }
}

function schemaOf(name: string): z.ZodType {
  let schema = made.get(name);
  if (schema === undefined) {
    schema = z.fromJSONSchema({ ...$defs[name], $defs } as JsonSchema);
    made.set(name, schema);
  }
  return schema;
}
