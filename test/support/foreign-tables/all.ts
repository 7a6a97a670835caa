import { electroDB } from './electrodb.ts';
import type { ForeignTable } from './fixture.ts';
import { adjacencyList, eventStore, invertedIndex, multiTenant, overloadedIndex } from './hand-made.ts';
import { oneTable } from './onetable.ts';
import { entityAttribute, metaItems } from './told-apart.ts';
import { toolbox } from './toolbox.ts';

/** Tables of other applications, by the ways in which such tables are usually laid out. */
export const FOREIGN_TABLES: readonly ForeignTable[] = [
  ...[electroDB, oneTable, toolbox],
  ...[overloadedIndex, invertedIndex, adjacencyList, eventStore, multiTenant],
  ...[entityAttribute, metaItems],
];
