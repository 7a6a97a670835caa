import { insertAfter, replaceIn } from './changes.ts';
import type { Mutant } from './mutant.ts';

/** Planted in the application of index items. */
export const INDEX_MUTANTS: readonly Mutant[] = [
  {
    name: 'packed-search-without-value',
    rule: 'Each of the searches that share an item has its own value there.',
    changes: [replaceIn('each-search-of-an-item-has-its-value', 'valueIn(search.index)', "valueIn('gsi0')")],
  },
  {
    name: 'packed-search-takes-others-along',
    rule: 'A value that cannot be a key leaves the node out of that search alone.',
    changes: [insertAfter('bad-value-leaves-the-other-searches', 'return undefined;')],
  },
  {
    name: 'index-fields-left',
    rule: 'An index item is written with every field, those cleared that are not expected.',
    changes: [replaceIn('fields-not-expected-are-cleared', 'unset.push(name)', 'undefined')],
  },
];
