import { useEffect, useState } from 'preact/hooks';
import type { KnownNode } from '../../api/nodes.ts';
import { type Failure, postTo } from './ask.ts';

/** The known nodes of a list, by id. */
export interface KnownNodes {
  known: Readonly<Record<string, KnownNode>>;
  failure?: Failure;
}

/** Asks for the nodes of a list, each once. `isFull`: the table gives them with their attributes; else the sample gives their names. */
export function useKnownNodes(ids: readonly string[], isFull: boolean): KnownNodes {
  const [state, setState] = useState<KnownNodes>({ known: {} });
  const isMissing = (id: string): boolean => {
    const node = state.known[id];
    return node === undefined || (isFull && node.attributes === undefined);
  };
  const missing = [...new Set(ids)].filter(isMissing);
  const question = missing.length === 0 ? undefined : JSON.stringify({ ids: missing, full: isFull });
  useEffect(() => {
    if (question === undefined) return;
    let isOver = false;
    postTo<{ nodes: Record<string, KnownNode> }>('/api/nodes', JSON.parse(question) as object).then(
      ({ nodes }) => {
        if (!isOver) setState(({ known }) => ({ known: { ...known, ...nodes } }));
      },
      (failure: Failure) => {
        if (!isOver) setState(({ known }) => ({ known, failure }));
      },
    );
    return () => {
      isOver = true;
    };
  }, [question]);
  return state;
}
