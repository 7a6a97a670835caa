import { appendFileSync } from 'node:fs';
import * as dynamodb from '@aws-sdk/client-dynamodb';

/**
 * Stands in for the AWS command line in runbooks: what concerns DynamoDB is done on the engine of the test, with the input that
 * the arguments make; everything is noted in the file that AWS_CALLS names. A restore, which no engine has, copies the items
 * into a table with the keys and indexes of the source, and with nothing else, as DynamoDB does.
 */

const [service, operation, ...rest] = process.argv.slice(2);
const input = {};
let words = [];
for (const word of rest) {
  if (!word.startsWith('--')) {
    words.push(word);
    continue;
  }
  words = [];
  input[pascal(word.slice(2))] = words;
}
for (const [name, values] of Object.entries(input)) input[name] = values.length === 0 ? true : parsed(values.join(' '));
appendFileSync(process.env.AWS_CALLS, `${JSON.stringify({ service, operation, input })}\n`);

if (service === 'dynamodb') {
  const client = new dynamodb.DynamoDBClient({
    region: 'eu-central-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
  if (operation === 'wait') {
    await dynamodb.waitUntilTableExists({ client, maxWaitTime: 60 }, { TableName: input.TableName });
  } else if (operation === 'restore-table-to-point-in-time') {
    await restore(client, input.SourceTableName, input.TargetTableName);
  } else if (operation === 'update-table') {
    await client.send(new dynamodb.UpdateTableCommand(input));
  } else if (operation === 'update-time-to-live') {
    await client.send(new dynamodb.UpdateTimeToLiveCommand(input));
  } else if (operation !== 'update-continuous-backups') {
    throw new Error(`dynamodb ${operation} is not known here`);
  }
}

async function restore(client, TableName, target) {
  const { Table } = await client.send(new dynamodb.DescribeTableCommand({ TableName }));
  await client.send(
    new dynamodb.CreateTableCommand({
      TableName: target,
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: Table.KeySchema,
      AttributeDefinitions: Table.AttributeDefinitions,
      GlobalSecondaryIndexes: Table.GlobalSecondaryIndexes?.map(({ IndexName, KeySchema, Projection }) => {
        return { IndexName, KeySchema, Projection };
      }),
    }),
  );
  for await (const { Items = [] } of dynamodb.paginateScan({ client }, { TableName })) {
    for (const Item of Items) await client.send(new dynamodb.PutItemCommand({ TableName: target, Item }));
  }
}

function pascal(text) {
  return text.replace(/(?:^|-)([a-z])/g, (_, letter) => letter.toUpperCase());
}

/** A JSON value, a structure in the short form `A=b,C=d`, or a text. */
function parsed(text) {
  if (/^[[{]/.test(text)) return JSON.parse(text);
  if (!/^\w+=/.test(text)) return text;
  return Object.fromEntries(
    text.split(',').map((part) => {
      const [name, value] = part.split('=');
      return [name, value === 'true' ? true : value === 'false' ? false : value];
    }),
  );
}
