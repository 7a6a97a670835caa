import { EdgeloomError } from '../../../foundation/errors.ts';
import { sub, type Value } from './template.ts';

export interface Names {
  /** Service and stage, such as `edgeloom-prod`. */
  prefix: string;
  /** Unique in a region: `edgeloom-prod-check`. */
  local(name: string): string;
  /** Unique in an account: `edgeloom-prod-producer-eu-central-1`. */
  inAccount(name?: string): Value;
  /** Unique in AWS: `edgeloom-prod-failed-123456789012-eu-central-1`. */
  inWorld(name: string): Value;
}

/** The length of the longest region names, such as `ap-southeast-1`. */
const LONGEST_REGION = 14;
const ACCOUNT_DIGITS = 12;
// biome-ignore lint/suspicious/noTemplateCurlyInString: CloudFormation fills it in
const REGION = '${AWS::Region}';

/** The names that reach AWS's limits first. */
const LIMITS: readonly { what: string; name: (prefix: string) => string; most: number }[] = [
  {
    what: 'the bucket of failed batches',
    name: (prefix) => `${prefix}-failed-${'0'.repeat(ACCOUNT_DIGITS)}-${'r'.repeat(LONGEST_REGION)}`,
    most: 63,
  },
  { what: 'a function', name: (prefix) => `${prefix}-redrive`, most: 64 },
  { what: 'a policy', name: (prefix) => `${prefix}-producer-${'r'.repeat(LONGEST_REGION)}`, most: 128 },
];

/** Throws `invalid-argument` for names that AWS would refuse only during the deployment. */
export function stackNames(service: string, stage: string, tableName: string): Names {
  const prefix = `${service}-${stage}`;
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(prefix)) {
    throw new EdgeloomError(
      'invalid-argument',
      `Service ${service} and stage ${stage} cannot be in the name of a bucket.`,
      'Use lower-case letters, digits and single hyphens, with a letter first: --stage prod, not --stage Prod.',
    );
  }
  for (const { what, name, most } of LIMITS) {
    const excess = name(prefix).length - most;
    if (excess <= 0) continue;
    throw new EdgeloomError(
      'invalid-argument',
      `Service ${service} and stage ${stage} make the name of ${what} longer than ${most} characters.`,
      `Shorten service or stage by ${excess} characters; together with the hyphen they may have ${prefix.length - excess}.`,
    );
  }
  const table = `${prefix}-${tableName}`;
  if (!/^[A-Za-z0-9_.-]{3,255}$/.test(table)) {
    throw new EdgeloomError(
      'invalid-argument',
      `DynamoDB takes no table with the name ${table}.`,
      'A name has 3 to 255 letters, digits, hyphens, dots and underscores: change table in the model file.',
    );
  }
  return {
    prefix,
    local: (name) => `${prefix}-${name}`,
    inAccount: (name) => sub([prefix, ...(name === undefined ? [] : [name]), REGION].join('-')),
    inWorld: (name) => sub(`${prefix}-${name}-\${AWS::AccountId}-\${AWS::Region}`),
  };
}
