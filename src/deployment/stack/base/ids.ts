import type { Parameters } from './parameters.ts';

/** The functions that every stack has. */
export const FUNCTIONS = ['stream', 'check', 'rebuild', 'redrive'] as const;
/** The name of a stack's function. */
export type FunctionName = (typeof FUNCTIONS)[number] | 'observe' | 'feed' | 'mirror';

export function functionsOf({ observe, feedEventBus, sourceStreamArns }: Parameters): readonly FunctionName[] {
  const further = { observe, feed: observe && feedEventBus !== '', mirror: sourceStreamArns.length > 0 };
  return [...FUNCTIONS, ...(['observe', 'feed', 'mirror'] as const).filter((name) => further[name])];
}

export function logicalIdPrefix(name: FunctionName): string {
  return name[0]!.toUpperCase() + name.slice(1);
}

export const CHECK_MACHINE = 'CheckMachine';
export const CHECK_MACHINE_ROLE = 'CheckMachineRole';
export const CHECK_SCHEDULE_ROLE = 'CheckScheduleRole';
export const FAILED_BATCHES_BUCKET = 'FailedBatchesBucket';
export const EMPTIED_BUCKET = 'EmptiedBucket';
export const FAILED_BATCHES_QUEUE = 'FailedBatchesQueue';
export const DEAD_LETTER_QUEUE = 'DeadLetterQueue';
export const SCHEDULE_DEAD_LETTER_QUEUE = 'ScheduleDeadLetterQueue';
export const FEED_QUEUE = 'FeedQueue';
export const FEED_DEAD_LETTER_QUEUE = 'FeedDeadLetterQueue';
export const MIRROR_DEAD_LETTER_QUEUE = 'MirrorDeadLetterQueue';

export function mirrorMappingId(place: number): string {
  return `MirrorEventSourceMapping${place + 1}`;
}
/** The logical id that the Serverless Framework generates, so that an update keeps the mapping. */
export const MAPPING = 'StreamEventSourceMappingDynamodbRecordsTable';

export const GRADUAL_ALIAS = 'StreamAlias';
