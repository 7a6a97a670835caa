import type { TableDescription } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from 'vitest';
import { tableFacts, withFreeNames } from '../../../packages/workbench/adopt/table-facts.ts';

function described(more: Partial<TableDescription> = {}, types: [string, 'S' | 'N'][] = []): TableDescription {
  return {
    TableName: 'legacy',
    KeySchema: [
      { AttributeName: 'pk', KeyType: 'HASH' },
      { AttributeName: 'sk', KeyType: 'RANGE' },
    ],
    AttributeDefinitions: [['pk', 'S'] as const, ['sk', 'S'] as const, ...types].map(
      ([AttributeName, AttributeType]) => {
        return { AttributeName, AttributeType };
      },
    ),
    ItemCount: 12,
    StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
    ...more,
  };
}

const index = (IndexName: string, partition: string, sort: string) => ({
  IndexName,
  KeySchema: [
    { AttributeName: partition, KeyType: 'HASH' as const },
    { AttributeName: sort, KeyType: 'RANGE' as const },
  ],
  Projection: { ProjectionType: 'ALL' as const },
});

describe('the options of a table', () => {
  it('are its names, and TTL where it is on', () => {
    const { options, notes, items } = tableFacts(described(), 'gone');
    expect([options, notes, items]).toEqual([
      { name: 'legacy', partitionKey: 'pk', sortKey: 'sk', ttl: 'gone' },
      [],
      12,
    ]);
    const bare = tableFacts(described({ StreamSpecification: undefined }), undefined);
    expect(bare.options).toEqual({ name: 'legacy', partitionKey: 'pk', sortKey: 'sk' });
    expect(bare.notes.join()).toMatch(/lacks a stream.*deletes nothing by TTL/);
  });

  it('name indexes that the table does not have, where other software has Edgeloom’s names', () => {
    const facts = tableFacts(
      described({ GlobalSecondaryIndexes: [index('edgeloom0', 'gsi1pk', 'gsi1sk')] }),
      undefined,
    );
    expect(facts.options.indexes).toEqual({
      gsi0: { name: 'edgeloom0_', partitionKey: 'edgeloom0_pk', sortKey: 'edgeloom0_sk' },
      gsi1: { name: 'edgeloom1', partitionKey: 'edgeloom1pk', sortKey: 'edgeloom1sk' },
    });
    expect(facts.notes.join()).toContain('the index edgeloom0 (gsi1pk, gsi1sk; all attributes)');
    const free = tableFacts(described({ GlobalSecondaryIndexes: [index('GSI1', 'GSI1PK', 'GSI1SK')] }), undefined);
    expect(free.options.indexes).toBeUndefined();
  });

  it('avoid attributes that items have', () => {
    const facts = tableFacts(described(), undefined);
    const { options } = withFreeNames(facts, new Set(['expiresAt', 'gsi0pk', 'edgeloom0pk']));
    expect(options).toMatchObject({
      ttl: 'edgeloomExpiresAt',
      indexes: { gsi0: { name: 'edgeloom0', partitionKey: 'edgeloom0pk_' } },
    });
    expect(withFreeNames(tableFacts(described(), 'expiresAt'), new Set(['expiresAt'])).options.ttl).toBeUndefined();
    expect(withFreeNames(facts, new Set(['name'])).options).toEqual(facts.options);
  });

  it.each<[string, Partial<TableDescription>, RegExp]>([
    ['a number', { AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'N' }] }, /partition key pk of type N/],
    ['no sort key', { KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }] }, /has no sort key/],
  ])('refuse %s as a key', (_what, more, message) => {
    expect(() => tableFacts(described(more), undefined)).toThrow(message);
  });
});
