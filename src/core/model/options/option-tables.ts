import { AS_WRITTEN, type TextForm } from '../../items/encoding.ts';
import { FOLDED, FOLDING, foldText } from '../../items/folding.ts';
import {
  attributeName,
  attributeOfEither,
  hash,
  nonEmptyAttributeNames,
  projection,
  shardBy,
  shardCount,
  standardSchema,
  unshapingOption,
  valueType,
} from './checks.ts';
import { type OptionEffect, type OptionWork, optionLines, type WorkingTable } from './option-works.ts';
import type { EdgeOrderModel, IndexName, PartitionModel, Projection, SearchOrder } from './settings.ts';
import { anything, either, flag, oneOf, optional, recordOf, type Shape, type Shaped } from './shape.ts';

/**
 * Each line defines an option's check and work, its setting with default and effect, and the options that it excludes.
 * A new option with the default `undefined` or `false` doesn't change fingerprints in the registry.
 */

declare const VALUE: unique symbol;

/** A setting that is computed from several options, or from its place in the model. */
interface Setting<Value> {
  readonly effect: OptionEffect;
  readonly [VALUE]?: Value;
}

interface SettingOption<Given, Value, Work extends OptionWork> {
  readonly check: Shape<Given | undefined>;
  readonly work: Work;
  readonly effect: OptionEffect;
  readonly fill: (given: Given | undefined) => Value;
  /** With this value, a `spread` setting also changes results. */
  readonly resultWith?: Value;
}

interface TextFormOption extends SettingOption<boolean, number | false, 'form'> {
  readonly form: TextForm;
  /** Applied after other forms have changed the text that `form` returned. */
  readonly again: TextForm;
  /** Stored in a search's definition, so that a new version rebuilds the items. */
  readonly version: number;
}

interface OtherOption<Given> {
  readonly check: Shape<Given>;
}

export type OptionTable = Readonly<
  Record<
    string,
    {
      readonly check?: Shape<unknown>;
      readonly effect?: OptionEffect;
      readonly fill?: (given: never) => unknown;
      readonly resultWith?: unknown;
      readonly form?: TextForm;
      readonly version?: number;
    }
  >
>;

type ChecksOf<Table> = {
  [Name in keyof Table as Table[Name] extends OtherOption<unknown> ? Name : never]: Table[Name] extends {
    check: infer Check;
  }
    ? Check
    : never;
};

type GivenOptions<Table> = {
  readonly [Name in keyof Table as Table[Name] extends OtherOption<unknown> ? Name : never]?: Table[Name] extends {
    check: infer Check;
  }
    ? Shaped<Check>
    : never;
};

type ValueOf<Line> = Line extends { fill: (given: never) => infer Value }
  ? Value
  : Line extends Setting<infer Value>
    ? Value
    : never;

type SettingNames<Table, MayBeUndefined extends boolean> = {
  [Name in keyof Table]: Table[Name] extends { effect: OptionEffect }
    ? (undefined extends ValueOf<Table[Name]> ? true : false) extends MayBeUndefined
      ? Name
      : never
    : never;
}[keyof Table];

export type SettingsOf<Table> = { [Name in SettingNames<Table, false>]: ValueOf<Table[Name]> } & {
  [Name in SettingNames<Table, true>]?: ValueOf<Table[Name]>;
};

type FilledSettings<Table> = Pick<
  SettingsOf<Table>,
  Extract<
    { [Name in keyof Table]: Table[Name] extends { fill: unknown } ? Name : never }[keyof Table],
    keyof SettingsOf<Table>
  >
>;

function option<Given, Value, Work extends OptionWork>(
  check: Shape<Given>,
  effect: OptionEffect,
  work: Work,
  fill: (given: Given | undefined) => Value,
): SettingOption<Given, Value, Work> {
  return { check: optional(check), effect, work, fill };
}

/**
 * `form` must be idempotent, and turn a prefix of a string into a prefix of the string's form. If `form` refuses some
 * texts, `again` is the form without the refusal.
 */
function textForm(version: number, form: TextForm, again = form): TextFormOption {
  return { ...option(flag, 'order', 'form', (given) => (given === true ? version : false)), form, again, version };
}

function setting<Value>(effect: OptionEffect): Setting<Value> {
  return { effect };
}

/** Accepts any name: `compileInbound` checks the names of orders. */
const anyName: Shape<string> = () => undefined;

