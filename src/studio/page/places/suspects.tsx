import type { Page } from '../../../client/read/request/result.ts';
import type { QuarantineEntry } from '../../../core/plan/quarantine-entry.ts';
import type { CheckAnswer } from '../../api/trust.ts';
import { addressOf } from '../base/address.ts';
import { useAnswer } from '../base/ask.ts';
import { Link } from '../base/place.tsx';
import { Badge, Card } from '../parts/told.tsx';
import { REGISTRY } from './check-panel.tsx';

/** Items that are shown of those that need a look. */
const SHOWN = 8;

/** Items that need a look: those in quarantine, and what the last check found; nothing where there are none. */
export function Suspects() {
  const { answer: quarantine } = useAnswer<Page<QuarantineEntry>>('/api/quarantine', { limit: String(SHOWN) });
  const { answer: last } = useAnswer<CheckAnswer>('/api/check');
  const found = (last?.check?.findings ?? []).filter(({ source }) => source !== REGISTRY);
  const all = [
    ...(quarantine?.items ?? []).map(({ source, target, code }) => ({ source, target, why: code })),
    ...found.map(({ source, target, verdict }) => ({ source, target, why: verdict })),
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
