import type { BatchExecuteStatementCommandInput, BatchStatementError } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from 'vitest';
import { INDEX_KEYS } from '../../../src/core/items/derived-item.ts';
import type { DerivedUpdate, UpdateResult } from '../../../src/core/store-port.ts';
import { StoreError } from '../../../src/foundation/errors.ts';
import { STATEMENT_FORMS, Statements } from '../../../src/store/statement.ts';
import { StatementWrites, type WritingCalls } from '../../../src/store/statement-writes.ts';
import { goalGraph } from '../../support/contracts-model.ts';

const { table } = goalGraph();
const [KEYWORDS, LISTS] = STATEMENT_FORMS;

function update(target: string, more: Partial<DerivedUpdate> = {}): DerivedUpdate {
  const condition = { kind: 'revision', revision: '7' } as const;
  return { key: { source: 'U-1', target }, set: { a: { S: 'x' } }, unset: [], condition, ...more };
}

describe('the statement of an update', () => {
  const statements = new Statements(table);
  const key = `"${table.partitionKey}" = ? AND "${table.sortKey}" = ?`;

  it('inserts an item that is absent, with all that is added to it', () => {
    expect(
      statements.of(
        update('~v', { condition: { kind: 'absent' }, addElements: ['e'], unset: ['expiresAt'] }),
        KEYWORDS,
      ),
    ).toEqual({
      text: `INSERT INTO "${table.name}" VALUE {'${table.partitionKey}': ?, '${table.sortKey}': ?, 'r': ?, 'a': ?, 'edgeSet': ?}`,
      parameters: [{ S: 'U-1' }, { S: '~v' }, { N: '1' }, { S: 'x' }, { SS: ['e'] }],
      showsForm: false,
    });
  });

  it('updates an item under its revision, in two forms', () => {
    const given = update('~v', { set: { a: { S: 'x' }, 'b/c': { N: '1' } }, unset: ['d', 'e'], setElements: ['e'] });
    expect(statements.of(given, KEYWORDS)).toEqual({
      text: `UPDATE "${table.name}" SET "r" = ? SET "a" = ? SET "b/c" = ? SET "edgeSet" = ? REMOVE "d" REMOVE "e" WHERE ${key} AND "r" = ?`,
      parameters: [{ N: '8' }, { S: 'x' }, { N: '1' }, { SS: ['e'] }, { S: 'U-1' }, { S: '~v' }, { N: '7' }],
      showsForm: true,
    });
    expect(statements.of(given, LISTS)?.text).toBe(
      `UPDATE "${table.name}" SET "r" = ?, "a" = ?, "b/c" = ?, "edgeSet" = ? REMOVE "d", "e" WHERE ${key} AND "r" = ?`,
    );
  });

  it.each([
    ['adds to a set', { addElements: ['e'] }, 'set_add("edgeSet", ?)'],
    ['deletes from a set', { deleteElements: ['e'] }, 'set_delete("edgeSet", ?)'],
  ])('%s by a function, which only the documented form has', (_name, more, value) => {
    const given = update('~v', { ...more, set: {} });
    expect(statements.of(given, KEYWORDS)).toEqual({
      text: `UPDATE "${table.name}" SET "r" = ? SET "edgeSet" = ${value} WHERE ${key} AND "r" = ?`,
      parameters: [{ N: '8' }, { SS: ['e'] }, { S: 'U-1' }, { S: '~v' }, { N: '7' }],
      showsForm: true,
    });
    expect(statements.of(given, LISTS)).toBeUndefined();
  });

  it('has the expiry of a tombstone in its condition', () => {
    const expiry = { attribute: 'expiresAt', value: { N: '99' } };
    const condition = { kind: 'revision', revision: '7', expiry } as const;
    expect(statements.of(update('~v', { set: {}, condition }), KEYWORDS)).toEqual({
      text: `UPDATE "${table.name}" SET "r" = ? WHERE ${key} AND "r" = ? AND "expiresAt" = ?`,
      parameters: [{ N: '8' }, { S: 'U-1' }, { S: '~v' }, { N: '7' }, { N: '99' }],
      showsForm: false,
    });
  });

  it('has the names that the table has for its index keys', () => {
    const named = new Statements({
      ...table,
      indexKeys: { ...INDEX_KEYS, gsi0: { partition: 'GSI1PK', sort: 'GSI1SK' } },
    });
    const moved = update('~v', { set: { gsi0pk: { S: 'p' } }, unset: ['gsi0sk'] });
    expect(named.of(moved, KEYWORDS)?.text).toContain('SET "GSI1PK" = ? REMOVE "GSI1SK"');
  });

  const revision = (more: object) => ({ condition: { kind: 'revision', revision: '7', ...more } as const });
  it.each<[string, Partial<DerivedUpdate>]>([
    ['whose presence is not known', { condition: { kind: 'revision', revision: undefined } }],
    ['under another condition', { condition: { kind: 'none' } }],
    ['with a revision that is no plain number', revision({ revision: '1.5' })],
    ['with a revision of 38 digits', revision({ revision: '9'.repeat(38) })],
    ['with a malformed revision', revision({ revision: undefined, malformed: { S: 'x' } })],
    ['that adds to a set and deletes from it', { addElements: ['e'], deleteElements: ['f'] }],
    ['that adds numbers', { add: { count: '1' } }],
    ['that adds texts', { addTo: { groups: ['g'] } }],
    ['that sets the revision', { set: { r: { N: '1' } } }],
    ['that sets a key', { set: { [table.sortKey]: { S: 'x' } } }],
    ['that sets and removes an attribute', { unset: ['a'] }],
    ['that removes an attribute twice', { unset: ['b', 'b'] }],
    ['that sets the edge set twice', { set: { edgeSet: { SS: ['a'] } }, setElements: ['b'] }],
    ['with two changes of the edge set', { condition: { kind: 'absent' }, addElements: ['a'], setElements: ['b'] }],
    ['with a name that an engine may take for a path', { set: { 'a.b': { S: 'x' } } }],
    ['with a quote in a name', { unset: ['it"s'] }],
    ['whose text is too long', { set: { ['n'.repeat(8_200)]: { S: 'x' } } }],
  ])('is none for an update %s', (_name, more) => {
    expect(statements.of(update('~v', more), KEYWORDS)).toBeUndefined();
  });

  it('is none in a table whose key has a name that needs an escape', () => {
    expect(new Statements({ ...table, partitionKey: 'p.k' }).of(update('~v'), KEYWORDS)).toBeUndefined();
  });
});

