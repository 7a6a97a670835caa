import jsonata from 'jsonata';

/** Makes a task again that failed with one of its errors. */
interface Retrier {
  ErrorEquals: string[];
  MaxAttempts?: number;
}

/** A state of a machine; only what the check's machine uses. */
interface State {
  Type: string;
  Items?: unknown[] | string;
  Seconds?: string;
  ItemProcessor?: Machine;
  Arguments?: { FunctionName: string; Payload: unknown };
  Retry?: Retrier[];
  Choices?: { Condition: string; Next: string }[];
  Default?: string;
  Output?: string;
  Next?: string;
  End?: boolean;
}

/** A state machine, or the processor of a map. */
export interface Machine {
  StartAt: string;
  States: Record<string, State>;
}

/** Calls a function by its ARN. */
export type Call = (functionArn: string, payload: unknown) => Promise<unknown>;

/** What a run meets outside. */
export interface Outside {
  call: Call;
  /** Told of each pause, which takes no time here. */
  onWait?: (seconds: number) => void;
}

/** Bytes that the state of an execution may hold. */
const STATE_BYTES = 256 * 1024;

/**
 * Runs a state machine as Step Functions does, as far as the check's machine goes: a map over its items, tasks that call a
 * function and make it again, choices, pauses, JSONata. Children run one after the other. What passes between states is JSON of at most 256 KB.
 */
export async function runMachine({ StartAt, States }: Machine, start: unknown, outside: Outside): Promise<unknown> {
  let input = start;
  for (let name = StartAt; ; ) {
    const state = States[name];
    if (state === undefined) throw new Error(`there is no state ${name}`);
    const result = await resultOf(state, input, outside);
    const output = state.Output === undefined ? result : await evaluated(state.Output, { input, result });
    if (state.Type === 'Succeed' || state.End === true) return passedOn(output);
    const next = state.Type === 'Choice' ? await chosen(state, input) : state.Next;
    if (next === undefined) throw new Error(`the state ${name} leads nowhere`);
    input = passedOn(output);
    name = next;
  }
}

async function resultOf(state: State, input: unknown, outside: Outside): Promise<unknown> {
  if (state.Type === 'Task') {
    const { FunctionName, Payload } = (await evaluated(state.Arguments, { input })) as {
      FunctionName: string;
      Payload: unknown;
    };
    return {
      StatusCode: 200,
      Payload: passedOn(await retried(state, () => outside.call(FunctionName, passedOn(Payload)))),
    };
  }
  if (state.Type === 'Wait') {
    const seconds = await evaluated(state.Seconds, { input });
    if (!Number.isInteger(seconds) || (seconds as number) < 0) throw new Error(`${seconds} is no number of seconds`);
    outside.onWait?.(seconds as number);
  }
  if (state.Type !== 'Map') return input;
  const items = (await evaluated(state.Items, { input })) as unknown;
  if (!Array.isArray(items)) throw new Error('the items of a map are an array');
  const results: unknown[] = [];
  for (const item of items) results.push(await runMachine(state.ItemProcessor!, item, outside));
  return results;
}

/** Makes a call as often as the first retrier that names its error says. The pauses between take no time. */
async function retried({ Retry = [] }: State, call: () => Promise<unknown>): Promise<unknown> {
  const made = new Map<Retrier, number>();
  for (;;) {
    try {
      return await call();
    } catch (error) {
      const names = ['States.ALL', (error as Error).name];
      const retrier = Retry.find(({ ErrorEquals }) => ErrorEquals.some((name) => names.includes(name)));
      const attempts = retrier === undefined ? 0 : (made.get(retrier) ?? 0);
      if (retrier === undefined || attempts >= (retrier.MaxAttempts ?? 3)) throw error;
      made.set(retrier, attempts + 1);
    }
  }
}

async function chosen({ Choices = [], Default }: State, input: unknown): Promise<string | undefined> {
  for (const { Condition, Next } of Choices) {
    if ((await evaluated(Condition, { input })) === true) return Next;
  }
  return Default;
}

/** Values with the JSONata in them evaluated; nothing may be undefined, as in Step Functions. */
async function evaluated(value: unknown, states: { input: unknown; result?: unknown }): Promise<unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    const entries = await Promise.all(
      Object.entries(value).map(async ([name, one]) => [name, await evaluated(one, states)]),
    );
    return Object.fromEntries(entries);
  }
  const expression = typeof value === 'string' ? /^\{%(.*)%\}$/s.exec(value)?.[1] : undefined;
  if (expression === undefined) return value;
  const result: unknown = await jsonata(expression).evaluate({}, { states });
  if (result === undefined) throw new Error(`${expression} gives nothing`);
  return result;
}

function passedOn(value: unknown): unknown {
  const text = JSON.stringify(value);
  if (text.length > STATE_BYTES)
    throw new Error(`a state of ${text.length} bytes is more than Step Functions passes on`);
  return JSON.parse(text);
}
