import type { TotalOfNode } from '../../api/totals.ts';
import { useAnswer } from '../base/ask.ts';
import { useAskedAgain } from '../base/flow.ts';
import { Rows } from './rows.tsx';
import { Told } from './told.tsx';
import { jsonText } from './value.tsx';

const DIRECTIONS = { inbound: 'incoming', outgoing: 'outgoing' } as const;

export interface TotalsProps {
  id: string;
  touches: number;
}

export function Totals({ id, touches }: TotalsProps) {
  const asked = useAnswer<{ totals: TotalOfNode[] }>('/api/totals', { id });
  useAskedAgain(asked, touches);
  return (
    <Told asked={asked}>
      {({ totals }) => {
        const counted = totals.filter(({ total: { count } }) => count > 0);
        const columns = COLUMNS.filter(({ textOf }, i) => i < 2 || counted.some((one) => textOf(one) !== ''));
        return (
          <Rows
            label="Numbers of edges"
            headings={columns.map(({ name }) => name)}
            rows={counted.map((one) => columns.map(({ textOf }) => textOf(one)))}
            empty="No edges yet."
          />
        );
      }}
    </Told>
  );
}

const COLUMNS: readonly { name: string; textOf: (total: TotalOfNode) => string | number }[] = [
  { name: 'edges', textOf: ({ type, direction }) => `${type}, ${DIRECTIONS[direction]}` },
  { name: 'number', textOf: ({ total: { count } }) => count },
  { name: 'sums', textOf: ({ total: { count: _, problems: __, groups: ___, ...sums } }) => namesAndValues(sums) },
  {
    name: 'groups',
    textOf: ({ total: { groups }, hasTooManyGroups }) =>
      hasTooManyGroups ? 'too many groups to keep' : groupsText(groups),
  },
  { name: 'problems', textOf: ({ total: { problems = 0 } }) => problems || '' },
];

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

function withThousandsSeparators(decimal: string): string {
  const sign = decimal.startsWith('-') ? '-' : '';
  return sign + decimal.slice(sign.length).replace(/^\d+/, (whole) => BigInt(whole).toLocaleString('en'));
}
