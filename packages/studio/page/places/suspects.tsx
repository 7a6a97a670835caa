import { useState } from 'preact/hooks';
import type { Page } from '../../../../src/client/read/request/result.ts';
import type { QuarantineEntry } from '../../../../src/core/plan/quarantine-entry.ts';
import { DRIFT } from '../../../../src/trust/check/finding.ts';
import type { CheckAnswer, DriftAnswer } from '../../api/trust.ts';
import { addressOf } from '../base/address.ts';
import { type Asked, useAnswer, useAskedLater } from '../base/ask.ts';
import { Link } from '../base/place.tsx';
import { RepairNode } from '../items/repair-node.tsx';
import { Badge, Card } from '../parts/told.tsx';
import { REGISTRY } from './check-panel.tsx';

/** How many of the items that need a look are shown. */
const SHOWN = 8;
/** Milliseconds until the observer's differences are read again. */
const AGAIN_MS = 10_000;

/**
 * The differences of the observer and of the last check and the items in quarantine, worst first; without any of them nothing.
 *
 * @param quarantine the entries that the place has asked for itself; absent: they are asked for here.
 */
export function Suspects({
  quarantine,
  isWritable = false,
}: {
  quarantine?: Asked<Page<QuarantineEntry>>;
  isWritable?: boolean;
}) {
  const own = useAnswer<Page<QuarantineEntry>>(quarantine === undefined ? '/api/quarantine' : undefined, {
    limit: String(SHOWN),
  });
  const quarantined = (quarantine ?? own).answer?.items ?? [];
  const { answer: last } = useAnswer<CheckAnswer>('/api/check');
  const observed = useAnswer<DriftAnswer>('/api/drift');
  useAskedLater(observed, AGAIN_MS);
  const found = (last?.check?.findings ?? []).filter(({ source }) => source !== REGISTRY);
  const shown = found.map(({ source, target, verdict }) => ({ source, target, why: verdict }));
  const known = (observed.answer?.items ?? []).map(({ source, target, state }) => ({ source, target, why: state }));
  const isDrift = ({ why }: (typeof shown)[number]): boolean => (DRIFT as readonly string[]).includes(why);
  const drifted = new Set([...known, ...shown.filter(isDrift)].map(nameOf));
  const all = [
    ...known.filter(({ source, target }) => !shown.some((one) => one.source === source && one.target === target)),
    ...shown.filter(isDrift),
    ...quarantined.map(({ source, target, code }) => ({ source, target, why: code })),
    ...shown.filter((one) => !isDrift(one)),
  ];
  if (all.length === 0) return null;
  return (
    <Card title="Items that need a look">
      <ul class="nodes">
        {all.slice(0, SHOWN).map(({ source, target, why }) => (
          <li key={`${source} ${target} ${why}`}>
            <Suspect
              {...{ source, target, why }}
              isRepairable={isWritable && drifted.has(nameOf({ source, target }))}
            />
          </li>
        ))}
      </ul>
    </Card>
  );
}

function nameOf({ source, target }: { source: string; target: string }): string {
  return source === target ? source : `${source} ${target}`;
}

/** An item that needs a look. */
interface SuspectProps {
  source: string;
  target: string;
  /** The difference, or the code of quarantine. */
  why: string;
  /** True if a repair of its node may put it right. */
  isRepairable: boolean;
}

function Suspect({ source, target, why, isRepairable }: SuspectProps) {
  const [isRepaired, setRepaired] = useState(false);
  return (
    <>
      <Link to={addressOf('/inspect', { id: source, target })} class="key">
        <bdi>{nameOf({ source, target })}</bdi>
      </Link>{' '}
      {/* The observer needs a moment to see the repair. */}
      <Badge kind={isRepaired ? 'good' : 'bad'}>{isRepaired ? 'repaired' : why}</Badge>{' '}
      {isRepairable && !isRepaired && <RepairNode id={source} onDone={() => setRepaired(true)} />}
    </>
  );
}
