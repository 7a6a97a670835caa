import { randomUUID } from 'node:crypto';
import { type KeyNames, keyAttributeNames, pickAttributes } from './keys.ts';
import { sizeOf, type Values } from './values.ts';

export type StreamView = 'NEW_AND_OLD_IMAGES' | 'NEW_IMAGE' | 'OLD_IMAGE' | 'KEYS_ONLY';

export interface StreamRecord {
  eventID: string;
  eventName: 'INSERT' | 'MODIFY' | 'REMOVE';
  eventVersion: string;
  eventSource: string;
  awsRegion: string;
  dynamodb: Record<string, unknown> & { SequenceNumber: string; ApproximateCreationDateTime: number };
}

const HOUR_SECONDS = 3600;
const KEPT_SECONDS = 24 * HOUR_SECONDS;
const NUMBER_DIGITS = 21;

/** A label is a time. Streams created in the same millisecond get successive times. */
let lastLabelMs = 0;
let lastNumber = 0;

/** A stream with a single shard, which stays open until the stream is switched off. */
export class TableStream {
  readonly label: string;
  readonly arn: string;
  readonly shardId: string;
  readonly createdMs = Date.now();
  readonly firstNumber = nextNumber();
  private kept: StreamRecord[] = [];
  /** Set once the stream is switched off. */
  lastNumber: string | undefined;

  constructor(
    tableArn: string,
    readonly view: StreamView,
    readonly keys: KeyNames,
  ) {
    lastLabelMs = Math.max(lastLabelMs + 1, Date.now());
    this.label = new Date(lastLabelMs).toISOString().replace('Z', '');
    this.arn = `${tableArn}/stream/${this.label}`;
    this.shardId = `shardId-${String(lastLabelMs).padStart(20, '0')}-00000001`;
  }

  addRecord(
    before: { item: Values; size: number } | undefined,
    after: { item: Values; size: number } | undefined,
  ): void {
    const keys = pickAttributes((after ?? before)!.item, keyAttributeNames(this.keys));
    const [isNew, isOld] = ['NEW', 'OLD'].map((image) => this.view.includes(image)) as [boolean, boolean];
    const images = {
      ...(isNew && after !== undefined && { NewImage: after.item }),
      ...(isOld && before !== undefined && { OldImage: before.item }),
    };
    this.kept.push({
      eventID: randomUUID().replaceAll('-', ''),
      eventName: before === undefined ? 'INSERT' : after === undefined ? 'REMOVE' : 'MODIFY',
      eventVersion: '1.1',
      eventSource: 'aws:dynamodb',
      awsRegion: 'local',
      dynamodb: {
        ApproximateCreationDateTime: Math.floor(Date.now() / 1000),
        Keys: keys,
        ...images,
        SequenceNumber: nextNumber(),
        SizeBytes: sizeOf(keys) + (isNew ? (after?.size ?? 0) : 0) + (isOld ? (before?.size ?? 0) : 0),
        StreamViewType: this.view,
      },
    });
  }

  records(): readonly StreamRecord[] {
    const oldest = Date.now() / 1000 - KEPT_SECONDS;
    let trimmed = 0;
    while (trimmed < this.kept.length && this.kept[trimmed]!.dynamodb.ApproximateCreationDateTime < oldest) trimmed++;
    if (trimmed > 0) this.kept = this.kept.slice(trimmed);
    return this.kept;
  }

  close(): void {
    this.lastNumber = nextNumber();
  }
}

function nextNumber(): string {
  lastNumber += 1;
  return String(lastNumber).padStart(NUMBER_DIGITS, '0');
}
