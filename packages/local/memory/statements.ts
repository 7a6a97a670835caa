import { writeUnits } from '../../../src/core/items/capacity.ts';
import { type Charged, consumedByTable, consumedField } from './capacity.ts';
import type { Input, Tables } from './definitions.ts';
import { keyAttributeNames } from './keys.ts';
import type { Table } from './memory-table.ts';
import { invalid, Refusal } from './refusal.ts';
import { parametersOf, parseStatement, type Statement } from './statement-parser.ts';
import { checkedValue, type Value } from './values.ts';
import { carryOut, checkDistinct, conditionFailed, type Prepared, prepareWrite } from './writes.ts';

const MOST_STATEMENTS = 25;
const MOST_CHARACTERS = 8_192;

const CODES: Readonly<Record<string, string>> = {
  ConditionalCheckFailedException: 'ConditionalCheckFailed',
  DuplicateItemException: 'DuplicateItem',
  ResourceNotFoundException: 'ResourceNotFound',
  ValidationException: 'ValidationError',
};

export function executeOne(tables: Tables, input: Input) {
  const write = prepareStatement(tables, input, checkedParameters(input));
  const refusal = refusalOf(write);
  if (refusal !== undefined) throw refusal;
  const units = carryOut(write);
  return { Items: [], ConsumedCapacity: consumedField(input, write.table, units) };
}

/** Runs PartiQL statements as single-item writes. Each statement succeeds or fails on its own. */
export function executeBatch(tables: Tables, input: Input) {
  const statements = (input['Statements'] ?? []) as Input[];
  if (statements.length === 0 || statements.length > MOST_STATEMENTS) {
    throw invalid(
      `Value at 'statements' failed to satisfy constraint: Member must have length less than or equal to ${MOST_STATEMENTS}, greater than or equal to 1`,
    );
  }
  // A missing or overlong statement, a wrong value, or two statements for one item fail the whole call.
  const parameters = statements.map(checkedParameters);
  const writes = statements.map((one, i) => asRefusal(() => prepareStatement(tables, one, parameters[i]!)));
  checkDistinct(
    writes.filter((write): write is Prepared => !(write instanceof Refusal)),
    'Provided list of item keys contains duplicates',
  );
  const done: (Charged & { isDone: boolean })[] = [];
  const responses = writes.map((write) => {
    if (write instanceof Refusal) return { Error: errorOf(write) };
    const { table, before } = write;
    const refusal = refusalOf(write);
    // A statement whose condition fails costs the size of the stored item.
    const units = refusal === undefined ? carryOut(write) : { table: writeUnits(before?.size ?? 0), indexes: {} };
    done.push({ table, units, isDone: refusal === undefined });
    return { ...(refusal && { Error: errorOf(refusal) }), TableName: table.name };
  });
  const capacity = done.some(({ isDone }) => isDone) ? consumedByTable(input, done) : undefined;
  return { Responses: responses, ...(capacity !== undefined && { ConsumedCapacity: capacity }) };
}

function checkedParameters({ Statement, Parameters }: Input): Value[] {
  if (typeof Statement !== 'string' || Statement === '') throw invalid("Value null at 'statement' must not be null");
  if (Statement.length > MOST_CHARACTERS) {
    throw invalid(
      `Value at 'statement' failed to satisfy constraint: Member must have length less than or equal to ${MOST_CHARACTERS}`,
    );
  }
  return ((Parameters ?? []) as unknown[]).map((value) => checkedValue(value));
}

function prepareStatement(tables: Tables, input: Input, parameters: readonly Value[]): Prepared {
  const statement = parseStatement(input['Statement'] as string);
  if (parametersOf(statement) !== parameters.length) {
    throw invalid("Number of parameters in request and statement don't match.");
  }
  const table = tables.findTable(statement.table);
  const returned = { ReturnValuesOnConditionCheckFailure: input['ReturnValuesOnConditionCheckFailure'] };
  if (statement.kind === 'insert') {
    const Item = Object.fromEntries(statement.values.map(([name, place]) => [name, parameters[place]!]));
    const ExpressionAttributeNames = { '#key': table.keys.partition };
    const ConditionExpression = 'attribute_not_exists(#key)';
    const given = { TableName: table.name, Item, ConditionExpression, ExpressionAttributeNames };
    return prepareWrite(tables, 'Put', given);
  }
  return prepareWrite(tables, 'Update', { ...returned, ...updateInput(statement, table, parameters) });
}

function updateInput(
  { set, remove, where }: Extract<Statement, { kind: 'update' }>,
  table: Table,
  parameters: readonly Value[],
): Input {
  const keys = keyAttributeNames(table.keys);
  const Key = Object.fromEntries(
    where.filter(([name]) => keys.includes(name)).map(([name, place]) => [name, parameters[place]!]),
  );
  if (Object.keys(Key).length !== keys.length) {
    throw invalid('Where clause does not contain a mandatory equality on all key attributes');
  }
  const names: Record<string, string> = { '#key': table.keys.partition };
  const values: Record<string, Value> = {};
  const named = (name: string, place?: number): [string, string] => {
    const count = Object.keys(names).length;
    names[`#n${count}`] = name;
    if (place !== undefined) values[`:v${count}`] = parameters[place]!;
    return [`#n${count}`, `:v${count}`];
  };
  const equations = (list: readonly [string, number][]): string[] =>
    list.map(([name, place]) => named(name, place).join(' = '));
  const sets = equations(set);
  const removals = remove.map((name) => named(name)[0]);
  // A PartiQL update doesn't create items.
  const conditions = ['attribute_exists(#key)', ...equations(where.filter(([name]) => !keys.includes(name)))];
  return {
    TableName: table.name,
    Key,
    UpdateExpression: [
      sets.length > 0 ? `SET ${sets.join(', ')}` : '',
      removals.length > 0 ? `REMOVE ${removals.join(', ')}` : '',
    ]
      .join(' ')
      .trim(),
    ConditionExpression: conditions.join(' AND '),
    ExpressionAttributeNames: names,
    ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: values }),
  };
}

function refusalOf(write: Prepared): Refusal | undefined {
  if (write.isMet) return undefined;
  if (write.input['Item'] === undefined) return conditionFailed(write);
  return new Refusal('DuplicateItemException', 'Duplicate primary key exists in table');
}

function asRefusal<T>(prepare: () => T): T | Refusal {
  try {
    return prepare();
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

function errorOf({ type, message, details }: Refusal) {
  return { Code: CODES[type] ?? type, Message: message, ...details };
}
