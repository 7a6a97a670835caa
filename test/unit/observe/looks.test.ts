import { describe, expect, it } from 'vitest';
import type { Item } from '../../../src/core/items/attribute-value.ts';
import { Obligations } from '../../../src/trust/observe/obligations.ts';
import { followGraph } from '../../support/follow-graph.ts';

const graph = followGraph();
const pace = {
  ...{ graceMs: 3_000, mostWaitMs: 30_000, driftMs: 300_000, countMs: 60_000 },
  ...{ marginMs: 20_000, unknownMs: 70_000, mostExceptions: 25 },
};

describe('the looks of the observer', () => {
  /** A node is made, and the projector has not written its view. */
  const opened = (): Obligations => {
    const obligations = new Obligations(pace);
    const newImage: Item = { source: { S: 'USER-1' }, target: { S: 'USER-1' } };
    const change = {
      source: 'USER-1',
      target: 'USER-1',
      sequenceNumber: '1',
      stream: '',
      oldImage: undefined,
      newImage,
    };
    const place = { shardId: 'shard', after: undefined, stampMs: 100_000, receivedMs: 100_000 };
    obligations.receiveRecord(graph, { change, ...place });
    expect(obligations.size).toBeGreaterThan(0);
    return obligations;
  };

  it('spare parts of which the projector has still to write a record', () => {
    expect(opened().beginLook(110_000, 99_000, 100)).toEqual([]);
  });

  it('begin once the low watermark says that no record is to come', () => {
    expect(opened().beginLook(130_000, 120_001, 100)).not.toEqual([]);
  });

  it('begin after the settle time if the low watermark is not known', () => {
    expect(opened().beginLook(102_999, undefined, 100)).toEqual([]);
    expect(opened().beginLook(103_000, undefined, 100)).not.toEqual([]);
  });
});
