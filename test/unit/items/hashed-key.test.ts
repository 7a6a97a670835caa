import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { edge, node } from '../../../src/core/model/schema.ts';
import { EdgeloomError } from '../../../src/foundation/errors.ts';
import { defineGraph, hashedEdgeKey } from '../../../src/index.ts';
import { mistakesOf } from '../../support/model.ts';

function codeOf(call: () => unknown): string | undefined {
  try {
    call();
  } catch (error) {
    if (error instanceof EdgeloomError) return error.code;
    throw error;
  }
  return undefined;
}

describe('hashedEdgeKey', () => {
  it('is the edge type and 32 hex digits of the SHA-256 of the target id in UTF-8', () => {
    expect(hashedEdgeKey('FRIEND', 'USER-U2')).toBe('FRIEND-#95dbc46fb4088c7ab3031c84d7898fb4');
    for (const id of ['USER-Jürgen', 'USER-👍🏽', `USER-${'x'.repeat(2043)}`]) {
      const digest = createHash('sha256').update(Buffer.from(id)).digest('hex');
      expect(hashedEdgeKey('FRIEND', id)).toBe(`FRIEND-#${digest.slice(0, 32)}`);
    }
  });

  it.each([
    ['an edge type that is no type name', 'friend', 'USER-U2', 'invalid-id'],
    ['a target without type', 'FRIEND', 'U2', 'invalid-id'],
    ['a plain sort key for a target', 'FRIEND', 'FRIEND-', 'invalid-id'],
    ['no target', 'FRIEND', '', 'invalid-key'],
    ['a number', 'FRIEND', 7 as unknown as string, 'invalid-key'],
    ['a lone surrogate, which would be stored as another id', 'FRIEND', 'USER-\ud800', 'invalid-key'],
    ['a target that can be no key', 'FRIEND', `USER-${'x'.repeat(2044)}`, 'key-too-long'],
  ])('refuses %s', (_what, edgeType, target, code) => {
    expect(codeOf(() => hashedEdgeKey(edgeType, target))).toBe(code);
  });
});

describe('the option keys', () => {
  const friends = (options: { keys?: 'plain' | 'hashed' }) =>
    defineGraph({
      table: 'records',
      nodes: { USER: node({ view: 'ALL' }) },
      edges: { FRIEND: edge({ from: 'USER', to: 'USER', ...options }) },
    });

  it('is plain by default, and part of the fingerprint', () => {
    expect(friends({}).edges.get('FRIEND')?.keys).toBe('plain');
    expect(friends({ keys: 'hashed' }).edges.get('FRIEND')?.keys).toBe('hashed');
    expect(friends({ keys: 'hashed' }).fingerprint).not.toBe(friends({}).fingerprint);
  });

  it('does not share the attribute of the target with the table', () => {
    for (const name of ['partitionKey', 'sortKey', 'ttl']) {
      const input = (keys: 'plain' | 'hashed') => ({
        table: { name: 'records', [name]: 'targetId' },
        nodes: { USER: node({ view: 'ALL' }) },
        edges: { FRIEND: edge({ from: 'USER', to: 'USER', keys }) },
      });
      expect(mistakesOf(input('hashed'))).toEqual([
        'edges.FRIEND.keys: hashed keys need the attribute targetId, which the table option names',
      ]);
      expect(() => defineGraph(input('plain'))).not.toThrow();
    }
  });
});