/** A table whose statements are answered by a function, and what was sent. */
function tableThat(answer: (text: string, target: string) => BatchStatementError | undefined, whole?: () => void) {
  const sent: string[] = [];
  const calls: WritingCalls = {
    update: async ({ key: { target }, set }): Promise<UpdateResult> => {
      sent.push(`UpdateItem ${target}`);
      if (set['bad'] !== undefined) throw new StoreError('terminal', 'ValidationException', 'bad');
      return { applied: true, wcu: 1 };
    },
    execute: async ({ Statements: list = [] }: BatchExecuteStatementCommandInput) => {
      sent.push(`statements ${list.length}`);
      whole?.();
      return {
        $metadata: {},
        Responses: list.map(({ Statement = '', Parameters = [] }) => {
          const target = Parameters.map(({ S }) => S).find((text) => text?.startsWith('~')) ?? '';
          const failure = answer(Statement, target);
          return failure === undefined ? {} : { Error: failure };
        }),
        ConsumedCapacity: [{ CapacityUnits: 2 * list.length }],
      };
    },
  };
  return { sent, calls, writes: new StatementWrites(table) };
}

function refuseWith(name: string, message = 'no'): () => never {
  return () => {
    throw Object.assign(new Error(message), { name, $fault: 'client' });
  };
}

const two = [update('~a'), update('~b')];

