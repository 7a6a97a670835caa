import type { TotalOfNode } from '../../api/totals.ts';
import { useAnswer } from '../base/ask.ts';
import { useAskedAgain } from '../base/touches.ts';
import { Rows } from './rows.tsx';
import { Told } from './told.tsx';
import { jsonText } from './value.tsx';

const DIRECTIONS = { inbound: 'enter', outgoing: 'leave' } as const;

/** The properties of a node's totals. */
export interface TotalsProps {
  id: string;
  /** The one edge type to show; undefined: all. */
  type?: string;
  /** How often something of the node was written while one looked. */
  touches: number;
}

/** The counts, sums and groups of a node's edges. */
export function Totals({ id, type, touches }: TotalsProps) {
  const asked = useAnswer<{ totals: TotalOfNode[] }>('/api/totals', { id, type });
  useAskedAgain(asked, touches);
  return (
    <Told asked={asked}>
      {({ totals }) => (
        <Rows
          label="Numbers of edges"
          headings={['edges', 'number', 'sums', 'groups', 'problems']}
          rows={totals.map(({ type: edge, direction, total, hasTooManyGroups }) => {
            const { count, problems = 0, groups, ...sums } = total;
            return [
              `${edge} that ${DIRECTIONS[direction]}`,
              count,
              namesAndValues(sums),
              hasTooManyGroups ? 'more values than a total holds' : groupsText(groups),
              problems,
            ];
          })}
          empty="The model keeps no totals of these edges."
        />
      )}
    </Told>
  );
}

function namesAndValues(values: Record<string, unknown>): string {
  return Object.entries(values)
    .map(([name, value]) => `${name} ${withThousandsSeparators(typeof value === 'string' ? value : jsonText(value))}`)
    .join(', ');
}

function groupsText(groups: Record<string, Record<string, number>>): string {
  return Object.entries(groups)
    .map(([name, numbers]) => `${name}: ${namesAndValues(numbers) || 'none'}`)
    .join('; ');
}

/** Inserts commas into the whole part of a decimal text: `1234567.5` becomes `1,234,567.5`. */
function withThousandsSeparators(decimal: string): string {
  const sign = decimal.startsWith('-') ? '-' : '';
  return sign + decimal.slice(sign.length).replace(/^\d+/, (whole) => BigInt(whole).toLocaleString('en'));
}
