import { afterEach, expect, it, vi } from 'vitest';
import { functionLogger } from '../../../src/deployment/lambda/function-logger.ts';

afterEach(() => void vi.restoreAllMocks());

/** The lines that a logger of this level writes, without their time. */
function linesOf(level: string): unknown[] {
  const lines: unknown[] = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((line) => {
    const { time, ...rest } = JSON.parse(String(line)) as Record<string, unknown>;
    expect(time).toBeTypeOf('number');
    lines.push(rest);
    return true;
  });
  const logger = functionLogger(level);
  logger.debug({ a: 1 }, 'not written');
  logger.info({ a: 1, text: 'x"y' }, 'first');
  const child = logger.child({ requestId: 'r1' });
  child.info({ keys: [['S', 'T']] }, 'of a child');
  child.child({ more: true }).error({ requestId: 'r2' }, 'of its child');
  return lines;
}

it('a logger of functions writes lines without the process and the host, children included', () => {
  expect(linesOf('info')).toEqual([
    { level: 30, a: 1, text: 'x"y', msg: 'first' },
    { level: 30, requestId: 'r1', keys: [['S', 'T']], msg: 'of a child' },
    expect.objectContaining({ level: 50, more: true, requestId: 'r2', msg: 'of its child' }),
  ]);
});

it('a silent logger writes nothing', () => {
  expect(linesOf('silent')).toEqual([]);
});
