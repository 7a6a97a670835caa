import { describe, expect, it } from 'vitest';
import { VIEW_KEY } from '../../../src/core/items/keys.ts';
import { type Difference, hashOfText, type Suspect } from '../../../src/core/kinds/difference.ts';
import type { ObservedDrift } from '../../../src/trust/observe/drift.ts';
import { type Found, type OpenItem, OpenItems, Touches } from '../../../src/trust/observe/open-items.ts';
import type { Range } from '../../../src/trust/observe/touched-items.ts';

const PACE = {
  ...{ graceMs: 3_000, mostWaitMs: 30_000, driftMs: 300_000, countMs: 60_000 },
  ...{ marginMs: 20_000, unknownMs: 70_000, mostExceptions: 25 },
};
/** When records are made, when looks come, and when all is received. */
const [MADE, LOOKED, RECEIVED] = [100_000, 200_000, 300_000];
const ATTRIBUTES: Suspect = {
  ...{ source: 'USER-1', sortKey: VIEW_KEY },
  bases: [{ source: 'USER-1', target: 'USER-1' }],
};
const COUNT: Suspect = { source: 'USER-1', sortKey: '~degree/FOLLOWS' };
const EDGE = { source: 'USER-2', target: 'FOLLOWS-USER-1' };
const COPY: Suspect = { source: 'USER-2', sortKey: VIEW_KEY, bases: [EDGE] };
const FAN_OUT: Range = { kind: 'copies', source: 'USER-1', edgeType: 'FOLLOWS' };

/** What was seen when the low watermark had passed the records; with an earlier one it may pass. */
function found(more: Partial<Found> = {}, of: Partial<Difference> = {}): Found {
  const difference: Difference = { kind: 'attributes', expected: 'w', stored: 's', ...of };
  return { differences: [difference], fromMs: LOOKED, toMs: LOOKED, lowWatermarkMs: LOOKED, ...more };
}

class Stage {
  readonly open = new OpenItems(PACE);
  private receipts = 0;

  touch(suspect: Suspect, stampMs = MADE, shardId = 'shard'): this {
    this.open.touch({ items: [suspect], ranges: [] }, this.touches(stampMs, shardId), stampMs);
    return this;
  }

  touchRange(stampMs = MADE): this {
    this.open.touch({ items: [], ranges: [FAN_OUT] }, this.touches(stampMs, 'parent'), stampMs);
    return this;
  }

  private touches(stampMs: number, shardId: string): Touches {
    this.receipts += 1;
    return Touches.of({ shardId, after: undefined, stampMs, receipt: this.receipts });
  }

  /** Looks at all items, whatever is due. */
  look(result?: Found): this {
    for (const item of this.due()) this.open.endLook(item, result);
    return this;
  }

  due(nowMs = Number.MAX_SAFE_INTEGER, lowWatermarkMs?: number): OpenItem[] {
    return this.open.due(nowMs, lowWatermarkMs, 100);
  }

  judge(nowMs = RECEIVED): ObservedDrift[] {
    return this.open.judge(RECEIVED, nowMs);
  }

  /** The receipts of the touches that hold the time. */
  get receiptsHeld(): number[] {
    return [...this.open.touches()].map(({ touch }) => touch.receipt);
  }
}

describe('a look of the observer', () => {
  it('waits for the low watermark to pass the newest record, and for the grace period where none is known', () => {
    const stage = new Stage().touch(ATTRIBUTES);
    expect(stage.due(RECEIVED, MADE)).toEqual([]);
    expect(stage.due(RECEIVED, MADE + 1)).toHaveLength(1);
    expect(stage.due(MADE + 2_999)).toEqual([]);
    expect(stage.due(MADE + 3_000)).toHaveLength(1);
  });

  it.each([
    { suspect: ATTRIBUTES, longestMs: PACE.mostWaitMs },
    { suspect: COUNT, longestMs: PACE.countMs },
  ])('comes after $longestMs ms at a $suspect.sortKey that is touched all the time', ({ suspect, longestMs }) => {
    const stage = new Stage();
    for (let ms = 0; ms <= longestMs; ms += 1_000) stage.touch(suspect, MADE + ms);
    const lowWatermarkMs = MADE + longestMs - 5_000;
    expect(stage.due(MADE + longestMs - 1, lowWatermarkMs)).toEqual([]);
    expect(stage.due(MADE + longestMs, lowWatermarkMs)).toHaveLength(1);
    // As long as the projector has applied none of its records, a look would cost a read for nothing.
    expect(stage.due(MADE + longestMs, MADE)).toEqual([]);
  });

  it('waits for a Query that names the item again', () => {
    const stage = new Stage().touch(COPY).touchRange();
    expect(stage.due()).toEqual([]);
    const [range] = stage.open.unqueriedRanges(1);
    range!.queriedMs = LOOKED;
    expect(stage.due()).toHaveLength(1);
  });

  it('is not repeated before its difference is judged', () => {
    expect(new Stage().touch(ATTRIBUTES).look(found()).due()).toEqual([]);
  });
});

