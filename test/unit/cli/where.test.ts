import { describe, expect, it } from 'vitest';
import { filterOf } from '../../../packages/cli/shared/options.ts';
import { ExactNumber } from '../../../src/core/items/plain.ts';

const whereOf = (...where: string[]) => filterOf({ where }).where;

describe('--where', () => {
  it('finds a word that is JSON also as the string that it is', () => {
    expect(whereOf('flag=true', 'points!=5', 'note=null', 'status=OPEN')).toEqual({
      flag: { in: [true, 'true'] },
      points: { not: { in: [5, '5'] } },
      note: { in: [null, 'null'] },
      status: 'OPEN',
    });
    const digits = '12345678901234567890123456789';
    expect(whereOf(`large=${digits}`)).toEqual({ large: { in: [new ExactNumber(digits), digits] } });
  });

  it('takes a string in quotes, a comparison in JSON, and the number of a range as they are', () => {
    expect(whereOf('flag="true"', 'points>=5', 'more={"in":[5]}', 'none=')).toEqual({
      ...{ flag: 'true', points: { gte: 5 }, more: { in: [5] }, none: '' },
    });
  });
});
