import { afterEach, describe, expect, it, vi } from 'vitest';
import { failureText } from '../../../packages/cli/shared/failure.ts';
import { print, textTable } from '../../../packages/cli/shared/output.ts';
import { ConditionFailedError } from '../../../src/client/write/item/conditions.ts';

const ROWS = [
  ['GOAL-G1', 3, { title: 'Halve the page load time of the whole shop', status: 'open', owner: 'USER-U1' }],
  ['GOAL-G2', 12, { title: 'Run', status: 'done' }],
];

describe('a table', () => {
  it('is no wider than the terminal: its widest columns are wrapped, and nothing is cut', () => {
    for (const width of [80, 60, 40]) {
      const text = textTable(['id', 'points', 'attributes'], ROWS, width);
      const lines = text.split('\n');
      expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(width);
      expect(text.replace(/\s/g, '')).toContain('"status":"open"'.replace(/\s/g, '').slice(0, 8));
      expect(lines.filter((line) => line.startsWith('GOAL-G'))).toHaveLength(2);
    }
  });

  it('is as wide as usual on a terminal whose size nobody has set', () => {
    const { isTTY, columns } = process.stdout;
    try {
      Object.assign(process.stdout, { isTTY: true, columns: 0 });
      expect(textTable(['id', 'points', 'attributes'], ROWS)).toBe(textTable(['id', 'points', 'attributes'], ROWS, 80));
    } finally {
      Object.assign(process.stdout, { isTTY, columns });
    }
  });

  it('has a line for each row where there is no terminal', () => {
    expect(textTable(['id', 'points', 'attributes'], ROWS).split('\n')).toHaveLength(3);
  });
});

describe('print', () => {
  const { isTTY } = process.stdout;
  afterEach(() => {
    process.stdout.isTTY = isTTY;
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
  });

  it.each([
    [true, '', '\u001b[31m! lost\u001b[0m\nfine\n'],
    [true, '1', '! lost\nfine\n'],
    [false, '', '! lost\nfine\n'],
  ])('has colors on a terminal alone, and none with NO_COLOR', (isTerminal, noColor, expected) => {
    process.stdout.isTTY = isTerminal;
    vi.stubEnv('NO_COLOR', noColor);
    const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    const colorOf = (line: string) => (line.startsWith('! ') ? ('red' as const) : undefined);
    print({ json: null, text: '! lost\nfine', colorOf }, false);
    expect(write).toHaveBeenCalledWith(expected);
  });
});

it('a condition that did not hold shows the item as it is', () => {
  const failed = (current: Record<string, unknown> | null) =>
    failureText(new ConditionFailedError('It did not hold.', current));
  expect(failed({ status: 'done' })).toContain('\ncurrent: {"status":"done"}\nhint: ');
  expect(failed(null)).toContain('\ncurrent: there is no such item\n');
});
