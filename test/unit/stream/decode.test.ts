import { describe, expect, it } from 'vitest';
import { streamLabel } from '../../../src/core/items/stream-arn.ts';
import { defineGraph } from '../../../src/core/model/compile/define-graph.ts';
import { node } from '../../../src/core/model/schema.ts';
import { decodeRecords, type RawRecord } from '../../../src/stream/decode.ts';

const graph = defineGraph({ table: 'records', nodes: { USER: node({ view: 'ALL' }) } });
const ARN = 'arn:aws:dynamodb:us-east-1:000000000000:table/records/stream/2026-01-01T00:00:00.000';

function raw(source: string, target: string, more: RawRecord['dynamodb'] = {}, eventName = 'INSERT'): RawRecord {
  const keys = { source: { S: source }, target: { S: target } };
  return {
    eventName,
    eventSourceARN: ARN,
    dynamodb: { Keys: keys, NewImage: { ...keys, n: { N: '1' } }, SequenceNumber: '7', ...more },
  };
}

describe('decodeRecords', () => {
  it('takes images over as they are, with the place of the record', () => {
    const record = raw('USER-1', 'USER-1', { ApproximateCreationDateTime: 1_700_000_000 });
    expect(decodeRecords(graph, [record])).toEqual([
      {
        source: 'USER-1',
        target: 'USER-1',
        oldImage: undefined,
        newImage: { source: { S: 'USER-1' }, target: { S: 'USER-1' }, n: { N: '1' } },
        sequenceNumber: '7',
        stream: '2026-01-01T00:00:00.000',
        createdAtSeconds: 1_700_000_000,
      },
    ]);
  });

  it("takes the SDK's dates as whole seconds", () => {
    const created = new Date('2026-01-01T00:00:01.900Z');
    const [record] = decodeRecords(graph, [raw('USER-1', 'USER-1', { ApproximateCreationDateTime: created })]);
    expect(record?.createdAtSeconds).toBe(Date.UTC(2026, 0, 1) / 1000 + 1);
  });

  it("no loop: drops the records of derived items, the projector's own among them", () => {
    const records = ['~view', '~ix/name', '~quarantine/USER-1/x/1', 'lower', '#', '1'].map((key) => raw('USER-1', key));
    expect(decodeRecords(graph, [...records, raw('USER-1', 'A-USER-2')]).map(({ target }) => target)).toEqual([
      'A-USER-2',
    ]);
  });

  it('lets the continuations of fan-outs through', () => {
    const records = ['~more/WROTE', '~more', '~rev/WROTE-BOOK-1'].map((key) => raw('USER-1', key));
    expect(decodeRecords(graph, records).map(({ target }) => target)).toEqual(['~more/WROTE']);
  });

  it('uses the names that the table gives its keys', () => {
    const table = { name: 'records', partitionKey: 'pk', sortKey: 'sk' };
    const custom = defineGraph({ table, nodes: { USER: node({ view: 'ALL' }) } });
    const keys = { pk: { S: 'USER-1' }, sk: { S: 'USER-1' } };
    const record: RawRecord = { eventName: 'INSERT', dynamodb: { Keys: keys, NewImage: keys, SequenceNumber: '1' } };
    expect(decodeRecords(custom, [record], ARN)).toMatchObject([{ source: 'USER-1', target: 'USER-1' }]);
    expect(() => decodeRecords(graph, [record], ARN)).toThrow(expect.objectContaining({ code: 'invalid-record' }));
  });

  it('takes the stream from each record, or the one that is given', () => {
    const other = { ...raw('USER-1', 'USER-1'), eventSourceARN: ARN.replace('2026', '2027') };
    const years = (arn?: string) =>
      decodeRecords(graph, [raw('USER-1', 'USER-1'), other], arn).map(({ stream }) => stream.slice(0, 4));
    expect(years()).toEqual(['2026', '2027']);
    expect(years(ARN.replace('2026', '2030'))).toEqual(['2030', '2030']);
  });

  it.each<[string, RawRecord, string]>([
    ['no sequence number', raw('USER-1', 'USER-1', { SequenceNumber: undefined }), 'invalid-record'],
    [
      'keys that are no text',
      raw('USER-1', 'USER-1', { Keys: { source: { N: '1' }, target: { S: 'a' } } }),
      'invalid-record',
    ],
    ['no content', { eventName: 'INSERT', eventSourceARN: ARN }, 'invalid-record'],
    ['no stream', { ...raw('USER-1', 'USER-1'), eventSourceARN: undefined }, 'wrong-table'],
  ])('refuses %s, with a hint', (_name, record, code) => {
    expect(() => decodeRecords(graph, [record])).toThrow(expect.objectContaining({ code }));
  });

  const LACKING: [what: string, record: RawRecord][] = [
    ['an insert without new image', raw('USER-1', 'USER-1', { NewImage: undefined })],
    ['a change without old image', raw('USER-1', 'USER-1', {}, 'MODIFY')],
    ['a removal without old image', raw('USER-1', 'USER-1', { NewImage: undefined }, 'REMOVE')],
  ];

  it.each(LACKING)('marks %s as partial: its key names what it touches', (_what, record) => {
    expect(decodeRecords(graph, [record])).toMatchObject([{ source: 'USER-1', target: 'USER-1', isPartial: true }]);
  });

  const tags = node({ search: { tags: { multiValue: true } } });
  const lists = defineGraph({ table: 'records', nodes: { USER: tags } });
  it.each(LACKING)('refuses %s where the values of both images name items, with a hint', (_what, record) => {
    expect(() => decodeRecords(lists, [record])).toThrow(expect.objectContaining({ code: 'missing-images' }));
  });

  it('takes an empty image for none', () => {
    const Keys = { source: { S: 'USER-1' }, target: { S: 'USER-1' } };
    const record = raw('USER-1', 'USER-1', { Keys, NewImage: Keys, OldImage: {} });
    const [decoded] = decodeRecords(graph, [record]);
    expect(decoded).toMatchObject({ source: 'USER-1', target: 'USER-1', newImage: { source: { S: 'USER-1' } } });
    expect([decoded?.oldImage, decoded?.isPartial]).toEqual([undefined, undefined]);
    const both = { ...record, dynamodb: { ...record.dynamodb, OldImage: Keys } };
    expect(decodeRecords(graph, [both])).toMatchObject([{ isPartial: true }]);
  });

  it('takes a removal with its old image alone', () => {
    const image = { source: { S: 'USER-1' }, target: { S: 'USER-1' } };
    const record = raw('USER-1', 'USER-1', { NewImage: undefined, OldImage: image }, 'REMOVE');
    expect(decodeRecords(graph, [record])).toMatchObject([{ oldImage: image, newImage: undefined }]);
  });
});

describe('streamLabel', () => {
  it('is what stands last in the ARN', () => expect(streamLabel(ARN)).toBe('2026-01-01T00:00:00.000'));
  it.each(['', 'arn:aws:dynamodb:us-east-1:0:table/records', `${ARN}/stream/`])('refuses %j', (arn) => {
    expect(() => streamLabel(arn)).toThrow(
      expect.objectContaining({ code: 'wrong-table', message: expect.stringContaining('is not the ARN') }),
    );
  });
});
