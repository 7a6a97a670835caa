import type { ItemKey } from '../../core/store-port.ts';

/** Something that still names the subject. */
export interface Remainder {
  /** An item, as `SOURCE TARGET`, or a place outside the table. */
  where: string;
  /** A description, with the remedy if there is one. */
  what: string;
}

export const MOST_LISTED = 1_000;

export class Remainders {
  private readonly items: Remainder[] = [];
  private readonly doubtful: Remainder[] = [];
  private readonly counts = new Map<string, number>();
  private more = 0;

  constructor(private readonly table: string) {}

  get isEmpty(): boolean {
    return this.items.length === 0 && this.counts.size === 0;
  }

  get all(): Remainder[] {
    const counted = [...this.counts].map(([what, count]) => this.ofTable(`${count} ${what}`));
    const more = this.more === 0 ? [] : [this.ofTable(`${this.more} more items that name it`)];
    return [...this.items, ...more, ...counted, ...this.doubtful];
  }

  addItem({ source, target }: ItemKey, what: string): void {
    if (this.items.length < MOST_LISTED) this.items.push({ where: `${source} ${target}`, what });
    else this.more += 1;
  }

  /** Adds an item that may name a longer id, which contains the subject's, instead of the subject. */
  addDoubtful({ source, target }: ItemKey, what: string): void {
    if (this.doubtful.length < MOST_LISTED) this.doubtful.push({ where: `${source} ${target}`, what });
  }

  add(what: string): void {
    this.items.push(this.ofTable(what));
  }

  count(what: string): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + 1);
  }

  private ofTable(what: string): Remainder {
    return { where: `table ${this.table}`, what };
  }
}

/**
 * Lists the places outside the table. Of these, a run searches at most the failed batches (`searchesBatches`). The
 * stream's last records of the subject expire at `streamEndMs`.
 */
export function outsideTheTable({ streamEndMs = 0, searchesBatches = false } = {}): Remainder[] {
  const until = new Date(streamEndMs).toISOString();
  const batches = searchesBatches
    ? 'messages in a queue, and objects in buckets that were not named: empty the queue with redrive'
    : 'objects in a bucket and messages in a queue: name the bucket, and empty the queue with redrive before';
  return [
    {
      where: 'stream',
      what: `records of what was deleted, until ${until}; consumers of your own may keep them longer`,
    },
    { where: 'failed batches', what: batches },
    {
      where: 'backups',
      what: 'point-in-time recovery keeps deleted items for up to 35 days, a backup on demand until you delete it; after a restore, erase again',
    },
    { where: 'exports', what: 'files of exports and imports, in S3 or elsewhere, until you delete them' },
    { where: 'logs', what: 'keys in the logs of producers and consumers, as long as their retention says' },
  ];
}
