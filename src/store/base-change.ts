import type { TransactWriteItem, UpdateItemCommandInput } from '@aws-sdk/client-dynamodb';
import type { AttributeValue, Item } from '../core/items/attribute-value.ts';
import type { TableNames } from '../core/model/compiled.ts';
import { CLAIM_TOKEN, MIRROR } from '../core/model/mirrored.ts';
import { type AttributeChanges, appliesToOver, type BaseChange, type BaseCondition } from '../core/store-port.ts';
import { keyAttributes } from './answers.ts';

type Expression = Pick<
  UpdateItemCommandInput,
  'ConditionExpression' | 'ExpressionAttributeNames' | 'ExpressionAttributeValues'
>;

/** Names in expressions need placeholders, because a producer's attribute name may be a reserved word. */
class Placeholders {
  private readonly names = new Map<string, string>();
  private readonly values: Record<string, AttributeValue> = {};
  private count = 0;

  name(name: string): string {
    let placeholder = this.names.get(name);
    if (placeholder === undefined) {
      placeholder = `#${this.names.size}`;
      this.names.set(name, placeholder);
    }
    return placeholder;
  }

  value(value: AttributeValue): string {
    const placeholder = `:${this.count}`;
    this.count += 1;
    this.values[placeholder] = value;
    return placeholder;
  }

  expression(condition: string): Expression {
    const names = [...this.names].map(([name, placeholder]) => [placeholder, name]);
    return {
      ...(condition !== '' && { ConditionExpression: condition }),
      ...(names.length > 0 && { ExpressionAttributeNames: Object.fromEntries(names) }),
      ...(this.count > 0 && { ExpressionAttributeValues: this.values as Expression['ExpressionAttributeValues'] }),
    };
  }
}

export function conditionOnly(table: TableNames, change: BaseChange): Expression {
  const placeholders = new Placeholders();
  return placeholders.expression(conditionText(table, change, placeholders));
}

export function attributeUpdate(
  table: TableNames,
  change: BaseChange & { changes: AttributeChanges },
): Expression & { UpdateExpression?: string } {
  const placeholders = new Placeholders();
  const { set = {}, remove = [], add = {}, addTo = {}, deleteFrom = {} } = change.changes;
  const pairs = (item: Item, operator: string): string[] =>
    Object.keys(item).map((name) => `${placeholders.name(name)}${operator}${placeholders.value(item[name]!)}`);
  const numbers = Object.entries(add).map(([name, N]) => `${placeholders.name(name)} ${placeholders.value({ N })}`);
  const update = updateClauses({
    SET: pairs(set, ' = '),
    REMOVE: remove.map((name) => placeholders.name(name)),
    ADD: [...numbers, ...pairs(addTo, ' ')],
    DELETE: pairs(deleteFrom, ' '),
  });
  const rest = placeholders.expression(conditionText(table, change, placeholders));
  return update === '' ? rest : { UpdateExpression: update, ...rest };
}

export function transactionPart(table: TableNames, change: BaseChange): TransactWriteItem {
  const Key = keyAttributes(table, change.key);
  const common = { TableName: table.name, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } as const;
  if (change.kind === 'update') {
    const { UpdateExpression, ...rest } = attributeUpdate(table, change);
    if (UpdateExpression !== undefined) return { Update: { ...common, Key, UpdateExpression, ...rest } };
    // A transaction doesn't accept an Update without an expression.
    if (change.condition?.present === false) return { Put: { ...common, Item: Key, ...rest } };
    return { ConditionCheck: { ...common, Key, ...rest, ConditionExpression: rest.ConditionExpression ?? '' } };
  }
  const expression = conditionOnly(table, change);
  if (change.kind === 'put') {
    return { Put: { ...common, Item: change.item as NonNullable<TransactWriteItem['Put']>['Item'], ...expression } };
  }
  if (change.kind === 'delete') return { Delete: { ...common, Key, ...expression } };
  return {
    ConditionCheck: { ...common, Key, ...expression, ConditionExpression: expression.ConditionExpression ?? '' },
  };
}

export function updateClauses(
  actions: Readonly<Record<'SET' | 'REMOVE' | 'ADD' | 'DELETE', readonly string[]>>,
): string {
  const clauses = Object.entries(actions).filter(([, parts]) => parts.length > 0);
  return clauses.map(([keyword, parts]) => `${keyword} ${parts.join(', ')}`).join(' ');
}

function conditionText(table: TableNames, change: BaseChange, placeholders: Placeholders): string {
  const { condition = {} } = change;
  const text = storedText(table, condition, placeholders);
  const isAlways = text === '' && change.kind !== 'update';
  if (condition.over === undefined || isAlways) return text;
  const { attribute, atSeconds } = condition.over;
  // An attribute that is missing or isn't a number never counts as over, because DynamoDB's comparison is then false.
  const isOver = `${placeholders.name(attribute)} <= ${placeholders.value({ N: atSeconds })}`;
  if (appliesToOver(change, condition)) return `(${text}) OR ${isOver}`;
  return `${text}${text === '' ? '' : ' AND '}NOT (${isOver})`;
}

function storedText(
  table: TableNames,
  { present, equal = {}, absent = [], within = [], claimedBefore }: BaseCondition,
  placeholders: Placeholders,
): string {
  const clauses: string[] = [];
  // An `equal` clause already requires the item to exist, and DynamoDB allows 300 operators per expression.
  if (present === true && Object.keys(equal).length === 0)
    clauses.push(`attribute_exists(${placeholders.name(table.partitionKey)})`);
  if (present === false) clauses.push(`attribute_not_exists(${placeholders.name(table.partitionKey)})`);
  for (const name of Object.keys(equal)) {
    clauses.push(`${placeholders.name(name)} = ${placeholders.value(equal[name]!)}`);
  }
  for (const name of absent) clauses.push(`attribute_not_exists(${placeholders.name(name)})`);
  for (const { attribute, low, high, orAbsent } of within) {
    const name = placeholders.name(attribute);
    const isWithin = `${name} BETWEEN ${placeholders.value({ N: low })} AND ${placeholders.value({ N: high })}`;
    clauses.push(orAbsent ? `(attribute_not_exists(${name}) OR ${isWithin})` : isWithin);
  }
  if (claimedBefore !== undefined) clauses.push(claimedText(table, claimedBefore, placeholders));
  return clauses.join(' AND ');
}

function claimedText(
  { partitionKey }: TableNames,
  { maker, token }: NonNullable<BaseCondition['claimedBefore']>,
  placeholders: Placeholders,
): string {
  const makers = `${placeholders.name(MIRROR)}.${placeholders.name('makers')}`;
  const isAlone = `size(${makers}) = ${placeholders.value({ N: '1' })}`;
  const own = `${makers}.${placeholders.name(maker)}.${placeholders.name(CLAIM_TOKEN)}`;
  const isOlder = `${own} < ${placeholders.value({ N: String(token) })}`;
  return `(attribute_not_exists(${placeholders.name(partitionKey)}) OR (${isAlone} AND ${isOlder}))`;
}
