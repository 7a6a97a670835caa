import { describe, expect, it } from 'vitest';
import { VIEW_KEY } from '../../../src/core/items/keys.ts';
import type { Suspect } from '../../../src/core/kinds/part.ts';
import { NO_SHARD, type ObservedDrift, type Spread, type Touch } from '../../../src/trust/observe/obligation.ts';
import {
  FINDINGS,
  type Finding,
  type FindingEvent,
  type Mismatch,
  type Obligation,
  type OpenSpread,
  PART_STAGES,
  type PartEvent,
  type PartStage,
  SPREAD_STAGES,
  type SpreadEvent,
  type SpreadStage,
} from '../../../src/trust/observe/obligation-states.ts';
import { Obligations } from '../../../src/trust/observe/obligations.ts';
import { followGraph } from '../../support/follow-graph.ts';

/** Each event is raised in each state, by a call of the observer; the tables say what follows. */

const graph = followGraph();
const PACE = {
  ...{ graceMs: 3_000, mostWaitMs: 30_000, driftMs: 300_000, countMs: 60_000 },
  ...{ marginMs: 20_000, unknownMs: 70_000, mostExceptions: 25 },
};
/** When the records are made, when looks come, and when all is received. */
const [MADE, LOOKED, RECEIVED] = [100_000, 200_000, 300_000];
const ATTRIBUTES: Suspect = { source: 'USER-1', sortKey: VIEW_KEY, part: { kind: 'attributes' } };
const ELSEWHERE: Suspect = { source: 'USER-2', sortKey: VIEW_KEY, part: { kind: 'attributes' } };
const SPREAD: Spread = { kind: 'copies', source: 'USER-1', edgeType: 'FOLLOW' };

/** A difference that was seen when the low watermark had passed the record (`drift`), or before (`may pass`). */
function difference(lowWatermarkMs: number, more: Partial<Mismatch> = {}): Mismatch {
  return { expected: 'w', stored: 's', fromMs: LOOKED, toMs: LOOKED, lowWatermarkMs, isAwaited: false, ...more };
}
const DRIFT = difference(LOOKED);
const MAY_PASS = difference(MADE);
const LEFT_TO_BUILD = difference(LOOKED, { builtSinceMs: LOOKED });
const EARLIER: ObservedDrift = {
  ...{ suspect: ATTRIBUTES, expected: 'w', stored: 's', foundMs: 1, state: 'drift', isCertain: true },
};

/** An observer's obligations with one part and one fan-out, and the calls that raise events. */
class Stage {
  readonly obligations: Obligations;
  part!: Obligation;
  open!: OpenSpread;
  private receipt = 0;

  constructor(pace: Partial<typeof PACE> = {}) {
    this.obligations = new Obligations({ ...PACE, ...pace });
  }

  /** A touch of a record of a shard of its own, so that no older one replaces it. */
  private touch(): Touch {
    this.receipt += 1;
    return { shardId: `shard-${this.receipt}`, after: undefined, stampMs: MADE, receipt: this.receipt };
  }

  touchPart(): this {
    this.obligations.reopen(graph, { suspects: [ATTRIBUTES], spreads: [] }, [this.touch()], MADE);
    return this.found();
  }

  touchSpread(): this {
    this.obligations.reopen(graph, { suspects: [], spreads: [SPREAD] }, [this.touch()], MADE);
    return this.found();
  }

  /** Takes the part and the fan-out that are open now; those that are closed stay as they were. */
  private found(): this {
    const { parts, spreads } = Reflect.get(this.obligations, 'index') as {
      parts: Map<string, Obligation>;
      spreads: Map<string, OpenSpread>;
    };
    this.part = [...parts.values()].find(({ suspect }) => suspect.source === 'USER-1') ?? this.part;
    this.open = [...spreads.values()][0] ?? this.open;
    return this;
  }

  look(): this {
    this.obligations.beginLook(RECEIVED * 10, undefined, 100);
    return this;
  }

  endLook(result: Parameters<Obligations['endLook']>[2]): this {
    this.obligations.endLook(graph, this.part, result, LOOKED);
    return this;
  }

  judge(): this {
    this.obligations.judgeDifferences(RECEIVED, RECEIVED);
    return this;
  }

  keep(): this {
    this.obligations.keepDrift(graph, EARLIER, LOOKED);
    return this.found();
  }

