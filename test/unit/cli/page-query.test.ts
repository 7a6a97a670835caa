import { describe, expect, it } from 'vitest';
import { pageQuery } from '../../../packages/cli/commands/read/page.ts';

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

describe('--no-neighbors', () => {
  it('asks for no level, and refuses levels beside it', () => {
    expect(pageQuery({ neighbors: false }).with).toEqual([]);
    expect(pageQuery({ neighbors: true }).with).toBeUndefined();
    expect(() => pageQuery({ neighbors: false, with: ['OWNS'] })).toThrow(expect.objectContaining({ code: 'usage' }));
  });
});
