import { attributeName as NAME } from '../../core/model/options/checks.ts';
import { wordsThereAre } from '../../core/model/options/nearest.ts';
import { anything, exactObject, object, optional, recordOf, text } from '../../core/model/options/shape.ts';
import { type Entity, type EntityOptions, type Layout, layoutOf, mistake, requireShape } from './layout.ts';

/** The part of a OneTable schema that the mapping reads: the `schema` of `new Table({ schema })`. */
export interface OneTableSchema {
  indexes: Readonly<Record<string, unknown>>;
  models: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** A OneTable model, and how its items map to the graph. */
export interface OneTableModel extends EntityOptions {
  /** The model's name in the schema. */
  model: string;
}

/** Options of `fromOneTable`. */
export interface OneTableOptions {
  /** The attribute with the name of an item's model. Default: `_type`. */
  typeField?: string;
}

const SCHEMA = object({
  indexes: object({ primary: object({ hash: NAME }) }),
  models: recordOf(text, recordOf(text, anything)),
});

/** OneTable stores an extra item for each unique attribute, with a partition key that begins with this text. */
const UNIQUE = '_unique';

/**
 * Maps a table of OneTable models. An id consists of the attributes in the value templates of the primary key, without
 * the model's name; a key attribute without a template is used itself. Items that guard unique attributes are left out.
 *
 * Throws `invalid-argument` if an option, the schema or a model is invalid.
 *
 * @example
 * fromOneTable(schema, [
 *   { model: 'User', node: 'USER', edges: [{ type: 'IN', to: { type: 'ACCOUNT', id: ['accountId'] } }] },
 * ]);
 */
export function fromOneTable(
  schema: OneTableSchema,
  models: readonly OneTableModel[],
  options: OneTableOptions = {},
): Layout {
  requireShape('fromOneTable: options', exactObject({ typeField: optional(NAME) }), options);
  requireShape('fromOneTable: schema', SCHEMA, schema);
  const { typeField = '_type' } = options;
  const keys = keysOf(schema);
  return layoutOf<OneTableModel>(
    {
      ...{ what: 'fromOneTable', of: 'models', own: { model: NAME } },
      entityOf: (model) => entityOf(schema, keys, typeField, model),
      nameOf({ [keys.primary[0]!]: partition, [typeField]: name }) {
        if (String(partition).startsWith(`${UNIQUE}#`)) return { reason: 'it guards a unique attribute' };
        return typeof name === 'string' ? { entity: name } : { reason: `no attribute ${typeField} names its model` };
      },
    },
    models,
  );
}

interface IndexNames {
  primary: readonly string[];
  all: ReadonlySet<string>;
}

function keysOf({ indexes }: OneTableSchema): IndexNames {
  const namesOf = (index: unknown): string[] =>
    [Object(index).hash, Object(index).sort].filter((name): name is string => typeof name === 'string');
  return { primary: namesOf(indexes['primary']), all: new Set(Object.values(indexes).flatMap(namesOf)) };
}

function entityOf(
  schema: OneTableSchema,
  keys: IndexNames,
  typeField: string,
  { model: name, ...options }: OneTableModel,
): Entity {
  const fieldsOf = Object.hasOwn(schema.models, name) ? schema.models[name] : undefined;
  if (fieldsOf === undefined) {
    const there = wordsThereAre(name, Object.keys(schema.models));
    throw mistake(`fromOneTable: the schema has no model ${name}${there}.`, 'Name a model of the schema.');
  }
  // `map` is the name of the stored attribute, or `outer.inner` if several attributes share one.
  const fields = new Map(
    Object.entries(fieldsOf).map(([attribute, of]) => {
      const { map } = Object(of) as { map?: unknown };
      return [attribute, typeof map === 'string' ? map.split('.') : [attribute]];
    }),
  );
  const templateOf = (attribute: string): unknown => Object(fieldsOf[attribute]).value;
  const isPlain = (attribute: string): boolean => fields.has(attribute) && templateOf(attribute) === undefined;
  const key = keys.primary
    .flatMap((attribute) => (isPlain(attribute) ? [attribute] : variablesOf(templateOf(attribute))))
    // The model's name is the same in all its items, so ids needn't contain it.
    .filter((attribute) => attribute !== typeField);
  const hidden = new Set([typeField, ...[...keys.all].filter((attribute) => !isPlain(attribute))]);
  return { ...options, name, fields, hasSchema: true, key: [...new Set(key)], hidden };
}

function variablesOf(template: unknown): string[] {
  if (typeof template !== 'string') return [];
  // A variable may include its padding: `${count:8:0}`.
  return [...template.matchAll(/\$\{([^{}]+)\}/g)].map(([, variable]) => variable!.split(':')[0]!);
}
