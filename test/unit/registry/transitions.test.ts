import { describe, expect, it } from 'vitest';
import { announce, install } from '../../../src/registry/transitions.ts';

describe('a registry that is made anew', () => {
  const shape = (fingerprint: string): { fingerprint: string } => ({ fingerprint });

  it('gives the views of a type that it learns of later a number beyond those of all its types', () => {
    const views = new Map([
      ['GOAL', shape('a')],
      ['USER', shape('b')],
    ]);
    const registry = announce({ projections: new Map(), views }, undefined, 700);
    const { shapes } = install(registry, new Map([['TEAM', 'c']]), new Map());
    expect(shapes.get('TEAM')).toMatchObject({ next: 702, shape: { id: 701, trusted: true, ready: false } });
    expect(shapes.get('GOAL')?.shape?.id).toBe(700);
  });
});
