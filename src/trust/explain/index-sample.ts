import { countText, figureText } from '../../foundation/figure.ts';
import type { SampledIndexes } from '../observe/state.ts';

/** The index sample in a `Status`. */
export interface IndexSampleStatus {
  /** Number of changed items that were compared with what the indexes show. */
  asked: number;
  /** Number of these items that still differed after all waits. */
  wrong: number;
  /** The newest 10 items that differed. */
  items: string[];
  /** When the counts began, ISO 8601. */
  since: string;
  /** Why the latest question got no answer; null if it got one. */
  failure: string | null;
}

export function indexSampleStatus(sampled: SampledIndexes | undefined): IndexSampleStatus | null {
  if (sampled === undefined) return null;
  const { asked, wrong, wrongItems, sinceMs, failure } = sampled;
  return { asked, wrong, items: wrongItems, since: new Date(sinceMs).toISOString(), failure: failure ?? null };
}

export function indexSampleText({ asked, wrong, failure }: IndexSampleStatus): string {
  const differ = wrong === 1 ? '1 differs' : `${figureText(wrong)} differ`;
  const unanswered = failure === null ? '' : `; the latest question had no answer: ${failure.replace(/[.]$/, '')}`;
  return `indexes: sampled only, ${figureText(asked)} asked, ${differ}${unanswered}`;
}

export function indexSampleProblems(sample: IndexSampleStatus | null): string[] {
  if (sample === null || sample.wrong === 0) return [];
  const { asked, wrong, items, since } = sample;
  const found = `The indexes differ from the table in ${figureText(wrong)} of ${countText(asked, 'sampled item')} since ${since}`;
  return [`${found} (${items[0]}): an index that is being created or throttled lags; otherwise ask AWS support.`];
}
