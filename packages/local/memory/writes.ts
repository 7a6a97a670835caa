import { readUnits, writeUnits } from '../../../src/core/items/capacity.ts';
import { byKey } from '../../../src/foundation/entries.ts';
import { type Charged, consumedByTable, consumedField, sumUnits } from './capacity.ts';
import type { Input, Tables } from './definitions.ts';
import { applyUpdate, meets, projectItem } from './evaluate.ts';
import { keyAttributeNames, keyText, pickAttributes } from './keys.ts';
import type { Stored, Table, WriteUnits } from './memory-table.ts';
import {
  type Condition,
  Names,
  type Path,
  parseCondition,
  parseProjection,
  parseUpdate,
  type Update,
} from './parse.ts';
import { invalid, Refusal } from './refusal.ts';
import { checkedItem, type Values, valueSize } from './values.ts';

const MOST_TRANSACTION_ITEMS = 100;
const MOST_TRANSACTION_BYTES = 4 * 1024 * 1024;
const MOST_BATCH_ITEMS = 25;
const TRANSACTION_FACTOR = 2;
const TOKEN_MS = 600_000;
const MOST_TOKEN_CHARACTERS = 36;

export interface Prepared {
  table: Table;
  input: Input;
  key: Values;
  before: Stored | undefined;
  /** Undefined if the item doesn't exist after the write. */
  after: Stored | undefined;
  /** A condition check writes nothing. */
  isCheck: boolean;
  update?: Update;
  isMet: boolean;
}

type Kind = 'Put' | 'Update' | 'Delete' | 'ConditionCheck';

export function prepareWrite(tables: Tables, kind: Kind, input: Input): Prepared {
  for (const name of ['Expected', 'AttributeUpdates', 'ConditionalOperator']) {
    if (input[name] !== undefined) throw invalid(`${name} is not supported by the engine in memory: use expressions`);
  }
  const table = tables.findTable(input['TableName']);
  const names = new Names(input['ExpressionAttributeNames'], input['ExpressionAttributeValues']);
  const condition = conditionOf(input, names);
  const update = kind === 'Update' ? updateOf(input, names) : undefined;
  if (kind === 'ConditionCheck' && condition === undefined) throw invalid('ConditionExpression is required');
  names.checkUsed();
  const given = kind === 'Put' ? table.checkItem(checkedItem(input['Item'])) : undefined;
  const key =
    given === undefined ? checkedItem(input['Key']) : pickAttributes(given.item, keyAttributeNames(table.keys));
  table.checkKey(key);
  if (update !== undefined) checkUpdate(table, update);
  const before = table.findItem(key);
  const isMet = condition === undefined || meets(before?.item ?? {}, condition);
  let after = given;
  if (kind === 'Update' && isMet) {
    const item = applyUpdate(before?.item ?? key, update!);
    // As on AWS, an empty update creates a missing item.
    after = table.checkItem(item);
  }
  const isCheck = kind === 'ConditionCheck';
  return { table, input, key, before, after: isCheck ? before : after, isCheck, isMet, ...(update && { update }) };
}

function conditionOf({ ConditionExpression: text }: Input, names: Names): Condition | undefined {
  return text === undefined ? undefined : parseCondition(text as string, 'ConditionExpression', names);
}

function updateOf({ UpdateExpression: text }: Input, names: Names): Update {
  return text === undefined ? { set: [], remove: [], add: [], delete: [] } : parseUpdate(text as string, names);
}

function checkUpdate(table: Table, update: Update): void {
  const keys = keyAttributeNames(table.keys);
  for (const [name] of pathsOf(update)) {
    if (keys.includes(name as string)) {
      throw invalid(
        `One or more parameter values were invalid: Cannot update attribute ${name}. This attribute is part of the key`,
      );
    }
  }
  for (const [i, { value }] of [...update.add, ...update.delete].entries()) {
    const types = i < update.add.length ? ['N', 'SS', 'NS', 'BS'] : ['SS', 'NS', 'BS'];
    if (!types.includes(Object.keys(value)[0]!)) {
      throw invalid('Invalid UpdateExpression: Incorrect operand type for operator or function');
    }
    valueSize(value);
  }
}

function pathsOf({ set, remove, add, delete: taken }: Update): Path[] {
  return [...set, ...add, ...taken].map(({ path }) => path).concat(remove);
}

export function carryOut({ table, key, after, before, isCheck }: Prepared): WriteUnits {
  if (isCheck) return { table: writeUnits(before?.size ?? 0), indexes: {} };
  return table.write(key, after);
}

