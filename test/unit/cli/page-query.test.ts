import { describe, expect, it } from 'vitest';
import { pageQuery, queriedText } from '../../../src/cli/commands/read/page.ts';

describe('--with on the command line', () => {
  const cases: [string, object][] = [
    ['OWNS', { edge: 'OWNS' }],
    ['OWNS:a:b', { edge: 'OWNS', label: 'a:b' }],
    ['KEYRESULT/MEMBER:LEAD', { edge: 'KEYRESULT', with: [{ edge: 'MEMBER', label: 'LEAD' }] }],
    ['A:x/B/inbound:C', { edge: 'A', label: 'x', with: [{ edge: 'B', with: [{ inbound: 'C' }] }] }],
    ['inbound:C/A', { inbound: 'C', with: [{ edge: 'A' }] }],
    ['A:1\\/2/B:\\/', { edge: 'A', label: '1/2', with: [{ edge: 'B', label: '/' }] }],
    ['A:c:\\d', { edge: 'A', label: 'c:\\d' }],
  ];
  it.each(cases)('%s', (text, expected) => {
    expect(pageQuery({ with: [text] }).with).toEqual([expected]);
  });

  it.each([':x', '/A', 'A/', 'A//B', ''])('refuses %j, which names no type', (text) => {
    expect(() => pageQuery({ with: [text] })).toThrow(expect.objectContaining({ code: 'invalid-argument' }));
  });
});

describe('the line of an edge', () => {
  it('shows the type and the other node of the edge, whatever its attributes are named', () => {
    const edge = { source: 'GOAL-1', type: 'OWNS', target: 'USER-1', attributes: { type: 'x', target: 'y', since: 1 } };
    expect(queriedText('USER-1', edge)).toMatch(/^<- OWNS GOAL-1 .*since/);
    expect(queriedText('GOAL-1', edge)).toMatch(/^-> OWNS USER-1 .*since/);
  });
});
