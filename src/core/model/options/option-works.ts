import type { TextForm } from '../../items/encoding.ts';
import type { OrderModel } from './settings.ts';
import type { Shape } from './shape.ts';

interface Work {
  /** True if native projections can't have the option. */
  readonly needsKeys: boolean;
  /** Default: all orders. */
  readonly orders?: { readonly words: string; readonly has: (order: OrderModel) => boolean };
}

export const OPTION_WORKS = {
  /** Decides which value items are found by. */
  value: { needsKeys: false },
  /** Changes the string that is searched: see `TextForm`. */
  form: {
    needsKeys: true,
    orders: {
      words: 'string attributes and paths only',
      has: (order) => order.kind === 'path' || (order.kind === 'attribute' && order.type === 'string'),
    },
  },
  /** Makes an item for each entry of a list or set. */
  each: {
    needsKeys: true,
    orders: { words: 'an attribute, not to rank, derive or path', has: ({ kind }) => kind === 'attribute' },
  },
  /** Decides which index partition an item is in. */
  place: { needsKeys: true },
  /** Adds attributes of another base item to an item, or the other base item to the list. */
  join: { needsKeys: true },
  show: { needsKeys: false },
  native: { needsKeys: false },
  total: { needsKeys: false },
} as const satisfies Readonly<Record<string, Work>>;

export type OptionWork = keyof typeof OPTION_WORKS;

export type OptionNeedingKeys<Table> = {
  [Name in keyof Table]: Table[Name] extends { readonly work: infer Does extends OptionWork }
    ? (typeof OPTION_WORKS)[Does]['needsKeys'] extends true
      ? Name
      : never
    : never;
}[keyof Table];

/** Returns a message if the value `own` excludes the value `other` of another option. */
export type Exclusion = (other: unknown, own: unknown) => string | undefined;

/**
 * `order`: the option changes the order of hits, so a cursor stays valid only with the same value. `result`: the option
 * changes anything else that a query returns. `spread`: the option changes where in an index items are.
 */
export type OptionEffect = 'order' | 'result' | 'spread';

interface SettingLine {
  readonly effect?: OptionEffect;
  readonly fill?: (given: never) => unknown;
  readonly resultWith?: unknown;
}

interface WorkingLine extends SettingLine {
  readonly check: Shape<unknown>;
  readonly work: OptionWork;
  /** The only value that native projections may have. */
  readonly nativeValue?: unknown;
  /** Options that this one excludes, besides those that its `work` excludes. */
  readonly excludes?: Readonly<Record<string, Exclusion>>;
}

export type OptionLine =
  | (WorkingLine & { readonly work: Exclude<OptionWork, 'form'> })
  | (WorkingLine & { readonly work: 'form'; readonly form: TextForm; readonly version: number });

export type WorkingTable = Readonly<Record<string, OptionLine | (SettingLine & { readonly check?: undefined })>>;

/** Notes options that exclude each other, or that don't apply to one of the orders. */
export function noteClashes(
  table: WorkingTable,
  given: Readonly<Record<string, unknown>>,
  orders: readonly OrderModel[],
  note: (option: string, message: string) => void,
): void {
  if (given['native'] === true) {
    for (const option of optionsNeedingKeys(table, given))
      note(option, 'needs keys that are derived: leave it out, or leave out native');
  }
  const lines = turnedOn(table, given);
  for (const [option, line] of lines) {
    const work: Work = OPTION_WORKS[line.work];
    if (orders.some((order) => work.orders?.has(order) === false)) note(option, `applies to ${work.orders!.words}`);
  }
  for (const [option, { excludes = {} }] of lines) {
    for (const [other, exclude] of Object.entries(excludes)) {
      const message = isTurnedOn(given[other]) ? exclude(given[other], given[option]) : undefined;
      if (message !== undefined) note(option, message);
    }
  }
}

export function optionsNeedingKeys(table: WorkingTable, given: Readonly<Record<string, unknown>>): string[] {
  const lines = turnedOn(table, given);
  const needing = lines.filter(([name, { work, nativeValue }]) => {
    return OPTION_WORKS[work].needsKeys && given[name] !== nativeValue;
  });
  return needing.map(([name]) => name);
}

function turnedOn(table: WorkingTable, given: Readonly<Record<string, unknown>>): [string, OptionLine][] {
  return optionLines(table).filter(([name]) => isTurnedOn(given[name]));
}

export function optionLines(table: WorkingTable): [string, OptionLine][] {
  return Object.entries(table).filter((entry): entry is [string, OptionLine] => entry[1].check !== undefined);
}

export function isTurnedOn(value: unknown): boolean {
  return value !== undefined && value !== false;
}
