import { EdgeloomError } from '../../errors.ts';
import { stringOf } from '../../items/attribute-value.ts';
import { MODEL, WATERMARK } from '../../items/derived-item.ts';
import { isDerivedKey, SERVICE_PARTITION } from '../../items/keys.ts';
import { isPlausibleWatermark, laterOf } from '../../items/watermark.ts';
import { isRegistryStamp } from '../../registry/registry.ts';
import type { MigratePlace } from './place.ts';
import type { WalkedItem } from './walk.ts';

/** Times that a migration waits for what such software has in hand. */
const MOST_ROUNDS = 3;

/**
 * Software from before the registry maintains what its own model says, and nothing of what is built. It shows by the stamp of
 * what it writes: the fingerprint of its model, where software that reads the registry puts `@` and a number. An item with
 * such a stamp may be old, too. It is fresh if its watermark is later than any that the walk before has met: that walk has
 * passed this very item. Numbers of other shards may be lower, so that not every write is found; none is found by mistake.
 */
export class OldWrites {
  /** The latest watermark that the walks before have met. */
  private newest: string | undefined;
  private rounds: number;
  private found: EdgeloomError | undefined;

  /**
   * @param streamLabel of the table's stream: a watermark of a later one tells nothing.
   * @param place of the run before, which this one goes on with.
   */
  constructor(
    private readonly streamLabel: string | undefined,
    place: Pick<MigratePlace, 'newest' | 'rounds'> | undefined,
  ) {
    this.newest = place?.newest;
    this.rounds = place?.rounds ?? 0;
  }

  /** What a run that goes on has to know. */
  get place(): Pick<MigratePlace, 'newest' | 'rounds'> {
    return { rounds: this.rounds, ...(this.newest !== undefined && { newest: this.newest }) };
  }

  /** Whether one was found. */
  get hasFound(): boolean {
    return this.found !== undefined;
  }

  /** Notes what a walk passes, before a walk that looks. */
  pass(items: readonly WalkedItem[]): void {
    for (const { target, item } of items) {
      const watermark = isDerivedKey(target) ? this.watermarkOf(item) : undefined;
      if (watermark !== undefined) this.newest = laterOf(this.newest, watermark);
    }
  }

  /** Looks for what software without the registry has written since the walk before. */
  look(items: readonly WalkedItem[]): void {
    if (this.newest === undefined) return;
    for (const { source, target, item } of items) {
      const model = stringOf(item[MODEL]);
      if (source === SERVICE_PARTITION || !isDerivedKey(target)) continue;
      if (model === undefined || isRegistryStamp(model)) continue;
      const watermark = this.watermarkOf(item);
      if (watermark !== undefined && watermark > this.newest) this.found ??= oldSoftware(source, target, model);
    }
  }

  /**
   * Begins anew after one was found, and gives it: a batch that was held before the table was registered ends by itself. Throws it
   * where that has been done too often: then such software goes on writing.
   */
  nextRound(): EdgeloomError | undefined {
    const { found } = this;
    if (found === undefined) return undefined;
    this.rounds += 1;
    if (this.rounds > MOST_ROUNDS) throw found;
    this.found = undefined;
    return found;
  }

  private watermarkOf(item: WalkedItem['item']): string | undefined {
    const value = item[WATERMARK];
    return isPlausibleWatermark(value, this.streamLabel) ? stringOf(value) || undefined : undefined;
  }
}

function oldSoftware(source: string, target: string, model: string): EdgeloomError {
  return new EdgeloomError(
    'old-software',
    `Software that reads no registry writes this table: ${source} ${target} was written by its model ${model} during this migration.`,
    'Deploy this version of Edgeloom to every consumer, wait until calls of the old one have ended, then run edgeloom migrate again.',
  );
}
