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
    expect(bare.streamView).toBeUndefined();
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

  it('tell key attributes of indexes that only hold keys from those that are attributes as well', () => {
    const names = ['GSI1PK', 'gsi2sk', 'gs1pk', 'LSI1', 'pk2', 'SK', 'byStatusPK', 'status_sk'];
    const others = ['email', 'risk', 'TASK', 'task1', 'disk', 'createdAt', 'skill'];
    const pairs = [...names, ...others].map((name) => index(name, name, 'sk'));
    const { keyAttributes, indexAttributes } = tableFacts(described({ GlobalSecondaryIndexes: pairs }), undefined);
    expect([...keyAttributes].sort()).toEqual([...names, 'sk'].sort());
    expect(indexAttributes.has('email')).toBe(true);
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

  it('are those of keys of any type, and of a table without a sort key', () => {
    const [hash] = described().KeySchema!;
    expect(tableFacts(described({ KeySchema: [hash!] }), undefined).keys).toEqual(['pk']);
    const numbers = described({ AttributeDefinitions: [{ AttributeName: 'sk', AttributeType: 'N' }] });
    expect(tableFacts(numbers, undefined).keys).toEqual(['pk', 'sk']);
  });
});
