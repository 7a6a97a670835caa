import { DeleteItemCommand, type DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import type { SourceItem } from '../../../src/sources/source.ts';
import type { Random } from '../../simulator/kernel/random.ts';
import { numbers } from './fixture.ts';

/**
 * The version-control service as a program: it knows its own table in the layout of ElectroDB, and nothing of a mirror. It keeps in memory
 * what it has written, so that answers can be compared.
 */
export class VersionControl {
  /** What is in the table, by the two keys. */
  readonly rows = new Map<string, SourceItem>();
  private readonly users = numbers(12).map((i) => `user${i}`) as [string, ...string[]];
  private readonly repos: [Repository, ...Repository[]];

  constructor(
    private readonly client: DynamoDBClient,
    private readonly table: string,
    private readonly random: Random,
  ) {
    const repo = (i: number): Repository => ({ repoOwner: random.oneOf(this.users), repoName: `repo${i}` });
    this.repos = numbers(8).map(repo) as [Repository, ...Repository[]];
  }

  /** Does what one of its users asks for: one write. */
  async act(): Promise<void> {
    const { random } = this;
    const [user, repo] = [random.oneOf(this.users), random.oneOf(this.repos)];
    const chance = random.below(100);
    if (chance < 10) await this.saveUser(user);
    else if (chance < 20) await this.saveRepository(repo);
    else if (chance < 65) await this.saveIssue(repo, user);
    else if (chance < 75) await this.closeIssue(repo);
    else if (chance < 92) await this.star(repo, user);
    else await this.unstar(repo, user);
  }

  private async saveUser(username: string): Promise<void> {
    const fn = `Full ${this.random.below(50)}`;
    await this.put({ pk: `$vcs#username_${username}`, sk: '$overview#user_1', username, fn, ...named('user', '1') });
  }

  private async saveRepository(repo: Repository): Promise<void> {
    const about = `About ${this.random.below(50)}`;
    const pk = `$vcs#repoowner_${repo.repoOwner}`;
    await this.put({ pk, sk: `$repository_1#reponame_${repo.repoName}`, ...repo, about, ...named('repository', '1') });
  }

  /** Opens an issue, or writes one again: with another subject, and now and then of another user. */
  private async saveIssue(repo: Repository, username: string): Promise<void> {
    const issueNumber = this.issueNumber();
    await this.put({
      ...issueKey(repo, issueNumber),
      ...{ gsi1pk: `$vcs#username_${username}`, gsi1sk: '$owned#issue_2' },
      ...{ gsi2pk: partitionOf(repo), gsi2sk: `$activity#issuenumber_${issueNumber}#issue_2` },
      ...{ ...repo, issueNumber, username, subject: `Subject ${this.random.below(50)}`, ...named('issue', '2') },
    });
  }

  private async closeIssue(repo: Repository): Promise<void> {
    await this.delete(issueKey(repo, this.issueNumber()));
  }

  private async star(repo: Repository, username: string): Promise<void> {
    const at = `2026-0${1 + this.random.below(9)}`;
    await this.put({ ...starKey(repo, username), ...repo, username, at, ...named('star', '1') });
  }

  private async unstar(repo: Repository, username: string): Promise<void> {
    await this.delete(starKey(repo, username));
  }

  private issueNumber(): string {
    return String(this.random.below(12)).padStart(4, '0');
  }

  private async put(item: Key & SourceItem): Promise<void> {
    await this.client.send(new PutItemCommand({ TableName: this.table, Item: marshall(item) }));
    this.rows.set(textOf(item), item);
  }

  private async delete(key: Key): Promise<void> {
    await this.client.send(new DeleteItemCommand({ TableName: this.table, Key: marshall(key) }));
    this.rows.delete(textOf(key));
  }
}

interface Repository {
  repoOwner: string;
  repoName: string;
}
interface Key {
  pk: string;
  sk: string;
}

const named = (entity: string, version: string) => ({ __edb_e__: entity, __edb_v__: version });
const partitionOf = ({ repoOwner, repoName }: Repository): string => `$vcs#repoowner_${repoOwner}#reponame_${repoName}`;
const issueKey = (repo: Repository, issueNumber: string): Key => ({
  pk: `$vcs#issuenumber_${issueNumber}${partitionOf(repo).slice(4)}`,
  sk: '$issue_2',
});
const starKey = (repo: Repository, username: string): Key => ({
  pk: partitionOf(repo),
  sk: `$star_1#username_${username}`,
});
const textOf = ({ pk, sk }: Key): string => JSON.stringify([pk, sk]);
