import { complexAttribute } from './complex-attribute.ts';
import { duplicatedData } from './duplicated-data.ts';
import type { Example } from './example.ts';
import { hierarchy } from './hierarchy.ts';
import { itemCollection } from './item-collection.ts';
import { secondaryIndex } from './secondary-index.ts';

/** docs/how-to/modeling.md compares these strategies. */
export const EXAMPLES: Readonly<Record<string, Example>> = {
  'complex-attribute': complexAttribute,
  'duplicated-data': duplicatedData,
  'item-collection': itemCollection,
  'secondary-index': secondaryIndex,
  hierarchy,
};
