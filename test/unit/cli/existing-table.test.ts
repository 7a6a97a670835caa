import { describe, expect, it } from 'vitest';
import { existingTable, parseIndex } from '../../../packages/cli/commands/project/existing-table.ts';

const TABLE = 'arn:aws:dynamodb:eu-central-1:123456789012:table/legacy';
const STREAM = `${TABLE}/stream/2026-01-01T00:00:00.000`;

describe('the ARNs of an existing table', () => {
  it.each([
    ['aws', TABLE],
    ['aws-us-gov', TABLE.replace('aws', 'aws-us-gov')],
    ['aws-cn', TABLE.replace('aws', 'aws-cn')],
  ])('are taken in %s', (_partition, arn) => {
    const stream = `${arn}/stream/2026-01-01T00:00:00.000`;
    expect(existingTable({ existingTable: arn, stream })).toEqual({ tableArn: arn, streamArn: stream });
  });

  it.each([
    ['a pattern', TABLE.replace('legacy', '*'), STREAM],
    ['a variable', TABLE.replace('legacy', ['$', '{env:TABLE}'].join('')), STREAM],
    ['a quote', `${TABLE}"`, `${TABLE}"/stream/2026-01-01T00:00:00.000`],
    ['a line end', `${TABLE}\n`, STREAM],
    ['a name', 'legacy', STREAM],
    ['a stream of another table', TABLE, STREAM.replace('legacy', 'other')],
    ['a pattern of streams', TABLE, `${TABLE}/stream/*`],
    ['two streams', TABLE, `${STREAM}/stream/2026`],
  ])('are refused with %s', (_what, arn, stream) => {
    expect(() => existingTable({ existingTable: arn, stream })).toThrow(expect.objectContaining({ code: 'usage' }));
  });
});

describe('an existing index', () => {
  it('has a name, and key attributes where these have other names', () => {
    const both = parseIndex('gsi1=by.Date', parseIndex('gsi0=GSI1:GSI1PK:GSI1SK'));
    expect([...both]).toEqual([
      ['gsi0', { name: 'GSI1', partitionKey: 'GSI1PK', sortKey: 'GSI1SK' }],
      ['gsi1', 'by.Date'],
    ]);
    expect([...parseIndex('gsi19=last').keys()]).toEqual(['gsi19']);
  });

  it.each([
    ...['', 'gsi0', 'gsi0=', 'gsi20=GSI1', '__proto__=GSI1', 'gsi0=GSI1:GSI1PK', 'gsi0=GSI1:a:b:c', 'gsi0=GSI1::b'],
    'gsi0=a/b',
  ])('is refused as %j', (text) => {
    expect(() => parseIndex(text)).toThrow(expect.objectContaining({ code: 'usage' }));
  });
});
