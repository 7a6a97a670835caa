import { FOLDED, FOLDING } from '../../items/folding.ts';
import { AS_WRITTEN, type TextForm } from '../../items/text-form.ts';
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
 * The tables of what a model file says of a projection. Each line is an option, a setting, or both: the check of the option as the model
 * file gives it, the setting that it becomes, with its default, the effect of the setting, what the option does to keys and questions, and
 * what it excludes. From here come the checks of model files, the compiled settings, the forms of texts, the definitions of the registry,
 * the options that the registry knows, and the fingerprints of what cursors mean.
 *
 * Settings are those of every generation, without its places. The registry keeps them, so that an option whose default is `undefined` or
 * `false` changes no fingerprint.
 */

declare const VALUE: unique symbol;

/** A setting that no option gives by itself: several do, or the place of the option in the model file. */
interface Setting<Value> {
  readonly effect: OptionEffect;
  readonly [VALUE]?: Value;
}

/** An option with a setting of its own. */
interface SettingOption<Given, Value, Work extends OptionWork> {
  readonly check: Shape<Given | undefined>;
  readonly work: Work;
  readonly effect: OptionEffect;
  /** The setting for the option as it is given. */
  readonly fill: (given: Given | undefined) => Value;
  /** The value with which a setting that only spreads decides all the same what a question gets. Default: none. */
  readonly resultWith?: Value;
}

/** An option that gives texts a form. */
interface TextFormOption extends SettingOption<boolean, number | false, 'form'> {
  readonly form: TextForm;
  /** The setting's value where the option is true. It is part of the definition, so that a migration rebuilds what has another version. */
  readonly version: number;
}

/** An option without a setting of its own. */
interface OtherOption<Given> {
  readonly check: Shape<Given>;
}

/** A table of options and settings, by name. */
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

/** The checks of a table's options. */
type ChecksOf<Table> = {
  [Name in keyof Table as Table[Name] extends OtherOption<unknown> ? Name : never]: Table[Name] extends {
    check: infer Check;
  }
    ? Check
    : never;
};

/** The options of a table as a model file gives them. */
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

/** The names of a table's settings that may be undefined, or the names of all others. */
type SettingNames<Table, MayBeUndefined extends boolean> = {
  [Name in keyof Table]: Table[Name] extends { effect: OptionEffect }
    ? (undefined extends ValueOf<Table[Name]> ? true : false) extends MayBeUndefined
      ? Name
      : never
    : never;
}[keyof Table];

/** The settings of a table. */
export type SettingsOf<Table> = { [Name in SettingNames<Table, false>]: ValueOf<Table[Name]> } & {
  [Name in SettingNames<Table, true>]?: ValueOf<Table[Name]>;
};

/** The settings of a table that an option gives by itself. */
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
 * An option that gives texts a form. Keys and questions take it wherever it is turned on, and it goes with what a form goes with. A form
 * of a form is the form itself, and the form of a beginning is a beginning of the form: a test tries both.
 */

function textForm(version: number, form: TextForm): TextFormOption {
  return { ...option(flag, 'order', 'form', (given) => (given === true ? version : false)), form, version };
}

function setting<Value>(effect: OptionEffect): Setting<Value> {
  return { effect };
}

/** Names are checked where they are compiled. */
const anyName: Shape<string> = () => undefined;

/** Every option of a search, and every setting. */
export const SEARCH_OPTIONS = {
  /** `USER.name`: the index partition without its suffixes. */
  indexPartition: setting<string>('result'),
  name: setting<string>('result'),
  /** The part that has the searched attributes, such as `STATE` for the search `STATE.status`; undefined: the node itself has them. */
  part: setting<string | undefined>('order'),
  // `attribute`, `type` and `path` make it. Its check looks at the form first, so that the mistake named is the one inside that form.
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
    // Where a value has a partition of its own, no range can be asked for.
    resultWith: 'value',
  },
  shardBy: {
    ...option(shardBy, 'spread', 'place', (given = 'value') => given),
    excludes: { shards: hasNoShards },
  },
  hash: {
    ...option(hash, 'spread', 'place', (given = 'fnv1a') => given),
    excludes: { shards: hasNoShards },
  },
  caseInsensitive: textForm(FOLDING, FOLDED),
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
  // A native search is derived nowhere, so it is no setting of a generation.
  native: { check: optional(flag), work: 'native' },
  project: option(projection, 'result', 'show', (given = 'KEYS_ONLY') => compileProjection(given)),
} as const satisfies WorkingTable;

/** The settings of one search of a node type. */
export type SearchSettings = SettingsOf<typeof SEARCH_OPTIONS>;

/** The options that give texts a form. */
export type TextFormName = {
  [Name in keyof typeof SEARCH_OPTIONS]: (typeof SEARCH_OPTIONS)[Name] extends { readonly work: 'form' } ? Name : never;
}[keyof typeof SEARCH_OPTIONS];

/** The options of a search that give its texts a form, in the order of the table. */
export function formsOf(search: SearchSettings): TextFormName[] {
  const names = optionLines(SEARCH_OPTIONS).filter(([, { work }]) => work === 'form');
  return names.map(([name]) => name as TextFormName).filter((name) => search[name]);
}

/** The form that the texts of a search have in its keys and questions: those of its options, in the order of the table. */
export function textFormOf(search: SearchSettings): TextForm {
  const names = formsOf(search);
  const forms = names.map((name) => SEARCH_OPTIONS[name].form);
  if (forms.length < 2) return forms[0] ?? AS_WRITTEN;
  // One form may make what another one takes away: a folded text may begin with white space. So they take turns until nothing changes.
  const formed = (text: string): string => {
    const next = forms.reduce((one, form) => form(one), text);
    return next === text ? next : formed(next);
  };
  return formed;
}

