import type { Page } from '../../../../src/client/read/request/result.ts';
import type { QuarantineEntry } from '../../../../src/core/plan/quarantine-entry.ts';
import { DRIFT } from '../../../../src/trust/check/finding.ts';
import type { CheckAnswer, DriftAnswer } from '../../api/trust.ts';
import { addressOf } from '../base/address.ts';
import { type Asked, useAnswer } from '../base/ask.ts';
import { Link } from '../base/place.tsx';
import { Badge, Card } from '../parts/told.tsx';
import { REGISTRY } from './check-panel.tsx';

/** How many of the items that need a look are shown. */
const SHOWN = 8;

/**
 * The differences of the observer and of the last check and the items in quarantine, worst first; without any of them nothing.
 *
 * @param quarantine the entries that the place has asked for itself; absent: they are asked for here.
 */
export function Suspects({ quarantine }: { quarantine?: Asked<Page<QuarantineEntry>> }) {
  const own = useAnswer<Page<QuarantineEntry>>(quarantine === undefined ? '/api/quarantine' : undefined, {
    limit: String(SHOWN),
  });
  const quarantined = (quarantine ?? own).answer?.items ?? [];
  const { answer: last } = useAnswer<CheckAnswer>('/api/check');
  const { answer: observed } = useAnswer<DriftAnswer>('/api/drift');
  const found = (last?.check?.findings ?? []).filter(({ source }) => source !== REGISTRY);
  const shown = found.map(({ source, target, verdict }) => ({ source, target, why: verdict }));
  const isDrift = ({ why }: (typeof shown)[number]): boolean => (DRIFT as readonly string[]).includes(why);
  const known = (observed?.items ?? []).map(({ source, target, state }) => ({ source, target, why: state }));
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
            <Link to={addressOf('/inspect', { id: source, target })} class="key">
              <bdi>{target === source ? source : `${source} ${target}`}</bdi>
            </Link>{' '}
            <Badge kind="bad">{why}</Badge>
          </li>
        ))}
      </ul>
    </Card>
  );
}
