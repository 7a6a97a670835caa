import type { ChangeRecord } from '../core/items/change-record.ts';
import { streamLabel } from '../core/items/stream-arn.ts';
import type { Store } from '../core/store-port.ts';

/**
 * The embedded engine keeps the stream records of a deleted table: the stream of a new table with the same name begins
 * with them. They would revive deleted items, so they are recognized by their time: this engine labels a stream with
 * the second of its creation. Other streams have other labels and aren't filtered; their records' times may even be
 * rounded to before the stream's creation.
 */
const EPOCH_LABEL = /^(\d{9,11})\.\d+$/;

/** When the embedded engine began the stream, in whole seconds since 1970; undefined for other streams. */
export function streamBeganAtSeconds(streamArn: string): number | undefined {
  const label = EPOCH_LABEL.exec(streamLabel(streamArn));
  return label === null ? undefined : Number(label[1]);
}

/** A batch's records that belong to this table, and the number of others. */
export interface Sifted {
  records: ChangeRecord[];
  /** Dropped records of an earlier table. */
  dropped: number;
  /** Read capacity units for doubtful records. */
  rcu: number;
}

/** Drops records of an earlier table of the same name. */
export class LeftoverFilter {
  private readonly beganAtSeconds: number | undefined;

  /**
   * @param isSuspicious whether to expect records of an earlier table from the start; otherwise after the first one.
   */
  constructor(
    private readonly store: Store,
    streamArn: string,
    private isSuspicious: boolean,
  ) {
    this.beganAtSeconds = streamBeganAtSeconds(streamArn);
  }

  /** Records made in the second of the table's creation get the base item as their new image. */
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
   * Replaces new images by the base items as they are now, and drops records whose item is absent. A record of this
   * table then has its own state or a later one, which is just as good. Removals stay: removing a missing item is
   * harmless.
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
