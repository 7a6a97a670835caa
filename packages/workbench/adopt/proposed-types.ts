import type { EdgeKeyOption, NodeKeyOption } from '../../../src/core/model/keys/key-option.ts';

/** The types of a proposed model. */

/** A proposed type. */
interface ProposedType {
  /** Items of the sample that it was made from. */
  items: number;
  /** The attributes of those items, with the number that have each. */
  attributes: ReadonlyMap<string, number>;
  /** Guesses that a person should look at. */
  unsure: string[];
}

/** A proposed node type. */
export interface ProposedNode extends ProposedType {
  key: NodeKeyOption;
  parts: string[];
}

/** A proposed edge type. */
export interface ProposedEdge extends ProposedType {
  from: string[];
  to: string;
  key: EdgeKeyOption;
}
