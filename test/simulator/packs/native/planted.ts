import { replaceIn, setValue } from '../../planted/changes.ts';
import type { Mutant } from '../../planted/mutant.ts';

/** Rules of native orders and searches, broken one by one. */
export const NATIVE_MUTANTS: readonly Mutant[] = [
  {
    name: 'own-native-rows-ahead-of-others',
    rule: "A session's own row waits until all rows before it have been read.",
    changes: [setValue('own-rows-behind-what-was-read-wait', 'this.ownFirst')],
  },
  {
    name: 'native-ties-left-out-after-an-own-row',
    rule: 'A page that continues after an own row reads all rows of the same value.',
    changes: [
      replaceIn(
        'after-an-own-row-come-all-rows-of-its-value',
        '{ ...whole, ...(reverse ? { to: after.value } : { from: after.value }) }',
        "{ ...whole, startKey: { [table.partitionKey]: { S: '~' }, [index.partition]: partition, [index.sort]: after.value } }",
      ),
    ],
  },
  {
    name: 'own-native-rows-anywhere-among-their-value',
    rule: "A session's own rows come before other rows of the same value, because the index doesn't define the order of those rows.",
    changes: [setValue('own-rows-come-before-others-of-their-value', '0')],
  },
  {
    name: 'own-native-rows-of-other-lists',
    rule: "A session's own item is in a native list only if the item has the value that the list asks for.",
    changes: [
      replaceIn(
        'own-row-lies-in-the-list-that-is-asked',
        '!sameValue(attributeOf(item, index.partition), partition)',
        'false',
      ),
    ],
  },
];