describe('a difference', () => {
  it('is drift, is told once, and holds the time no longer', () => {
    const stage = new Stage().touch(ATTRIBUTES).look(found());
    expect(stage.receiptsHeld).toEqual([1]);
    expect(stage.judge()).toMatchObject([{ suspect: ATTRIBUTES, isCertain: true, touchedMs: MADE }]);
    expect(stage.receiptsHeld).toEqual([]);
    expect(stage.open.drift).toHaveLength(1);
    expect(stage.look(found()).judge()).toEqual([]);
    expect(stage.look().open.drift).toEqual([]);
  });

  it.each([
    ['that damaged it anew', {}, 1],
    ['whose change was lost too', { expected: 'other' }, 1],
    ['that moved a wrong count', { expected: 'other', stored: 'other' }, 0],
  ])('is told again if a record has touched it since %s: %j, %i', (_name, changed, times) => {
    const stage = new Stage().touch(ATTRIBUTES).look(found());
    stage.judge();
    stage.touch(ATTRIBUTES, MADE + 1).look(found({}, changed));
    expect(stage.judge()).toHaveLength(times);
  });

  it.each([
    ['shortened', `${'w'.repeat(2_000)}…`],
    ['hashed', `sha256 ${hashOfText(`${'w'.repeat(2_000)}…`)}`],
  ])('is told again after a restart although its saved text is %s', (_name, expected) => {
    const stage = new Stage();
    const differences = [{ kind: 'attributes' as const }];
    const drift = { suspect: ATTRIBUTES, differences, expected, stored: 'x', foundMs: MADE, isCertain: true };
    stage.open.keepDrift(drift, MADE);
    stage.touch(ATTRIBUTES, MADE + 1).look(found({}, { expected: 'w'.repeat(3_000) }));
    expect(stage.judge()).toHaveLength(1);
  });

  it('may pass while the low watermark has not passed the newest record', () => {
    const stage = new Stage().touch(ATTRIBUTES).look(found());
    stage.touch(ATTRIBUTES, LOOKED - PACE.marginMs);
    expect(stage.judge()).toEqual([]);
    expect(stage.receiptsHeld).toEqual([1]);
  });
});

describe('the touches of an item', () => {
  it('are the oldest of each shard, with the earliest time', () => {
    const stage = new Stage().touch(ATTRIBUTES, MADE, 'one').touch(ATTRIBUTES, MADE, 'other');
    stage.touch(ATTRIBUTES, MADE - 1, 'one');
    expect([...stage.open.touches()]).toMatchObject([
      { touch: { shardId: 'one', receipt: 1, stampMs: MADE - 1 } },
      { touch: { shardId: 'other', receipt: 2, stampMs: MADE } },
    ]);
  });
});

describe('a fan-out', () => {
  it('is queried again if a record touches it, and closed once all before the end of its Query is received', () => {
    const stage = new Stage().touchRange();
    const [range] = stage.open.unqueriedRanges(1);
    range!.queriedMs = LOOKED;
    expect(stage.open.unqueriedRanges(1)).toEqual([]);
    stage.touchRange();
    expect(stage.open.unqueriedRanges(1)).toEqual([range]);
    range!.queriedMs = LOOKED;
    stage.open.closeRanges(LOOKED);
    expect(stage.open.size).toBe(1);
    stage.open.closeRanges(LOOKED + 1);
    expect(stage.open.size).toBe(0);
  });
});
