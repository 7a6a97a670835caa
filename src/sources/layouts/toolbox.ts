import { attributeName as NAME } from '../../core/model/options/checks.ts';
import { exactObject, optional, recordOf, text } from '../../core/model/options/shape.ts';
import { type EntityOptions, type Layout, layoutOf, NAMES, requireShape } from './layout.ts';

/** A DynamoDB-Toolbox entity, and what its items are in the graph. */
export interface ToolboxEntity extends EntityOptions {
  /** The name of the entity. */
  entity: string;
  /** The names under which items have attributes, where `savedAs` gives them others. Default: their own. */
  savedAs?: Readonly<Record<string, string>>;
}

/** Options of `fromToolbox`. */
export interface ToolboxOptions {
  /** The attribute that names an item's entity. Default `_et`. */
  entityAttribute?: string;
  /** The attributes of the table that only hold keys and times; nodes leave them out. Default: the key attributes `PK` and `SK`. */
  hidden?: readonly string[];
}

const OPTIONS = exactObject({ entityAttribute: optional(NAME), hidden: optional(NAMES) });
/** Attributes that the library adds. */
const OF_LIBRARY = ['_ct', '_md'];

/**
 * A mapping of a table of DynamoDB-Toolbox entities.
 *
 * Throws `invalid-option`.
 *
 * @example
 * fromToolbox([{ entity: 'Order', node: 'ORDER', id: ['orderId'], edges: [{ type: 'OF', to: { type: 'CUSTOMER', id: ['customer'] } }] }])
 */
export function fromToolbox(entities: readonly ToolboxEntity[], options: ToolboxOptions = {}): Layout {
  requireShape('fromToolbox: options', OPTIONS, options);
  const { entityAttribute = '_et', hidden = ['PK', 'SK'] } = options;
  const apart = new Set([entityAttribute, ...OF_LIBRARY, ...hidden]);
  return layoutOf<ToolboxEntity>(
    {
      ...{ what: 'fromToolbox', of: 'entities', own: { entity: NAME, savedAs: optional(recordOf(text, NAME)) } },
      entityOf({ entity: name, savedAs = {}, ...rest }) {
        const fields = new Map(Object.entries(savedAs).map(([attribute, stored]) => [attribute, [stored]]));
        return { ...rest, name, fields, hasSchema: false, key: [], hidden: apart };
      },
      nameOf: ({ [entityAttribute]: name }) =>
        typeof name === 'string' ? { entity: name } : { reason: `no attribute ${entityAttribute} names its entity` },
    },
    entities,
  );
}
