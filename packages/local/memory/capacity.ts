import type { Input } from './definitions.ts';
import type { Table, WriteUnits } from './memory-table.ts';

export function sumUnits(all: readonly WriteUnits[]): WriteUnits {
  const sum: WriteUnits = { table: 0, indexes: {} };
  for (const { table, indexes } of all) {
    sum.table += table;
    for (const [name, units] of Object.entries(indexes)) sum.indexes[name] = (sum.indexes[name] ?? 0) + units;
  }
  return sum;
}

export interface Charged {
  table: Table;
  units: WriteUnits;
}

export function consumedByTable(input: Input, charged: readonly Charged[], factor = 1) {
  const fields = [...new Set(charged.map(({ table }) => table))].map((table) => {
    const units = charged.filter((one) => one.table === table).map((one) => one.units);
    return consumedField(input, table, sumUnits(units), factor);
  });
  return fields[0] === undefined ? undefined : fields;
}

/** @param factor 2 in a transaction. It applies only to the table's units. */
export function consumedField(input: Input, table: Table, { table: own, indexes }: WriteUnits, factor = 1) {
  const asked = input['ReturnConsumedCapacity'];
  if (asked !== 'TOTAL' && asked !== 'INDEXES') return undefined;
  const total = own * factor + Object.values(indexes).reduce((sum, units) => sum + units, 0);
  const units = (count: number) => ({ CapacityUnits: count });
  const ofIndexes = (isLocal: boolean) => {
    const entries = Object.entries(indexes).filter(([name]) => table.indexes.get(name)?.settings.isLocal === isLocal);
    return entries.length === 0 ? undefined : Object.fromEntries(entries.map(([name, count]) => [name, units(count)]));
  };
  return {
    TableName: table.name,
    ...units(total),
    ...(asked === 'INDEXES' && {
      Table: units(own * factor),
      GlobalSecondaryIndexes: ofIndexes(false),
      LocalSecondaryIndexes: ofIndexes(true),
    }),
  };
}
