import { describe, expect, inject, it } from 'vitest';
import { brokenReferences, cycles, inCycles } from '../support/stack/references.ts';
import { specificationProblems } from '../support/stack/specification.ts';
import { rawTemplate, template } from '../support/stack/template.ts';

/** The generated CloudFormation against AWS's specification of it. */

describe.each(['dev', 'prod'] as const)('the template of the stage %s', (stage) => {
  it('has known resource types, known properties of the right types, and all that are required', () => {
    expect(specificationProblems(template(rawTemplate(inject('packages')[stage])))).toEqual([]);
  });

  it('refers to resources that it has, and to attributes that those have', () => {
    expect(brokenReferences(rawTemplate(inject('packages')[stage]))).toEqual([]);
  });

  it('has no resources that wait for each other', () => {
    expect(cycles(rawTemplate(inject('packages')[stage]))).toEqual([]);
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
