import { attributeName as NAME } from '../../core/model/options/checks.ts';
import { anything, exactObject, object, optional, recordOf, text } from '../../core/model/options/shape.ts';
import { type Entity, type EntityOptions, type Layout, layoutOf, mistake, requireShape } from './layout.ts';

/** The part of an ElectroDB schema that the mapping reads. */
export interface ElectroDBSchema {
  model: { entity: string; version: string; service?: string };
  attributes: Readonly<Record<string, unknown>>;
  indexes: Readonly<Record<string, unknown>>;
}

/** An ElectroDB entity, and how its items map to the graph. */
export interface ElectroDBEntity extends EntityOptions {
  /** The object passed to `new Entity(schema)`. */
  schema: ElectroDBSchema;
}

/** Options of `fromElectroDB`. */
export interface ElectroDBOptions {
  /** The attributes with the name and the version of an item's entity. Default: `__edb_e__` and `__edb_v__`. */
  identifiers?: { entity?: string; version?: string };
}

const SCHEMA = object({
  model: object({ entity: NAME }),
  attributes: recordOf(text, anything),
  indexes: recordOf(text, anything),
});
const OPTIONS = exactObject({
  identifiers: optional(exactObject({ entity: optional(NAME), version: optional(NAME) })),
});

/**
 * Maps a table of ElectroDB entities. An id consists of the composite attributes of the entity's primary index.
 * Collections and clusters make no difference, because each item names its entity. ElectroDB writes keys in lower case
 * unless an index has another `casing`: two spellings of an id are one item there, but two nodes in the graph. So spell
 * an id the same way in all items.
 *
 * Throws `invalid-argument` if an option or entity is invalid.
 *
 * @example
 * fromElectroDB([
 *   { schema: issues, node: 'ISSUE', edges: [{ type: 'IN_REPO', to: { type: 'REPO', id: ['owner', 'repo'] } }] },
 * ]);
 */
export function fromElectroDB(entities: readonly ElectroDBEntity[], options: ElectroDBOptions = {}): Layout {
  requireShape('fromElectroDB: options', OPTIONS, options);
  const { entity: entityName = '__edb_e__', version: versionName = '__edb_v__' } = options.identifiers ?? {};
  const versions = new Map<string, string>();
  return layoutOf<ElectroDBEntity>(
    {
      ...{ what: 'fromElectroDB', of: 'entities', own: { schema: SCHEMA } },
      entityOf(declared) {
        const entity = entityOf(declared, [entityName, versionName]);
        versions.set(entity.name, declared.schema.model.version);
        return entity;
      },
      nameOf({ [entityName]: name, [versionName]: version }) {
        if (typeof name !== 'string') return { reason: `no attribute ${entityName} names its entity` };
        const known = versions.get(name);
        if (known === undefined || version === known) return { entity: name };
        return { reason: `it is of version ${version} of the entity ${name}, and version ${known} is declared` };
      },
    },
    entities,
  );
}

function entityOf({ schema, ...options }: ElectroDBEntity, identifiers: readonly string[]): Entity {
  const { entity: name } = schema.model;
  const fields = new Map(
    Object.entries(schema.attributes).map(([attribute, of]) => [attribute, [textOf(Object(of).field) ?? attribute]]),
  );
  const stored = new Set([...fields.values()].map(([field]) => field));
  const ofKeys = Object.values(schema.indexes).flatMap((index) =>
    (['pk', 'sk'] as const).flatMap((part) => {
      const key = Object(index)[part] as unknown;
      return key === undefined ? [] : (textOf(Object(key).field) ?? part);
    }),
  );
  // A key attribute may also store a declared attribute, which must not be hidden.
  const hidden = new Set([...identifiers, ...ofKeys.filter((field) => !stored.has(field))]);
  return { ...options, name, fields, hasSchema: true, key: primaryKey(name, schema), hidden };
}

function primaryKey(name: string, { indexes }: ElectroDBSchema): string[] {
  const primary = Object.values(indexes).find((index) => textOf(Object(index).index) === undefined);
  if (primary === undefined)
    throw mistake(
      `fromElectroDB: the entity ${name} has no primary index.`,
      'Give it an index without the name of one.',
    );
  const { pk, sk } = Object(primary) as { pk?: { composite?: unknown }; sk?: { composite?: unknown } };
  const names = [pk, sk].flatMap((key) => (Array.isArray(key?.composite) ? key.composite.map(String) : []));
  return [...new Set(names)];
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
