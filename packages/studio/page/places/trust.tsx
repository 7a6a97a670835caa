import type { SuspectsAnswer } from '../../api/trust.ts';
import { useAnswer } from '../base/ask.ts';
import type { PlaceProps } from '../parts/told.tsx';
import { CheckPanel } from './check-panel.tsx';
import { Suspects } from './suspects.tsx';

export function Trust({ model: { isWritable } }: PlaceProps) {
  const suspects = useAnswer<SuspectsAnswer>('/api/suspects');
  return (
    <>
      <Suspects asked={suspects} isWritable={isWritable} />
      <CheckPanel isWritable={isWritable} onDone={suspects.again} />
    </>
  );
}
