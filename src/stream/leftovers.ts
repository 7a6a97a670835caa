import type { ChangeRecord } from '../core/items/change-record.ts';
import { streamLabel } from '../core/items/stream-arn.ts';
import type { Store } from '../core/store-port.ts';

/**
 * The embedded engine keeps a table's stream records when the table is deleted: the stream of a new table of that name
 * begins with them. They would bring deleted items back as ghosts, so they are recognised by their time: that engine labels a
 * stream with the second of its creation. Other streams have labels of another form and pass untouched; there a
 * record's time may even be rounded to before its stream began.
 */
const EPOCH_LABEL = /^(\d{9,11})\.\d+$/;

/** When a stream of the embedded engine was created, in whole seconds since 1970; undefined for other streams. */
export function streamBeganAtSeconds(streamArn: string): number | undefined {
  const label = EPOCH_LABEL.exec(streamLabel(streamArn));
  return label === null ? undefined : Number(label[1]);
}

/** The records of a batch that belong to this table, and the number of the others. */
export interface Sifted {
  records: ChangeRecord[];
  /** Records of an earlier table that were dropped. */
  dropped: number;
  /** Read capacity units that the doubtful records took. */
  rcu: number;
}

/** Drops records of an earlier table of the same name. */
export class LeftoverFilter {
  private readonly beganAtSeconds: number | undefined;

  /**
   * @param isSuspicious whether records of an earlier table are expected from the start; otherwise, from the first such record on.
   */
  constructor(
    private readonly store: Store,
    streamArn: string,
    private isSuspicious: boolean,
  ) {
    this.beganAtSeconds = streamBeganAtSeconds(streamArn);
  }

  /** Gives the records that belong to this table. Records of the second in which it was created get the base item instead of their new image. */
  async dropLeftovers(records: ChangeRecord[]): Promise<Sifted> {
    const began = this.beganAtSeconds;
    const last =
      began === undefined ? -1 : records.findLastIndex(({ createdAtSeconds = began + 1 }) => createdAtSeconds <= began);
    if (began === undefined || last < 0) return { records, dropped: 0, rcu: 0 };
    const young = records.slice(0, last + 1).filter(({ createdAtSeconds }) => createdAtSeconds === began);
    const dropped = last + 1 - young.length;
    if (dropped > 0) this.isSuspicious = true;
    const rest = records.slice(last + 1);
    if (!this.isSuspicious) return { records: [...young, ...rest], dropped, rcu: 0 };
    const { settled, rcu } = await this.withBaseItems(young);
    return { records: [...settled, ...rest], dropped: dropped + young.length - settled.length, rcu };
  }

  /**
   * Replaces the record's new image by the base item. If the record is of this table, the item is in that
   * state or in one that a later record brings, which is just as good a start; if it is of the earlier one, the item
   * is absent or says what a later record says anyway. Removals stay: what is not there is not missed.
   */
  private async withBaseItems(records: ChangeRecord[]): Promise<{ settled: ChangeRecord[]; rcu: number }> {
    const { items, rcu } = await this.store.getMany(records, { consistent: true });
    const settled: ChangeRecord[] = [];
    for (const [i, record] of records.entries()) {
      if (items[i] !== undefined || record.newImage === undefined) settled.push({ ...record, newImage: items[i] });
    }
    return { settled, rcu };
  }
}
