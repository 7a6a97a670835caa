import type { TextForm } from '../../items/text-form.ts';
import type { OrderModel } from './settings.ts';
import type { Shape } from './shape.ts';

/**
 * What the options of searches and of `inbound` do to keys and to questions. Each option says it in its line of the option tables, and
 * which options go together follows from it: nothing else lists them.
 */
interface Work {
  /** True if the option needs keys that are derived, so that a native projection cannot have it. */
  readonly needsKeys: boolean;
  /** The orders that the option applies to; absent: all of them. */
  readonly orders?: { readonly words: string; readonly has: (order: OrderModel) => boolean };
}

/** Everything that an option can do. */
export const OPTION_WORKS = {
  /** It says by which value items are found, and how that is encoded. */
  value: { needsKeys: false },
  /** It gives texts a form, those of keys and those of questions: see `TextForm`. */
  form: {
    needsKeys: true,
    orders: {
      words: 'attributes of type string only',
      has: (order) => order.kind === 'path' || (order.kind === 'attribute' && order.type === 'string'),
    },
  },
  /** It makes an item for each entry of a value. */
  each: {
    needsKeys: true,
    orders: { words: 'an attribute, not to rank, derive or path', has: ({ kind }) => kind === 'attribute' },
  },
  /** It decides in which partition of an index items are. */
  place: { needsKeys: true },
  /** It brings attributes, or the place, of another base item. */
  join: { needsKeys: true },
  /** It decides which attributes results show. */
  show: { needsKeys: false },
  /** It has DynamoDB keep the projection. */
  native: { needsKeys: false },
  /** It counts and adds up, apart from all keys. */
  total: { needsKeys: false },
} as const satisfies Readonly<Record<string, Work>>;

/** What an option does. */
export type OptionWork = keyof typeof OPTION_WORKS;

/** The options of a table that need keys which are derived. */
export type OptionNeedingKeys<Table> = {
  [Name in keyof Table]: Table[Name] extends { readonly work: infer Does extends OptionWork }
    ? (typeof OPTION_WORKS)[Does]['needsKeys'] extends true
      ? Name
      : never
    : never;
}[keyof Table];

/** Why an option does not go with the value of another one; undefined where it does. `own` is its own value. */
export type Exclusion = (other: unknown, own: unknown) => string | undefined;

/**
 * The effect of a setting. `order`: it decides the order of hits, so that a cursor goes on only where it is the same; `result`: it
 * decides what else a question gets; `spread`: it only decides where in an index items are, which no reader of results sees.
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
  /** The value with which the option asks for nothing that a native projection lacks. */
  readonly nativeValue?: unknown;
  /** The options that the option does not go with, beside what its work excludes. */
  readonly excludes?: Readonly<Record<string, Exclusion>>;
}

/** The line of an option that says what it does. One that gives texts a form says which. */
export type OptionLine =
  | (WorkingLine & { readonly work: Exclude<OptionWork, 'form'> })
  | (WorkingLine & { readonly work: 'form'; readonly form: TextForm; readonly version: number });

/** A table whose options all say what they do; its other lines are settings that no option gives by itself. */
export type WorkingTable = Readonly<Record<string, OptionLine | (SettingLine & { readonly check?: undefined })>>;

/** An option that does not go with the rest, and why. */
export interface Clash {
  option: string;
  message: string;
}

/**
 * The options among those given that do not go together, or not with an order.
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

/** The options among those given that need keys which are derived. */
export function optionsNeedingKeys(table: WorkingTable, given: Readonly<Record<string, unknown>>): string[] {
  const lines = turnedOn(table, given);
  const needing = lines.filter(([name, { work, nativeValue }]) => {
    return OPTION_WORKS[work].needsKeys && given[name] !== nativeValue;
  });
  return needing.map(([name]) => name);
}

/** The options that say something: an option that is false says nothing. */
function turnedOn(table: WorkingTable, given: Readonly<Record<string, unknown>>): [string, OptionLine][] {
  return optionLines(table).filter(([name]) => isTurnedOn(given[name]));
}

/** The lines of a table that are options, by name. */
export function optionLines(table: WorkingTable): [string, OptionLine][] {
  return Object.entries(table).filter((entry): entry is [string, OptionLine] => entry[1].check !== undefined);
}

function isTurnedOn(value: unknown): boolean {
  return value !== undefined && value !== false;
}
