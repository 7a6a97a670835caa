import type { Item } from '../../../../src/core/items/attribute-value.ts';
import { SERVICE_PARTITION } from '../../../../src/core/items/keys.ts';
import type { CompiledModel } from '../../../../src/core/model/compiled.ts';
import { isContinuationKey } from '../../../../src/core/plan/stream-filter.ts';
import { type ItemChange, MemoryStore } from '../../../support/memory-store/memory-store.ts';
import { Agenda } from '../../kernel/agenda.ts';
import type { Choices } from '../../kernel/choices.ts';
import { Claims } from './claims.ts';
import { CALM, type Climate, chooseClimate } from './climate.ts';
import type { Consumers } from './consumers.ts';
import { startCheck } from './inspection.ts';
import { EventSourceMapping } from './mapping.ts';
import { chooseModel, graphOf, MARK, type ModelOptions } from './models.ts';
import { chooseWrites, type ProducerWrite } from './producers.ts';
import { startRedrive } from './redrive.ts';
import { Streams, type WholeStreamReader } from './streams.ts';
import { HOUR } from './time.ts';
import { Transactions } from './transactions.ts';

/** What can be wrong with a schedule. */
export interface Failure {
  kind:
    | 'diverged' /** derived items are not what the base items say, and nothing is left that could mend them */
    | 'base-item-written' /** by the projector */
    | 'revision-repeated' /** a live derived item's `r` did not rise with a write */
    | 'lost-change' /** the feed does not tell a change, and no resync after it */
    | 'disorder' /** the feed tells a change of an item before an older one */
    | 'same-id' /** two changes of the feed have one id */
    | 'false-alarm' /** a check took lag for drift */
    | 'unseen-drift' /** a check of a table at rest does not find what is wrong, or a repair does not mend it */
    | 'mark' /** the mark of a shard has passed what is not applied */
    | 'own-write-hidden' /** an answer with a session does not show what the session wrote */
    | 'unsound' /** the observer claims a time through which not everything is right */
    | 'stalled' /** the observer's time stands still although all is calm */
    | 'threw' /** the projector rejected */
    | 'endless' /** it does not come to rest */;
  message: string;
}

/** How often something happened: what a schedule was good for. */
export type Counters = Record<string, number>;

const START = Date.UTC(2026, 0, 20);

/** The table, its streams, who writes to it and who reads them: everything that one schedule moves. */
export class World {
  readonly options: ModelOptions;
  readonly graph: CompiledModel;
  climate: Climate;
  readonly agenda = new Agenda(START);
  readonly table: MemoryStore;
  readonly transactions = new Transactions(this.agenda);
  readonly streams: Streams;
  readonly mapping: EventSourceMapping;
  /** What the consumer's invocations claim. */
  readonly claims = new Claims(this);
  /** The consumer's processes, where they write their claims into the table; absent: they write none. */
  consumers: Consumers | undefined;
  readonly failures: Failure[] = [];
  /** Quarantine entries that a redrive has settled and deleted. */
  readonly counters: Counters = {};
  /** Each item's state before its latest change, and when that was: what a read that is not consistent may see. */
  readonly previous = new Map<string, { item?: Item; atMs: number }>();
  /** When each item was last written. */
  readonly written = new Map<string, number>();
  /** How long a transaction takes at most, from its record to its acknowledgement, in milliseconds. */
  longestTransactionMs = Number.POSITIVE_INFINITY;
  /** How many writes of base and derived items there were. */
  writes = 0;
  private isProjecting = false;
  private isLosing = false;

  constructor(
    readonly choices: Choices,
    /** Told what happens, one line at a time. */
    readonly trace?: (line: string) => void,
    /** Reads every record, those of derived items too. */
    whole?: WholeStreamReader,
  ) {
    this.options = chooseModel(choices);
    this.graph = graphOf(this.options);
    this.climate = chooseClimate(choices);
    this.table = new MemoryStore(this.graph.table, { onChange: (change) => this.changed(change) });
    this.mapping = new EventSourceMapping(this);
    this.streams = new Streams(this.graph, choices, this.mapping, whole);
    this.tell(() => `the model is ${JSON.stringify(this.options)}`);
  }

  /** Enters what producers, shards and time do of themselves; gives the milliseconds until the last write of a producer. */
  plan(): number {
    let delay = 0;
    for (const write of chooseWrites(this.choices, this.climate, this.options)) {
      delay += 1 + write.pause;
      this.agenda.in(delay, () => {
        this.produce(write);
        return false;
      });
    }
    return delay;
  }

  /** Runs a call of the projector against the table, now. */
  project<T>(call: (table: MemoryStore) => Promise<T>): Promise<T> {
    // The table runs a call to its end before it returns.
    this.isProjecting = true;
    try {
      return call(this.table);
    } finally {
      this.isProjecting = false;
    }
  }

