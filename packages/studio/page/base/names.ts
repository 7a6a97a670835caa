import { useEffect, useState } from 'preact/hooks';
import type { NamesAnswer } from '../../api/nodes.ts';
import { type Failure, postTo } from './ask.ts';

export interface KnownNames extends NamesAnswer {
  failure?: Failure;
}

/** `isRead`: reads the table instead of the free sample. */
export function useNames(ids: readonly string[], isRead = false): KnownNames {
  const [state, setState] = useState<KnownNames>({ names: {} });
  const missing = [...new Set(ids)].filter((id) => !Object.hasOwn(state.names, id));
  const question = missing.length === 0 ? undefined : JSON.stringify({ ids: missing, isRead });
  useEffect(() => {
    if (question === undefined) return;
    let isOver = false;
    postTo<NamesAnswer>('/api/names', JSON.parse(question) as object).then(
      (answer) => {
        if (!isOver) setState(({ names }) => ({ names: { ...names, ...answer.names } }));
      },
      (failure: Failure) => {
        if (!isOver) setState(({ names }) => ({ names, failure }));
      },
    );
    return () => {
      isOver = true;
    };
  }, [question]);
  return state;
}
