import { replaceIn, setValue } from '../../planted/changes.ts';
import type { Mutant } from '../../planted/mutant.ts';

/** Rules of native orders and searches, broken one by one. */
export const NATIVE_MUTANTS: readonly Mutant[] = [
  {
    name: 'own-native-rows-ahead-of-others',
    rule: 'An own row waits until all rows before it are read.',
    changes: [setValue('own-rows-behind-what-was-read-wait', 'own')],
  },
  {
    name: 'native-ties-left-out-after-an-own-row',
    rule: 'After an own row come all rows of its value.',
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
    rule: 'Own rows come before the others of their value, since the index promises no order among those.',
    changes: [setValue('own-rows-come-before-others-of-their-value', '0')],
  },
  {
    name: 'own-native-rows-of-other-lists',
    rule: 'An own item is in a native list if it has the value that is asked for.',
    changes: [
      replaceIn(
        'own-row-lies-in-the-list-that-is-asked',
        '!sameValue(attributeOf(item, index.partition), partition)',
        'false',
      ),
    ],
  },
];