  /** From now on nothing goes wrong any more. */
  calm(): void {
    this.climate = CALM;
  }

  /** Time passes until every tombstone has expired, and TTL deletes them. A redrive may come after it. */
  bury(name: string): void {
    this.agenda.now += 72 * HOUR;
    this.sweep();
    this.redriveSometimes(name);
  }

  fail(kind: Failure['kind'], message: string): void {
    this.failures.push({ kind, message });
    this.tell(() => `FAILURE, ${kind}: ${message}`);
  }

  count(what: string, times = 1): void {
    this.counters[what] = (this.counters[what] ?? 0) + times;
  }

  tell(line: () => string): void {
    this.trace?.(`${String(this.agenda.now - START).padStart(9)} ms  ${shortened(line())}`);
  }

  private produce({ name, sweeps, key, put, expiresInHours }: ProducerWrite): void {
    const { choices, climate, table, agenda } = this;
    if (choices.chance(`${name}.split`, climate.split) && this.streams.split(name)) this.count('splits');
    if (choices.chance(`${name}.recreate`, climate.recreated)) {
      this.streams.recreate();
      this.count('re-created streams');
    }
    if (sweeps) this.sweep();
    this.redriveSometimes(name);
    if (choices.chance(`${name}.check`, climate.check)) startCheck(this, `${name}.check`);
    this.tell(() => `producer ${name}: ${put === undefined ? `delete ${key.source} ${key.target}` : plain(put)}`);
    if (put === undefined) {
      void table.delete(key);
    } else if (expiresInHours === undefined) {
      void table.put(put);
    } else {
      const expiry = Math.floor(agenda.now / 1000) + expiresInHours * 3600;
      void table.put({ ...put, expiresAt: { N: String(expiry) } });
    }
  }

  private redriveSometimes(name: string): void {
    if (this.choices.chance(`${name}.redrive`, this.climate.redrive)) startRedrive(this, `${name}.redrive`);
  }

  private sweep(): void {
    const count = this.table.expire(Math.floor(this.agenda.now / 1000));
    if (count === 0) return;
    this.count('items deleted by TTL', count);
    this.tell(() => `TTL deletes ${count} items`);
  }

  /** Puts an item, and loses the record of it. */
  async putUnrecorded(item: Item): Promise<void> {
    this.isLosing = true;
    await this.table.put(item);
    this.isLosing = false;
  }

  private changed(change: ItemChange): void {
    const { key, oldImage, newImage } = change;
    const isDerived = key.target.startsWith('~');
    const isOwn = key.source === SERVICE_PARTITION;
    this.previous.set(`${key.source} ${key.target}`, { item: oldImage, atMs: this.agenda.now });
    if (!isOwn) this.writes += 1;
    this.written.set(`${key.source} ${key.target}`, this.agenda.now);
    if (this.isProjecting && !isDerived && !isOwn)
      this.fail('base-item-written', `${key.source} ${key.target} was written`);
    if (newImage?.['evicted'] !== undefined && oldImage?.['evicted'] === undefined) this.count('evictions');
    if (
      this.isProjecting &&
      isDerived &&
      oldImage !== undefined &&
      newImage !== undefined &&
      !key.target.startsWith('~quarantine/')
    ) {
      const [before, after] = [revision(oldImage), revision(newImage)];
      if (!(after > before)) {
        this.fail('revision-repeated', `r of ${key.source} ${key.target} went from ${before} to ${after}`);
      }
    }
    if (this.isLosing) return;
    const record = this.streams.append(change, this.agenda.now);
    if (record === undefined) return;
    if (isDerived && !isContinuationKey(key.target)) {
      throw new Error('a derived item has a record that reaches the projector');
    }
    if (isDerived) this.count('records of continuations');
    this.tell(() => `  record ${record.change.sequenceNumber} of ${key.source} ${key.target}`);
  }
}

/** A watermark as the number of its stream and its sequence number; the long computed label as it begins. */
function shortened(line: string): string {
  return line
    .replace(/2026-01-0(\d)T00:00:00\.000\/0*(\d+)/g, '$1/$2')
    .replaceAll(MARK, 'first...')
    .replace(/"model":"[0-9a-f]{8}",?/g, '');
}

function revision(item: Item): number {
  return item['r'] !== undefined && 'N' in item['r'] ? Number(item['r'].N) : 0;
}

/** An item in few words. */
export function plain(item: Item): string {
  return JSON.stringify(item, (_key, value: unknown) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    const [type, ...others] = Object.keys(value);
    const isValue = others.length === 0 && ['S', 'N', 'SS', 'L', 'M'].includes(type ?? '');
    return isValue ? (value as Record<string, unknown>)[type!] : value;
  });
}
