/** The IAM policy of a producer of one tenant, as SECURITY.md has it, and the judgment of a write by it. */

/** A statement of the policy. */
interface Statement {
  Effect: 'Allow' | 'Deny';
  Action: readonly string[];
  Resource: string;
  Condition: Readonly<Record<string, Readonly<Record<string, string | readonly string[]>>>>;
}

/** A policy. */
export interface Policy {
  Version: string;
  Statement: readonly Statement[];
}

const RESOURCE = 'arn:aws:dynamodb:eu-central-1:123456789012:table/records';

/** The policy of the tenant `acme`, for a model with the node types USER and TEAM. */
export const TENANT_POLICY: Policy = {
  Version: '2012-10-17',
  Statement: [
    {
      Effect: 'Allow',
      Action: [
        'dynamodb:BatchGetItem',
        'dynamodb:BatchWriteItem',
        'dynamodb:ConditionCheckItem',
        'dynamodb:DeleteItem',
        'dynamodb:GetItem',
        'dynamodb:PutItem',
        'dynamodb:Query',
        'dynamodb:UpdateItem',
      ],
      Resource: RESOURCE,
      Condition: {
        'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['USER-acme.*', 'TEAM-acme.*'] },
        Null: { 'dynamodb:LeadingKeys': 'false' },
      },
    },
    {
      Effect: 'Deny',
      Action: ['dynamodb:BatchWriteItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem'],
      Resource: RESOURCE,
      Condition: {
        'ForAnyValue:StringEquals': { 'dynamodb:Attributes': ['gsi0pk', 'gsi0sk', 'gsi1pk', 'gsi1sk', 'edgeSet'] },
      },
    },
  ],
};

/** A call that writes one item. */
export interface WriteCall {
  action: 'dynamodb:PutItem' | 'dynamodb:DeleteItem';
  partition: string;
  /** The names of the attributes that it gives. */
  attributes: readonly string[];
}

/** Whether a policy allows a write: a statement allows it, and none denies it. */
export function allows({ Statement: statements }: Policy, call: WriteCall): boolean {
  const effects = statements.filter((statement) => isAbout(statement, call)).map(({ Effect }) => Effect);
  return effects.includes('Allow') && !effects.includes('Deny');
}

function isAbout({ Action, Condition }: Statement, { action, partition, attributes }: WriteCall): boolean {
  const given: Readonly<Record<string, readonly string[]>> = {
    'dynamodb:LeadingKeys': [partition],
    'dynamodb:Attributes': attributes,
  };
  return (
    Action.includes(action) &&
    Object.entries(Condition).every(([operator, keys]) =>
      Object.entries(keys).every(([key, expected]) => holds(operator, given[key]!, expected)),
    )
  );
}

function holds(operator: string, given: readonly string[], expected: string | readonly string[]): boolean {
  if (operator === 'Null') return (given.length === 0) === (expected === 'true');
  const listed = [expected].flat();
  if (operator === 'ForAnyValue:StringEquals') return given.some((value) => listed.includes(value));
  if (operator === 'ForAllValues:StringLike') return given.every((value) => listed.some((like) => isLike(value, like)));
  throw new Error(`The operator ${operator} is not known.`);
}

/** Whether a text is like another one, in which `*` stands for any characters. */
function isLike(value: string, like: string): boolean {
  const parts = like.split('*').map((part) => part.replace(/[.\\+?^${}()|[\]]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`, 's').test(value);
}
