import type { SampleAnswer } from '../../base/table-sample.ts';
import { type Asked, useAnswer, useAskedLater } from './ask.ts';

const EVERY_MS = 15_000;

export function useSample(): Asked<SampleAnswer> {
  const asked = useAnswer<SampleAnswer>('/api/sample');
  useAskedLater(asked, EVERY_MS);
  return asked;
}
