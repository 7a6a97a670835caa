import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { type Item, itemSizeBytes } from '../../src/core/items/attribute-value.ts';
import type { IndexName } from '../../src/core/model/compiled.ts';
import { writeUnits } from './bound.ts';
import { seededRandom } from './random.ts';
import { itemKey } from './table.ts';

/**
 * A table in this process behind the SDK's client: with serialization and signing, but without a network. Supports
 * unconditional puts and deletes, and updates that set, add and delete. Answers arrive out of order.
 */
export class SimulatedTable {
  readonly items = new Map<string, Item>();
  calls = 0;
  wcu = 0;
  /** Time spent in the table, not in the consumer. */
  ownMs = 0;
  readonly client: DynamoDBClient;
  private readonly viewBytes = new Map<string, number>();
  private readonly random = seededRandom(20_260_101);

  constructor(private readonly indexes: readonly IndexName[]) {
    this.client = new DynamoDBClient({
      region: 'us-east-1',
      endpoint: 'http://127.0.0.1:1',
      credentials: { accessKeyId: 'bench', secretAccessKey: 'bench' },
      requestHandler: {
        metadata: { handlerProtocol: 'http/1.1' },
        handle: async (request: { headers: Record<string, string>; body?: unknown }) => {
          for (let ticks = this.random.below(4); ticks > 0; ticks--) await new Promise(setImmediate);
          return { response: this.answer(request) };
        },
        updateHttpClientConfig: () => undefined,
        httpHandlerConfigs: () => ({}),
      } as never,
    });
  }

  /** Like `writeUnits` outside indexes, but remembers sizes, because sets have thousands of elements. */
  private viewUnits(key: string, before: Item | undefined, after: Item | undefined): number {
    const old = this.viewBytes.get(key) ?? (before === undefined ? 0 : itemSizeBytes(before));
    const grown = elementsOf(after).length - elementsOf(before).length;
    const [longer, shorter] = grown > 0 ? [after, before] : [before, after];
    // If one element was added or removed, the sizes differ by its bytes.
    const isStep = Math.abs(grown) === 1 && elementsOf(shorter).length > 0;
    const bytes = isStep
      ? old + grown * Buffer.byteLength(firstMissing(elementsOf(longer), elementsOf(shorter)))
      : after === undefined
        ? 0
        : itemSizeBytes(after);
    this.viewBytes.set(key, bytes);
    return Math.ceil(Math.max(old, bytes) / 1024);
  }

  private answer({ headers, body }: { headers: Record<string, string>; body?: unknown }) {
    const start = performance.now();
    const target = headers['x-amz-target']?.split('.')[1];
    const text = typeof body === 'string' ? body : Buffer.from(body as Uint8Array).toString('utf8');
    const input = JSON.parse(text) as Input;
    const key = itemKey((input.Key ?? input.Item)!);
    const before = this.items.get(key);
    const after = afterWrite(target, input, before);
    const isView = key.endsWith(' ~view');
    const units = isView ? this.viewUnits(key, before, after) : writeUnits(before, after, this.indexes);
    if (after === undefined) this.items.delete(key);
    else this.items.set(key, after);
    this.calls += 1;
    this.wcu += units;
    const answer = { ConsumedCapacity: { TableName: input.TableName, CapacityUnits: units } };
    this.ownMs += performance.now() - start;
    const headersOut = { 'content-type': 'application/x-amz-json-1.0' };
    return { statusCode: 200, headers: headersOut, body: Buffer.from(JSON.stringify(answer)) };
  }
}

function elementsOf(item: Item | undefined): readonly string[] {
  const set = item?.['edgeSet'];
  return set !== undefined && 'SS' in set ? set.SS : [];
}

function firstMissing(longer: readonly string[], shorter: readonly string[]): string {
  return longer.find((element, i) => element !== shorter[i])!;
}

interface Input {
  TableName: string;
  Key?: Item;
  Item?: Item;
  UpdateExpression?: string;
  ConditionExpression?: string;
  ExpressionAttributeNames?: Record<string, string>;
  ExpressionAttributeValues?: Item;
}

function afterWrite(target: string | undefined, input: Input, before: Item | undefined): Item | undefined {
  if (input.ConditionExpression !== undefined) throw new Error('The simulated table takes no conditions.');
  if (target === 'PutItem') return input.Item;
  if (target === 'DeleteItem') return undefined;
  if (target !== 'UpdateItem') throw new Error(`The simulated table does not know ${target}.`);
  const after: Item = { ...(before ?? input.Key) };
  const parts = (input.UpdateExpression ?? '').split(/\b(SET|ADD|DELETE|REMOVE)\b/).slice(1);
  for (let i = 0; i < parts.length; i += 2) {
    for (const clause of parts[i + 1]!.split(',')) change(after, parts[i]!, clause.trim(), input);
  }
  return after;
}

function change(item: Item, action: string, clause: string, input: Input): void {
  const [placeholder, valueName] = clause.split(/\s*=\s*|\s+/);
  const name = input.ExpressionAttributeNames?.[placeholder!] ?? placeholder!;
  const value = input.ExpressionAttributeValues?.[valueName ?? ''];
  if (action === 'REMOVE') delete item[name];
  else if (value === undefined) throw new Error(`The simulated table does not understand ${action} ${clause}.`);
  else if (action === 'SET') item[name] = value;
  else {
    const present = item[name];
    const elements = present !== undefined && 'SS' in present ? present.SS.slice() : [];
    for (const element of 'SS' in value ? value.SS : []) {
      const place = elements.indexOf(element);
      if (action === 'ADD' && place < 0) elements.push(element);
      else if (action === 'DELETE' && place >= 0) elements.splice(place, 1);
    }
    if (elements.length === 0) delete item[name];
    else item[name] = { SS: elements };
  }
}
