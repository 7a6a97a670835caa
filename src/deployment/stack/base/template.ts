/** JSON that may contain CloudFormation's intrinsic functions. */
export type Value = string | number | boolean | readonly Value[] | { readonly [name: string]: Value };

/** A CloudFormation resource. */
export interface Resource {
  Type: string;
  DependsOn?: string[];
  DeletionPolicy?: 'RetainExceptOnCreate' | 'Delete';
  UpdateReplacePolicy?: 'Retain' | 'Delete';
  UpdatePolicy?: Value;
  Properties: { readonly [name: string]: Value };
}

/** Resources by logical id. */
export type Resources = Record<string, Resource>;

export interface Statement {
  Effect: 'Allow' | 'Deny';
  Principal?: Value;
  Action: Value;
  /** Absent in a role's trust policy. */
  Resource?: Value;
  Condition?: Value;
}

export function ref(logicalId: string): Value {
  return { Ref: logicalId };
}

export function attribute(logicalId: string, name = 'Arn'): Value {
  return { 'Fn::GetAtt': [logicalId, name] };
}

export function sub(text: string): Value {
  return { 'Fn::Sub': text };
}

export function ownArn(service: string, resource: string): Value {
  return sub(`arn:\${AWS::Partition}:${service}:\${AWS::Region}:\${AWS::AccountId}:${resource}`);
}

export function policyDocument(statements: readonly Statement[]): Value {
  return { Version: '2012-10-17', Statement: statements.map((statement) => ({ ...statement })) };
}

/** `actions` are those of one service, such as `sqs:GetQueueAttributes ReceiveMessage`. */
export function allow(actions: string, ...resources: readonly Value[]): Statement {
  const [service, names = ''] = actions.split(':');
  return { Effect: 'Allow', Action: names.split(' ').map((name) => `${service}:${name}`), Resource: resources };
}

/** Lets a service act only for this account's resources that match `of`, such as `{ ArnLike: rule }`. */
export function allowService(service: string, action: string, resource: Value, of: Record<string, Value>): Statement {
  return {
    ...allow(action, resource),
    Principal: { Service: `${service}.amazonaws.com` },
    Condition: ofThisAccount(of),
  };
}

export function ofThisAccount(of: Record<string, Value>): Record<string, Value> {
  const [[operator, source]] = Object.entries(of) as [[string, Value]];
  return { [operator]: { 'aws:SourceArn': source }, StringEquals: { 'aws:SourceAccount': ref('AWS::AccountId') } };
}

export function denyPlainText(action: string, resources: readonly Value[]): Statement {
  return {
    Effect: 'Deny',
    Principal: '*',
    Action: action,
    Resource: resources,
    Condition: { Bool: { 'aws:SecureTransport': 'false' } },
  };
}
