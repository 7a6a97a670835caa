import { invalid } from './refusal.ts';
import { textOf, typeOf, type Value, type Values } from './values.ts';

const MOST_PARTITION_KEY_BYTES = 2048;
const MOST_SORT_KEY_BYTES = 1024;

export interface KeyNames {
  partition: string;
  sort?: string | undefined;
}

export function keyAttributeNames({ partition, sort }: KeyNames): string[] {
  return sort === undefined ? [partition] : [partition, sort];
}

export function partitionText(value: Value): string {
  return `${typeOf(value)}${textOf(value)}`;
}

export function keyText(item: Values, keys: KeyNames): string {
  const texts = keyAttributeNames(keys).map((name) => textOf(item[name]!));
  return `${texts[0]!.length}:${texts.join('')}`;
}

export function pickAttributes(item: Values, names: readonly string[]): Values {
  return Object.fromEntries(names.map((name) => [name, item[name]!]));
}

export function checkKeyValue(keys: KeyNames, name: string, value: Value): void {
  const isPartition = name === keys.partition;
  const text = textOf(value);
  if (text === '') {
    throw invalid(
      `One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty string value. Key: ${name}`,
    );
  }
  const most = isPartition ? MOST_PARTITION_KEY_BYTES : MOST_SORT_KEY_BYTES;
  if (Buffer.byteLength(text) <= most) return;
  throw invalid(
    isPartition
      ? `One or more parameter values were invalid: Size of hashkey has exceeded the maximum size limit of${most} bytes`
      : `One or more parameter values were invalid: Aggregated size of all range keys has exceeded the size limit of ${most} bytes`,
  );
}