export function conditionFailed({ input, before }: Prepared): Refusal {
  const isAsked = input['ReturnValuesOnConditionCheckFailure'] === 'ALL_OLD' && before !== undefined;
  return new Refusal(
    'ConditionalCheckFailedException',
    'The conditional request failed',
    isAsked ? { Item: before.item } : {},
  );
}

export function writeOne(tables: Tables, kind: Kind, input: Input) {
  const write = prepareWrite(tables, kind, input);
  if (!write.isMet) throw conditionFailed(write);
  const units = carryOut(write);
  const attributes = returnedAttributes(write);
  return {
    ...(attributes !== undefined && { Attributes: attributes }),
    ConsumedCapacity: consumedField(input, write.table, units),
  };
}

function returnedAttributes({ input, before, after, update }: Prepared): Values | undefined {
  const asked = input['ReturnValues'];
  if (asked === 'ALL_OLD') return before?.item;
  if (asked === 'ALL_NEW') return after?.item;
  const item = asked === 'UPDATED_OLD' ? before?.item : asked === 'UPDATED_NEW' ? after?.item : undefined;
  if (item === undefined || update === undefined) return undefined;
  const values = projectItem(item, pathsOf(update));
  return Object.keys(values).length > 0 ? values : undefined;
}

export function writeBatch(tables: Tables, input: Input) {
  type Request = { PutRequest?: { Item: unknown }; DeleteRequest?: { Key: unknown } };
  const byTable = Object.entries((input['RequestItems'] ?? {}) as Record<string, Request[]>);
  const count = countInLists(byTable.map(([, requests]) => requests));
  if (count === 0) throw invalid('The batch write request list cannot be empty');
  if (count > MOST_BATCH_ITEMS) throw invalid('Too many items requested for the BatchWriteItem call');
  const groups = byTable.map(([TableName, requests]) =>
    requests.map(({ PutRequest, DeleteRequest }) =>
      PutRequest === undefined
        ? prepareWrite(tables, 'Delete', { TableName, Key: DeleteRequest?.Key })
        : prepareWrite(tables, 'Put', { TableName, Item: PutRequest.Item }),
    ),
  );
  for (const group of groups) checkDistinct(group, 'Provided list of item keys contains duplicates');
  const capacity = groups.map((group) => consumedField(input, group[0]!.table, sumUnits(group.map(carryOut))));
  return { UnprocessedItems: {}, ...(capacity[0] !== undefined && { ConsumedCapacity: capacity }) };
}

export function countInLists(lists: readonly unknown[]): number {
  return lists.reduce<number>((sum, list) => {
    if (Array.isArray(list) && list.length > 0) return sum + list.length;
    throw invalid(
      "The value at 'requestItems' failed to satisfy constraint: Member must have length greater than or equal to 1",
    );
  }, 0);
}

export function checkDistinct(writes: readonly Prepared[], message: string): void {
  const keys = writes.map(({ table, key }) => `${table.name} ${keyText(key, table.keys)}`);
  if (new Set(keys).size !== keys.length) throw invalid(message);
}

/** Keeps requests by client token for ten minutes. */
export class Transactions {
  /** The oldest token comes first. */
  private readonly tokens = new Map<string, { request: string; untilMs: number; reads: Charged[] }>();

  constructor(private readonly tables: Tables) {}

  write(input: Input) {
    const actions = (input['TransactItems'] ?? []) as Partial<Record<Kind, Input>>[];
    if (actions.length === 0 || actions.length > MOST_TRANSACTION_ITEMS) {
      throw invalid(
        `Member must have length less than or equal to ${MOST_TRANSACTION_ITEMS}, greater than or equal to 1: TransactItems`,
      );
    }
    const token = tokenOf(input);
    const repeated = this.findRepeated(token, actions);
    if (repeated !== undefined) return { ConsumedCapacity: consumedByTable(input, repeated, TRANSACTION_FACTOR) };
    const writes: (Prepared | Refusal)[] = actions.map((action) => {
      try {
        return this.prepare(action);
      } catch (error) {
        if (error instanceof Refusal && error.type === 'ValidationException' && this.isOfItem(error)) return error;
        throw error;
      }
    });
    const ready = writes.filter((write): write is Prepared => !(write instanceof Refusal));
    checkDistinct(ready, 'Transaction request cannot include multiple operations on one item');
    const bytes = ready.reduce((sum, { after }) => sum + (after?.size ?? 0), 0);
    if (bytes > MOST_TRANSACTION_BYTES) throw invalid('Collection size of the transaction exceeds 4 MB');
    cancelUnlessMet(writes);
    const charged = ready.map((write) => ({ table: write.table, units: carryOut(write) }));
    if (token !== undefined) {
      // A repetition is charged as a read of the items.
      const reads = ready.map(({ table, before, after }) => {
        const bytes = Math.max(after?.size ?? 0, before?.size ?? 0);
        return { table, units: { table: readUnits(bytes, true), indexes: {} } };
      });
      this.tokens.set(token, { request: canonicalText(actions), untilMs: Date.now() + TOKEN_MS, reads });
    }
    return { ConsumedCapacity: consumedByTable(input, charged, TRANSACTION_FACTOR) };
  }

