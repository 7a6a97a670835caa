import { attributeName as NAME } from '../../core/model/options/checks.ts';
import { wordsThereAre } from '../../core/model/options/nearest.ts';
import { anything, exactObject, object, optional, recordOf, text } from '../../core/model/options/shape.ts';
import { type Entity, type EntityOptions, type Layout, layoutOf, mistake, requireShape } from './layout.ts';

/** The part of a OneTable schema that a mapping reads: what `new Table({ schema })` is given. */
export interface OneTableSchema {
  indexes: Readonly<Record<string, unknown>>;
  models: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** A OneTable model, and what its items are in the graph. */
export interface OneTableModel extends EntityOptions {
  /** The name of the model in the schema. */
  model: string;
}

/** Options of `fromOneTable`. */
export interface OneTableOptions {
  /** The attribute that names an item's model. Default `_type`. */
  typeField?: string;
}

const SCHEMA = object({
  indexes: object({ primary: object({ hash: NAME }) }),
  models: recordOf(text, recordOf(text, anything)),
});

/** The beginning of the partition key of an item that OneTable keeps for a unique attribute. */
const UNIQUE = '_unique';

/**
 * A mapping of a table of OneTable models. Ids are made of the attributes that the value templates of the primary key name, without the one
 * that names the model; a key attribute without a template is itself one. The items that guard unique attributes are not of the graph.
 *
 * Throws `invalid-option`.
 *
 * @example
 * fromOneTable(schema, [{ model: 'User', node: 'USER', edges: [{ type: 'IN', to: { type: 'ACCOUNT', id: ['accountId'] } }] }])
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

/** The key attributes of the indexes of a table. */
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
  // `map` names the attribute of the table, of several in one item with a dot.
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
    // All items of a model have the same there.
    .filter((attribute) => attribute !== typeField);
  const hidden = new Set([typeField, ...[...keys.all].filter((attribute) => !isPlain(attribute))]);
  return { ...options, name, fields, hasSchema: true, key: [...new Set(key)], hidden };
}

/** The attributes that a value template names: `user#${email}`. */
function variablesOf(template: unknown): string[] {
  if (typeof template !== 'string') return [];
  // A variable may say how it is padded: `${count:8:0}`.
  return [...template.matchAll(/\$\{([^{}]+)\}/g)].map(([, variable]) => variable!.split(':')[0]!);
}
