import { mkdir, open, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import * as z from 'zod';
import { EdgeloomError, messageOf } from '../foundation/errors.ts';
import { removeLeftovers, replaceFile } from '../foundation/replace-file.ts';

/** Stores a worker's progress. Losing the progress only costs a replay. */
export interface CheckpointStore {
  /** Returns undefined if there is no checkpoint. Throws if it can't be read. */
  load(): Promise<Checkpoint | undefined>;
  /** Must replace the old checkpoint atomically. */
  save(checkpoint: Checkpoint): Promise<void>;
}

/** How far one shard was read. */
export interface ShardCheckpoint {
  shardId: string;
  /**
   * The number of the newest record that was applied or dropped; absent if there is none, or if unread records were
   * lost.
   */
  sequenceNumber?: string | undefined;
  finished: boolean;
}

/** How far a stream was read. */
export interface Checkpoint {
  version: 1;
  streamArn: string;
  shards: ShardCheckpoint[];
}

const shardSchema = z.strictObject({
  shardId: z.string().min(1),
  sequenceNumber: z
    .string()
    .regex(/^\d{1,99}$/, 'should be 1 to 99 digits')
    .optional(),
  finished: z.boolean(),
});

const checkpointSchema: z.ZodType<Checkpoint> = z.strictObject({
  version: z.literal(1),
  streamArn: z.string().min(1),
  shards: z.array(shardSchema),
});

/** Keeps checkpoints in memory, for a worker whose progress needn't outlive its process. */
export function memoryCheckpoint(): CheckpointStore {
  let kept: Checkpoint | undefined;
  return {
    load: async () => kept && structuredClone(kept),
    save: async (checkpoint) => {
      kept = structuredClone(checkpoint);
    },
  };
}

/**
 * Keeps checkpoints in a JSON file that survives a crash of the machine. Throws `invalid-file` for a file that
 * isn't a checkpoint, instead of starting over. Give each worker its own file: workers that share one lose nothing, but
 * apply the same records.
 */
export function fileCheckpoint(file: string): CheckpointStore {
  return {
    load: () => loadCheckpoint(file),
    save: (checkpoint) => saveCheckpoint(file, checkpoint),
  };
}

async function loadCheckpoint(file: string): Promise<Checkpoint | undefined> {
  await removeLeftovers(file);
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw invalidCheckpointError(file, error);
  }
  try {
    return checkpointSchema.parse(JSON.parse(text));
  } catch (error) {
    throw invalidCheckpointError(file, error);
  }
}

function invalidCheckpointError(file: string, error: unknown): EdgeloomError {
  // Shows the place instead of the validator's message, which is about a schema that users don't know.
  const place = error instanceof z.ZodError ? error.issues[0]?.path.join('.') : undefined;
  const reason = place === undefined ? messageOf(error) : `${place || 'it'} isn't what a worker writes`;
  return new EdgeloomError(
    'invalid-file',
    `The checkpoint file ${file} cannot be used: ${reason}.`,
    'Delete it to read the stream again from its oldest record, which changes nothing that is right, or name another.',
    { cause: error },
  );
}

async function saveCheckpoint(file: string, checkpoint: Checkpoint): Promise<void> {
  try {
    const folder = dirname(file);
    await mkdir(folder, { recursive: true });
    await replaceFile(
      file,
      `${JSON.stringify(checkpoint, undefined, 2)}
`,
    );
    await syncFolder(folder);
  } catch (error) {
    throw new EdgeloomError(
      'file-failed',
      `The checkpoint file ${file} cannot be written: ${messageOf(error)}.`,
      'Check the disk and the permissions of the folder.',
      { cause: error },
    );
  }
}

/** Without this, a power failure may undo the rename. Windows can't open folders. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