/** Every option of a part, and every setting of its view. */
export const PART_OPTIONS = {
  name: setting<string>('result'),
  fields: { check: unshapingOption(standardSchema) },
  /** Attributes of the part that its view shows. */
  view: option(projection, 'result', 'show', (given = 'ALL') => compileProjection(given)),
  search: { check: optional(recordOf(attributeName, anything)) },
};

/** The settings of a part's view. */
export type PartSettings = SettingsOf<typeof PART_OPTIONS>;

/** Every option of `inbound`: the orders, and what applies to all of them. */
export const INBOUND_OPTIONS = {
  // They are compiled apart: see `core/model/compile/inbound.ts`.
  orders: { check: optional(recordOf(anyName, anything, 'should be an object of names and orders')), work: 'value' },
  shards: { ...option(shardCount, 'spread', 'place', (given = 1) => given), nativeValue: 1 },
  shardBy: option(shardBy, 'spread', 'place', (given = 'source') => given),
  hash: option(hash, 'spread', 'place', (given = 'fnv1a') => given),
  project: option(projection, 'result', 'show', (given = 'KEYS_ONLY') => compileProjection(given)),
  /** Attributes of the source node that are copied into the index items; undefined: none. */
  projectSource: {
    ...option(
      nonEmptyAttributeNames('names no attribute: give those of the source node to project'),
      'result',
      'join',
      (given): readonly string[] | undefined => given && [...new Set(given)],
    ),
    excludes: { project: sharesNames },
  },
  /** The attribute in the index partition; queries then name its value. */
  partition: {
    ...option(attributeOfEither, 'order', 'place', (given) =>
      given === undefined ? undefined : compilePartition(given),
    ),
    excludes: {
      includeTarget: () =>
        'is together with includeTarget: the target node cannot be in the partitions of its edges then. Leave one out',
    },
  },
  /** Tells whether the target node is in the index partitions of its edges too, behind them; then there is one shard. */
  includeTarget: {
    ...option(flag, 'result', 'join', (given = false) => given),
    excludes: {
      shards: (shards: unknown) =>
        shards === 1
          ? undefined
          : 'needs shards: 1: with more there is no one partition at whose end the node could be',
    },
  },
  // As that of a search.
  native: { check: optional(flag), work: 'native' },
  // They are compiled apart: see `core/model/compile/totals.ts`.
  total: { check: anything, work: 'total' },
  groupBy: { check: anything, work: 'total' },
} as const satisfies WorkingTable;

/** The settings that apply to all orders of an edge type. */
export type InboundSettings = SettingsOf<typeof INBOUND_OPTIONS>;

/** Every setting of one order of an edge type. */
export const ORDER_OPTIONS = {
  name: setting<string>('order'),
  index: setting<IndexName>('result'),
  order: setting<EdgeOrderModel>('order'),
  /** True if it has an index item and an index partition of its own, which have its name; else it shares the edge's one index item. */
  isNamed: setting<boolean>('result'),
};

/** The settings of one order of an edge type. */
export type OrderSettings = SettingsOf<typeof ORDER_OPTIONS>;

/** The checks of a table's options, in the order of the table. */
export function checksOf<Table extends OptionTable>(table: Table): ChecksOf<Table> {
  return pick(table, ({ check }) => check) as ChecksOf<Table>;
}

function hasNoShards(shards: unknown): string | undefined {
  return shards === 'value' ? "has no meaning with shards: 'value'" : undefined;
}

/** An index item has one attribute of a name. */
function sharesNames(project: unknown, ofSource: unknown): string | undefined {
  if (project === 'ALL')
    return "is together with project: 'ALL', which may hold the same names: list the edge's attributes in project";
  const names: unknown[] = Array.isArray(project) && Array.isArray(ofSource) ? project : [];
  const shared = names.find((name) => (ofSource as unknown[]).includes(name));
  if (shared === undefined) return undefined;
  return `names ${shared}, which project names too: an index item has one ${shared}. Leave it out of one of the two`;
}

/** The settings that the options of a table give, each of which may be left out. */
export function fillSettings<Table extends OptionTable>(
  table: Table,
  given: GivenOptions<Table>,
): FilledSettings<Table> {
  return pick(table, ({ fill }, name) => fill?.(given[name as keyof typeof given] as never)) as FilledSettings<Table>;
}

/** The versions of a table's text forms, by the options that turn them on. */
export function textFormVersions(table: OptionTable): ReadonlyMap<string, number> {
  return new Map(
    Object.entries(table).flatMap(([name, { version }]) => (version === undefined ? [] : [[name, version]])),
  );
}

/** The settings of a table, out of a part of the compiled model that has more than these; with `expected`, those that have this effect. */
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

/** The settings of a table that are not those of an option which is left out. */
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

/** The names of a table's settings; with `expected`, only settings with this effect. */
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

/** The line of the model file that declares a search: `nodes.USER.search.name`, of a part `nodes.USER.parts.STATE.search.status`. */
export function lineOfSearch({
  indexPartition,
  name,
  part,
}: Pick<SearchSettings, 'indexPartition' | 'name' | 'part'>): string {
  const node = `nodes.${indexPartition.slice(0, indexPartition.indexOf('.'))}`;
  return part === undefined ? `${node}.search.${name}` : `${node}.parts.${part}.search.${name.slice(part.length + 1)}`;
}

/** Compiles a projection. */
export function compileProjection(given: Shaped<typeof projection>): Projection {
  return typeof given === 'string' ? { kind: given } : { kind: 'LIST', attributes: [...new Set(given)] };
}

function compilePartition(given: Shaped<typeof attributeOfEither>): PartitionModel {
  return typeof given === 'string' ? { of: 'edge', attribute: given } : { of: 'source', attribute: given.attribute };
}
