import { attributeName as NAME } from '../../core/model/options/checks.ts';
import { exactObject, optional, recordOf, text } from '../../core/model/options/shape.ts';
import { type EntityOptions, type Layout, layoutOf, NAMES, requireShape } from './layout.ts';

/** A DynamoDB-Toolbox entity, and how its items map to the graph. */
export interface ToolboxEntity extends EntityOptions {
  /** The entity's name, as items have it in `entityAttribute`. */
  entity: string;
  /** The stored names of attributes that `savedAs` renames. Default: none. */
  savedAs?: Readonly<Record<string, string>>;
}

/** Options of `fromToolbox`. */
export interface ToolboxOptions {
  /** The attribute with the name of an item's entity. Default: `_et`. */
  entityAttribute?: string;
  /** Table attributes that only hold keys or times, which nodes leave out. Default: `PK` and `SK`. */
  hidden?: readonly string[];
}

const OPTIONS = exactObject({ entityAttribute: optional(NAME), hidden: optional(NAMES) });
/** Timestamps that DynamoDB-Toolbox adds to items. */
const OF_LIBRARY = ['_ct', '_md'];

/**
 * Maps a table of DynamoDB-Toolbox entities.
 *
 * Throws `invalid-argument` if an option or entity is invalid.
 *
 * @example
 * fromToolbox([
 *   {
 *     entity: 'Order',
 *     node: 'ORDER',
 *     id: ['orderId'],
 *     edges: [{ type: 'OF', to: { type: 'CUSTOMER', id: ['customer'] } }],
 *   },
 * ]);
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
