import type { Side } from './models.ts';

/** Verdicts on the questions of one side in one phase. */
export interface AnswerCounts {
  right: number;
  /** Answered with `projection-not-ready`. */
  notReady: number;
  wrong: number;
  partial: number;
}

/** One phase of a change of the model. */
interface Phase {
  name: string;
  old: AnswerCounts;
  new: AnswerCounts;
}

/** An answer that was not right. */
interface WrongAnswer {
  phase: string;
  side: Side;
  question: string;
  reason: string;
}

/** Mistakes that are kept with their reasons; all are counted. */
const MOST_MISTAKES = 20;

/** Counts answers by phase and side. */
export class Tally {
  readonly phases: Phase[] = [];
  readonly mistakes: WrongAnswer[] = [];

  /** Begins a phase: what is answered from now on belongs to it. */
  beginPhase(name: string): void {
    this.phases.push({ name, old: emptyCounts(), new: emptyCounts() });
  }

  /** Counts one answer. */
  add(side: Side, verdict: keyof AnswerCounts, question: string, reason = ''): void {
    const phase = this.phases.at(-1)!;
    phase[side][verdict] += 1;
    const isMistake = verdict === 'wrong' || verdict === 'partial';
    if (isMistake && this.mistakes.length < MOST_MISTAKES) {
      this.mistakes.push({ phase: phase.name, side, question, reason });
    }
  }

  /** The sums over all phases and sides. */
  sums(): AnswerCounts {
    const sums = emptyCounts();
    for (const phase of this.phases) {
      for (const counts of [phase.old, phase.new]) {
        for (const name of Object.keys(sums) as (keyof AnswerCounts)[]) sums[name] += counts[name];
      }
    }
    return sums;
  }
}

function emptyCounts(): AnswerCounts {
  return { right: 0, notReady: 0, wrong: 0, partial: 0 };
}