export const SEARCH_OPTIONS = {
  indexPartition: setting<string>('result'),
  name: setting<string>('result'),
  /** The part, such as `STATE` for `STATE.status`; undefined for the node itself. */
  part: setting<string | undefined>('order'),
  // Made from `attribute`, `type` and `path`.
  order: setting<SearchOrder>('order'),
  attribute: { check: anything, work: 'value' },
  type: { check: optional(valueType), work: 'value' },
  shards: {
    ...option(
      either([shardCount, oneOf('value')], `${shardCount.message}, or 'value'`),
      'spread',
      'place',
      (given = 200) => given,
    ),
    nativeValue: 'value',
    // If each value has its own partition, ranges can't be queried.
    resultWith: 'value',
  },
  shardBy: {
    ...option(shardBy, 'spread', 'place', (given = 'value') => given),
    excludes: { shards: noShardsText },
  },
  hash: {
    ...option(hash, 'spread', 'place', (given = 'fnv1a') => given),
    excludes: { shards: noShardsText },
  },
  caseInsensitive: textForm(FOLDING, FOLDED, foldText),
  multiValue: option(flag, 'order', 'each', (given = false) => given),
  partition: option(attributeName, 'order', 'place', (given) => given),
  path: {
    check: optional(nonEmptyAttributeNames('should name at least one attribute')),
    work: 'value',
    excludes: {
      attribute: () => 'takes the place of attribute: give one of the two',
      type: (type) => (type === 'string' ? undefined : `joins strings; it has no type ${type}`),
      shards: (shards) =>
        shards === 'value'
          ? "is searched by its beginning, which shards: 'value' cannot answer: give a number"
          : undefined,
    },
  },
  // Not a setting, because a native search has no items and therefore no generations.
  native: { check: optional(flag), work: 'native' },
  project: option(projection, 'result', 'show', (given = 'KEYS_ONLY') => compileProjection(given)),
} as const satisfies WorkingTable;

export type SearchSettings = SettingsOf<typeof SEARCH_OPTIONS>;

export type TextFormName = {
  [Name in keyof typeof SEARCH_OPTIONS]: (typeof SEARCH_OPTIONS)[Name] extends { readonly work: 'form' } ? Name : never;
}[keyof typeof SEARCH_OPTIONS];

export function textFormOf(search: SearchSettings): TextForm {
  const lines = optionLines(SEARCH_OPTIONS).flatMap(([name, { work }]) =>
    work === 'form' && search[name as TextFormName] ? [SEARCH_OPTIONS[name as TextFormName]] : [],
  );
  if (lines.length < 2) return lines[0]?.form ?? AS_WRITTEN;
  // Repeats until nothing changes, because one form may produce what another removes, such as white space.
  const formedAgain = (text: string): string => {
    const next = lines.reduce((one, { again }) => again(one), text);
    return next === text ? next : formedAgain(next);
  };
  return (text) => formedAgain(lines.reduce((one, { form }) => form(one), text));
}

export const PART_OPTIONS = {
  name: setting<string>('result'),
  fields: { check: unshapingOption(standardSchema) },
  view: option(projection, 'result', 'show', (given = 'ALL') => compileProjection(given)),
  search: { check: optional(recordOf(attributeName, anything)) },
};

export type PartSettings = SettingsOf<typeof PART_OPTIONS>;

export const INBOUND_OPTIONS = {
  // `compileInbound` compiles the orders.
  orders: { check: optional(recordOf(anyName, anything, 'should be an object of names and orders')), work: 'value' },
  shards: { ...option(shardCount, 'spread', 'place', (given = 1) => given), nativeValue: 1 },
  shardBy: option(shardBy, 'spread', 'place', (given = 'source') => given),
  hash: option(hash, 'spread', 'place', (given = 'fnv1a') => given),
  project: option(projection, 'result', 'show', (given = 'KEYS_ONLY') => compileProjection(given)),
  projectSource: {
    ...option(
      nonEmptyAttributeNames('names no attribute: give those of the source node to project'),
      'result',
      'join',
      (given): readonly string[] | undefined => given && [...new Set(given)],
    ),
    excludes: { project: sharedNamesText },
  },
  partition: {
    ...option(attributeOfEither, 'order', 'place', (given) =>
      given === undefined ? undefined : compilePartition(given),
    ),
    excludes: {
      includeTarget: () =>
        'is together with includeTarget: the target node cannot be in the partitions of its edges then. Leave one out',
    },
  },
  /** Requires a single shard, because the target node is at the shard's end. */
  includeTarget: {
    ...option(flag, 'result', 'join', (given = false) => given),
    excludes: {
      shards: (shards: unknown) =>
        shards === 1
          ? undefined
          : 'needs shards: 1: with more there is no one partition at whose end the node could be',
    },
  },
  native: { check: optional(flag), work: 'native' },
  // `compileTotals` compiles these two.
  total: { check: anything, work: 'total' },
  groupBy: { check: anything, work: 'total' },
} as const satisfies WorkingTable;

