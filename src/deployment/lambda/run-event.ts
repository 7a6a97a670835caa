import * as z from 'zod/mini';
import { parsingInEnglish } from '../../foundation/parsing.ts';
import { wrongInput } from '../../trust/check/run/limits.ts';
import { MODES } from '../../trust/check/run/plan.ts';

/** The events of the function that checks, rebuilds and migrates. Its state machine sends them; a person may, too, who tries the function. */

const units = z.number().check(z.minimum(0));

/** The events by the field that tells them apart. `readLimits` and `planRun` check what a person gives as the input of an execution. */
const SCHEMAS = {
  plan: z.object({ plan: z.looseObject({}) }),
  migrate: z.object({ migrate: z.looseObject({}) }),
  walk: z.object({
    walk: z.object({ plan: z.string(), share: z.int().check(z.minimum(0)), maxRcu: units, maxWcu: units }),
  }),
  mode: z.object({
    mode: z.enum(MODES),
    worker: z.int().check(z.minimum(0)),
    repair: z.boolean(),
    untilMs: z.nullable(z.number()),
    maxRcu: units,
    maxWcu: units,
    cursor: z.optional(z.unknown()),
  }),
};
const HINT = 'Start an execution of the state machine: it calls the function with what each call needs.';

/** Throws `invalid-option` for an event that the state machine does not send: without that the function would do nothing, and say that it is done. */
export function checkRunEvent(event: unknown): void {
  const fields = typeof event === 'object' && event !== null ? event : {};
  const kind = (['plan', 'migrate', 'walk', 'mode'] as const).find((name) => Object.hasOwn(fields, name));
  if (kind === undefined) {
    throw wrongInput('The event of the check function has no field plan, migrate, walk or mode.', HINT);
  }
  const { error } = SCHEMAS[kind].safeParse(event, parsingInEnglish());
  if (error === undefined) return;
  const problems = error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  throw wrongInput(`The event of the check function is wrong: ${problems.join('; ')}.`, HINT);
}
