import { useEffect, useState } from 'preact/hooks';
import { figureText } from '../../../../src/foundation/figure.ts';
import type { SuggestAnswer } from '../../api/suggest.ts';
import { SAMPLE_UNITS } from '../../base/price.ts';
import { askStudio, type Failure, postTo, useDoing } from '../base/ask.ts';
import { Ago } from './ago.tsx';
import { FailureNote } from './basics.tsx';

const PAUSE_MS = 200;
const LEAST_LETTERS = 2;

export interface Suggestions {
  answer: SuggestAnswer | undefined;
  isLooking: boolean;
  failure: Failure | undefined;
  lookOn: () => void;
}

export function useSuggestions(text: string): Suggestions {
  const [found, setFound] = useState<{ text: string; answer: SuggestAnswer }>();
  const [looks, setLooks] = useState(0);
  const { isRunning: isLooking, failure, run } = useDoing();
  useEffect(() => {
    if (text.length < LEAST_LETTERS) return;
    let isOver = false;
    const timer = setTimeout(() => {
      askStudio<SuggestAnswer>('/api/suggest', { text }).then(
        ({ answer }) => {
          // Ignore late answers.
          if (!isOver) setFound({ text, answer });
        },
        // Suggestions are optional.
        () => undefined,
      );
    }, PAUSE_MS);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [text, looks]);
  const lookOn = (): void =>
    run(async () => {
      await postTo('/api/sample', {});
      setLooks((before) => before + 1);
    });
  useEffect(() => {
    if (found?.answer.readsOn === true && found.text === text && !isLooking) lookOn();
  }, [found]);
  return { answer: text.length >= LEAST_LETTERS ? found?.answer : undefined, isLooking, failure, lookOn };
}

export function LookedAtText({ found, isEmpty }: { found: Suggestions; isEmpty: boolean }) {
  const { answer, isLooking, failure, lookOn } = found;
  if (answer === undefined) return null;
  const { looked } = answer;
  return (
    <div class="looked quiet">
      <p>
        {isEmpty && (looked.isWhole ? 'Nothing found. ' : isLooking ? '' : 'Nothing found yet. ')}
        {looked.isWhole
          ? `Searched all ${figureText(looked.items)} items`
          : `Searched ${figureText(looked.items)} of about ${figureText(looked.of)} items`}{' '}
        <Ago at={looked.atMs} />.
      </p>
      {!looked.isWhole && (
        <p>
          No index covers the remaining ids.{' '}
          <button type="button" class="small" disabled={isLooking} onClick={lookOn}>
            {isLooking ? 'Reading …' : `Search more (up to ${figureText(SAMPLE_UNITS.more)} RCU)`}
          </button>
        </p>
      )}
      <FailureNote failure={failure} />
    </div>
  );
}
