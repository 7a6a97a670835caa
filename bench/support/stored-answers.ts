import { readFileSync, writeFileSync } from 'node:fs';
import type { Item } from './images.ts';
import { itemKey } from './table.ts';

/**
 * Answers of a free table. Writes succeed without changing anything. Reads return stored JSON, which costs hardly any
 * time.
 */

const UNITS = '"ConsumedCapacity":{"TableName":"bench","CapacityUnits":1}';
const UNITS_OF_MANY = '"ConsumedCapacity":[{"TableName":"bench","CapacityUnits":1}]';
const FIXED: Readonly<Record<string, string>> = {
  UpdateItem: `{${UNITS}}`,
  PutItem: `{${UNITS}}`,
  DeleteItem: `{${UNITS}}`,
  Query: `{"Items":[],"Count":0,"ScannedCount":0,${UNITS}}`,
  Scan: `{"Items":[],"Count":0,"ScannedCount":0,${UNITS}}`,
  BatchWriteItem: `{"UnprocessedItems":{},${UNITS_OF_MANY}}`,
  TransactWriteItems: `{${UNITS_OF_MANY}}`,
};

/** JSON by `itemKey`. */
export type StoredTexts = ReadonlyMap<string, string>;

export function storedTexts(items: Iterable<Item>): StoredTexts {
  return new Map([...items].map((item) => [itemKey(item), JSON.stringify(item)]));
}

export function saveTexts(file: string, texts: StoredTexts): void {
  writeFileSync(file, [...texts.values()].join('\n'));
}

export function readTexts(file: string): StoredTexts {
  return storedTexts(
    readFileSync(file, 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Item),
  );
}

export function answerTo(call: string, body: string, stored: StoredTexts): string | undefined {
  if (call === 'GetItem') {
    const item = stored.get(itemKey((JSON.parse(body) as { Key: Item }).Key));
    return item === undefined ? `{${UNITS}}` : `{"Item":${item},${UNITS}}`;
  }
  if (call === 'BatchGetItem') {
    const { RequestItems } = JSON.parse(body) as { RequestItems: Record<string, { Keys: Item[] }> };
    const tables = Object.entries(RequestItems).map(([name, { Keys }]) => {
      const items = Keys.flatMap((key) => stored.get(itemKey(key)) ?? []);
      return `${JSON.stringify(name)}:[${items.join()}]`;
    });
    return `{"Responses":{${tables.join()}},"UnprocessedKeys":{},${UNITS_OF_MANY}}`;
  }
  if (call === 'BatchExecuteStatement') {
    const count = body.split('"Statement":"').length - 1;
    const units = `"ConsumedCapacity":[{"TableName":"bench","CapacityUnits":${count}}]`;
    return `{"Responses":[${new Array(count).fill('{"TableName":"bench"}').join()}],${units}}`;
  }
  return FIXED[call];
}
