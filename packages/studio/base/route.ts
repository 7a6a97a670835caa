import * as z from 'zod';
import { EdgeloomError } from '../../../src/foundation/errors.ts';
import type { RequestContext } from './context.ts';

export interface StudioRoute {
  method: 'GET' | 'POST';
  path: string;
  /** True if the route needs `--write`. */
  writes: boolean;
  answer(context: RequestContext, input: unknown): Promise<object>;
}

export function route<Schema extends z.ZodType>(
  name: `${StudioRoute['method']} /api/${string}`,
  schema: Schema,
  answer: (context: RequestContext, input: z.output<Schema>) => Promise<object>,
  { writes = false } = {},
): StudioRoute {
  const [method, path] = name.split(' ') as [StudioRoute['method'], string];
  return { method, path, writes, answer: async (context, input) => answer(context, checkInput(schema, input)) };
}

function checkInput<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new EdgeloomError(
    'invalid-argument',
    `${issue!.path.join('.') || 'The request'}: ${issue!.message}.`,
    'Load the page again.',
  );
}

export function parametersOf(parameters: URLSearchParams): Record<string, string | string[]> {
  const input: Record<string, string | string[]> = Object.create(null);
  for (const name of new Set(parameters.keys())) {
    const values = parameters.getAll(name);
    input[name] = values.length === 1 ? values[0]! : values;
  }
  return input;
}

export const input = {
  id: z.string().min(1),
  limit: z.coerce.number().int().min(1).max(500).default(50),
  flag: z
    .enum(['true', 'false'])
    .default('false')
    .transform((text) => text === 'true'),
  cursor: z.string().min(1).optional(),
  list: z.union([z.string(), z.array(z.string())]).transform((value) => [value].flat()),
};
