import type { ChangeRecord } from '../core/items/change-record.ts';
import { streamLabel } from '../core/items/stream-arn.ts';
import type { Store } from '../core/store-port.ts';

/**
 * The embedded engine keeps the stream records of a deleted table, which would revive items in a new table of the same
 * name. It labels a stream with the second of its creation, so older records are recognized; other streams aren't
 * filtered.
 */
const EPOCH_LABEL = /^(\d{9,11})\.\d+$/;

export function streamBeganAtSeconds(streamArn: string): number | undefined {
  const label = EPOCH_LABEL.exec(streamLabel(streamArn));
  return label === null ? undefined : Number(label[1]);
}

export interface Sifted {
  records: ChangeRecord[];
  dropped: number;
  rcu: number;
}

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

  /** Removals stay: removing a missing item is harmless. */
  private async withBaseItems(records: ChangeRecord[]): Promise<{ settled: ChangeRecord[]; rcu: number }> {
    const { items, rcu } = await this.store.getMany(records, { consistent: true });
    const settled: ChangeRecord[] = [];
    for (const [i, record] of records.entries()) {
      if (items[i] !== undefined || record.newImage === undefined) settled.push({ ...record, newImage: items[i] });
    }
    return { settled, rcu };
  }
}
