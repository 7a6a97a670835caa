import { createServer, type IncomingMessage } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import { listening, passOn } from '../local-server.ts';
import type { PolicyStatement } from './template.ts';

/** One thing that a request does. */
export interface Access {
  action: string;
  resource: string;
  /** Partition keys that it touches; undefined where IAM is told of none. */
  leadingKeys?: string[];
}

type Json = Record<string, unknown>;
type Values = Record<string, { S?: string } | undefined>;

const TABLE_ARN = 'arn:aws:dynamodb:eu-central-1:123456789012:table/';

/** The ARN under which the proxy's policies speak of a table of the engine. */
export function tableArn(name: string): string {
  return TABLE_ARN + name;
}

/**
 * A proxy before the engine that enforces a role's policy as IAM does: an explicit Deny, then an Allow of the action on the
 * resource, with conditions on partition keys; anything else is AccessDenied. It notes what was used.
 *
 * @param partitionKey the table's name of it.
 */
export async function startPolicyProxy(
  target: string,
  statements: readonly PolicyStatement[],
  partitionKey = 'source',
) {
  const used = new Set<string>();
  const denied: Access[] = [];
  /** Nodes whose views have no room: the engines take more than DynamoDB does. */
  const full = new Set<string>();
  const server = createServer((request, response) => {
    answer(request)
      .then(({ status, text }) => {
        response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' });
        response.end(text);
      })
      .catch((error: unknown) => response.destroy(error as Error));
  });

  async function answer(request: IncomingMessage): Promise<{ status: number; text: string }> {
    const body = await textOf(request);
    const operation = String(request.headers['x-amz-target']).split('.').at(-1)!;
    for (const access of accessesOf(operation, JSON.parse(body) as Json, partitionKey)) {
      const allowing = grantOf(statements, access);
      if (allowing === undefined) {
        denied.push(access);
        const message = `not authorized to perform: ${access.action} on resource: ${access.resource}`;
        return {
          status: 400,
          text: JSON.stringify({ __type: 'com.amazon.coral.service#AccessDeniedException', message }),
        };
      }
      used.add(`${access.action} ${access.resource}${conditionOf(allowing)}`);
    }
    if (writesFullView(full, operation, JSON.parse(body) as Json, partitionKey)) {
      const message = 'Item size to update has exceeded the maximum allowed size';
      return {
        status: 400,
        text: JSON.stringify({ __type: 'com.amazon.coral.validate#ValidationException', message }),
      };
    }
    return await passOn(target, request.headers, body);
  }

  return { ...(await listening(server)), used, denied, full };
}

/** `action resource` of everything that statements allow on a table and its indexes, with the condition where there is one. */
export function tableGrants(statements: readonly PolicyStatement[]): string[] {
  const grants = statements
    .filter(({ Effect }) => Effect === 'Allow')
    .flatMap((statement) =>
      [statement.Action]
        .flat()
        .flatMap((action) =>
          [statement.Resource]
            .flat()
            .map((resource) => ({ text: `${action} ${resource}${conditionOf(statement)}`, resource })),
        ),
    );
  return grants
    .filter(({ resource }) => /:table\/[^/]+(\/index\/.*)?$/.test(resource))
    .map(({ text }) => text)
    .sort();
}

function conditionOf({ Condition }: PolicyStatement): string {
  return Condition === undefined ? '' : ` if ${JSON.stringify(Condition)}`;
}

/** The statement that allows an access; undefined where it is denied. */
export function grantOf(statements: readonly PolicyStatement[], access: Access): PolicyStatement | undefined {
  const fitting = statements.filter(
    (statement) =>
      [statement.Action].flat().includes(access.action) &&
      [statement.Resource].flat().includes(access.resource) &&
      meets(statement.Condition as Json | undefined, access),
  );
  if (fitting.some(({ Effect }) => Effect === 'Deny')) return undefined;
  return fitting.find(({ Effect }) => Effect === 'Allow');
}

function meets(condition: Json | undefined, { leadingKeys = [] }: Access): boolean {
  return Object.entries(condition ?? {}).every(([operator, values]) => {
    const expected = (values as Json)['dynamodb:LeadingKeys'] as string[];
    // As in IAM, "for all values" holds where there are none.
    if (operator === 'ForAllValues:StringEquals') return leadingKeys.every((key) => expected.includes(key));
    if (operator === 'ForAnyValue:StringEquals') return leadingKeys.some((key) => expected.includes(key));
    throw new Error(`the proxy does not know the condition ${operator}`);
  });
}

