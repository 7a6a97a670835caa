import type { CompiledModel } from '../model/compiled.ts';
import { indexArns, TABLE_ARN } from './table.ts';
import { allow, policyDocument, type Resources, type Statement } from './template.ts';

/** Logical ids. */
export const PRODUCER_POLICY = 'ProducerPolicy';
export const READER_POLICY = 'ReaderPolicy';

/**
 * Policies to attach to the roles of the programs around the table.
 *
 * A producer's policy cannot keep it off the derived items, whose sort keys begin with `~`: IAM has a condition on partition
 * keys (`dynamodb:LeadingKeys`) and none on sort keys. The writer refuses such keys, and the check finds what other
 * programs have written there.
 *
 * @param prefix of names; `edgeloom-prod`.
 */
export function policyResources(graph: CompiledModel, prefix: string): Resources {
  const indexes = indexArns(graph);
  return {
    [PRODUCER_POLICY]: managedPolicy(`${prefix}-producer`, 'Puts and deletes nodes and edges of the table.', [
      allow(['dynamodb:BatchWriteItem', 'dynamodb:DeleteItem', 'dynamodb:PutItem'], [TABLE_ARN]),
      // Deleting a node with its edges looks for them, in its partition and in the indexes.
      allow(['dynamodb:BatchGetItem', 'dynamodb:Query'], [TABLE_ARN]),
      allow(['dynamodb:Query'], indexes),
    ]),
    [READER_POLICY]: managedPolicy(`${prefix}-reader`, 'Reads views, edges, searches and pages of the table.', [
      allow(['dynamodb:BatchGetItem', 'dynamodb:GetItem', 'dynamodb:Query'], [TABLE_ARN]),
      allow(['dynamodb:Query'], indexes),
    ]),
  };
}

function managedPolicy(name: string, description: string, statements: readonly Statement[]): Resources[string] {
  return {
    Type: 'AWS::IAM::ManagedPolicy',
    Properties: { ManagedPolicyName: name, Description: description, PolicyDocument: policyDocument(statements) },
  };
}
