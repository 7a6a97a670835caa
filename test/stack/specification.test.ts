import { describe, expect, inject, it } from 'vitest';
import { attributesOf, specificationProblems } from '../support/stack/specification.ts';
import { rawTemplate, template } from '../support/stack/template.ts';

/** The generated CloudFormation against AWS's specification of it. */

describe.each(['dev', 'prod'] as const)('the template of the stage %s', (stage) => {
  it('has known resource types, known properties of the right types, and all that are required', () => {
    expect(specificationProblems(template(rawTemplate(inject('packages')[stage])))).toEqual([]);
  });

  it('refers to resources that it has, and to attributes that those have', () => {
    const { Resources, Outputs } = rawTemplate(inject('packages')[stage]);
    const missing = references({ Resources, Outputs }).filter(({ id, attribute }) => {
      const resource = Resources[id];
      if (resource === undefined) return true;
      // Buckets, queues and tables: their ARNs and the like are attributes; some types list them among the properties.
      return attribute !== undefined && !attributesOf(resource.Type).includes(attribute);
    });
    expect(missing).toEqual([]);
    for (const { DependsOn = [] } of Object.values(Resources)) {
      for (const id of DependsOn) expect(Resources).toHaveProperty(id);
    }
  });

  it('has no resources that wait for each other', () => {
    const { Resources } = rawTemplate(inject('packages')[stage]);
    const waitsFor = new Map(
      Object.entries(Resources).map(([id, resource]) => [
        id,
        new Set([...references(resource).map((reference) => reference.id), ...(resource.DependsOn ?? [])]),
      ]),
    );
    expect(inCycles(waitsFor)).toEqual([]);
  });
});

describe('the comparison with the specification', () => {
  const problems = (Type: string, Properties: object) =>
    specificationProblems({ Resources: { It: { Type, Properties } } } as never);

  it('finds an unknown type', () => {
    expect(problems('AWS::DynamoDB::Desk', {})).toEqual(['It: there is no AWS::DynamoDB::Desk']);
  });
  it('finds what is missing, unknown, of another type, deep in it', () => {
    expect(problems('AWS::DynamoDB::Table', { KeySchema: [{ AttributeName: 'a' }], Tabel: 1, BillingMode: 7 })).toEqual(
      [
        'It.KeySchema[0].KeyType: is missing',
        'It.Tabel: there is no such property',
        'It.BillingMode: 7 is not a string',
      ],
    );
  });
  it('finds resources that wait for each other', () => {
    expect(
      inCycles(
        new Map([
          ['a', new Set(['b'])],
          ['b', new Set(['a'])],
          ['c', new Set(['a'])],
        ]),
      ),
    ).toEqual(['a', 'b', 'c']);
  });
});

interface Reference {
  id: string;
  attribute?: string;
}

/** Every `Ref`, `Fn::GetAtt` and place in an `Fn::Sub` that names a resource. */
function references(value: unknown): Reference[] {
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

/** What is left when everything is taken away that waits for nothing that is left. */
function inCycles(waitsFor: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  let left = [...waitsFor.keys()];
  for (;;) {
    const stuck = left.filter((id) => [...waitsFor.get(id)!].some((other) => left.includes(other)));
    if (stuck.length === left.length) return stuck;
    left = stuck;
  }
}