describe('writes by statements', () => {
  it('are 25 in a call, next to those of what is no statement', async () => {
    const { sent, calls, writes } = tableThat(() => undefined);
    const updates = Array.from({ length: 52 }, (_, i) => update(`~${i}`));
    const outcomes = await writes.updateMany([...updates, update('~add', { add: { count: '1' } })], calls);
    expect(sent.sort()).toEqual(['UpdateItem ~add', 'statements 2', 'statements 25', 'statements 25']);
    expect(outcomes).toEqual([...updates.map(() => ({ applied: true, wcu: 2 })), { applied: true, wcu: 1 }]);
    expect(writes.by).toBe('statements');
  });

  it('leave a single item to UpdateItem, which returns what failed the condition', async () => {
    const { sent, calls, writes } = tableThat(() => undefined);
    await writes.updateMany([update('~a')], calls);
    expect(sent).toEqual(['UpdateItem ~a']);
  });

  it('answer each item for itself', async () => {
    const codes: Record<string, BatchStatementError> = {
      '~failed': { Code: 'ConditionalCheckFailed' },
      '~current': { Code: 'ConditionalCheckFailed', Item: { a: { S: 'now' } } },
      '~there': { Code: 'DuplicateItem' },
      '~throttled': { Code: 'ThrottlingError', Message: 'slow down' },
      '~hot': { Code: 'ProvisionedThroughputExceeded' },
      '~conflict': { Code: 'TransactionConflict' },
      '~full': { Code: 'ItemCollectionSizeLimitExceeded' },
      '~broken': { Code: 'InternalServerError' },
    };
    const { calls, writes } = tableThat((_, target) => codes[target]);
    const outcomes = await writes.updateMany(
      [...Object.keys(codes), '~good'].map((target) => update(target)),
      calls,
    );
    const told = outcomes.map((outcome) => {
      if (outcome.applied) return 'applied';
      if (outcome.error === undefined) return outcome.isUnread ? 'unread' : outcome.current;
      return `${outcome.error.kind} ${outcome.error.code}`;
    });
    expect(told).toEqual([
      'unread',
      { a: { S: 'now' } },
      ...['unread', 'retryable ThrottlingException', 'retryable ProvisionedThroughputExceededException'],
      ...['retryable TransactionConflictException', 'terminal ItemCollectionSizeLimitExceededException'],
      ...['retryable InternalServerError', 'applied'],
    ]);
  });

  it('take the form that the engine takes, and keep it', async () => {
    const { sent, calls, writes } = tableThat((text) =>
      / SET .* SET /.test(text) ? { Code: 'ValidationError' } : undefined,
    );
    expect(await writes.updateMany(two, calls)).toEqual(two.map(() => ({ applied: true, wcu: 2 })));
    expect(sent).toEqual(['statements 2', 'statements 2']);
    await writes.updateMany(two, calls);
    expect(sent).toHaveLength(3);
    expect(writes.by).toBe('statements');
  });

  it('are statements still where an update has none in the form that the engine takes', async () => {
    const { sent, calls, writes } = tableThat((text) =>
      / SET .* SET /.test(text) ? { Code: 'ValidationError' } : undefined,
    );
    const updates = [...two, update('~more', { addElements: ['e'] })];
    expect(await writes.updateMany(updates, calls)).toMatchObject(updates.map(() => ({ applied: true })));
    expect(sent).toEqual(['statements 3', 'UpdateItem ~more', 'statements 2']);
    expect(writes.by).toBe('statements');
  });

  it.each([
    ['an engine that knows no statements', refuseWith('UnknownOperationException'), 1],
    ['a policy that allows none', refuseWith('AccessDeniedException'), 1],
    ['an engine that takes neither form', refuseWith('ValidationException', 'not well formed'), 2],
  ])('are those of UpdateItem with %s, from its first answer on', async (_name, whole, tries) => {
    const { sent, calls, writes } = tableThat(() => undefined, whole);
    const applied = two.map(() => ({ applied: true, wcu: 1 }));
    expect(await writes.updateMany(two, calls)).toEqual(applied);
    expect(sent.filter((text) => text === 'statements 2')).toHaveLength(tries);
    expect(writes.by).toBe('UpdateItem');
    sent.length = 0;
    expect(await writes.updateMany(two, calls)).toEqual(applied);
    expect(sent).toEqual(['UpdateItem ~a', 'UpdateItem ~b']);
  });

  it('are denied for each statement where a policy says so by item', async () => {
    const { calls, writes } = tableThat(() => ({ Code: 'AccessDenied' }));
    expect(await writes.updateMany(two, calls)).toEqual(two.map(() => ({ applied: true, wcu: 1 })));
    expect(writes.by).toBe('UpdateItem');
  });

  it('stay statements when an item is refused for what it is', async () => {
    const { calls, writes } = tableThat((_, target) => (target === '~bad' ? { Code: 'ValidationError' } : undefined));
    const bad = update('~bad', { set: { bad: { SS: [] } } });
    for (let i = 0; i < 2; i++) {
      const outcomes = await writes.updateMany([update('~a'), bad, update('~b')], calls);
      expect(outcomes.map(({ applied }) => applied)).toEqual([true, false, true]);
      expect(outcomes[1]).toMatchObject({ error: { kind: 'terminal', code: 'ValidationException' } });
      expect(writes.by).toBe('statements');
    }
  });

  it('are not sent again after their time', async () => {
    const { sent, calls, writes } = tableThat(() => ({ Code: 'ValidationError' }));
    let asked = 0;
    const outcomes = await writes.updateMany(two, calls, { remainingMs: () => (asked++ === 0 ? 1 : 0) });
    expect(sent).toEqual(['statements 2']);
    expect(outcomes).toMatchObject(two.map(() => ({ error: { code: 'no-time' } })));
  });

  it.each([
    ['throttled', 'ThrottlingException', 'retryable'],
    ['forbidden', 'ResourceNotFoundException', 'fatal'],
  ])('stay applied where the next form of the others is %s', async (_name, code, kind) => {
    let calls = 0;
    const failSecond = () => (++calls === 2 ? refuseWith(code)() : undefined);
    const refuse = (_: string, target: string): BatchStatementError | undefined =>
      target === '~b' ? { Code: 'ValidationError' } : undefined;
    const { sent, calls: made, writes } = tableThat(refuse, failSecond);
    const outcomes = await writes.updateMany([...two, update('~add', { add: { count: '1' } })], made);
    expect(outcomes).toMatchObject([
      { applied: true, wcu: 4 },
      { applied: false, error: { kind, code } },
      { applied: true, wcu: 1 },
    ]);
    expect(sent).toEqual(['UpdateItem ~add', 'statements 2', 'statements 1']);
  });

  it('fail together with their call, to be retried', async () => {
    const { calls, writes } = tableThat(() => undefined, refuseWith('ThrottlingException'));
    const outcomes = await writes.updateMany(two, calls);
    expect(outcomes).toMatchObject(two.map(() => ({ applied: false, error: { kind: 'retryable' } })));
    expect(writes.by).toBeUndefined();
  });
});