  ask(): this {
    this.obligations.beginSpreadQueries(1);
    return this;
  }

  endQuery(endedMs: number | undefined): this {
    this.obligations.endSpreadQuery(this.open, endedMs);
    return this;
  }

  receiveAll(): this {
    this.obligations.closeReceivedSpreads(RECEIVED);
    return this;
  }
}

describe('a part', () => {
  const IN: Record<PartStage['at'], (difference?: Mismatch) => Stage> = {
    fresh: () => new Stage().touchPart(),
    'looked-at': () => new Stage().touchPart().look(),
    doubted: (found = DRIFT) => new Stage().touchPart().look().endLook(found),
    waiting: () => new Stage().touchPart().look().endLook(undefined),
    closed: () => new Stage().touchPart().look().endLook('right'),
  };
  /** Raises an event; `as`: the difference that a doubted part has to have for it. */
  const EVENTS: Record<PartEvent, { raise: (stage: Stage) => unknown; as?: Mismatch }> = {
    'a record touches it': { raise: (stage) => stage.touchPart() },
    'earlier drift is kept': { raise: (stage) => stage.keep() },
    'a look begins': { raise: (stage) => stage.look() },
    'the look fails': { raise: (stage) => stage.endLook(undefined) },
    'the look finds it right': { raise: (stage) => stage.endLook('right') },
    'the look finds it right before later records': { raise: (stage) => stage.touchPart().endLook('right') },
    'the look finds another part wrong': { raise: (stage) => stage.endLook({ instead: ELSEWHERE }) },
    'the look finds a difference': { raise: (stage) => stage.endLook(DRIFT) },
    'the difference may pass': { raise: (stage) => stage.judge(), as: MAY_PASS },
    'the difference is drift': { raise: (stage) => stage.judge(), as: DRIFT },
    'the difference is left to a build': { raise: (stage) => stage.judge(), as: LEFT_TO_BUILD },
  };
  /** Events that consist of a record and of something that follows it. */
  const WITH_A_RECORD: ReadonlySet<string> = new Set<PartEvent>([
    'the look finds it right before later records',
    'earlier drift is kept',
  ]);
  const cells = (Object.keys(IN) as PartStage['at'][]).flatMap((at) =>
    (Object.keys(EVENTS) as PartEvent[]).map((event) => ({ at, event })),
  );

  it.each(cells)('that is $at takes in "$event"', ({ at, event }) => {
    const stage = IN[at](EVENTS[event].as);
    expect(stage.part.stage.at).toBe(at);
    const row: { readonly [On in PartEvent]?: PartStage['at'] } = PART_STAGES[at];
    const next = row[event];
    if (next !== undefined) {
      EVENTS[event].raise(stage);
      expect(stage.part.stage.at).toBe(next);
      return;
    }
    // A caller that raises an event at the wrong time changes nothing, or is told so. A closed part is opened again by the record alone.
    const opened = at === 'closed' && WITH_A_RECORD.has(event);
    try {
      EVENTS[event].raise(stage);
    } catch (error) {
      expect(String(error)).toContain(`leads from ${at} to no state`);
    }
    if (!opened) expect(stage.part.stage.at).toBe(at);
  });

  it('that fresh records put off is looked at in time all the same', () => {
    const { obligations } = new Stage().touchPart();
    for (const ms of [2_000, 4_000, 6_000, 8_000]) {
      obligations.reopen(graph, { suspects: [ATTRIBUTES], spreads: [] }, [], MADE + ms);
    }
    expect(obligations.isDue(MADE + 2 * PACE.graceMs)).toBe(true);
  });

  it('keeps the touches of records that come during a look, and no others, if the look finds it right', () => {
    const stage = new Stage().touchPart().look().touchPart().endLook('right');
    expect([...stage.obligations.touches()].map(({ touch }) => touch.receipt)).toEqual([2]);
  });

  it('that a look closes opens the one that is wrong instead, with its touches', () => {
    const stage = new Stage().touchPart().look().endLook({ instead: ELSEWHERE });
    expect([...stage.obligations.touches()]).toMatchObject([{ touch: { receipt: 1, newestMs: MADE }, of: ELSEWHERE }]);
  });

  it('waits for the low watermark to pass its newest record, and then no longer', () => {
    const { obligations } = new Stage().touchPart();
    expect(obligations.beginLook(RECEIVED * 10, MADE, 100)).toEqual([]);
    expect(obligations.beginLook(RECEIVED * 20, MADE + 1, 100)).toHaveLength(1);
  });

  it('that a check has left is looked at without a low watermark: no record has touched it', () => {
    const { obligations } = new Stage();
    const touch: Touch = { shardId: NO_SHARD, after: undefined, stampMs: 0, newestMs: MADE, receipt: 0 };
    obligations.reopen(graph, { suspects: [ATTRIBUTES], spreads: [] }, [touch], MADE);
    expect(obligations.beginLook(RECEIVED * 10, 0, 100)).toHaveLength(1);
  });
});

