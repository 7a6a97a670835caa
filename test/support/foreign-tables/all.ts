import { electroDB } from './electrodb.ts';
import type { MappedTable, SampledTable } from './fixture.ts';
import { adjacencyList, eventStore, invertedIndex, multiTenant, overloadedIndex } from './hand-made.ts';
import { oneTable } from './onetable.ts';
import { entityAttribute, metaItems } from './told-apart.ts';
import { toolbox } from './toolbox.ts';

/** Tables of other applications whose layouts Edgeloom has mappings for. */
export const MAPPED_TABLES: readonly MappedTable[] = [electroDB, oneTable, toolbox];

/** Tables of other applications, by the ways in which such tables are usually laid out. */
export const FOREIGN_TABLES: readonly SampledTable[] = [
  ...MAPPED_TABLES,
  ...[overloadedIndex, invertedIndex, adjacencyList, eventStore, multiTenant],
  ...[entityAttribute, metaItems],
];
