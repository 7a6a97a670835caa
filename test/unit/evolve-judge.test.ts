import { describe, expect, it } from 'vitest';
import { type BaseKey, History } from '../support/evolve/history.ts';
import { type GivenAnswer, type Judgement, judge, type Row } from '../support/evolve/judge.ts';
import { FACTS } from '../support/evolve/models.ts';
import { questionsOf } from '../support/evolve/questions.ts';

const node = (name: string): BaseKey => ({ source: `N-${name}`, target: `N-${name}` });
const row = (name: string, text = name): Row => ({ key: node(name), text });

/** A history with a clock that moves by one millisecond whenever something is written or projected. */
function world() {
  let nowMs = 0;
  const history = new History(() => ++nowMs);
  const write = (name: string, value: string | undefined): number =>
    history.beginWrite(node(name), value === undefined ? undefined : { value });
  const project = (name: string, version: number): void => history.markProjected(node(name), version);
  /** Judges a list of values in their order, asked after all that has happened, unless `fromMs` says when. */
  const verdict = (answer: GivenAnswer, fromMs = nowMs + 1, untilMs = nowMs + 2): Judgement =>
    judge(
      answer,
      history.possibleItems(fromMs, untilMs, () => true),
      (_, { value }) => ({ text: String(value), order: String(value) }),
    );
  const now = (): number => nowMs;
  return { write, project, verdict, now };
}

function settled(...names: string[]) {
  const made = world();
  for (const name of names) made.project(name, made.write(name, name));
  return made;
}

describe('the judge of a change of the model', () => {
  it('takes the list of all items in their order, and no other, where nothing changes', () => {
    const { verdict } = settled('a', 'b', 'c');
    expect(verdict({ rows: [row('a'), row('b'), row('c')] })).toEqual({ verdict: 'right' });
    expect(verdict({ rows: [row('a'), row('c')] })).toEqual({ verdict: 'partial', reason: 'N-b is missing' });
    expect(verdict({ rows: [row('b'), row('a'), row('c')] }).verdict).toBe('wrong');
    expect(verdict({ rows: [row('a'), row('b'), row('b'), row('c')] }).verdict).toBe('wrong');
    expect(verdict({ rows: [row('a'), row('b', 'x'), row('c')] }).verdict).toBe('wrong');
    expect(verdict({ rows: [row('a'), row('b'), row('c'), row('d')] }).verdict).toBe('wrong');
    expect(verdict({ rows: [] }).verdict).toBe('partial');
  });

  it('takes the beginning of a list that is cut, without a gap', () => {
    const { verdict } = settled('a', 'b', 'c');
    expect(verdict({ rows: [row('a'), row('b')], isCut: true }).verdict).toBe('right');
    expect(verdict({ rows: [row('a'), row('c')], isCut: true }).verdict).toBe('partial');
  });

  it('takes the value before a write until its record is projected, and no longer', () => {
    const { write, project, verdict, now } = settled('a', 'b');
    const version = write('b', 'bb');
    const before = { rows: [row('a'), row('b')] };
    const after = { rows: [row('a'), row('b', 'bb')] };
    expect([verdict(before).verdict, verdict(after).verdict]).toEqual(['right', 'right']);
    const asked = now();
    project('b', version);
    expect([verdict(before).verdict, verdict(after).verdict]).toEqual(['wrong', 'right']);
    // Asked before it was projected: either will do.
    expect([verdict(before, asked).verdict, verdict(after, asked).verdict]).toEqual(['right', 'right']);
  });

  it('takes no value whose write was begun after the answer had come', () => {
    const { write, verdict, now } = settled('a');
    const asked = now();
    write('a', 'later');
    expect(verdict({ rows: [row('a', 'later')] }, asked, asked).verdict).toBe('wrong');
  });

  it('lets an item be missing while its place changes, and not while only its neighbour does', () => {
    const { write, verdict } = settled('a', 'b');
    write('b', 'x');
    expect(verdict({ rows: [row('a')] }).verdict).toBe('right');
    expect(verdict({ rows: [row('b', 'x')] }).verdict).toBe('partial');
    expect(verdict({ rows: [row('a'), row('b'), row('b', 'x')] }).verdict).toBe('right');
  });

  it('misses no removal that was projected', () => {
    const { write, project, verdict } = settled('a', 'b');
    const version = write('b', undefined);
    expect(verdict({ rows: [row('a'), row('b')] }).verdict).toBe('right');
    project('b', version);
    expect(verdict({ rows: [row('a'), row('b')] }).verdict).toBe('wrong');
    expect(verdict({ rows: [row('a')] }).verdict).toBe('right');
  });

  it('holds a count between what is there for sure and what may be there', () => {
    const { write, verdict } = settled('a', 'b', 'c');
    write('c', undefined);
    const verdicts = [1, 2, 3, 5].map((count) => verdict({ count }).verdict);
    expect(verdicts).toEqual(['partial', 'right', 'right', 'wrong']);
  });
});

describe('the questions of a change of the model', () => {
  it('tell the two rank tables apart: the list of the one model is wrong in the other', async () => {
    const history = new History();
    const routes: [string, string][] = [
      ['LGA', 'HIGH'],
      ['DFW', 'LOW'],
      ['MCO', 'MEDIUM'],
    ];
    for (const [origin, traffic] of routes) {
      const key = { source: `AIRPORT-${origin}`, target: 'ROUTE-AIRPORT-ATL' };
      history.markProjected(key, history.beginWrite(key, { traffic, flights: 7 }));
    }
    const asked = performance.now() + 1;
    const inOrder = (names: readonly string[]) => ({
      rows: names.map((name) => {
        const [origin, traffic] = routes.find(([candidate]) => candidate === name)!;
        return { key: { source: `AIRPORT-${origin}`, target: 'ROUTE-AIRPORT-ATL' }, text: `${traffic} 7` };
      }),
    });
    const verdictOf = (side: 'old' | 'new', names: readonly string[]) => {
      const subject = { airport: 'AIRPORT-ATL', name: 'Hartsfield', city: 'Atlanta' };
      const inbound = questionsOf(FACTS[side], subject).find(({ kind }) => kind === 'inbound')!;
      return judge(inOrder(names), history.possibleItems(asked, asked, inbound.isMeant), inbound.entryOf).verdict;
    };
    expect(verdictOf('old', ['DFW', 'MCO', 'LGA'])).toBe('right');
    expect(verdictOf('new', ['DFW', 'MCO', 'LGA'])).toBe('wrong');
    expect(verdictOf('new', ['LGA', 'MCO', 'DFW'])).toBe('right');
    expect(verdictOf('old', ['LGA', 'MCO', 'DFW'])).toBe('wrong');
  });
});
