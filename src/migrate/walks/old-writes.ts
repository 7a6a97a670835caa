import { stringOf } from '../../core/items/attribute-value.ts';
import { MODEL, WATERMARK } from '../../core/items/derived-item.ts';
import { isDerivedKey, isServicePartition } from '../../core/items/keys.ts';
import { isPlausibleWatermark, laterOf } from '../../core/items/watermark.ts';
import { EdgeloomError } from '../../foundation/errors.ts';
import { isRegistryStamp } from '../../registry/registry.ts';
import type { WalkedItem } from '../../store/table-walk.ts';
import type { MigratePlace, OldWrite } from './place.ts';

type OldWritesPlace = Pick<MigratePlace, 'newest' | 'rounds' | 'found'>;

/** How often a migration waits until the batches of such software have ended. */
const MOST_ROUNDS = 3;

/**
 * Software from before the registry maintains its own model, and nothing of what is being built. Its writes have another stamp: the
 * fingerprint of its model, while software that reads the registry writes `@` and a number. An item with such a stamp may also be
 * old. It is a fresh write if its watermark is later than all that the last walk has seen, because that walk has passed this item.
 * Numbers of other shards may be lower, so that not every such write is found; but none is found by mistake.
 */
export class OldWrites {
  /** The latest watermark that the walks so far have seen. */
  private newest: string | undefined;
  private rounds: number;
  private found: OldWrite | undefined;

  /**
   * @param streamLabel label of the table's stream: a watermark of a later stream says nothing.
   * @param place the place of the last run, from which this one continues.
   */
  constructor(
    private readonly streamLabel: string | undefined,
    place: OldWritesPlace | undefined,
  ) {
    this.newest = place?.newest;
    this.rounds = place?.rounds ?? 0;
    this.found = place?.found;
  }

  /** The values that the next run needs to continue. */
  get place(): OldWritesPlace {
    const { rounds, newest, found } = this;
    return { rounds, ...(newest !== undefined && { newest }), ...(found && { found }) };
  }

  /** The number of the round: 0 before any such write was found. */
  get round(): number {
    return this.rounds;
  }

  /** True if a fresh write was found. */
  get hasFound(): boolean {
    return this.found !== undefined;
  }

  /** Notes the items of a walk that precedes a search. */
  noteNewest(items: readonly WalkedItem[]): void {
    for (const { target, item } of items) {
      const watermark = isDerivedKey(target) ? this.watermarkOf(item) : undefined;
      if (watermark !== undefined) this.newest = laterOf(this.newest, watermark);
    }
  }

  /** Looks for writes of software without the registry since the last walk. */
  lookForOldWrites(items: readonly WalkedItem[]): void {
    if (this.newest === undefined) return;
    for (const { source, target, item } of items) {
      const model = stringOf(item[MODEL]);
      if (isServicePartition(source) || !isDerivedKey(target)) continue;
      if (model === undefined || isRegistryStamp(model)) continue;
      const watermark = this.watermarkOf(item);
      if (watermark !== undefined && watermark > this.newest) this.found ??= { source, target, model };
    }
  }

  /**
   * Starts another round after a fresh write was found, and returns it: a batch from before the registration of the table ends by
   * itself. Throws it after too many rounds, because then such software goes on writing.
   */
  startRoundIfFound(): EdgeloomError | undefined {
    const { found } = this;
    if (found === undefined) return undefined;
    this.rounds += 1;
    const reason = oldSoftware(found);
    if (this.rounds > MOST_ROUNDS) throw reason;
    this.found = undefined;
    return reason;
  }

  private watermarkOf(item: WalkedItem['item']): string | undefined {
    const value = item[WATERMARK];
    return isPlausibleWatermark(value, this.streamLabel) ? stringOf(value) || undefined : undefined;
  }
}

function oldSoftware({ source, target, model }: OldWrite): EdgeloomError {
  return new EdgeloomError(
    'old-software',
    `Software that reads no registry writes this table: ${source} ${target} was written by its model ${model} during this migration.`,
    'Deploy this version of Edgeloom to every consumer, wait until calls of the old one have ended, then run edgeloom migrate again.',
  );
}