  get(input: Input) {
    const gets = ((input['TransactItems'] ?? []) as { Get?: Input }[]).map(({ Get }) => {
      if (Get === undefined) throw invalid("Value null at 'transactItems.get' failed: Member must not be null");
      const table = this.tables.findTable(Get['TableName']);
      const key = checkedItem(Get['Key']);
      table.checkKey(key);
      const names = new Names(Get['ExpressionAttributeNames'], undefined);
      const text = Get['ProjectionExpression'] as string | undefined;
      const paths = text === undefined ? undefined : parseProjection(text, names);
      names.checkUsed();
      const stored = table.findItem(key);
      const item = stored && (paths === undefined ? stored.item : projectItem(stored.item, paths));
      return {
        table,
        units: { table: readUnits(stored?.size ?? 0, true), indexes: {} },
        answer: item === undefined ? {} : { Item: item },
      };
    });
    const capacity = consumedByTable(input, gets, TRANSACTION_FACTOR);
    return {
      Responses: gets.map(({ answer }) => answer),
      ...(capacity !== undefined && { ConsumedCapacity: capacity }),
    };
  }

  private prepare(action: Partial<Record<Kind, Input>>): Prepared {
    const [kind] = Object.keys(action) as Kind[];
    if (kind === undefined || Object.keys(action).length > 1) {
      throw invalid('TransactItems can only contain one of Check, Put, Update or Delete');
    }
    return prepareWrite(this.tables, kind, action[kind]!);
  }

  /** True if a transaction reports the error as a cancellation reason. */
  private isOfItem({ message }: Refusal): boolean {
    return /operand in the update expression|document path provided|Item size has|refers to an attribute|overflow|significant digits/.test(
      message,
    );
  }

  /**
   * Returns the charge for a repeated request; undefined if its token is new. Throws if the token came with another
   * request.
   */
  private findRepeated(token: string | undefined, actions: unknown): Charged[] | undefined {
    for (const [old, { untilMs }] of this.tokens) {
      if (untilMs >= Date.now()) break;
      this.tokens.delete(old);
    }
    const known = token === undefined ? undefined : this.tokens.get(token);
    if (known === undefined || known.request === canonicalText(actions)) return known?.reads;
    throw new Refusal(
      'IdempotentParameterMismatchException',
      'The request uses the same client token as a previous, but non-identical request.',
    );
  }
}

function tokenOf({ ClientRequestToken: token }: Input): string | undefined {
  if (token === undefined) return undefined;
  if (typeof token === 'string' && token !== '' && token.length <= MOST_TOKEN_CHARACTERS) return token;
  throw invalid(
    `Value at 'clientRequestToken' failed to satisfy constraint: Member must have length less than or equal to ${MOST_TOKEN_CHARACTERS}, greater than or equal to 1`,
  );
}

function cancelUnlessMet(writes: readonly (Prepared | Refusal)[]): void {
  const reasons = writes.map(reasonOf);
  if (reasons.every(({ Code }) => Code === 'None')) return;
  const codes = reasons.map(({ Code }) => Code).join(', ');
  throw new Refusal(
    'TransactionCanceledException',
    `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes}]`,
    { CancellationReasons: reasons },
  );
}

function reasonOf(write: Prepared | Refusal) {
  if (write instanceof Refusal) return { Code: 'ValidationError', Message: write.message };
  if (write.isMet) return { Code: 'None' };
  const { Item } = conditionFailed(write).details;
  return {
    Code: 'ConditionalCheckFailed',
    Message: 'The conditional request failed',
    ...(Item !== undefined && { Item }),
  };
}

function canonicalText(request: unknown): string {
  return JSON.stringify(request, (_, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(byKey))
      : value,
  );
}
