/** The guides by what somebody wants to do, in the order of the sidebar: names of pages in docs/how-to. */
export const HOW_TO_GROUPS: Readonly<Record<string, readonly string[]>> = {
  Model: ['modeling', 'lists', 'search', 'totals', 'unique', 'expiry', 'tenants'],
  Write: ['writing', 'adopting'],
  Read: ['recipes', 'reading', 'sessions', 'watch', 'feeds', 'rest', 'errors'],
  Change: ['changing-the-model', 'rename', 'move', 'erase'],
  Operate: ['deploying', 'operations', 'alarms', 'repair', 'runbooks', 'telemetry', 'studio'],
};

/** Words that people search for and that pages do not use, by the page that answers them. */
export const SEARCH_WORDS: Readonly<Record<string, string>> = {
  'start/what-it-is': 'denormalize denormalization denormalized materialized view read model CQRS',
  'start/concepts': 'adjacency list single-table design graph database',
  'how-to/modeling': 'modelling relations relationship one-to-many many-to-many foreign key association schema',
  'how-to/lists': 'join order by sort two attributes leaderboard ranking timeline GSI secondary index filter',
  'how-to/search': 'full text like autocomplete prefix find by name lookup geohash',
  'how-to/totals': 'count counter followers follower aggregate sum average group by statistics',
  'how-to/unique': 'unique e-mail constraint duplicate username claim',
  'how-to/expiry': 'TTL time to live trash soft delete undelete recycle bin expire',
  'how-to/tenants': 'multi-tenant multitenancy SaaS isolation',
  'how-to/writing': 'transaction batch upsert insert bulk idempotent idempotency optimistic locking version',
  'how-to/adopting': 'outbox CDC change data capture import existing data Postgres Debezium migrate ElectroDB OneTable',
  'how-to/recipes':
    'how do I example snippet paginate pagination activity feed tree comments folders permissions access control likes unread',
  'how-to/reading': 'pagination paginate next page infinite scroll cursor GraphQL resolver dataloader N+1 query',
  'how-to/sessions': 'read your own writes eventual consistency stale consistent',
  'how-to/watch': 'live real time realtime websocket subscription push',
  'how-to/feeds': 'outbox CDC event bus EventBridge webhook subscribe notification',
  'how-to/rest': 'HTTP API Gateway Express endpoint GraphQL',
  'how-to/changing-the-model': 'schema migration rollback backfill blue-green version',
  'how-to/move': 'change primary key re-key reparent new id',
  'how-to/erase': 'GDPR delete a user privacy right to be forgotten',
  'how-to/deploying': 'staging stage serverless SAM Terraform CDK CloudFormation CI pipeline',
  'how-to/operations': 'monitoring on-call dashboard backup restore point-in-time',
  'how-to/repair': 'drift reconcile rebuild resync wrong missing dead letter',
  'explain/costs': 'pricing price bill cost WCU RCU capacity dollars',
  'explain/sharding': 'hot partition hot key throttling scale',
};

/** Throws if a page of docs/how-to is in no group, or in two, or if a group or the words name a page that is none. */
export function checkGroups(paths: readonly string[]): void {
  const grouped = Object.values(HOW_TO_GROUPS).flatMap((names) => names.map((name) => `how-to/${name}`));
  const pages = new Set(paths.map((path) => path.replace(/\.md$/, '')));
  const wrong = [
    ...[...pages].filter((page) => page.startsWith('how-to/') && !grouped.includes(page)),
    ...[...grouped, ...Object.keys(SEARCH_WORDS)].filter((page) => !pages.has(page)),
    ...grouped.filter((page, i) => grouped.indexOf(page) < i),
  ];
  if (wrong.length > 0)
    throw new Error(`Put each page into one group of site/groups.ts, and name only pages there: ${wrong.join(', ')}`);
}
