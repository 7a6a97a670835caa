/** The logical ids that more than one part of a stack names. */

/** The names of the functions that every stack has; `logicalIdPrefix` turns them into beginnings of logical ids. */
export const FUNCTIONS = ['stream', 'check', 'rebuild', 'redrive'] as const;
/** One of the functions. */
export type FunctionName = (typeof FUNCTIONS)[number] | 'observe' | 'feed' | 'mirror';

/** The names of the functions of a stack with these parameters. */
export function functionsOf({
  observe,
  feedEventBus,
  sourceStreamArns,
}: {
  observe: boolean;
  feedEventBus: string;
  sourceStreamArns: readonly string[];
}): readonly FunctionName[] {
  const further = { observe, feed: observe && feedEventBus !== '', mirror: sourceStreamArns.length > 0 };
  return [...FUNCTIONS, ...(['observe', 'feed', 'mirror'] as const).filter((name) => further[name])];
}

/** The beginning of the logical ids of what belongs to a function. */
export function logicalIdPrefix(name: FunctionName): string {
  return name[0]!.toUpperCase() + name.slice(1);
}

export const CHECK_MACHINE = 'CheckMachine';
export const CHECK_MACHINE_ROLE = 'CheckMachineRole';
export const CHECK_SCHEDULE_ROLE = 'CheckScheduleRole';
export const FAILED_BATCHES_BUCKET = 'FailedBatchesBucket';
/** The custom resource whose deletion empties the bucket. */
export const EMPTIED_BUCKET = 'EmptiedBucket';
export const FAILED_BATCHES_QUEUE = 'FailedBatchesQueue';
export const DEAD_LETTER_QUEUE = 'DeadLetterQueue';
export const SCHEDULE_DEAD_LETTER_QUEUE = 'ScheduleDeadLetterQueue';
/** Changes that wait for EventBridge, and those that it did not take in days. */
export const FEED_QUEUE = 'FeedQueue';
export const FEED_DEAD_LETTER_QUEUE = 'FeedDeadLetterQueue';
/** Notices of batches of a source's stream that its mapping gave up. */
export const MIRROR_DEAD_LETTER_QUEUE = 'MirrorDeadLetterQueue';

/** The id of the event source mapping of a source's stream, by the source's place among the parameters. */
export function mirrorMappingId(place: number): string {
  return `MirrorEventSourceMapping${place + 1}`;
}
/** The id of the stream's event source mapping: the framework's own, so that an update keeps the mapping. */
export const MAPPING = 'StreamEventSourceMappingDynamodbRecordsTable';

/** The alias of the stream function that its mapping calls, where deployments are gradual. */
export const GRADUAL_ALIAS = 'StreamAlias';

/** Where an event source mapping puts the objects of its on-failure destination. */
export const FAILED_BATCH_OBJECTS = 'aws/lambda/*';
