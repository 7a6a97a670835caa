import { setValue } from '../../planted/changes.ts';
import type { Mutant } from '../../planted/mutant.ts';

/** Rules that keep tenants apart, broken one by one. */
export const TENANTS_MUTANTS: readonly Mutant[] = [
  {
    name: 'fan-out-to-anybody',
    rule: 'A fan-out visits only children that can have such an edge, whatever a reverse item names.',
    changes: [setValue('fan-out-visits-possible-children', "(child: string) => child !== ''")],
  },
];
