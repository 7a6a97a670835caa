import { describe, expect, it } from 'vitest';
import { type ChangeRecord, isOlder } from '../../../src/core/items/change-record.ts';
import { watermarkOf } from '../../../src/core/items/watermark.ts';

const OLD = '2026-01-01T00:00:00.000';
const NEW = '2026-02-01T00:00:00.000';

function record(stream: string, sequenceNumber: string, saysStream = true): ChangeRecord {
  const position = watermarkOf(stream, sequenceNumber);
  return { source: 'A-1', target: 'A-1', position, sequenceNumber, ...(saysStream && { stream }) };
}

describe('isOlder', () => {
  const NUMBERS = [
    '1',
    '7',
    '007',
    '10',
    '99',
    '0099',
    '442158450000000000017450439091',
    '9'.repeat(40),
    '1'.repeat(41),
  ];

  it('says what the positions say, whether or not records name their streams', () => {
    const records = [OLD, NEW].flatMap((stream) =>
      NUMBERS.flatMap((number) => [record(stream, number), record(stream, number, false)]),
    );
    for (const left of records) {
      for (const right of records) expect(isOlder(left, right)).toBe(left.position < right.position);
    }
  });

  it('compares numbers of one stream, without their positions', () => {
    const older = { ...record(OLD, '10'), position: 'unread' };
    const newer = { ...record(OLD, '11'), position: 'unread' };
    expect([isOlder(older, newer), isOlder(newer, older), isOlder(older, older)]).toEqual([true, false, false]);
  });
});
