import { describe } from './describe.ts';
import { EdgeloomError } from './errors.ts';

/** `'checked'` is for numbers that the called function checks itself. */
export type NumberRule = keyof typeof NUMBERS | 'checked';

const NUMBERS = {
  count: { least: 1, isWhole: true },
  index: { least: 0, isWhole: true },
  port: { least: 1, most: 65_535, isWhole: true },
  rate: { least: 0.001 },
  milliseconds: { least: 0 },
  // Node treats a longer delay as 1 ms.
  timer: { least: 0, most: 2 ** 31 - 1 },
} as const;

/** Hints don't list options marked `'internal'`. For `'or client'`, they add that a client is also accepted. */
export type OptionNames<Options> = {
  readonly [Name in keyof Required<Options>]: Mark<Exclude<Options[Name], undefined>>;
};

type Mark<Value> = [Value] extends [never]
  ? Plain
  : [Value] extends [boolean]
    ? 'boolean'
    : [Value] extends [number]
      ? NumberRule
      : [Value] extends [(...given: never) => unknown]
        ? 'function' | 'internal'
        : Plain;

type Plain = true | 'internal' | 'or client';

const SYNONYMS: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    desc: ['reverse'],
    descending: ['reverse'],
    asc: ['reverse'],
    ascending: ['reverse'],
    scanindexforward: ['reverse'],
    orderby: ['order'],
    index: ['order'],
    take: ['limit'],
    first: ['limit'],
    pagesize: ['limit'],
    after: ['cursor'],
    nexttoken: ['cursor'],
    startkey: ['cursor'],
    exclusivestartkey: ['cursor'],
    filter: ['where'],
    gte: ['atLeast', 'between'],
    lte: ['between'],
    gt: ['between'],
    lt: ['between'],
    eq: ['equals'],
    startswith: ['beginsWith'],
    prefix: ['beginsWith'],
    begins: ['beginsWith'],
    select: ['attributes'],
    include: ['with'],
    consistentread: ['consistent'],
    stronglyconsistent: ['consistent'],
    sort: ['order', 'reverse'],
    direction: ['reverse'],
    projection: ['attributes'],
    fields: ['attributes'],
    count: ['limit'],
    returnconsumedcapacity: ['capacity'],
    token: ['idempotencyToken', 'idempotent'],
    clientrequesttoken: ['idempotencyToken'],
  }),
);

/** The most likely option comes first. */
export function optionsMeantBy(word: string): readonly string[] {
  return SYNONYMS.get(word.toLowerCase()) ?? [];
}

export function checkOptions<Options extends object>(
  what: string,
  options: Options | undefined,
  known: OptionNames<Options>,
): void {
  if (options === undefined) return;
  const names = Object.entries(known).flatMap(([name, mark]) =>
    mark === 'internal' ? [] : [mark === 'or client' ? `${name} or client` : name],
  );
  const listed = names.length === 0 ? 'It takes none.' : `It takes ${names.join(', ')}.`;
  if (typeof options !== 'object' || options === null) {
    throw new EdgeloomError('invalid-argument', `The options of ${what} should be an object.`, listed);
  }
  const unknown = Object.keys(options).filter((name) => !Object.hasOwn(known, name));
  if (unknown.length === 0) {
    for (const [name, value] of Object.entries(options))
      if (value !== undefined) checkValue(what, name, value, (known as Record<string, unknown>)[name]);
    return;
  }
  const texts = unknown.map((name) => JSON.stringify(name)).join(', ');
  const meant = unknown.flatMap((name) => optionsMeantBy(name).find((one) => Object.hasOwn(known, one)) ?? []);
  const hint = meant.length === 0 ? listed : `Did you mean ${meant.join(', ')}? ${listed}`;
  throw new EdgeloomError('invalid-argument', `${what} has no option ${texts}.`, hint);
}

function checkValue(what: string, name: string, value: unknown, mark: unknown): void {
  const option = `${name} of ${what}`;
  if (name === 'signal') checkSignal(option, value);
  else if (mark === 'boolean') checkBoolean(option, value);
  else if (mark === 'function') checkFunction(option, value);
  else if (typeof mark === 'string' && Object.hasOwn(NUMBERS, mark))
    checkNumber(option, value, NUMBERS[mark as keyof typeof NUMBERS]);
}

/** Rejects strings such as 'no', which would count as true. */
function checkBoolean(option: string, value: unknown): void {
  if (typeof value === 'boolean') return;
  throw new EdgeloomError(
    'invalid-argument',
    `The option ${option} should be a boolean, but is ${describe(value)}.`,
    'Give true or false, or leave it out for the default.',
  );
}

export function checkSignal(option: string, value: unknown): void {
  if (typeof (value as AbortSignal | null)?.throwIfAborted === 'function') return;
  throw new EdgeloomError(
    'invalid-argument',
    `The option ${option} should be an AbortSignal, but is ${describe(value)}.`,
    'Give controller.signal, or AbortSignal.timeout(5000).',
  );
}

function checkFunction(option: string, value: unknown): void {
  if (typeof value === 'function') return;
  throw new EdgeloomError(
    'invalid-argument',
    `The option ${option} should be a function, but is ${describe(value)}.`,
    'Give a function, or leave the option out.',
  );
}

export function checkNumber(
  option: string,
  value: unknown,
  { least, most, isWhole = false }: { least: number; most?: number; isWhole?: boolean },
): void {
  const isInRange = typeof value === 'number' && value >= least && (most === undefined || value <= most);
  if (isInRange && (!isWhole || Number.isInteger(value))) return;
  const range = most === undefined ? `of ${least} or more` : `from ${least} to ${most}`;
  throw new EdgeloomError(
    'invalid-argument',
    `${option} should be a ${isWhole ? 'whole ' : ''}number ${range}, but is ${describe(value)}.`,
    'Give such a number, or leave the option out for the default.',
  );
}

export function checkGraph(what: string, graph: unknown): void {
  if (typeof (graph as { table?: { name?: unknown } } | null | undefined)?.table?.name === 'string') return;
  throw new EdgeloomError(
    'invalid-argument',
    `${what} needs a model as its first argument.`,
    'Give what defineGraph returns, such as the default export of the model file.',
  );
}

export function checkStoreOptions<Options extends { store: object }>(
  what: string,
  options: Options,
  known: OptionNames<Options>,
): void {
  checkOptions(what, options, known);
  if (typeof options?.store === 'object' && options.store !== null) return;
  throw new EdgeloomError(
    'invalid-argument',
    `${what} needs a store.`,
    'Give { store: new DynamoDBStore(createClient(), graph.table) }; reader and writer also take { client }.',
  );
}

const GIVE_SECRET = 'Give a secret that all processes share, such as 32 random bytes of a secrets manager.';

export function checkSecret(name: string, secret: unknown, signed: string): void {
  if (secret === undefined) return;
  if (typeof secret !== 'string' && !(secret instanceof Uint8Array)) {
    throw new EdgeloomError(
      'invalid-argument',
      `${name} should be a text or bytes, but is of type ${typeof secret}.`,
      GIVE_SECRET,
    );
  }
  if (secret.length > 0) return;
  throw new EdgeloomError('invalid-argument', `${name} is empty: anyone could sign ${signed}.`, GIVE_SECRET);
}
