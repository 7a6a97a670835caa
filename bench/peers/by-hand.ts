import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBRecord } from './event.ts';

// Hand-written derived items, for any kind of delivery. The benchmark counts these lines.

const WEIGHTS: Record<string, number> = { LEAD: 500, CONTRIBUTOR: 400, VIEWER: 300 };
const SHARDS = 200;

export type Write =
  | { kind: 'add' | 'delete'; key: Key; element: string }
  | { kind: 'attributes'; key: Key; attributes: Record<string, unknown> }
  | { kind: 'put'; key: Key; item: Record<string, unknown> }
  | { kind: 'remove'; key: Key };

export interface Key {
  source: string;
  target: string;
}

interface Image extends Key {
  [name: string]: unknown;
}

export function writesOf({ dynamodb }: DynamoDBRecord): Write[] {
  const before = dynamodb?.OldImage && unmarshall(dynamodb.OldImage);
  const after = dynamodb?.NewImage && unmarshall(dynamodb.NewImage);
  return writesBetween(before, after);
}

export function writesBetween(oldItem?: Record<string, unknown>, newItem?: Record<string, unknown>): Write[] {
  const [before, after] = [oldItem as Image | undefined, newItem as Image | undefined];
  const { source, target } = (after ?? before)!;
  return source === target ? writesOfNode(source, before, after) : writesOfEdge(source, target, before, after);
}

function writesOfEdge(source: string, target: string, before?: Image, after?: Image): Write[] {
  const view = { source, target: '~view' };
  const key = { source, target: `~ix/${target}` };
  const [old, current] = [before && elementOf(before), after && elementOf(after)];
  const writes: Write[] = [];
  if (old !== undefined && old !== current) writes.push({ kind: 'delete', key: view, element: old });
  if (current !== undefined && old !== current) writes.push({ kind: 'add', key: view, element: current });
  if (after === undefined) writes.push({ kind: 'remove', key });
  else if (old !== current || before?.['date'] !== after['date']) {
    writes.push({ kind: 'put', key, item: indexItem(after) });
  }
  return writes;
}

function elementOf({ target, memberRole }: Image): string {
  return `${target}|memberRole=${memberRole}`;
}

function indexItem({ source, target, memberRole, date }: Image): Record<string, unknown> {
  return {
    gsi0pk: target,
    gsi0sk: `${WEIGHTS[String(memberRole)]}-${memberRole}\u0000${source}`,
    gsi1pk: target,
    gsi1sk: `${date}T00:00:00\u0000${source}`,
    attributes: { memberRole, date },
  };
}

function writesOfNode(source: string, before?: Image, after?: Image): Write[] {
  // Both searches share an item, but each has its own index.
  const key = { source, target: '~ix/status' };
  if (after === undefined) return [{ kind: 'remove', key }];
  const writes: Write[] = [];
  const { title, status, dueDate } = after;
  if (before?.['title'] !== title || before?.['status'] !== status) {
    writes.push({ kind: 'attributes', key: { source, target: '~view' }, attributes: { title, status } });
  }
  if (before?.['status'] === status && before?.['dueDate'] === dueDate) return writes;
  const date = `${dueDate}T00:00:00`;
  const item = {
    gsi0pk: `GOAL.status#${shardOf(source)}`,
    gsi0sk: `${status}\u0000${source}`,
    value: status,
    gsi1pk: `GOAL.dueDate#${shardOf(date)}`,
    gsi1sk: `${date}\u0000${source}`,
    gsi1value: dueDate,
  };
  writes.push({ kind: 'put', key, item });
  return writes;
}

function shardOf(text: string): number {
  let hash = 2_166_136_261;
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 16_777_619) >>> 0;
  return (hash % SHARDS) + 1;
}
