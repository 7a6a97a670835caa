import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { installedPackage, installedTestPackage } from './test-package.ts';

/** Applications that write a table through a library, in the layout that the library has by default. */

// The libraries are in packages of their own, without types here.
// biome-ignore lint/suspicious/noExplicitAny: as above
type Untyped = any;

/** What an application does through a library. */
export interface Application {
  putOrg(id: string, name: string): Promise<unknown>;
  putUser(id: string, name: string): Promise<unknown>;
  putMember(org: string, user: string, since: string): Promise<unknown>;
}

/** A library that writes a table with the keys `pk` and `sk`. */
export interface Library {
  library: string;
  /** Opens an application that writes a table. */
  open(client: DynamoDBClient, table: string): Promise<Application>;
}

async function loaded(folder: Promise<string>, name: string): Promise<Untyped> {
  return createRequire(join(await folder, 'package.json'))(name);
}

const text = { type: 'string' };

/** The libraries that `adopt` knows. */
export const LIBRARY_TABLES: readonly Library[] = [
  {
    library: 'ElectroDB',
    open: async (client, table) => {
      const { Entity } = await loaded(installedTestPackage('cloudformation'), 'electrodb');
      const entity = (name: string, pk: string, sk: string[], more: string): Untyped =>
        new Entity(
          {
            model: { entity: name, service: 'app', version: '1' },
            attributes: Object.fromEntries([pk, ...sk, more].map((attribute) => [attribute, text])),
            indexes: { primary: { pk: { field: 'pk', composite: [pk] }, sk: { field: 'sk', composite: sk } } },
          },
          { client: DynamoDBDocumentClient.from(client), table },
        );
      const org = entity('org', 'orgId', [], 'name');
      const user = entity('user', 'userId', [], 'name');
      const member = entity('member', 'orgId', ['userId'], 'since');
      return {
        putOrg: (orgId, name) => org.put({ orgId, name }).go(),
        putUser: (userId, name) => user.put({ userId, name }).go(),
        putMember: (orgId, userId, since) => member.put({ orgId, userId, since }).go(),
      };
    },
  },
  {
    library: 'OneTable',
    open: async (client, name) => {
      const { Table } = await loaded(installedTestPackage('onetable'), 'dynamodb-onetable');
      const field = { type: String };
      const key = (value: string) => ({ type: String, value });
      const models = {
        Org: { pk: key(`org:\${orgId}`), sk: key('org:'), orgId: field, name: field },
        User: { pk: key(`user:\${userId}`), sk: key('user:'), userId: field, name: field },
        Member: { pk: key(`org:\${orgId}`), sk: key(`user:\${userId}`), orgId: field, userId: field, since: field },
      };
      const schema = {
        format: 'onetable:1.1.0',
        version: '1',
        indexes: { primary: { hash: 'pk', sort: 'sk' } },
        models,
      };
      const table = new Table({ client, name, schema, partial: false, logger: false });
      const [org, user, member] = ['Org', 'User', 'Member'].map((model): Untyped => table.getModel(model));
      return {
        putOrg: (orgId, orgName) => org.create({ orgId, name: orgName }, { exists: null }),
        putUser: (userId, userName) => user.create({ userId, name: userName }, { exists: null }),
        putMember: (orgId, userId, since) => member.create({ orgId, userId, since }, { exists: null }),
      };
    },
  },
  {
    library: 'DynamoDB-Toolbox',
    open: async (client, name) => {
      const folder = installedPackage(join(process.cwd(), 'bench/peers/dynamodb-toolbox'), {
        cache: join(process.cwd(), '.cache/packages'),
        environment: () => ({ npm_config_legacy_peer_deps: 'true' }),
      });
      const toolbox = await loaded(folder, 'dynamodb-toolbox');
      const { Entity, item, string, Table, PutItemCommand } = toolbox;
      const table = new Table({
        documentClient: DynamoDBDocumentClient.from(client),
        name,
        partitionKey: { name: 'pk', type: 'string' },
        sortKey: { name: 'sk', type: 'string' },
      });
      const entity = (type: string, ids: string[], more: string, computeKey: (ids: Untyped) => object): Untyped => {
        const keys = Object.fromEntries(ids.map((id) => [id, string().key()]));
        return new Entity({ name: type, table, schema: item({ ...keys, [more]: string() }), computeKey });
      };
      const org = entity('ORG', ['orgId'], 'name', ({ orgId }) => ({ pk: `ORG#${orgId}`, sk: 'ORG' }));
      const user = entity('USER', ['userId'], 'name', ({ userId }) => ({ pk: `USER#${userId}`, sk: 'USER' }));
      const member = entity('MEMBER', ['orgId', 'userId'], 'since', ({ orgId, userId }) => {
        return { pk: `ORG#${orgId}`, sk: `USER#${userId}` };
      });
      const put = (of: Untyped, attributes: object) => of.build(PutItemCommand).item(attributes).send();
      return {
        putOrg: (orgId, orgName) => put(org, { orgId, name: orgName }),
        putUser: (userId, userName) => put(user, { userId, name: userName }),
        putMember: (orgId, userId, since) => put(member, { orgId, userId, since }),
      };
    },
  },
];
