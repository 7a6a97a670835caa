import pino from 'pino';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { checkHandler } from '../../src/deployment/lambda/index.ts';
import { checkedTable } from '../support/checked-table.ts';

let emitted: string[];
beforeEach(() => {
  emitted = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((line) => {
    emitted.push(String(line));
    return true;
  });
});
afterEach(() => vi.restoreAllMocks());

it('works until its reserve, goes on when called again, and the totals add up', async () => {
  const { graph, client, run, corrupt } = await checkedTable(4);
  for (const id of ['GOAL-G1', 'GOAL-G3']) await corrupt(id, '~view', ({ edgeSet: _, ...item }) => item);
  const whole = await run();
  const lines: Record<string, unknown>[] = [];
  const logger = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const handler = checkHandler(graph, { client, graceMs: 10, reserveMs: 1_000, logger });
  let asked = 0;
  // A few looks at the clock fit into each call.
  const context = { awsRequestId: 'night-1', getRemainingTimeInMillis: () => (asked++ < 6 ? 60_000 : 0) };
  let calls = 0;
  let answer = await handler({ segments: 8, onlySegments: [0, 1, 2, 3, 4, 5, 6, 7] }, context);
  for (; answer.cursor !== null; calls++) {
    asked = 0;
    answer = await handler({ segments: 8, cursor: JSON.parse(JSON.stringify(answer.cursor)) }, context);
    expect(calls).toBeLessThan(50);
  }
  expect(calls).toBeGreaterThan(0);
  expect(answer).toMatchObject({ drift: whole.drift, baseItems: whole.baseItems, isClean: false });
  // The log names keys and holds no contents.
  expect(lines.filter(({ msg }) => msg === 'found')).toHaveLength(2);
  expect(JSON.stringify(lines)).not.toContain('Goal 1');
  const metrics = emitted
    .flatMap((text) => text.trim().split('\n'))
    .map((line) => JSON.parse(line) as { CheckDrift: number });
  // Each call counts its own share.
  expect(metrics.reduce((sum, { CheckDrift }) => sum + CheckDrift, 0)).toBe(2);
});

it('repairs where it is asked to, and is clean then', async () => {
  const { graph, client, corrupt } = await checkedTable(1);
  await corrupt('GOAL-G1', '~view', ({ edgeSet: _, ...item }) => item);
  const handler = checkHandler(graph, { client, graceMs: 10, logger: pino({ level: 'silent' }) });
  const context = { awsRequestId: 'night-1', getRemainingTimeInMillis: () => 60_000 };
  expect(await handler({}, context)).toMatchObject({ isClean: false, repaired: 0, cursor: null });
  expect(await handler({ repair: true }, context)).toMatchObject({ isClean: true, repaired: 1, cursor: null });
  expect(await handler({}, context)).toMatchObject({ isClean: true, drift: { missing: 0, stale: 0, orphan: 0 } });
});

it('refuses a cursor that is none', async () => {
  const { graph, client } = await checkedTable(1);
  const handler = checkHandler(graph, { client, logger: pino({ level: 'silent' }) });
  const context = { awsRequestId: 'night-1', getRemainingTimeInMillis: () => 60_000 };
  await expect(handler({ cursor: { version: 7 } }, context)).rejects.toMatchObject({ code: 'invalid-cursor' });
});
