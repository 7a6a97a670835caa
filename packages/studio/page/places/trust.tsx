import type { Page } from '../../../../src/client/read/request/result.ts';
import type { QuarantineEntry } from '../../../../src/core/plan/quarantine-entry.ts';
import type { SuspectsAnswer } from '../../api/trust.ts';
import { type Asked, useAnswer } from '../base/ask.ts';
import { ItemLink } from '../base/place.tsx';
import { reasonOf } from '../base/words.ts';
import { Redrive } from '../items/redrive.tsx';
import { Ago } from '../parts/ago.tsx';
import { type Column, Grid } from '../parts/grid.tsx';
import { Pager } from '../parts/rows.tsx';
import { Card, type PlaceProps, Told } from '../parts/told.tsx';
import { CheckPanel } from './check-panel.tsx';
import { Suspects } from './suspects.tsx';

/** Problems: records in quarantine, and findings of a check. */
export function Trust({ model, parameters }: PlaceProps) {
  const cursor = parameters.get('cursor') ?? undefined;
  const asked = useAnswer<Page<QuarantineEntry>>('/api/quarantine', { cursor });
  const suspects = useAnswer<SuspectsAnswer>('/api/suspects');
  const onRedriven = (): void => {
    asked.again();
    suspects.again();
  };
  return (
    <div class="cards">
      <Suspects asked={suspects} isWritable={model.isWritable} />
      <Quarantine asked={asked} isWritable={model.isWritable} onRedriven={onRedriven} />
      <CheckPanel isWritable={model.isWritable} id={parameters.get('id') ?? ''} onDone={suspects.again} />
    </div>
  );
}

const COLUMNS: Column<QuarantineEntry>[] = [
  {
    name: 'item',
    valueOf: ({ source, target }) => (target === source ? source : `${source} ${target}`),
    show: ({ source, target }) => <ItemLink source={source} target={target} />,
  },
  { name: 'code', valueOf: ({ code }) => code, show: ({ code }) => <code>{code}</code> },
  { name: 'reason', valueOf: reasonOf },
  { name: 'since', valueOf: ({ since }) => since, show: ({ since }) => <Ago at={since} /> },
];

function Quarantine({
  asked,
  isWritable,
  onRedriven,
}: {
  asked: Asked<Page<QuarantineEntry>>;
  isWritable: boolean;
  onRedriven: () => void;
}) {
  return (
    <Card title="Quarantine" wide>
      <Told asked={asked}>
        {({ items, cursor }) => (
          <>
            <Grid label="Quarantine entries" items={items} own={COLUMNS} empty="Quarantine is empty." />
            <Pager next={cursor} />
          </>
        )}
      </Told>
      {isWritable && <Redrive isEmpty={asked.answer?.items.length === 0} onDone={onRedriven} />}
    </Card>
  );
}
