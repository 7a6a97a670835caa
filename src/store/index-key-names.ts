import { type Item, stringOf } from '../core/items/attribute-value.ts';
import { INDEX_KEYS } from '../core/items/derived-item.ts';
import { isDerivedKey } from '../core/items/keys.ts';
import { indexKeysOf, type TableNames } from '../core/model/compiled.ts';
import type { Calls, TableCalls } from './lean/calls.ts';

/** Translates index key names between the code (`INDEX_KEYS`) and the table. Producers' items aren't renamed. */
export function withIndexKeyNames(calls: TableCalls, table: TableNames): TableCalls {
  return table.indexKeys === undefined ? calls : new RenamingCalls(calls, table);
}

/** Maps the names in the code to the names in the table. */
export function storedIndexKeys(table: Pick<TableNames, 'indexes' | 'indexKeys'>): ReadonlyMap<string, string> {
  const names = indexKeysOf(table);
  return new Map(
    table.indexes.flatMap((index) => [
      [INDEX_KEYS[index].partition, names[index].partition] as const,
      [INDEX_KEYS[index].sort, names[index].sort] as const,
    ]),
  );
}

type Named = Readonly<Record<string, unknown>>;

class RenamingCalls implements TableCalls {
  private readonly stored: ReadonlyMap<string, string>;
  private readonly known: ReadonlyMap<string, string>;

  constructor(
    private readonly calls: TableCalls,
    private readonly table: TableNames,
  ) {
    this.stored = storedIndexKeys(table);
    this.known = new Map([...this.stored].map(([known, stored]) => [stored, known]));
  }

  region(): Promise<string | undefined> {
    return this.calls.region();
  }

  call<Name extends keyof Calls>(name: Name, input: Calls[Name]['input']): Promise<Calls[Name]['output']> {
    return this.sendRenamed(input, (sent) => this.calls.call(name, sent));
  }

  callOnce<Name extends keyof Calls>(name: Name, input: Calls[Name]['input']): Promise<Calls[Name]['output']> {
    return this.sendRenamed(input, (sent) => this.calls.callOnce(name, sent));
  }

  private async sendRenamed<Input extends object, Output>(
    input: Input,
    send: (sent: Input) => Promise<Output>,
  ): Promise<Output> {
    const { IndexName } = input as { IndexName?: string };
    // False for native indexes, whose items are base items.
    const isOfIndex = this.table.indexes.some((index) => this.table.indexNames[index] === IndexName);
    try {
      return this.renameOutput(
        (await send(this.renameInput(input, isOfIndex) as Input)) as object,
        isOfIndex,
      ) as Output;
    } catch (error) {
      if (error instanceof Error && 'Item' in error)
        error.Item = this.renameItem(error.Item as Item | undefined, this.known);
      throw error;
    }
  }

  private renameInput(input: object, isOfIndex: boolean): object {
    const {
      Key,
      Item: item,
      ExpressionAttributeNames: names,
      ExclusiveStartKey: start,
      RequestItems,
      TransactItems,
    } = input as {
      Key?: Item;
      Item?: Item;
      ExpressionAttributeNames?: Record<string, string>;
      ExclusiveStartKey?: Item;
      RequestItems?: Record<string, unknown>;
      TransactItems?: Record<string, object>[];
    };
    const requests = RequestItems?.[this.table.name];
    return {
      ...input,
      ...(item && { Item: this.renameItem(item, this.stored) }),
      ...(names && Key && { ExpressionAttributeNames: isDerivedItem(this.table, Key) ? this.values(names) : names }),
      // Only these placeholders name index keys; others may name any attribute.
      ...(names &&
        isOfIndex && { ExpressionAttributeNames: { ...names, ...this.values(pickNamed(names, ['#p', '#s'])) } }),
      ...(start && isOfIndex && { ExclusiveStartKey: renameAttributes(start, this.stored) }),
      ...(Array.isArray(requests) && {
        RequestItems: {
          ...RequestItems,
          [this.table.name]: requests.map((one: { PutRequest?: object }) => this.renameRequest(one)),
        },
      }),
      ...(TransactItems && {
        TransactItems: TransactItems.map((one) =>
          Object.fromEntries(Object.entries(one).map(([kind, inner]) => [kind, this.renameInput(inner, false)])),
        ),
      }),
    };
  }

  private renameRequest(request: { PutRequest?: object }): object {
    return request.PutRequest === undefined ? request : { PutRequest: this.renameInput(request.PutRequest, false) };
  }

  private renameOutput(output: object, isOfIndex: boolean): object {
    const {
      Item: item,
      Items: items,
      LastEvaluatedKey: last,
      Responses: responses,
    } = output as {
      Item?: Item;
      Items?: Item[];
      LastEvaluatedKey?: Item;
      Responses?: Record<string, Item[]> | StatementAnswer[];
    };
    const known = (one: Item): Item =>
      isOfIndex ? renameAttributes(one, this.known) : this.renameItem(one, this.known)!;
    return {
      ...output,
      ...(item && { Item: known(item) }),
      ...(items && { Items: items.map(known) }),
      ...(last && isOfIndex && { LastEvaluatedKey: renameAttributes(last, this.known) }),
      ...(responses && {
        Responses: Array.isArray(responses)
          ? responses.map((one) => this.renameAnswer(one))
          : Object.fromEntries(Object.entries(responses).map(([table, all]) => [table, all.map(known)])),
      }),
    };
  }

  /** Statements already use the table's names; only the item in an error has to be renamed. */
  private renameAnswer({ Error: error, ...answer }: StatementAnswer): StatementAnswer {
    if (error === undefined) return answer;
    return { ...answer, Error: { ...error, Item: this.renameItem(error.Item, this.known) } };
  }

  private renameItem(item: Item | undefined, names: ReadonlyMap<string, string>): Item | undefined {
    return item !== undefined && isDerivedItem(this.table, item) ? renameAttributes(item, names) : item;
  }

  private values(placeholders: Record<string, string>): Record<string, string> {
    return Object.fromEntries(
      Object.entries(placeholders).map(([placeholder, name]) => [placeholder, this.stored.get(name) ?? name]),
    );
  }
}

interface StatementAnswer {
  Error?: { Item?: Item | undefined };
}

export function withKnownIndexKeys(table: TableNames, item: Item): Item {
  const known = new Map([...storedIndexKeys(table)].map(([name, stored]) => [stored, name]));
  return isDerivedItem(table, item) ? renameAttributes(item, known) : item;
}

function isDerivedItem({ sortKey }: Pick<TableNames, 'sortKey'>, item: Item): boolean {
  return isDerivedKey(stringOf(item[sortKey]) ?? '');
}

function renameAttributes(item: Item, names: ReadonlyMap<string, string>): Item {
  return Object.fromEntries(
    Object.entries(item as Named).map(([name, value]) => [names.get(name) ?? name, value]),
  ) as Item;
}

function pickNamed(all: Record<string, string>, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(Object.entries(all).filter(([name]) => names.includes(name)));
}
