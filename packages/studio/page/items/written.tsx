import { useEffect, useRef } from 'preact/hooks';
import type { WriteAnswer } from '../../api/write.ts';
import { addressOf } from '../base/address.ts';
import { goTo, hereWith, replaceAddress } from '../base/place.tsx';
import { Ripple } from './ripple.tsx';

type Written = Pick<WriteAnswer, 'source' | 'target' | 'after'>;

export function showWritten({ source, target, after }: Written): void {
  const names = { written: target, after: String(after) };
  const isHere = new URLSearchParams(location.search).get('id') === source;
  if (isHere) replaceAddress(hereWith(names));
  else goTo(addressOf('/node', { id: source, ...names }));
}

export function LastWrite({ write, onChange }: { write: Written; onChange: () => void }) {
  const section = useRef<HTMLElement>(null);
  const { target, after } = write;
  useEffect(() => section.current?.scrollIntoView({ block: 'nearest' }), [target, after]);
  return (
    <section class="card" aria-label="Saved" ref={section}>
      <h2>Saved</h2>
      <Ripple
        write={write}
        onProjected={onChange}
        onUndone={(next) => {
          replaceAddress(hereWith({ after: String(next) }));
          onChange();
        }}
      />
    </section>
  );
}
