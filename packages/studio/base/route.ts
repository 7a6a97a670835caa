import * as z from 'zod';
import { EdgeloomError } from '../../../src/foundation/errors.ts';
import type { RequestContext } from './context.ts';

/** One thing that the page can ask for. */
export interface StudioRoute {
  method: 'GET' | 'POST';
  /** Such as `/api/node`. */
  path: string;
  /** True if it writes to the table: refused without `--write`. */
  writes: boolean;
  /** Answers; throws an `EdgeloomError` for what cannot be asked. */
  answer(context: RequestContext, input: unknown): Promise<object>;
}

/** Makes a route whose input is checked by a schema. */
export function route<Schema extends z.ZodType>(
  name: `${StudioRoute['method']} /api/${string}`,
  schema: Schema,
  answer: (context: RequestContext, input: z.output<Schema>) => Promise<object>,
  { writes = false } = {},
): StudioRoute {
  const [method, path] = name.split(' ') as [StudioRoute['method'], string];
  return { method, path, writes, answer: async (context, input) => answer(context, checkInput(schema, input)) };
}

/** Checks the input of a request. Throws `invalid-request`. */
function checkInput<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new EdgeloomError(
    'invalid-request',
    `${issue!.path.join('.') || 'The request'}: ${issue!.message}.`,
    'Load the page again.',
  );
}

/** The parameters of an address as an object: a name that comes again has a list. */
export function parametersOf(parameters: URLSearchParams): Record<string, string | string[]> {
  const input: Record<string, string | string[]> = Object.create(null);
  for (const name of new Set(parameters.keys())) {
    const values = parameters.getAll(name);
    input[name] = values.length === 1 ? values[0]! : values;
  }
  return input;
}

/** Parts of the routes' inputs. */
export const input = {
  id: z.string().min(1),
  limit: z.coerce.number().int().min(1).max(500).default(50),
  flag: z
    .enum(['true', 'false'])
    .default('false')
    .transform((text) => text === 'true'),
  cursor: z.string().optional(),
  /** A parameter that may come several times. */
  list: z.union([z.string(), z.array(z.string())]).transform((value) => [value].flat()),
};
