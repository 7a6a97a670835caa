import { setCondition, setValue } from '../../planted/changes.ts';
import type { Mutant } from '../../planted/mutant.ts';

/** Rules that keep tenants apart, broken one by one. */
export const TENANTS_MUTANTS: readonly Mutant[] = [
  {
    name: 'edge-between-tenants',
    rule: 'An edge joins nodes of one tenant.',
    changes: [setCondition('edge-stays-within-its-tenant', 'from !== undefined')],
  },
  {
    name: 'hashed-edge-between-tenants',
    rule: 'An edge with a hashed key, whose target its image names, joins nodes of one tenant too.',
    changes: [setValue('hashed-edge-stays-within-its-tenant', 'misfitOfTarget(graph, edge, targetId)')],
  },
  {
    name: 'tenants-of-the-edge-before',
    rule: 'Each edge is judged by its own ids, and not by the types of its nodes.',
    changes: [setValue('each-edge-is-judged-by-its-tenants', 'edges.filter(({ isHashed }) => !isHashed)')],
  },
  {
    name: 'fan-out-to-anybody',
    rule: 'A fan-out visits children that may have such an edge, whatever a reverse item names.',
    changes: [setValue('fan-out-visits-possible-children', "(child: string) => child !== ''")],
  },
  {
    name: 'entry-of-anything',
    rule: 'A redrive reconciles an item of another partition only where the edge of its entry may have it.',
    changes: [setValue('entry-names-what-its-edge-may-have', "{ kind: 'edge', target: source }")],
  },
];