export type InboundSettings = SettingsOf<typeof INBOUND_OPTIONS>;

export const ORDER_OPTIONS = {
  name: setting<string>('order'),
  index: setting<IndexName>('result'),
  order: setting<EdgeOrderModel>('order'),
  /** True if the order has its own index item and index partition. */
  isNamed: setting<boolean>('result'),
};

export type OrderSettings = SettingsOf<typeof ORDER_OPTIONS>;

export function checksOf<Table extends OptionTable>(table: Table): ChecksOf<Table> {
  return pick(table, ({ check }) => check) as ChecksOf<Table>;
}

function noShardsText(shards: unknown): string | undefined {
  return shards === 'value' ? "has no meaning with shards: 'value'" : undefined;
}

/** An index item can't hold two attributes of the same name. */
function sharedNamesText(project: unknown, ofSource: unknown): string | undefined {
  if (project === 'ALL')
    return "is together with project: 'ALL', which may hold the same names: list the edge's attributes in project";
  const names: unknown[] = Array.isArray(project) && Array.isArray(ofSource) ? project : [];
  const shared = names.find((name) => (ofSource as unknown[]).includes(name));
  if (shared === undefined) return undefined;
  return `names ${shared}, which project names too: an index item has one ${shared}. Leave it out of one of the two`;
}

export function fillSettings<Table extends OptionTable>(
  table: Table,
  given: GivenOptions<Table>,
): FilledSettings<Table> {
  return pick(table, ({ fill }, name) => fill?.(given[name as keyof typeof given] as never)) as FilledSettings<Table>;
}

export function textFormVersions(table: OptionTable): ReadonlyMap<string, number> {
  return new Map(
    Object.entries(table).flatMap(([name, { version }]) => (version === undefined ? [] : [[name, version]])),
  );
}

/** @param expected the effect of the settings to return; all settings if undefined. */
export function settingsIn<Table extends OptionTable>(
  table: Table,
  model: SettingsOf<Table>,
  expected?: OptionEffect,
): SettingsOf<Table> {
  const names = new Set(settingNames(table, expected));
  return pick(table, (_line, name) =>
    names.has(name) ? model[name as keyof typeof model] : undefined,
  ) as SettingsOf<Table>;
}

export function chosenSettings<Table extends OptionTable>(
  table: Table,
  settings: SettingsOf<Table>,
): Record<string, unknown> {
  const model = settings as Readonly<Record<string, unknown>>;
  return pick(table, ({ fill }, name) => {
    const usual = (fill as ((given: undefined) => unknown) | undefined)?.(undefined);
    return fill === undefined || JSON.stringify(model[name]) === JSON.stringify(usual) ? undefined : model[name];
  });
}

export function settingNames(table: OptionTable, expected?: OptionEffect): string[] {
  return Object.entries(table).flatMap(([name, { effect }]) => {
    return effect !== undefined && (expected ?? effect) === effect ? [name] : [];
  });
}

function pick(
  table: OptionTable,
  entryOf: (line: OptionTable[string], name: string) => unknown,
): Record<string, unknown> {
  const values = Object.entries(table).map(([name, line]) => [name, entryOf(line, name)] as const);
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}

export function lineOfSearch({
  indexPartition,
  name,
  part,
}: Pick<SearchSettings, 'indexPartition' | 'name' | 'part'>): string {
  const node = `nodes.${indexPartition.slice(0, indexPartition.indexOf('.'))}`;
  // Only the list of all nodes has an empty name.
  if (name === '') return `${node}.list`;
  return part === undefined ? `${node}.search.${name}` : `${node}.parts.${part}.search.${name.slice(part.length + 1)}`;
}

export function compileProjection(given: Shaped<typeof projection>): Projection {
  return typeof given === 'string' ? { kind: given } : { kind: 'LIST', attributes: [...new Set(given)] };
}

function compilePartition(given: Shaped<typeof attributeOfEither>): PartitionModel {
  return typeof given === 'string' ? { of: 'edge', attribute: given } : { of: 'source', attribute: given.attribute };
}
