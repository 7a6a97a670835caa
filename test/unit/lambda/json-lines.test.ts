import pino from 'pino';
import { expect, it } from 'vitest';
import { type FunctionLogger, jsonLines } from '../../../src/deployment/lambda/json-lines.ts';

/** The lines that a logger writes, without what tells the moment and the machine. */
function linesOf(make: (write: (line: string) => void) => FunctionLogger): unknown[] {
  const lines: unknown[] = [];
  const logger = make((line) => {
    const { time, pid: _pid, hostname: _host, ...rest } = JSON.parse(line) as Record<string, unknown>;
    expect(time).toBeTypeOf('number');
    expect(line.endsWith('\n')).toBe(true);
    lines.push(rest);
  });
  logger.debug({ a: 1 }, 'not written');
  logger.info({ a: 1, text: 'x"y' }, 'first');
  const child = logger.child({ requestId: 'r1' }, { level: 'debug' });
  child.debug({ keys: [['S', 'T']] }, 'of a child');
  child.child({ more: true }).error({ requestId: 'r2' }, 'of its child');
  logger.child({ requestId: 'r3' }, {}).warn({ nothing: undefined }, 'last');
  return lines;
}

it('JSON lines are those of pino', () => {
  const ours = linesOf((write) => jsonLines('info', {}, write));
  expect(ours).toEqual(linesOf((write) => pino({ level: 'info' }, { write })));
  expect(ours).toHaveLength(4);
});

it('a silent logger writes no lines', () => {
  expect(linesOf((write) => jsonLines('silent', {}, write))).toHaveLength(2);
});
