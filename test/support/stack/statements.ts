import type { PolicyStatement, TemplateResource } from './template.ts';

/** The statements of a role's inline policies. */
export function roleStatements({ Properties }: TemplateResource): PolicyStatement[] {
  const policies = Properties['Policies'] as { PolicyDocument: { Statement: PolicyStatement[] } }[];
  return policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement);
}