/** Tells whether a call writes a view that counts as full. A batch of statements is refused as a whole, so that each goes by itself. */
function writesFullView(nodes: ReadonlySet<string>, operation: string, body: Json, partitionKey: string): boolean {
  if (operation === 'BatchExecuteStatement') {
    return (body['Statements'] as StatementRequest[]).some(
      (statement) =>
        nodes.has(leadingKeyOf(statement, partitionKey)) && statement.Parameters.some(({ S }) => S === '~view'),
    );
  }
  if (operation !== 'UpdateItem') return false;
  const key = body['Key'] as Values;
  return nodes.has(key[partitionKey]!.S!) && Object.values(key).some((value) => value?.S === '~view');
}

function accessesOf(operation: string, body: Json, partitionKey: string): Access[] {
  const keyOf = (item: unknown): string => (item as Values)[partitionKey]!.S!;
  const one = (action: string, table: unknown, ...leadingKeys: string[]): Access => ({
    ...{ action: `dynamodb:${action}`, resource: tableArn(String(table)), leadingKeys },
  });
  switch (operation) {
    case 'GetItem':
    case 'DeleteItem':
    case 'UpdateItem':
      return [one(operation, body['TableName'], keyOf(body['Key']))];
    case 'PutItem':
      return [one(operation, body['TableName'], keyOf(body['Item']))];
    case 'Scan':
      if (body['IndexName'] !== undefined) return [indexAccess(operation, body)];
      return [{ action: 'dynamodb:Scan', resource: tableArn(String(body['TableName'])) }];
    case 'DescribeTable':
    case 'DescribeTimeToLive':
    case 'UpdateTable':
      return [{ action: `dynamodb:${operation}`, resource: tableArn(String(body['TableName'])) }];
    case 'Query':
      return [queryAccess(body)];
    case 'BatchGetItem':
      return Object.entries(body['RequestItems'] as Record<string, { Keys: unknown[] }>).map(([table, { Keys }]) =>
        one(operation, table, ...Keys.map(keyOf)),
      );
    case 'BatchWriteItem':
      return Object.entries(
        body['RequestItems'] as Record<string, Record<string, { Item?: unknown; Key?: unknown }>[]>,
      ).map(([table, writes]) =>
        one(
          operation,
          table,
          ...writes.map((write) => keyOf(Object.values(write)[0]!.Item ?? Object.values(write)[0]!.Key)),
        ),
      );
    case 'TransactWriteItems':
      // There is no right to transactions: each part needs its own.
      return (body['TransactItems'] as Record<string, Json>[]).map((part) => {
        const [name, change] = Object.entries(part)[0]!;
        return one(
          name === 'ConditionCheck' ? 'ConditionCheckItem' : `${name}Item`,
          change['TableName'],
          keyOf(change['Item'] ?? change['Key']),
        );
      });
    case 'BatchExecuteStatement':
      // There is no right to batches of statements: each kind has one of its own.
      return (body['Statements'] as StatementRequest[]).map((statement) => statementAccess(statement, partitionKey));
    case 'TransactGetItems':
      return (body['TransactItems'] as { Get: Json }[]).map(({ Get }) =>
        one('GetItem', Get['TableName'], keyOf(Get['Key'])),
      );
    default:
      throw new Error(`the proxy does not know ${operation}`);
  }
}

interface StatementRequest {
  Statement: string;
  Parameters: { S?: string }[];
}

function statementAccess(statement: StatementRequest, partitionKey: string): Access {
  const [, verb, table] = /^(INSERT INTO|UPDATE) "([^"]+)"/.exec(statement.Statement)!;
  const action = `dynamodb:${verb === 'UPDATE' ? 'PartiQLUpdate' : 'PartiQLInsert'}`;
  return { action, resource: tableArn(table!), leadingKeys: [leadingKeyOf(statement, partitionKey)] };
}

/** Every value is a parameter, so the key's is as far along as there are parameters before its name. */
function leadingKeyOf({ Statement: text, Parameters }: StatementRequest, partitionKey: string): string {
  const before = text.slice(0, text.search(new RegExp(`['"]${partitionKey}['"]`)));
  return Parameters[before.split('?').length - 1]!.S!;
}

/** Policies allow an action on all indexes of a table at once. */
function indexAccess(operation: string, body: Json): Access {
  return { action: `dynamodb:${operation}`, resource: `${tableArn(String(body['TableName']))}/index/*` };
}

function queryAccess(body: Json): Access {
  if (body['IndexName'] !== undefined) return indexAccess('Query', body);
  const table = tableArn(String(body['TableName']));
  // The partition key's equality comes first.
  const place = /=\s*(:\w+)/.exec(String(body['KeyConditionExpression']))![1]!;
  const key = (body['ExpressionAttributeValues'] as Values)[place]!.S!;
  return { action: 'dynamodb:Query', resource: table, leadingKeys: [key] };
}
