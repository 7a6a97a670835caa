import { attributesOf } from './specification.ts';
import type { Template } from './template.ts';

/** What the parts of a template name of each other. */

/** A place that names a resource, or an attribute of it. */
export interface Reference {
  id: string;
  attribute?: string;
}

/** Every `Ref`, `Fn::GetAtt` and place in an `Fn::Sub` that names a resource. */
export function references(value: unknown): Reference[] {
  if (Array.isArray(value)) return value.flatMap(references);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, one]): Reference[] => {
    if (name === 'Ref' && typeof one === 'string') return one.startsWith('AWS::') ? [] : [{ id: one }];
    if (name === 'Fn::GetAtt') return [{ id: one[0], attribute: one[1] }];
    if (name !== 'Fn::Sub') return references(one);
    const [text, values] = typeof one === 'string' ? [one, {}] : one;
    const places = [...(text as string).matchAll(/\$\{([^}]+)\}/g)].map(([, place]) => place!);
    const named = places.filter((place) => !place.startsWith('AWS::') && !(place in values));
    return [...named.map(parsed), ...references(values)];
  });
}

function parsed(place: string): Reference {
  const [id, attribute] = place.split('.') as [string, string?];
  return { id, attribute };
}

/** The references, in resources, their order and outputs, to resources or attributes that there are not. */
export function brokenReferences({ Resources, Outputs }: Template): Reference[] {
  const waited = Object.values(Resources).flatMap(({ DependsOn = [] }) => DependsOn.map((id) => ({ id })));
  return [...references({ Resources, Outputs }), ...waited].filter(({ id, attribute }: Reference) => {
    const resource = Resources[id];
    if (resource === undefined) return true;
    // Buckets, queues and tables: their ARNs and the like are attributes; some types list them among the properties.
    return attribute !== undefined && !attributesOf(resource.Type).includes(attribute);
  });
}

/** The resources that wait for each other. */
export function cycles({ Resources }: Pick<Template, 'Resources'>): string[] {
  return inCycles(
    new Map(
      Object.entries(Resources).map(([id, resource]) => [
        id,
        new Set([...references(resource).map((reference) => reference.id), ...(resource.DependsOn ?? [])]),
      ]),
    ),
  );
}

/** What is left when everything is taken away that waits for nothing that is left. */
export function inCycles(waitsFor: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  let left = [...waitsFor.keys()];
  for (;;) {
    const stuck = left.filter((id) => [...waitsFor.get(id)!].some((other) => left.includes(other)));
    if (stuck.length === left.length) return stuck;
    left = stuck;
  }
}
