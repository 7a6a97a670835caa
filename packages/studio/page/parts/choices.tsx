import type { ValueCount } from '../../base/table-sample.ts';
import { Link } from '../base/place.tsx';
import { Text } from './value.tsx';

/** The values that an attribute has, each a link. */
export function Choices({
  name,
  values,
  to,
}: {
  /** The attribute. */
  name: string;
  values: readonly ValueCount[];
  to: (value: string) => string;
}) {
  if (values.length === 0) return null;
  return (
    <ul class="choices" aria-label={`Values of ${name}`}>
      {values.map(({ value, count }) => (
        <li key={value}>
          <Link to={to(value)}>
            <Text text={value} /> <span class="quiet">{count.toLocaleString('en')}</span>
          </Link>
        </li>
      ))}
    </ul>
  );
}
