import { countText, figureText } from '../../foundation/figure.ts';
import type { SampledIndexes } from '../observe/state.ts';

/** The sample of the indexes, as a status has it and as people read it. */

/** The sample in a status. */
export interface IndexSampleStatus {
  /** Changed items that were compared with what the indexes show. */
  asked: number;
  /** How many of them differed after all waits. */
  wrong: number;
  /** Names of those, the newest first, 10 at most. */
  items: string[];
  /** When the counts began, ISO 8601. */
  since: string;
  /** Why the latest question had no answer; null: it had one. */
  failure: string | null;
}

/** The saved sample of an observer as a status has it; null: none is taken. */
export function indexSampleStatus(sampled: SampledIndexes | undefined): IndexSampleStatus | null {
  if (sampled === undefined) return null;
  const { asked, wrong, wrongItems, sinceMs, failure } = sampled;
  return { asked, wrong, items: wrongItems, since: new Date(sinceMs).toISOString(), failure: failure ?? null };
}

/** Says what was sampled. */
export function indexSampleText({ asked, wrong, failure }: IndexSampleStatus): string {
  const differ = wrong === 1 ? '1 differs' : `${figureText(wrong)} differ`;
  const unanswered = failure === null ? '' : `; the latest question had no answer: ${failure.replace(/[.]$/, '')}`;
  return `indexes: sampled only, ${figureText(asked)} asked, ${differ}${unanswered}`;
}

/** A sentence for whoever looks after the table; none where nothing differs. */
export function indexSampleProblems(sample: IndexSampleStatus | null): string[] {
  if (sample === null || sample.wrong === 0) return [];
  const { asked, wrong, items, since } = sample;
  const found = `The indexes differ from the table in ${figureText(wrong)} of ${countText(asked, 'sampled item')} since ${since}`;
  return [`${found} (${items[0]}): an index that is being created or throttled lags; otherwise ask AWS support.`];
}
