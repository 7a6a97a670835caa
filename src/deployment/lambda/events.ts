import * as z from 'zod/mini';
import { issueTexts, parsingInEnglish } from '../../foundation/parsing.ts';
import { wrongInput } from '../../trust/check/run/limits.ts';
import { MODES } from '../../trust/check/run/plan.ts';

/** Events are validated, because a function that ignored a misspelled field would do something else and report success. */

const units = z.number().check(z.minimum(0));
const place = z.int().check(z.minimum(0));
const flag = z.optional(z.boolean());

/** Keyed by the field that identifies the event. `readLimits` and `planRun` validate the loose objects. */
const RUN_EVENTS = {
  plan: z.object({ plan: z.looseObject({ hours: units, repair: z.boolean() }) }),
  migrate: z.object({ migrate: z.looseObject({}) }),
  walk: z.object({ walk: z.object({ plan: z.string(), share: place, maxRcu: units, maxWcu: units }) }),
  mode: z.object({
    mode: z.enum(MODES),
    worker: place,
    repair: z.boolean(),
    untilMs: z.nullable(z.number()),
    maxRcu: units,
    maxWcu: units,
    cursor: z.optional(z.unknown()),
  }),
};
const RUN_HINT = 'Start an execution of the state machine: it calls the function with what each call needs.';

export function checkRunEvent(event: unknown): void {
  const fields = typeof event === 'object' && event !== null ? event : {};
  const kind = (['plan', 'migrate', 'walk', 'mode'] as const).find((name) => Object.hasOwn(fields, name));
  if (kind === undefined)
    throw wrongInput('The event of the check function has no field plan, migrate, walk or mode.', RUN_HINT);
  checkFields('check', RUN_EVENTS[kind], event, RUN_HINT);
}

const EVENTS = {
  redrive: {
    fields: { watch: flag, ended: flag },
    hint: 'Give {} to redrive the quarantine, { "watch": true }, { "ended": true }, or { "Records": [...] } of an SQS queue.',
  },
  mirror: {
    fields: { watch: z.literal(true) },
    hint: 'Give { "watch": true }, or { "Records": [...] } of the stream of a source.',
  },
};

export function checkEvent(of: keyof typeof EVENTS, event: unknown): void {
  const { fields, hint } = EVENTS[of];
  // A schedule without input sends EventBridge's own event, which has more fields.
  const isOfEventBridge = typeof event === 'object' && event !== null && Object.hasOwn(event, 'detail-type');
  checkFields(of, isOfEventBridge ? z.object(fields) : z.strictObject(fields), event, hint);
}

function checkFields(of: string, schema: z.ZodMiniType, event: unknown, hint: string): void {
  const { error } = schema.safeParse(event, parsingInEnglish());
  if (error === undefined) return;
  throw wrongInput(`The event of the ${of} function is wrong: ${issueTexts(error.issues).join('; ')}.`, hint);
}
