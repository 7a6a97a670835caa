import type { TextForm } from '../../items/text-form.ts';
import type { OrderModel } from './settings.ts';
import type { Shape } from './shape.ts';

/**
 * What options of searches and `inbound` do to keys and queries. The option tables say it for each option, and which
 * options go together follows from it.
 */
interface Work {
  /** True if the option needs derived keys, so that a native projection can't have it. */
  readonly needsKeys: boolean;
  /** The orders that the option applies to; absent: all. */
  readonly orders?: { readonly words: string; readonly has: (order: OrderModel) => boolean };
}

export const OPTION_WORKS = {
  /** By which value items are found, and how it is encoded. */
  value: { needsKeys: false },
  /** Gives texts a form, in keys and queries: see `TextForm`. */
  form: {
    needsKeys: true,
    orders: {
      words: 'attributes of type string only',
      has: (order) => order.kind === 'path' || (order.kind === 'attribute' && order.type === 'string'),
    },
  },
  /** Makes an item for each entry of a value. */
  each: {
    needsKeys: true,
    orders: { words: 'an attribute, not to rank, derive or path', has: ({ kind }) => kind === 'attribute' },
  },
  /** Decides in which index partition items are. */
  place: { needsKeys: true },
  /** Brings attributes, or the place, of another base item. */
  join: { needsKeys: true },
  /** Decides which attributes results show. */
  show: { needsKeys: false },
  /** Lets DynamoDB maintain the projection. */
  native: { needsKeys: false },
  /** Counts and sums, independently of keys. */
  total: { needsKeys: false },
} as const satisfies Readonly<Record<string, Work>>;

/** What an option does. */
export type OptionWork = keyof typeof OPTION_WORKS;

/** The table's options that need derived keys. */
export type OptionNeedingKeys<Table> = {
  [Name in keyof Table]: Table[Name] extends { readonly work: infer Does extends OptionWork }
    ? (typeof OPTION_WORKS)[Does]['needsKeys'] extends true
      ? Name
      : never
    : never;
}[keyof Table];

/** Why an option doesn't go with another one's value, if it doesn't. `own` is its own value. */
export type Exclusion = (other: unknown, own: unknown) => string | undefined;

/**
 * A setting's effect. `order`: decides the order of hits, so a cursor only stays valid if it is the same; `result`:
 * decides what else a query returns; `spread`: only decides where in an index items are.
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
  /** The value with which the option is compatible with native projections. */
  readonly nativeValue?: unknown;
  /** Excluded options, besides those that its work excludes. */
  readonly excludes?: Readonly<Record<string, Exclusion>>;
}

/** An option that gives texts a form says which. */
export type OptionLine =
  | (WorkingLine & { readonly work: Exclude<OptionWork, 'form'> })
  | (WorkingLine & { readonly work: 'form'; readonly form: TextForm; readonly version: number });

/** Every option says what it does; other lines are settings without an option of their own. */
export type WorkingTable = Readonly<Record<string, OptionLine | (SettingLine & { readonly check?: undefined })>>;

export interface Clash {
  option: string;
  message: string;
}

/**
 * Which of the given options exclude each other, or don't fit an order.
 *
 * @param orders what the options apply to.
 */
export function clashesOf(
  table: WorkingTable,
  given: Readonly<Record<string, unknown>>,
  orders: readonly OrderModel[],
): Clash[] {
  const lines = turnedOn(table, given);
  const needing = given['native'] === true ? optionsNeedingKeys(table, given) : [];
  return [
    ...needing.map((option) => ({
      option,
      message: 'needs keys that are derived: leave it out, or leave out native',
    })),
    ...lines.flatMap(([option, line]) => {
      const work: Work = OPTION_WORKS[line.work];
      if (orders.every((order) => work.orders?.has(order) !== false)) return [];
      return [{ option, message: `applies to ${work.orders!.words}` }];
    }),
    ...lines.flatMap(([option, { excludes = {} }]) =>
      Object.entries(excludes).flatMap(([other, exclude]) => {
        const message = isTurnedOn(given[other]) ? exclude(given[other], given[option]) : undefined;
        return message === undefined ? [] : [{ option, message }];
      }),
    ),
  ];
}

export function optionsNeedingKeys(table: WorkingTable, given: Readonly<Record<string, unknown>>): string[] {
  const lines = turnedOn(table, given);
  const needing = lines.filter(([name, { work, nativeValue }]) => {
    return OPTION_WORKS[work].needsKeys && given[name] !== nativeValue;
  });
  return needing.map(([name]) => name);
}

/** False counts as not given. */
function turnedOn(table: WorkingTable, given: Readonly<Record<string, unknown>>): [string, OptionLine][] {
  return optionLines(table).filter(([name]) => isTurnedOn(given[name]));
}

export function optionLines(table: WorkingTable): [string, OptionLine][] {
  return Object.entries(table).filter((entry): entry is [string, OptionLine] => entry[1].check !== undefined);
}

function isTurnedOn(value: unknown): boolean {
  return value !== undefined && value !== false;
}