describe('the finding about a part', () => {
  const drifted = (mostExceptions: number): Stage =>
    new Stage({ mostExceptions }).touchPart().look().endLook(DRIFT).judge();
  /** With no room for an exception drift holds the time; with room it is listed. */
  const IN: Record<Finding['at'], (mostExceptions: number) => Stage> = {
    unknown: (most) => new Stage({ mostExceptions: most }).touchPart(),
    holding: (most) => withRoom(drifted(0), most),
    excepted: (most) => withRoom(drifted(1), most),
  };
  const EVENTS: Record<FindingEvent, { most: number; raise: (stage: Stage) => unknown }> = {
    'no longer wrong': { most: 1, raise: (stage) => stage.look().endLook('right') },
    'found wrong': { most: 0, raise: (stage) => stage.look().endLook(DRIFT).judge() },
    listed: { most: 1, raise: (stage) => stage.look().endLook(DRIFT).judge() },
  };
  function withRoom(stage: Stage, mostExceptions: number): Stage {
    Object.assign(Reflect.get(stage.obligations, 'pace') as object, { mostExceptions });
    return stage;
  }
  const cells = (Object.keys(IN) as Finding['at'][]).flatMap((at) =>
    (Object.keys(EVENTS) as FindingEvent[]).map((event) => ({ at, event })),
  );

  it.each(cells)('that is $at takes in "$event"', ({ at, event }) => {
    const { most, raise } = EVENTS[event];
    const stage = IN[at](most);
    expect(stage.part.finding.at).toBe(at);
    raise(stage);
    const row: { readonly [On in FindingEvent]?: Finding['at'] } = FINDINGS[at];
    // An exception that is found wrong again stays one.
    expect(stage.part.finding.at).toBe(row[event] ?? at);
  });

  it('holds the time, unless it is an exception', () => {
    expect([...drifted(0).obligations.touches()]).toHaveLength(1);
    expect([...drifted(1).obligations.touches()]).toHaveLength(0);
  });
});

describe('a fan-out', () => {
  const IN: Record<SpreadStage['at'], () => Stage> = {
    unasked: () => new Stage().touchSpread(),
    asked: () => new Stage().touchSpread().ask(),
    named: () => new Stage().touchSpread().ask().endQuery(LOOKED),
    closed: () => new Stage().touchSpread().ask().endQuery(LOOKED).receiveAll(),
  };
  const EVENTS: Record<SpreadEvent, (stage: Stage) => unknown> = {
    'a record touches it': (stage) => stage.touchSpread(),
    'the Query begins': (stage) => stage.ask(),
    'the Query ends': (stage) => stage.endQuery(LOOKED),
    'the Query fails or a record comes meanwhile': (stage) => stage.endQuery(undefined),
    'all before its end is received': (stage) => stage.receiveAll(),
  };
  const cells = (Object.keys(IN) as SpreadStage['at'][]).flatMap((at) =>
    (Object.keys(EVENTS) as SpreadEvent[]).map((event) => ({ at, event })),
  );

  it.each(cells)('that is $at takes in "$event"', ({ at, event }) => {
    const stage = IN[at]();
    expect(stage.open.stage.at).toBe(at);
    EVENTS[event](stage);
    const row: { readonly [On in SpreadEvent]?: SpreadStage['at'] } = SPREAD_STAGES[at];
    expect(stage.open.stage.at).toBe(row[event] ?? at);
  });

  it('that a record touches during its Query is asked about again', () => {
    const stage = new Stage().touchSpread().ask().touchSpread().endQuery(LOOKED);
    expect(stage.open.stage.at).toBe('unasked');
    expect([...stage.obligations.touches()]).toHaveLength(2);
  });
});
