import {
  DeleteItemCommand,
  type DynamoDBClient,
  PutItemCommand,
  type AttributeValue as SdkAttributeValue,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import pMap from 'p-map';
import { type Item, sameItem } from '../../src/core/items/attribute-value.ts';
import type { ChangeRecord } from '../../src/core/items/change-record.ts';
import type { CompiledModel } from '../../src/core/model/compiled.ts';
import { derivedOf } from '../../src/core/plan/derive.ts';
import { writeUnits } from './bound.ts';

interface ConsumerCost {
  writes: number;
  wcu: number;
}

type WriteCommand = UpdateItemCommand | PutItemCommand | DeleteItemCommand;

/**
 * Applies records one by one in stream order, without conditions. Up to `concurrency` sources are processed in
 * parallel.
 */
export async function applyOneByOne(
  client: DynamoDBClient,
  graph: CompiledModel,
  records: readonly ChangeRecord[],
  concurrency: number,
): Promise<void> {
  const bySource = new Map<string, ChangeRecord[]>();
  for (const record of records) {
    const chain = bySource.get(record.source);
    if (chain === undefined) bySource.set(record.source, [record]);
    else chain.push(record);
  }
  const apply = async (chain: readonly ChangeRecord[]): Promise<void> => {
    for (const record of chain) {
      // `send` has overloads only for single commands.
      for (const command of commandsOf(graph, record)) await client.send(command as UpdateItemCommand);
    }
  };
  await pMap(bySource.values(), apply, { concurrency });
}

/** A changed element takes two writes, because DynamoDB refuses ADD and DELETE of the same set in one update. */
function commandsOf(graph: CompiledModel, { source, target, oldImage, newImage }: ChangeRecord): WriteCommand[] {
  const before = derivedOf(graph, source, target, oldImage);
  const after = derivedOf(graph, source, target, newImage);
  const commands: WriteCommand[] = [];
  const view = (expression: string, name: string, value: SdkAttributeValue): void => {
    commands.push(
      new UpdateItemCommand({
        ...common(graph, source, '~view'),
        UpdateExpression: expression,
        ExpressionAttributeNames: { '#a': name },
        ExpressionAttributeValues: { ':v': value },
      }),
    );
  };
  if (before.element !== after.element) {
    if (before.element !== undefined) view('DELETE #a :v', 'edgeSet', { SS: [before.element] });
    if (after.element !== undefined) view('ADD #a :v', 'edgeSet', { SS: [after.element] });
  }
  if (after.attributes !== undefined && !sameItem(before.attributes, after.attributes)) {
    view('SET #a = :v', 'attributes', { M: after.attributes as Record<string, SdkAttributeValue> });
  }
  for (const sortKey of new Set([...before.indexItems.keys(), ...after.indexItems.keys()])) {
    const expected = after.indexItems.get(sortKey);
    if (sameItem(before.indexItems.get(sortKey), expected)) continue;
    const { Key, ...rest } = common(graph, source, sortKey);
    commands.push(
      expected === undefined
        ? new DeleteItemCommand({ ...rest, Key })
        : new PutItemCommand({ ...rest, Item: { ...Key, ...(expected as Record<string, SdkAttributeValue>) } }),
    );
  }
  return commands;
}

function common(graph: CompiledModel, source: string, target: string) {
  return {
    TableName: graph.table.name,
    Key: { source: { S: source }, target: { S: target } },
    ReturnConsumedCapacity: 'TOTAL' as const,
  };
}

/** Computes the units that DynamoDB bills for `applyOneByOne`, which takes minutes on an engine with large sets. */
export function costOneByOne(
  graph: CompiledModel,
  before: ReadonlyMap<string, Item>,
  records: readonly ChangeRecord[],
): ConsumerCost {
  const items = new Map(before);
  const cost: ConsumerCost = { writes: 0, wcu: 0 };
  const write = (key: string, next: Item | undefined): void => {
    cost.writes += 1;
    cost.wcu += writeUnits(items.get(key), next, graph.indexes);
    if (next === undefined) items.delete(key);
    else items.set(key, next);
  };
  for (const { source, target, oldImage, newImage } of records) {
    const keyOf = (sortKey: string): string => `${source} ${sortKey}`;
    const old = derivedOf(graph, source, target, oldImage);
    const current = derivedOf(graph, source, target, newImage);
    const view = (change: (elements: readonly string[]) => string[], attributes?: Item): void => {
      const present: Item = items.get(keyOf('~view')) ?? { source: { S: source }, target: { S: '~view' } };
      const set = present['edgeSet'];
      const elements = change(set !== undefined && 'SS' in set ? set.SS : []);
      const { edgeSet: _, ...rest } = present;
      write(keyOf('~view'), {
        ...rest,
        ...(elements.length > 0 && { edgeSet: { SS: elements } }),
        ...(attributes && { attributes: { M: attributes } }),
      });
    };
    if (old.element !== current.element) {
      if (old.element !== undefined) view((elements) => elements.filter((element) => element !== old.element));
      if (current.element !== undefined) view((elements) => [...elements, current.element!]);
    }
    if (current.attributes !== undefined && !sameItem(old.attributes, current.attributes)) {
      view((elements) => [...elements], current.attributes);
    }
    for (const sortKey of new Set([...old.indexItems.keys(), ...current.indexItems.keys()])) {
      const expected = current.indexItems.get(sortKey);
      if (sameItem(old.indexItems.get(sortKey), expected)) continue;
      write(keyOf(sortKey), expected && { source: { S: source }, target: { S: sortKey }, ...expected });
    }
  }
  return cost;
}
