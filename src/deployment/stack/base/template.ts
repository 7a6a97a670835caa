/** Pieces of CloudFormation templates, by their names in CloudFormation. */

/** A value of a template: JSON, intrinsic functions included. */
export type Value = string | number | boolean | readonly Value[] | { readonly [name: string]: Value };

/** A resource of a template. */
export interface Resource {
  Type: string;
  DependsOn?: string[];
  DeletionPolicy?: 'RetainExceptOnCreate' | 'Delete';
  UpdateReplacePolicy?: 'Retain' | 'Delete';
  UpdatePolicy?: Value;
  Properties: { readonly [name: string]: Value };
}

/** Resources by their logical ids. */
export type Resources = Record<string, Resource>;

/** A statement of a policy document. */
export interface Statement {
  Effect: 'Allow' | 'Deny';
  Principal?: Value;
  Action: Value;
  /** Absent in the trust of a role. */
  Resource?: Value;
  Condition?: Value;
}

/** The value of `Ref` for a resource: its name, or for some types its URL or ARN. */
export function ref(logicalId: string): Value {
  return { Ref: logicalId };
}

/** An attribute of a resource; default: its ARN. */
export function attribute(logicalId: string, name = 'Arn'): Value {
  return { 'Fn::GetAtt': [logicalId, name] };
}

/** Text with `${...}` in it. */
export function sub(text: string): Value {
  return { 'Fn::Sub': text };
}

/** The ARN of a resource in the account and region of the stack, for a resource that the template does not name. */
export function ownArn(service: string, resource: string): Value {
  return sub(`arn:\${AWS::Partition}:${service}:\${AWS::Region}:\${AWS::AccountId}:${resource}`);
}

/** A policy document. */
export function policyDocument(statements: readonly Statement[]): Value {
  return { Version: '2012-10-17', Statement: statements.map((statement) => ({ ...statement })) };
}

/** A statement that allows actions on resources. */
export function allow(actions: readonly string[], resources: readonly Value[]): Statement {
  return { Effect: 'Allow', Action: actions, Resource: resources };
}

/** A statement that allows actions of one service, such as `GetItem Query`, on resources. */
export function allowOf(service: string, actions: string, ...resources: readonly Value[]): Statement {
  return allow(
    actions.split(' ').map((action) => `${service}:${action}`),
    resources,
  );
}

/** A statement of a resource's own policy that lets a service act for things of this account, such as `{ ArnLike: rule }`. */
export function allowService(service: string, action: string, resource: Value, of: Record<string, Value>): Statement {
  const [[operator, source]] = Object.entries(of) as [[string, Value]];
  return {
    ...allow([action], [resource]),
    Principal: { Service: `${service}.amazonaws.com` },
    Condition: {
      [operator]: { 'aws:SourceArn': source },
      StringEquals: { 'aws:SourceAccount': ref('AWS::AccountId') },
    },
  };
}

/** A statement of a resource's own policy that refuses whatever does not come over TLS. */
export function denyPlainText(action: string, resources: readonly Value[]): Statement {
  return {
    Effect: 'Deny',
    Principal: '*',
    Action: action,
    Resource: resources,
    Condition: { Bool: { 'aws:SecureTransport': 'false' } },
  };
}
