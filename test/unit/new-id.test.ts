import { describe, expect, it } from 'vitest';
import { newId } from '../../src/client/write/new-id.ts';

describe('newId', () => {
  it('makes a random id of the type', () => {
    expect(newId('GOAL')).toMatch(/^GOAL-[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(newId('GOAL')).not.toBe(newId('GOAL'));
  });
  it('refuses what is no type', () => {
    expect(() => newId('goal')).toThrow(expect.objectContaining({ code: 'invalid-id' }));
  });

  it('K7: makes ids that sort by the time at which they were made, UUIDs of version 7', () => {
    const before = Date.now();
    const ids = Array.from({ length: 10_000 }, () => newId('TICKET', { sortable: true }));
    expect([...ids].sort()).toEqual(ids);
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids)
      expect(id).toMatch(/^TICKET-[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    const ms = Number.parseInt(ids[0]!.slice('TICKET-'.length).replaceAll('-', '').slice(0, 12), 16);
    expect(ms).toBeGreaterThanOrEqual(before);
    expect(ms).toBeLessThanOrEqual(Date.now());
  });

  it('refuses an option that it does not have', () => {
    expect(() => newId('GOAL', { sorted: true } as never)).toThrow(
      expect.objectContaining({ code: 'invalid-argument', message: expect.stringContaining('no option "sorted"') }),
    );
  });
});
